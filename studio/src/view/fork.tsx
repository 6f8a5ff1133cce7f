/** The buttons of the fork, at the bottom of the window wherever the reader has scrolled to. */

import type { JSX } from "preact";
import { endFork, fork } from "../model/actions";
import { clockText } from "../model/player";
import * as state from "../model/state";
import { exact } from "../model/time";

export function ForkBar(): JSX.Element {
  return (
    <div class="fork-bar" role="region" aria-label="Fork">
      {state.isForked.value ? <EndFork /> : <MakeFork />}
    </div>
  );
}

function MakeFork(): JSX.Element {
  return (
    <>
      <button type="button" id="fork" disabled={!state.busy.value && state.hasEnded.value} onClick={() => void fork()}>
        Fork here at {clockText()} <kbd>F</kbd>
      </button>
      <p class="note">Both futures go on from this very instant, with the same traffic to come.</p>
    </>
  );
}

function EndFork(): JSX.Element {
  return (
    <>
      <button type="button" id="give-up-b" onClick={() => void endFork("a")}>
        Give up B <kbd>X</kbd>
      </button>
      <button type="button" id="keep-b" onClick={() => void endFork("b")}>
        Keep B <kbd>K</kbd>
      </button>
      <p class="note">Forked at {exact(state.frame.value?.fork?.at ?? 0n)}. The levers act on B.</p>
    </>
  );
}
