/** The data that cross from the engine (crates/wasm) to the page. Times are whole picoseconds, as in the engine. */

export interface Fault {
  readonly kind: "scenario" | "defect" | "memory";
  readonly path: string;
  readonly value: string;
  readonly reason: string;
  readonly remedy: string;
  /** The line of the TOML text, from 1; null if the fault has none. */
  readonly line: number | null;
}

export type Form = "toml" | "json";

export interface NodePlace {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface LineShape {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly delay: string;
  /** The ports of both directions, as places in `ports`. */
  readonly ports: readonly number[];
}

export interface Threshold {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface QueueShape {
  readonly limit: number | null;
  readonly unit: string;
  readonly thresholds: readonly Threshold[];
}

export interface PortShape {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly rate_bps: number;
  readonly delay_s: number;
  readonly queues: readonly QueueShape[];
  readonly congestion_point: string | null;
  readonly broken: boolean;
}

export interface GroupShape {
  readonly name: string;
  readonly flows: number;
  readonly first_flow: number;
  readonly senders: readonly string[];
  readonly receivers: readonly string[];
  readonly hops: readonly (readonly [string, string])[];
  readonly reaction_point: string | null;
  readonly notification_point: string | null;
  readonly active: boolean;
}

export interface Network {
  readonly layout: "row" | "columns" | "levels" | "stress";
  readonly nodes: readonly NodePlace[];
  readonly lines: readonly LineShape[];
  readonly ports: readonly PortShape[];
  readonly groups: readonly GroupShape[];
}

export interface ReadingKind {
  readonly component: string;
  readonly quantity: string;
  readonly unit: string;
  readonly most: number | null;
}

export interface CounterKind {
  readonly component: string;
  readonly quantity: string;
  readonly unit: string;
}

export interface LevelKind {
  readonly name: string;
  readonly unit: string;
  readonly most: number | null;
}

export type LeverValue = number | string | boolean | null;

export interface Lever {
  readonly path: string;
  readonly title: string;
  readonly meaning: string;
  /** What a change does to the state of its part. */
  readonly effect: string;
  /** A quantity is a number in this unit. A change gives it as `NUMBER UNIT`. */
  readonly unit: string;
  readonly value: LeverValue;
  readonly least: number | null;
  readonly most: number | null;
  readonly step: number | null;
  readonly kind: "number" | "quantity" | "boolean" | "text";
}

export interface TimedChange {
  readonly at: string;
  readonly path: string;
  readonly value: LeverValue;
}

/** Where PDUs are: those on lines, then those in queues. */
export interface Positions {
  readonly port: Uint32Array;
  readonly fraction: Float32Array;
  readonly flow: Uint32Array;
  readonly kind: Uint8Array;
  readonly queuePort: Uint32Array;
  readonly queueIndex: Uint32Array;
  readonly queuePlace: Uint32Array;
  readonly queueFlow: Uint32Array;
  readonly queueKind: Uint8Array;
  /** One entry stands for this many PDUs. */
  readonly thinned: number;
}
