/** What the reader can do: load a scenario, move a lever, fork, follow links. */

import type { Side } from "../backend/messages";
import type { Fault, LeverValue, TimedChange } from "../backend/types";
import { backend, faultOf, show } from "./backend";
import type { Home } from "./home";
import { gigabytes, mostOctets } from "./limits";
import { decode, type Shared } from "./link";
import { quietly, toggle, withRun } from "./player";
import { FIRST, isMadeFrom, isReady, readyText } from "./ready";
import { Samples } from "./samples";
import * as state from "./state";
import { exact, parse } from "./time";

/** Starts the page: with the scenario of the link, that of the file, or the first one. */
export async function start(home: Home): Promise<void> {
  window.addEventListener("hashchange", () => void followLink(location.hash));
  try {
    state.home.value = home;
    backend.connect(home.makeWorker());
    state.facts.value = await backend.ask("facts", await home.engine());
    await followLink(location.hash || home.instant);
  } catch (error) {
    state.busy.value = false;
    state.fault.value = faultOf(error);
  }
}

export async function followLink(fragment: string): Promise<void> {
  let shared: Shared | null = null;
  let reason = "";
  try {
    shared = await decode(fragment);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  if (shared) await openShared(shared);
  const fault = reason ? plainFault(reason) : state.fault.value;
  if (!state.loaded.value) await loadReady(FIRST);
  if (fault) state.fault.value = fault;
}

/** Ends where the reader does something else, or stops it: no change is made at another time than its own. */
async function openShared(shared: Shared): Promise<void> {
  await quietly(async (isLast) => {
    await bring(shared.text, shared.name, BigInt(shared.seed));
    const goTo = async (at: string): Promise<boolean> => {
      if (isLast()) show(await backend.ask("go", parse(at) ?? 0n));
      return isLast();
    };
    const applyAll = async (changes: readonly TimedChange[]): Promise<void> => {
      for (const { at, path, value } of changes)
        if (await goTo(at)) show(await backend.ask("change", { path, value }));
    };
    await applyAll(shared.changes);
    if (shared.fork && (await goTo(shared.fork.at))) {
      show(await backend.ask("fork", null));
      rememberLevers();
      await applyAll(shared.fork.changes);
    }
    await goTo(shared.at);
  });
}

export async function loadReady(name: string): Promise<boolean> {
  return load(readyText(name), name, 1n);
}

/** Starts a scenario from its text. False, with the fault shown, if the engine refuses it: then the old one stays. */
export async function load(source: string | Promise<string>, name: string, seed: bigint): Promise<boolean> {
  return quietly(() => bring(source, name, seed));
}

/** Starts what is in the editor. */
export async function startDraft(): Promise<void> {
  const name = state.name.value || state.ownName.value;
  const isStarted = await load(state.draft.value, name, state.draftSeed.value);
  if (!isStarted) state.panel.value = "toml"; // the fault is at its line
}

/** Runs or pauses; a text that was changed in the editor is started first. */
export function run(mode: "playing" | "express"): void {
  if (state.isEdited.value && state.mode.value === "paused" && !state.busy.value) void startDraft();
  toggle(mode);
}

let wishes = 0;

/** Has the backend start a scenario, and shows it; not if another one is wished for before its text is there. */
async function bring(source: string | Promise<string>, name: string, seed: bigint): Promise<void> {
  wishes += 1;
  const own = wishes;
  const draft = state.draft.value;
  const text = await source;
  const ready = isReady(name) ? await readyText(name) : null;
  const isUnchanged = ready === text;
  const hasOwnName = ready === null || isMadeFrom(text, ready);
  if (own !== wishes) return;
  // From the answer on to the end nothing may wait: the answers to what is asked next would be shown before.
  const { loaded, frame } = await backend.ask("load", { text, form: "toml", seed, most: mostOctets(gigabytes()) });
  const { plan } = loaded;
  state.loaded.value = loaded;
  state.recordA.value = new Samples(plan.columns.length, plan.rows);
  state.recordB.value = null;
  state.name.value = isUnchanged ? name : "";
  state.ownName.value = isUnchanged || !hasOwnName ? "" : name;
  state.text.value = text;
  if (state.draft.value === draft) state.draft.value = text; // else the reader has written on
  state.seed.value = state.draftSeed.value = seed;
  state.chosenPort.value = null;
  state.speed.value = state.usualSpeed(loaded.end);
  state.futures.value = new Map();
  state.levers.value = [];
  show(frame);
  rememberLevers();
  state.message.value = `${loaded.title || name || "The scenario"} is loaded.`;
}

function rememberLevers(): void {
  state.leversBefore.value = new Map(state.levers.value.map((lever) => [lever.path, lever.value]));
}

/** Changes a parameter from now on. A run that plays goes on. False if the engine refuses it. */
export async function change(path: string, value: LeverValue): Promise<boolean> {
  return withRun(async () => {
    show(await backend.ask("change", { path, value }));
    state.message.value = `${path} is ${String(value)} from ${exact(state.now.value)} on.`;
  }, true);
}

/** Forks the run here. A run that plays goes on, with both sides. */
export async function fork(): Promise<void> {
  if (!state.busy.value && (state.isForked.value || state.frame.value?.ended)) return;
  await withRun(async () => {
    const frame = await backend.ask("fork", null);
    const isNew = !state.isForked.value && frame.fork !== null; // what was asked before is answered now
    show(frame);
    if (!isNew) return;
    rememberLevers();
    state.message.value = `Forked at ${exact(state.now.value)}. The levers now act on B.`;
  }, true);
}

/** Ends the fork with one side. Keeping B makes it the run. */
export async function endFork(keep: Side): Promise<void> {
  if (!state.busy.value && !state.isForked.value) return;
  await withRun(async () => {
    const frame = await backend.ask("end_fork", keep);
    const b = state.recordB.value; // a fork that was asked for before is made now
    if (keep === "b" && b) state.recordA.value.follow(b);
    show(frame);
    if (!b) return;
    rememberLevers();
    state.message.value = keep === "b" ? "B is the run now." : "B is given up.";
  });
}

/** The first fault of the text in the editor. */
export async function check(text: string): Promise<Fault | null> {
  return backend.ask("check", { text, form: "toml" });
}

function plainFault(reason: string): Fault {
  return { kind: "scenario", path: "", value: "", reason, remedy: "", line: null };
}
