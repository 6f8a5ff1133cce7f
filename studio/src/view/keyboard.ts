/** Keys. They do nothing while the reader writes, and leave range inputs and lists their arrows. */

import { endFork, fork, run } from "../model/actions";
import { go, goBySamples, step, stop } from "../model/player";
import * as state from "../model/state";
import { switchTheme } from "./theme";

export interface Key {
  readonly keys: string;
  readonly meaning: string;
}

/** What the help lists. */
export const KEYS: readonly Key[] = [
  { keys: "space", meaning: "run or pause" },
  { keys: "E", meaning: "express: to the end, without drawing" },
  { keys: "← →", meaning: "one sample back or on; with shift ten" },
  { keys: ".", meaning: "one step: to the next instant at which anything happens" },
  { keys: "Home End", meaning: "to the start, to the last instant that is known" },
  { keys: "[ ]", meaning: "slower, faster" },
  { keys: "G", meaning: "write a time to go to" },
  { keys: "F", meaning: "fork here" },
  { keys: "X K", meaning: "give up B, keep B" },
  { keys: "/", meaning: "search the levers" },
  { keys: "T", meaning: "levers or TOML" },
  { keys: "L", meaning: "links and files" },
  { keys: "D", meaning: "dark or light" },
  { keys: "?", meaning: "this help" },
  { keys: "Esc", meaning: "close what is open; stop on the way to a time" },
];

const actions: Readonly<Record<string, (shift: boolean) => void>> = {
  " ": () => run("playing"),
  e: () => run("express"),
  ArrowLeft: (shift) => void goBySamples(shift ? -10 : -1),
  ArrowRight: (shift) => void goBySamples(shift ? 10 : 1),
  ".": () => void step(),
  Home: () => void go(0n),
  End: () => void go(lastKnown()),
  "[": () => changeSpeed(-1),
  "]": () => changeSpeed(1),
  g: () => select("time"),
  f: () => void fork(),
  x: () => void endFork("a"),
  k: () => void endFork("b"),
  "/": () => searchLevers(),
  t: () => {
    state.panel.value = state.panel.value === "levers" ? "toml" : "levers";
  },
  l: () => {
    state.dialog.value = "share";
  },
  d: switchTheme,
  "?": () => {
    state.dialog.value = "help";
  },
};

export function listen(): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") escape(event);
    if (state.dialog.value) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || isForElement(event)) return;
    event.preventDefault();
    if (!event.repeat || isHeldOn(event)) action(event.shiftKey);
  });
}

/** Closes or stops, also from a field: one keeps the focus after a time was written into it. */
function escape(event: KeyboardEvent): void {
  if (state.dialog.value) state.dialog.value = null;
  else if (state.busy.value) void stop();
  else return;
  event.preventDefault();
}

/** Whether a key that is held down acts again: those that move do, when the page has followed. */
function isHeldOn({ key }: KeyboardEvent): boolean {
  return (key.startsWith("Arrow") || key === ".") && !state.busy.value;
}

/** Whether the key is for the element that has the focus. */
function isForElement(event: KeyboardEvent): boolean {
  const element = event.target instanceof HTMLElement ? event.target : null;
  if (!element) return false;
  if (element.isContentEditable || element instanceof HTMLTextAreaElement) return true;
  if (element instanceof HTMLInputElement) {
    if (element.type === "range") return event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
    return element.type === "checkbox" ? event.key === " " : true;
  }
  if (element instanceof HTMLSelectElement) return true;
  const isButton = element instanceof HTMLButtonElement || element.tagName === "SUMMARY";
  if (isButton) return event.key === " ";
  return (
    element.getAttribute("role") === "region" &&
    (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")
  );
}

function lastKnown(): bigint {
  const samples = Math.max(state.recordA.value.end, state.recordB.value?.end ?? 0);
  const known = BigInt(Math.max(0, samples - 1)) * state.interval.value;
  return known > state.now.value ? known : state.now.value;
}

function changeSpeed(by: 1 | -1): void {
  const speeds = state.speeds.value;
  const nearest = speeds.reduce(
    (best, speed, place) =>
      Math.abs(speed - state.speed.value) < Math.abs((speeds[best] ?? 0) - state.speed.value) ? place : best,
    0,
  );
  state.speed.value = speeds[Math.min(speeds.length - 1, Math.max(0, nearest + by))] ?? state.speed.value;
  state.message.value = `${state.speed.value} s a second.`;
}

function select(id: string): void {
  const element = document.getElementById(id);
  if (element instanceof HTMLInputElement) element.select();
}

function searchLevers(): void {
  state.panel.value = "levers";
  queueMicrotask(() => select("lever-search")); // after the page is rendered, and before it hears of the next key
}
