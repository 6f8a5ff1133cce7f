/** Play, pause, step and scrub. */

import type { Frame } from "../backend/messages";
import { backend, faultOf, show } from "./backend";
import { pauseForetelling, foretellSoon } from "./foretell";
import * as state from "./state";
import { clock, exact, psOf } from "./time";

/** Milliseconds of simulation between two drawn frames, at most. */
const BUDGET = 24;
const EXPRESS_BUDGET = 200;
/** A frame advances by no more than this many ms of the reader's time, so a hidden tab does not leap. */
const LONGEST_FRAME = 100;

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
let loop: Promise<void> = Promise.resolve();

function play(mode: "playing" | "express"): void {
  const isRunning = state.mode.value !== "paused";
  if (state.frame.value?.ended ?? true) return;
  pauseForetelling();
  state.fault.value = null;
  state.mode.value = mode;
  if (!isRunning) loop = loop.then(run);
}

/** The worker simulates the next frame while the page draws this one. */
async function run(): Promise<void> {
  let last = await nextFrame();
  try {
    let pending = nextAdvance(state.now.value, 0);
    for (;;) {
      const frame = await pending;
      const goesOn = state.mode.value !== "paused" && !frame.ended && !frame.stopped;
      if (goesOn) pending = nextAdvance(frame.now, Math.min(LONGEST_FRAME, Math.max(1, performance.now() - last)));
      last = performance.now();
      show(frame);
      if (!goesOn) break;
      await nextFrame();
    }
    // Express does not draw, and a frame of a run that goes on is not exact in everything: the last one is.
    show(await backend.ask("advance", { target: state.now.value, draw: true, budget: 0 }));
    if (state.frame.value?.ended || state.frame.value?.stopped) state.mode.value = "paused";
    if (state.frame.value?.ended) state.message.value = "The run has ended.";
  } catch (error) {
    state.mode.value = "paused";
    state.fault.value = faultOf(error);
  }
  foretellSoon();
}

/** Asks for what is simulated in `took` ms of the reader's time. */
function nextAdvance(now: bigint, took: number): Promise<Frame> {
  if (state.mode.value === "express")
    return backend.ask("advance", { target: end(), draw: false, budget: EXPRESS_BUDGET });
  const target = earlier(now + psOf((took / 1000) * state.speed.value), end());
  return backend.ask("advance", { target, draw: true, budget: BUDGET });
}

/** Runs or pauses; while the page is busy, as soon as it is done. A run that has ended is shown again. */
export function toggle(mode: "playing" | "express"): void {
  if (state.busy.value) state.modeAfter.value = state.modeAfter.value === mode ? "paused" : mode;
  else if (state.mode.value === mode) void quietly(async () => {});
  else if (state.hasEnded.value) {
    void go(0n);
    state.modeAfter.value = mode;
  } else play(mode);
}

/** The time that the page is on its way to. */
let aim: bigint | null = null;

/** Goes to a time, forwards or back. */
export async function go(to: bigint): Promise<void> {
  const target = earlier(to < 0n ? 0n : to, end());
  const isDone = withRun(async () => {
    const frame = await backend.ask("go", target);
    show(frame);
    if (frame.reached) state.message.value = `At ${exact(frame.now)}.`;
  });
  aim = target;
  await isDone;
}

/** Ends the way to a time where it is. */
export async function stop(): Promise<void> {
  await withRun(async () => show(await backend.ask("advance", { target: 0n, draw: true, budget: 0 })));
}

export async function step(): Promise<void> {
  await withRun(async () => show(await backend.ask("step", null)));
}

/** One sample back or on, or several; from where the way leads to, if there is one. */
export async function goBySamples(count: number): Promise<void> {
  const interval = state.interval.value;
  const here = aim ?? state.now.value;
  const sample = count < 0 ? (here + interval - 1n) / interval : here / interval;
  await go((sample + BigInt(count)) * interval);
}

let pending = 0;
let begun = 0;
/** After this many ms the page offers to stop. */
const SLOW = 300;
let slow = 0;

/** What is done with the backend. `isLast` says whether nothing else was begun since. */
type Act = (isLast: () => boolean) => Promise<void>;

/** As `quietly`; does nothing while there is no run yet. `goesOn`: a run that plays goes on after it. */
export async function withRun(act: Act, goesOn = false): Promise<boolean> {
  return state.loaded.value !== null && quietly(act, goesOn);
}

/** Pauses, does something with the backend, and shows a fault if there is one. */
export async function quietly(act: Act, goesOn = false): Promise<boolean> {
  pauseForetelling();
  if (goesOn && pending === 0) state.modeAfter.value = state.mode.value;
  // Up to the first scenario there is nothing to pause: one that is to run at once stays so.
  if (!goesOn && state.loaded.value) state.modeAfter.value = "paused";
  aim = null;
  begun += 1;
  const own = begun;
  pending += 1;
  state.busy.value = true;
  state.mode.value = "paused";
  window.clearTimeout(slow);
  slow = window.setTimeout(() => (state.isSlow.value = true), SLOW);
  try {
    await loop;
    await act(() => begun === own);
    state.fault.value = state.frame.value?.stopped ? state.fault.value : null;
    return true;
  } catch (error) {
    state.fault.value = faultOf(error);
    state.modeAfter.value = "paused";
    return false;
  } finally {
    pending -= 1;
    if (pending === 0) rest();
  }
}

/** All is done: the page is at rest, or the run goes on. */
function rest(): void {
  window.clearTimeout(slow);
  aim = null;
  state.busy.value = false;
  state.isSlow.value = false;
  if (state.modeAfter.value === "paused") foretellSoon();
  else play(state.modeAfter.value);
}

export function clockText(): string {
  return clock(state.now.value, state.interval.value);
}

function end(): bigint {
  return state.loaded.value?.end ?? 0n;
}

function earlier(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
