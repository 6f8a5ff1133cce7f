/** Where the simulation runs. The page knows only this interface; `client.ts` is a worker of this tab. */

import type { Answer, Argument, Future, Operation } from "./messages";
import type { Fault } from "./types";

export interface Backend {
  /** Carries out one operation. Any but `facts`, `check` and `written` ends a way to a time, and foretelling. */
  ask<O extends Operation>(operation: O, argument: Argument<O>): Promise<Answer<O>>;
  /** Called for each future while `foretell` runs. */
  onFuture: (future: Future) => void;
}

/** What an operation throws if the engine refuses it. */
export class Refused extends Error {
  constructor(readonly fault: Fault) {
    super(fault.reason);
  }
}
