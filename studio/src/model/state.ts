/** What the page shows. Only the modules of `model` write these signals; views read them. */

import { computed, signal } from "@preact/signals";
import type { Facts, Frame, Future, Loaded } from "../backend/messages";
import type { Fault, Lever, LeverValue } from "../backend/types";
import type { Home } from "./home";
import { Samples } from "./samples";
import { roundUp } from "./quantity";
import { secondsOf } from "./time";

export type Mode = "paused" | "playing" | "express";
export type Panel = "levers" | "toml";
export type Dialog = "help" | "share" | null;

export const home = signal<Home | null>(null);
export const facts = signal<Facts | null>(null);
export const loaded = signal<Loaded | null>(null);
export const frame = signal<Frame | null>(null);
export const levers = signal<readonly Lever[]>([]);
/** The values of the levers when the fork was made, or when the scenario was loaded. */
export const leversBefore = signal<ReadonlyMap<string, LeverValue>>(new Map());
export const recordA = signal(new Samples(0, 0));
export const recordB = signal<Samples | null>(null);

/** The name in the list of ready scenarios; empty for a text of the user's own. */
export const name = signal("");
/** The name of a text of the user's own, of the file or the link that it came from; empty if there is none. */
export const ownName = signal("");
export const text = signal("");
export const seed = signal(1n);
/** The text in the editor, which need not be the one that runs. */
export const draft = signal("");
/** The seed beside it. */
export const draftSeed = signal(1n);

export const mode = signal<Mode>("paused");
/** The mode after what is under way. */
export const modeAfter = signal<Mode>("paused");
/** Simulated seconds in a second of the reader. */
export const speed = signal(1);
/** The page is loading, or on its way to a time. */
export const busy = signal(true);
/** It has been busy for so long that the reader may want to stop it. */
export const isSlow = signal(false);
export const fault = signal<Fault | null>(null);
/** What was done, told once to everyone, screen readers too. */
export const message = signal("");
export const panel = signal<Panel>("levers");
export const dialog = signal<Dialog>(null);
export const chosenPort = signal<string | null>(null);
export const futures = signal<ReadonlyMap<string, readonly (Future | undefined)[]>>(new Map());
export const foretelling = signal<"off" | "running" | "done">("off");

export const now = computed(() => frame.value?.now ?? 0n);
/** The text or the seed in the editor is not the one that runs. */
export const isEdited = computed(
  () => loaded.value !== null && (draft.value !== text.value || draftSeed.value !== seed.value),
);
export const hasEnded = computed(() => frame.value?.ended ?? false);
export const isForked = computed(() => (frame.value?.fork ?? null) !== null);
export const interval = computed(() => loaded.value?.plan.interval ?? 1n);
/** The seconds that the time axis shows. */
export const shownSeconds = computed(() => {
  const samples = Math.max(frame.value?.a.recorded ?? 0, frame.value?.b?.recorded ?? 0);
  const known = Math.max(secondsOf(interval.value) * samples, secondsOf(now.value));
  const end = secondsOf(loaded.value?.end ?? 1n);
  return Math.min(end, Math.max(known * 1.04, end / 20));
});

/** Simulated seconds a second to choose from. */
export const speeds = computed(() => {
  const usual = usualSpeed(loaded.value?.end ?? 1n);
  return [0.001, 0.01, 0.05, 0.25, 0.5, 1, 2.5, 10].map((factor) => Number((usual * factor).toPrecision(6)));
});

/** A run lasts about 45 seconds at the usual speed. */
export function usualSpeed(end: bigint): number {
  return roundUp(secondsOf(end) / 100) * 2;
}
