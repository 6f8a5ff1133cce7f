/** Help, and links and files. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { link, snippet, written } from "../model/actions";
import * as state from "../model/state";
import { CopyButton, save } from "./copy";
import { KEYS } from "./keyboard";
import { png, svg } from "./picture";

export function Dialogs(): JSX.Element | null {
  if (state.dialog.value === "help") return <Help />;
  if (state.dialog.value === "share") return <Share />;
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

function Share(): JSX.Element {
  const address = useSignal("");
  const texts = useSignal({ a: "", b: "" });
  const hasB = state.isForked.value;
  const shown = useSignal<"a" | "b">(hasB ? "b" : "a");
  const isAtRest = state.mode.value === "paused" && !state.busy.value;
  useEffect(() => {
    void link().then((found) => (address.value = found));
    void Promise.all([written("a"), written("b")]).then(([a, b]) => (texts.value = { a, b }));
  }, [isAtRest]);
  const toml = texts.value[shown.value];
  const code = snippet(shown.value);
  return (
    <Dialog title="Links and files">
      <h3>This instant as a link</h3>
      <p class="note">The link holds the scenario, the seed, the time and the changes. Nothing is sent to a server.</p>
      <div class="row">
        <input
          id="link"
          readOnly
          value={address.value}
          aria-label="Link"
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={address.value} what="link" />
      </div>
      {hasB && (
        <fieldset class="row">
          <legend>Which future</legend>
          {(["a", "b"] as const).map((side) => (
            <label key={side}>
              <input type="radio" name="side" checked={shown.value === side} onChange={() => (shown.value = side)} />{" "}
              {side.toUpperCase()}
            </label>
          ))}
        </fieldset>
      )}
      <h3>In Python, with the same fingerprint</h3>
      <pre id="snippet" tabIndex={0} aria-label="Python">
        {code}
      </pre>
      <CopyButton text={code} what="Python" />
      <h3>Files</h3>
      <div class="row">
        <button
          type="button"
          class="small"
          disabled={!toml}
          onClick={() => save("scenario.toml", new Blob([toml], { type: "application/toml" }))}
        >
          Save TOML
        </button>
        <CopyButton text={toml} what="TOML" />
        <button
          type="button"
          class="small"
          onClick={() => void png().then((made) => made && save("penstock.png", made))}
        >
          Save PNG
        </button>
        <button type="button" class="small" onClick={() => save("penstock.svg", svg())}>
          Save SVG
        </button>
      </div>
    </Dialog>
  );
}
