/** The futures under the levers: what each value would deliver and lose in the next seconds. One replication. */

import type { Question } from "../backend/messages";
import type { Lever, LeverValue } from "../backend/types";
import { backend } from "./backend";
import * as state from "./state";
import { secondsOf } from "./time";

/** Values in the range of a lever; the present one is at this place. */
export const PLACES = 9;
const MOST_LEVERS = 6;
/** Futures wait this many ms, so that they do not begin between two actions. */
const PAUSE = 400;
let timer = 0;
let asked = 0;

backend.onFuture = (future) => {
  if (state.foretelling.value !== "running") return;
  const row = [...(state.futures.value.get(future.path) ?? [])];
  row[future.place] = future;
  state.futures.value = new Map(state.futures.value).set(future.path, row);
};

/** Levers whose futures are wanted: those of numbers that are shown first. */
export const wanted: { levers: readonly Lever[] } = { levers: [] };

export function pauseForetelling(): void {
  window.clearTimeout(timer);
  asked += 1;
  state.foretelling.value = "off";
}

export function foretellSoon(): void {
  window.clearTimeout(timer);
  state.futures.value = new Map();
  timer = window.setTimeout(() => void foretell(), PAUSE);
}

/** The simulated time of a future: a twelfth of the run. */
export function horizon(): bigint {
  return (state.loaded.value?.end ?? 0n) / 12n;
}

/** Whether the range of a lever can be shown. */
export function hasRange(lever: Lever): lever is Lever & { readonly least: number; readonly most: number } {
  const { least, most, kind } = lever;
  return least !== null && most !== null && most > least && (kind === "number" || kind === "quantity");
}

/** The values of a lever's range at equal distances, and last its present one. */
function valuesOf(lever: Lever): LeverValue[] {
  if (!hasRange(lever)) return [];
  const values = Array.from({ length: PLACES }, (_, place) => valueAt(lever, place / (PLACES - 1)));
  return [...values, withUnit(lever, numberOf(lever))];
}

/** Where in its range the value of a place is, from 0 to 1. */
export function shareOf(lever: Lever, place: number): number {
  if (place < PLACES) return place / (PLACES - 1);
  return hasRange(lever) ? (numberOf(lever) - lever.least) / (lever.most - lever.least) : 0;
}

/** The value at a share of the range, rounded to the lever's step. */
function valueAt(lever: Lever, share: number): LeverValue {
  const least = lever.least ?? 0;
  const most = lever.most ?? 1;
  const value = least + (most - least) * share;
  return withUnit(lever, lever.step ? least + Math.round((value - least) / lever.step) * lever.step : value);
}

export function withUnit(lever: Lever, value: number): LeverValue {
  const rounded = Number(value.toPrecision(6));
  return lever.kind === "quantity" ? `${rounded} ${lever.unit}` : rounded;
}

/** The number of a lever's value: 6 of `6 Mb/s`. */
export function numberOf(lever: Lever): number {
  return typeof lever.value === "number" ? lever.value : Number.parseFloat(String(lever.value));
}

async function foretell(): Promise<void> {
  const frame = state.frame.value;
  if (!frame || frame.ended || state.mode.value !== "paused" || state.busy.value || state.panel.value !== "levers")
    return;
  if (frame.fork && frame.now < frame.fork.at) return;
  const own = asked;
  const levers = wanted.levers.slice(0, MOST_LEVERS).map((lever) => ({ path: lever.path, values: valuesOf(lever) }));
  const question: Question = { horizon: horizon(), levers: levers.filter((lever) => lever.values.length > 0) };
  state.foretelling.value = "running";
  await backend.ask("foretell", question);
  if (own === asked) state.foretelling.value = "done";
}

export function horizonSeconds(): number {
  const left = secondsOf((state.loaded.value?.end ?? 0n) - state.now.value);
  return Math.min(secondsOf(horizon()), left);
}
