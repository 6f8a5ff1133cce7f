/** This instant for others: as a link, as one file, as a text, and as Python. */

import type { Changed, Side } from "../backend/messages";
import type { TimedChange } from "../backend/types";
import { backend } from "./backend";
import { INSTANT, type Home } from "./home";
import { encode } from "./link";
import { python } from "./python";
import * as state from "./state";
import { exact } from "./time";

/** The scenario of a side, with its changes, as a file; as it was written, if there are none. */
export async function written(side: Side): Promise<string> {
  const frame = state.frame.value;
  const changes = (side === "b" ? frame?.b : frame?.a)?.changes ?? [];
  return changes.length > 0 ? (await backend.ask("written", side)).toml : state.text.value;
}

export function snippet(side: Side): string {
  const frame = state.frame.value;
  const of = side === "b" ? frame?.b : frame?.a;
  return python({
    ready: state.name.value || null,
    text: state.text.value,
    seed: state.seed.value,
    now: exact(state.now.value),
    changes: (of?.changes ?? []).filter((each) => each.ps <= state.now.value),
    fingerprint: of?.fingerprint ?? "",
  });
}

/** The address of this instant. */
export async function link(): Promise<string> {
  return `${location.href.replace(/#.*$/s, "")}#${await instant()}`;
}

/** Whether the link opens on this machine only. */
export function isLocal(): boolean {
  return location.protocol === "file:" || ["127.0.0.1", "localhost"].includes(location.hostname);
}

/** The page with its engine and this instant as one file. */
export async function pageFile(home: Home): Promise<Blob> {
  const [file, fragment] = await Promise.all([home.file(), instant()]);
  const place = file.getElementById(INSTANT);
  if (place) place.textContent = fragment;
  file.title = `${shownTitle()}, at ${exact(state.now.value)}`;
  return new Blob([`<!doctype html>\n${file.documentElement.outerHTML}\n`], { type: "text/html" });
}

/** What the scenario is called. */
export function shownTitle(): string {
  return state.loaded.value?.title || state.name.value || state.ownName.value || "own scenario";
}

/** The name of a file of this scenario. */
export function fileName(ending: string): string {
  const words = (state.name.value || shownTitle()).toLowerCase().match(/[a-z0-9]+/g) ?? ["penstock"];
  return `${words.join("-").slice(0, 60)}.${ending}`;
}

/** Scenario, seed, time and changes in the fragment of an address. */
async function instant(): Promise<string> {
  const frame = state.frame.value;
  const plain = (changes: readonly TimedChange[]): TimedChange[] =>
    changes.map(({ at, path, value }) => ({ at, path, value }));
  const own = frame?.a.changes ?? [];
  return encode({
    name: state.name.value || state.ownName.value,
    text: state.text.value,
    seed: String(state.seed.value),
    at: exact(state.now.value),
    changes: plain(own),
    fork:
      frame?.fork && frame.b
        ? { at: exact(frame.fork.at), changes: plain(since(frame.b.changes, frame.fork.at, own)) }
        : null,
  });
}

/** The changes of B that A does not have. */
function since(changes: readonly Changed[], fork: bigint, own: readonly Changed[]): Changed[] {
  const isOwn = (one: Changed): boolean =>
    own.some((each) => each.ps === one.ps && each.path === one.path && each.value === one.value);
  return changes.filter((each) => each.ps >= fork && !isOwn(each));
}
