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

export function play(mode: "playing" | "express"): void {
  const isRunning = state.mode.value !== "paused";
  if (state.busy.value || state.frame.value?.ended) return;
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
      if (frame.ended || frame.stopped) state.mode.value = "paused";
      if (!goesOn) break;
      await nextFrame();
    }
    // Express does not draw, and a frame of a run that goes on is not exact in everything: the last one is.
    show(await backend.ask("advance", { target: state.now.value, draw: true, budget: 0 }));
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

export async function pause(): Promise<void> {
  state.mode.value = "paused";
  await loop;
}

export function toggle(mode: "playing" | "express"): void {
  if (state.mode.value === mode) void pause();
  else play(mode);
}

/** Goes to a time, forwards or back. */
export async function go(to: bigint): Promise<void> {
  const target = earlier(to < 0n ? 0n : to, end());
  await quietly(async () => {
    const frame = await backend.ask("go", target);
    show(frame);
    if (frame.reached) state.message.value = `At ${exact(frame.now)}.`;
  });
}

/** Ends the way to a time where it is. */
export async function stop(): Promise<void> {
  await quietly(async () => show(await backend.ask("advance", { target: 0n, draw: true, budget: 0 })));
}

export async function step(): Promise<void> {
  await quietly(async () => show(await backend.ask("step", null)));
}

/** One sample back or on, or several. */
export async function goBySamples(count: number): Promise<void> {
  const interval = state.interval.value;
  const here = state.now.value;
  const sample = count < 0 ? (here + interval - 1n) / interval : here / interval;
  await go((sample + BigInt(count)) * interval);
}

let pending = 0;
/** After this many ms the page offers to stop. */
const SLOW = 300;
let slow = 0;

/** Pauses, does something with the backend, and shows a fault if there is one. */
export async function quietly(act: () => Promise<void>): Promise<boolean> {
  pauseForetelling();
  pending += 1;
  state.busy.value = true;
  window.clearTimeout(slow);
  slow = window.setTimeout(() => (state.isSlow.value = true), SLOW);
  try {
    await pause();
    await act();
    state.fault.value = state.frame.value?.stopped ? state.fault.value : null;
    return true;
  } catch (error) {
    state.fault.value = faultOf(error);
    return false;
  } finally {
    pending -= 1;
    state.busy.value = pending > 0;
    if (pending === 0) {
      window.clearTimeout(slow);
      state.isSlow.value = false;
      foretellSoon();
    }
  }
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
