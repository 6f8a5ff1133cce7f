/** Copies a text, or saves it as a file. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import * as state from "../model/state";

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const isCopied = useSignal("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = text;
      state.message.value = `${what} is copied.`;
    } catch {
      state.message.value = `The browser does not let the page copy: select the text instead.`;
    }
  };
  return (
    <button type="button" class="small" disabled={!text} onClick={() => void copy()}>
      {isCopied.value === text && text ? "Copied" : `Copy ${what}`}
    </button>
  );
}

/** Gives the reader a file. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
