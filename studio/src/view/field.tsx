/** A text field whose value the page renews. */

import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { useRef } from "preact/hooks";

interface Properties {
  readonly id: string;
  readonly value: string;
  /** Takes what was written. False if it is refused: then the reader may correct it. */
  readonly onGive: (text: string) => boolean | Promise<boolean>;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly size?: number;
  readonly inputMode?: "numeric";
  readonly "aria-label"?: string;
}

/** Shows the value; while the reader writes, what is written. A run that plays would overwrite it. */
export function Field({ value, onGive, ...others }: Properties): JSX.Element {
  const draft = useSignal<string | null>(null);
  const given = useRef(0);
  const isRefused = useRef(false);
  const give = async ({ currentTarget }: TargetedEvent<HTMLInputElement>): Promise<void> => {
    const text = currentTarget.value;
    given.current += 1;
    draft.value = text;
    isRefused.current = !(await onGive(text));
    given.current -= 1;
    if (!isRefused.current && draft.value === text) draft.value = null;
  };
  const leave = (): void => {
    if (given.current === 0 && !isRefused.current) draft.value = null;
  };
  return (
    <input
      {...others}
      type="text"
      value={draft.value ?? value}
      spellcheck={false}
      autocomplete="off"
      onFocus={(event) => (draft.value = event.currentTarget.value)}
      onBlur={leave}
      onInput={(event) => (draft.value = event.currentTarget.value)}
      onChange={(event) => void give(event)}
    />
  );
}
