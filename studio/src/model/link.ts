/** Links: scenario, seed, instant and changes in the fragment of the address, deflated. A link holds data only. */

import type { TimedChange, LeverValue } from "../backend/types";
import { parse } from "./time";

export interface Shared {
  readonly name: string;
  readonly text: string;
  readonly seed: string;
  readonly at: string;
  readonly changes: readonly TimedChange[];
  /** The other future: when it begins, and its changes. */
  readonly fork: { readonly at: string; readonly changes: readonly TimedChange[] } | null;
}

/** The most octets that a link may inflate to. */
export const MOST_OCTETS = 1_000_000;
const KEY = "s=";
const MOST_CHANGES = 1000;

export async function encode(shared: Shared): Promise<string> {
  const text = new Blob([JSON.stringify(shared)]);
  const stream = text.stream().pipeThrough(new CompressionStream("deflate-raw"));
  const octets = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const octet of octets) binary += String.fromCharCode(octet);
  return KEY + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What a fragment holds; null if it is empty. Throws an `Error` with a plain reason if it is damaged or too large. */
export async function decode(fragment: string): Promise<Shared | null> {
  const code = fragment.replace(/^#/, "");
  if (!code.startsWith(KEY)) return null;
  let text: string;
  try {
    text = await inflate(code.slice(KEY.length));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("the link is damaged: copy it whole");
  }
  return read(text);
}

async function inflate(code: string): Promise<string> {
  const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
  const octets = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([octets]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > MOST_OCTETS) {
      await reader.cancel();
      throw new RangeError("the link holds more than 1 MB: it is not opened");
    }
    parts.push(next.value);
  }
  return new Blob(parts).text();
}

function read(text: string): Shared {
  const tree = record(JSON.parse(text) as unknown);
  const fork = tree["fork"] === null || tree["fork"] === undefined ? null : record(tree["fork"]);
  const seed = string(tree["seed"]);
  if (!/^\d{1,20}$/.test(seed)) throw new Error("the link is damaged: its seed is no whole number");
  return {
    name: string(tree["name"]).slice(0, 200),
    text: string(tree["text"]),
    seed,
    at: time(tree["at"]),
    changes: changes(tree["changes"]),
    fork: fork && { at: time(fork["at"]), changes: changes(fork["changes"]) },
  };
}

function record(value: unknown): { [key: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw damaged("a table");
  return value as { [key: string]: unknown };
}

function string(value: unknown): string {
  if (typeof value !== "string") throw damaged("a text");
  return value;
}

function time(value: unknown): string {
  const text = string(value);
  if (parse(text) === null) throw damaged("a time");
  return text;
}

function changes(value: unknown): TimedChange[] {
  if (!Array.isArray(value) || value.length > MOST_CHANGES) throw damaged("a list of changes");
  return value.map((each) => {
    const change = record(each);
    return { at: time(change["at"]), path: string(change["path"]), value: leverValue(change["value"]) };
  });
}

function leverValue(value: unknown): LeverValue {
  if (value === null || ["number", "string", "boolean"].includes(typeof value)) return value as LeverValue;
  throw damaged("a value");
}

function damaged(what: string): Error {
  return new Error(`the link is damaged: ${what} is missing or wrong`);
}
