/** The scenario as TOML. The editor's code is loaded when it is opened first. */

import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { check, startDraft } from "../model/actions";
import * as state from "../model/state";
import type { OpenEditor } from "./code";
import { Field } from "./field";

export function Editor(): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useSignal<OpenEditor | null>(null);
  useEffect(() => {
    let isGone = false;
    void import("./code").then(({ openEditor }) => {
      if (!place.current || isGone) return;
      const options = { text: state.draft.value, schema: state.facts.value?.schema ?? {}, check };
      editor.value = openEditor(place.current, { ...options, onText: (text) => (state.draft.value = text) });
    });
    return () => {
      isGone = true;
      editor.peek()?.close();
    };
  }, []);
  useSignalEffect(() => editor.value?.show(state.draft.value));
  const goBack = (): void => {
    editor.value?.write(state.text.value);
    state.draftSeed.value = state.seed.value;
  };
  return (
    <div class="editor">
      {!editor.value && <p class="note">The editor is loading.</p>}
      <div ref={place} id="code" />
      <div class="under-text">
        {state.isEdited.value && (
          <p id="edited" class="edited" role="status">
            This has changed: what runs is the old text. <b>Run</b> starts the new one.{" "}
            <button type="button" class="small" onClick={goBack}>
              Take back
            </button>
          </p>
        )}
        <label>
          Seed{" "}
          <Field id="seed" inputMode="numeric" size={6} value={String(state.draftSeed.value)} onGive={readSeed} />
        </label>{" "}
        <button type="button" id="start-again" onClick={() => void startDraft()}>
          Start again with this text
        </button>
        <p class="note">Ctrl-space completes. Esc, then Tab, leaves the text.</p>
      </div>
    </div>
  );
}

/** A text that is no seed is not taken: the field shows the old one again. */
function readSeed(value: string): boolean {
  if (/^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n) state.draftSeed.value = BigInt(value);
  return true;
}
