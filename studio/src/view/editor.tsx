/** The scenario as TOML. The editor's code is loaded when it is opened first. */

import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { check, load } from "../model/actions";
import * as state from "../model/state";

export function Editor(): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  useEffect(() => {
    let close = (): void => {};
    let isGone = false;
    void import("./code").then(({ openEditor }) => {
      if (!place.current || isGone) return;
      const options = { text: state.draft.value, schema: state.facts.value?.schema ?? {}, check };
      close = openEditor(place.current, { ...options, onText: (text) => (state.draft.value = text) });
      isOpen.value = true;
    });
    return () => {
      isGone = true;
      close();
    };
  }, [state.text.value]);
  const start = (): void => {
    void load(state.draft.value, state.name.value || state.ownName.value, state.seed.value);
  };
  return (
    <div class="editor">
      {!isOpen.value && <p class="note">The editor is loading.</p>}
      <div ref={place} id="code" />
      <div class="fork">
        <label>
          Seed{" "}
          <input
            id="seed"
            type="text"
            inputMode="numeric"
            size={6}
            value={String(state.seed.value)}
            onChange={readSeed}
          />
        </label>{" "}
        <button type="button" id="start-again" disabled={state.busy.value} onClick={start}>
          Start again with this text
        </button>
        <p class="note">Ctrl-space completes. Esc, then Tab, leaves the text.</p>
      </div>
    </div>
  );
}

function readSeed(event: TargetedEvent<HTMLInputElement>): void {
  const { value } = event.currentTarget;
  if (/^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n) state.seed.value = BigInt(value);
  else event.currentTarget.value = String(state.seed.value);
}
