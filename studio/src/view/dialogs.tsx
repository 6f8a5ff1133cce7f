/** What is open above the page: help, or what Share offers. */

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import * as state from "../model/state";
import { KEYS } from "./keyboard";
import { Share } from "./share";

export function Dialogs(): JSX.Element | null {
  if (state.dialog.value === "help") return <Help />;
  if (state.dialog.value === "share") {
    return (
      <Dialog title="Links and files">
        <Share />
      </Dialog>
    );
  }
  return null;
}

function Dialog({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  const reference = useRef<HTMLDialogElement>(null);
  // Before the page hears of the next key. Closing it gives the focus back to where it was.
  useLayoutEffect(() => {
    const dialog = reference.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const close = (): void => {
    state.dialog.value = null;
  };
  return (
    <dialog
      ref={reference}
      aria-labelledby="dialog-title"
      // The event comes late: it must not close a dialog that was opened since.
      onClose={(event) => event.currentTarget.isConnected && close()}
    >
      <header>
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="small" onClick={close}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}

function Help(): JSX.Element {
  return (
    <Dialog title="Keys">
      <dl class="keys">
        {KEYS.map(({ keys, meaning }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        The page simulates one replication with the same engine as the command and Python: equal scenario, seed and time
        give the same fingerprint. A comparison that is to hold needs several replications: penstock compare.
      </p>
    </Dialog>
  );
}
