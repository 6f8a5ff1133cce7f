/** The worker: it hears requests, has the laboratory carry them out, and answers. */

import * as engine from "./engine";
import { Laboratory } from "./laboratory";
import type { Answer, Argument, Operation, Request, Response } from "./messages";

/** Whether a later request wants the worker. */
type IsCancelled = () => boolean;
type Handler<O extends Operation> = (argument: Argument<O>, isCancelled: IsCancelled) => Answer<O> | Promise<Answer<O>>;
type Handlers = { [O in Operation]: Handler<O> };

let started: Promise<unknown> = Promise.resolve();
let laboratory: Laboratory | null = null;
/** Requests are carried out one after the other. Any later one ends foretelling. */
let queue: Promise<void> = Promise.resolve();
let latest = 0;
/** These end the way to a time that is under way, too. All others wait until it is there. */
const MOVES: readonly Operation[] = ["load", "advance", "go"];
let latestMove = 0;

function present(): Laboratory {
  if (!laboratory) throw new Error("no scenario is loaded");
  return laboratory;
}

function tell(response: Response): void {
  self.postMessage(response);
}

const handlers: Handlers = {
  facts: (source) => {
    const facts = engine.start(source);
    started = facts;
    return facts;
  },
  load: (source) => {
    const made = new Laboratory(source);
    laboratory?.free();
    laboratory = made;
    return { loaded: made.loaded, frame: made.frame(true, true) };
  },
  advance: ({ target, draw, budget }, isCancelled) => present().advance(target, budget, draw, isCancelled),
  go: (to, isCancelled) => present().go(to, isCancelled),
  step: () => present().step(),
  change: ({ path, value }) => present().change(path, value),
  fork: () => present().makeFork(),
  end_fork: (keep) => present().endFork(keep),
  written: (side) => present().written(side),
  check: ({ text, form }) => engine.faultOf(text, form),
  foretell: async (question, isCancelled) => {
    await present().foretell(question, (future) => tell({ future }), isCancelled);
    return null;
  },
};

async function answer<O extends Operation>(request: Request<O>, isCancelled: IsCancelled): Promise<void> {
  const { id, operation, argument } = request;
  try {
    await started;
    const handler: Handler<O> = handlers[operation];
    tell({ id, answer: await handler(argument, isCancelled) });
  } catch (error) {
    tell({ id, fault: engine.asFault(error) });
  }
}

/** These only ask: they are answered at once, between two slices of what is under way. */
const ASKS: readonly Operation[] = ["facts", "check", "written"];

self.onmessage = ({ data }: MessageEvent<Request>) => {
  if (ASKS.includes(data.operation)) {
    void answer(data, () => false);
    return;
  }
  latest += 1;
  const own = latest;
  const isMove = MOVES.includes(data.operation);
  if (isMove) latestMove = own;
  queue = queue.then(() => answer(data, () => (isMove ? latestMove : latest) !== own));
};
