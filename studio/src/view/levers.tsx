/** The levers: every parameter that may change, with a search. */

import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { wanted } from "../model/foretell";
import { FEW, found, ordered } from "../model/levers";
import * as state from "../model/state";
import { LeverRow } from "./lever";
import { port } from "./scenes";

/** More levers than this are not shown at once: the search narrows them down. */
const MOST = 60;
export const search = signal("");
const showsAll = signal(false);

const all = computed(() => {
  const loaded = state.loaded.value;
  return loaded ? ordered(state.levers.value, loaded, port.value) : [];
});
const shown = computed(() => {
  if (search.value.trim()) return found(all.value, search.value).slice(0, MOST);
  return all.value.slice(0, showsAll.value ? MOST : FEW);
});

export function Levers(): JSX.Element {
  const list = shown.value;
  useEffect(() => {
    wanted.levers = list;
  }, [list]);
  const count = all.value.length;
  const isBefore = state.frame.value?.fork ? state.now.value < state.frame.value.fork.at : false;
  return (
    <div>
      {count === 0 && <p class="note">Nothing of this scenario may change during a run.</p>}
      {count > FEW && (
        <label class="search">
          <span class="visually-hidden">Search the levers</span>
          <input
            id="lever-search"
            type="search"
            placeholder={`Search ${count} levers  /`}
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
        </label>
      )}
      {isBefore && <p class="note">Before the fork A and B are one. Go to a time after it to move a lever.</p>}
      {state.hasEnded.value && <p class="note">The run has ended. Go back in time to move a lever.</p>}
      <ul class="levers">
        {list.map((lever) => (
          <LeverRow key={lever.path} lever={lever} isOff={isBefore || state.hasEnded.value} />
        ))}
      </ul>
      {list.length === 0 && count > 0 && <p class="note">No lever has these words.</p>}
      {count > FEW && !search.value && (
        <button
          type="button"
          class="plain"
          aria-expanded={showsAll.value}
          onClick={() => (showsAll.value = !showsAll.value)}
        >
          {showsAll.value
            ? "Show fewer levers"
            : `Show ${count > MOST ? `${MOST} of ${count}` : `all ${count}`} levers`}
        </button>
      )}
    </div>
  );
}
