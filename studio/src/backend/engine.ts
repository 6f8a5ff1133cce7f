/** The engine compiled to WebAssembly, with the types of its JSON answers. Used in the worker only. */

import init, * as wasm from "../../wasm/penstock_wasm.js";
import schema from "../../wasm/schema.json?raw";
import type { Fault, Form, Lever, LevelKind, LeverValue, Network, ReadingKind, CounterKind } from "./types";

export type Run = wasm.Run;

export interface Change {
  readonly at: string;
  readonly path: string;
  readonly value: LeverValue;
}

/** Loads the engine from its address or its octets. The other functions need it. */
export async function start(
  source: string | ArrayBuffer,
): Promise<{ version: string; sources: string; schema: unknown }> {
  await init({ module_or_path: source });
  wasm.use_schema(schema);
  return { version: wasm.version(), sources: wasm.sources(), schema: JSON.parse(schema) as unknown };
}

/** A run; refused if it certainly needs more than `most` octets. */
export function newRun(text: string, form: Form, seed: bigint, most: number): Run {
  return new wasm.Run(text, form, seed, 0, most);
}

export function networkOf(run: Run): Network {
  return JSON.parse(run.network()) as Network;
}

export function readingKinds(run: Run): ReadingKind[] {
  return JSON.parse(run.reading_kinds()) as ReadingKind[];
}

/** The values of all readings, in the order of `kinds`. A change may add readings; those are left out. */
export function readingsOf(run: Run, kinds: readonly ReadingKind[]): Float64Array {
  const values = run.readings();
  if (values.length === kinds.length) return values;
  const key = (kind: ReadingKind): string => `${kind.component}\0${kind.quantity}`;
  const places = new Map(readingKinds(run).map((kind, place) => [key(kind), place]));
  return Float64Array.from(kinds, (kind) => values[places.get(key(kind)) ?? -1] ?? Number.NaN);
}

export function counterKinds(run: Run): CounterKind[] {
  return JSON.parse(run.counter_kinds()) as CounterKind[];
}

/** What the levels of the flows of each group are; null without control. */
export function levelKinds(run: Run): Readonly<Record<string, LevelKind | null>> {
  return JSON.parse(run.flow_level_kind()) as Record<string, LevelKind | null>;
}

export function leversOf(run: Run): Lever[] {
  return JSON.parse(run.levers()) as Lever[];
}

export function change(run: Run, changes: readonly Change[]): void {
  run.change(JSON.stringify(changes));
}

/** The title of a scenario, or nothing. */
export function titleOf(run: Run): string {
  const tree = JSON.parse(run.scenario()) as { title?: string };
  return tree.title ?? "";
}

/** The scenario with all changes made so far. */
export function written(run: Run): { toml: string; json: string } {
  const json = run.scenario();
  return { toml: wasm.to_toml(json), json };
}

/** The first fault of a scenario's text, or null. Builds nothing. */
export function faultOf(text: string, form: Form): Fault | null {
  try {
    wasm.normalise(text, form);
    return null;
  } catch (error) {
    return asFault(error);
  }
}

/** What the engine threw. Its message is JSON; anything else is a defect. */
export function asFault(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error);
  try {
    const told = JSON.parse(message) as Partial<Fault>;
    if (typeof told.reason === "string") {
      return {
        kind: told.kind ?? "defect",
        path: told.path ?? "",
        value: told.value ?? "",
        reason: told.reason,
        remedy: told.remedy ?? "",
        line: told.line ?? null,
      };
    }
  } catch {
    // The message is no JSON: it did not come from the engine's checks.
  }
  const remedy = "load the page again; if it happens again, report it with the scenario's text";
  return { kind: "defect", path: "", value: "", reason: message, remedy, line: null };
}

/** An exact time as a scenario has it. */
export function spanText(ps: bigint): string {
  return `${ps} ps`;
}
