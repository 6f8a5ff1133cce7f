/** What the page asks of the worker, and what the worker answers. One operation is one entry of `Calls`. */

import type { Plan } from "./plan";
import type {
  CounterKind,
  Fault,
  Form,
  Lever,
  LevelKind,
  LeverValue,
  Network,
  Positions,
  ReadingKind,
  TimedChange,
} from "./types";

/** A is the run; B is the other future after a fork. */
export type Side = "a" | "b";

/** What the engine is, and what the editor needs of it. */
export interface Facts {
  readonly version: string;
  readonly sources: string;
  readonly schema: unknown;
}

export interface Source {
  readonly text: string;
  readonly form: Form;
  readonly seed: bigint;
  /** The most octets of memory that its run, the fork and their copies may hold. */
  readonly most: number;
}

export interface Loaded {
  readonly title: string;
  readonly network: Network;
  readonly readingKinds: readonly ReadingKind[];
  readonly counterKinds: readonly CounterKind[];
  /** What the level of a source is, by group; null without control. */
  readonly levelKinds: Readonly<Record<string, LevelKind | null>>;
  readonly plan: Plan;
  readonly end: bigint;
}

/** The samples `first`, `first` + 1, ... of one side. */
export interface Batch {
  readonly side: Side;
  readonly first: number;
  readonly count: number;
  /** `count` times one value for each column of the plan. */
  readonly values: Float32Array;
  /** `count` times one level for each row of the raster: NaN is no level. */
  readonly levels: Float32Array;
}

/** A change that was made here, as a table of the scenario. */
export interface Changed extends TimedChange {
  readonly ps: bigint;
}

/** One side at the present instant. */
export interface State {
  readonly readings: Float64Array;
  readonly counters: Float64Array;
  readonly levels: Float64Array;
  readonly positions: Positions | null;
  readonly fingerprint: string;
  /** How many samples count; later ones are of a future that was given up. */
  readonly recorded: number;
  readonly changes: readonly Changed[];
}

export interface Fork {
  readonly at: bigint;
  /** The counters at the fork, for the differences since. */
  readonly counters: Float64Array;
}

export interface Frame {
  readonly now: bigint;
  readonly ended: boolean;
  readonly a: State;
  readonly b: State | null;
  readonly fork: Fork | null;
  readonly batches: readonly Batch[];
  readonly checkpoints: number;
  readonly bytes: number;
  readonly events: bigint;
  /** Whether the wanted time was reached. */
  readonly reached: boolean;
  /** Why the run cannot go on, if it cannot. */
  readonly stopped: string | null;
  /** The levers with their present values, if they may have changed. */
  readonly levers: readonly Lever[] | null;
}

export interface Written {
  readonly toml: string;
  readonly json: string;
}

export interface Calls {
  /** The first one: it starts the engine, which is at an address or given whole. */
  facts: (engine: string | ArrayBuffer) => Facts;
  load: (source: Source) => { loaded: Loaded; frame: Frame };
  advance: (to: { target: bigint; draw: boolean; budget: number }) => Frame;
  go: (to: bigint) => Frame;
  step: (nothing: null) => Frame;
  change: (to: { path: string; value: LeverValue }) => Frame;
  fork: (nothing: null) => Frame;
  end_fork: (keep: Side) => Frame;
  written: (side: Side) => Written;
  check: (source: { text: string; form: Form }) => Fault | null;
  foretell: (question: Question) => null;
}

export type Operation = keyof Calls;
export type Argument<O extends Operation> = Parameters<Calls[O]>[0];
export type Answer<O extends Operation> = ReturnType<Calls[O]>;

/** Which futures are wanted: each lever at each of its values, for so many picoseconds from now. */
export interface Question {
  readonly horizon: bigint;
  readonly levers: readonly { readonly path: string; readonly values: readonly LeverValue[] }[];
}

/** One future: what is delivered and lost with one value of one lever. */
export interface Future {
  readonly path: string;
  readonly place: number;
  /** Delivered bits in a second; null if the value is refused. */
  readonly throughput: number | null;
  readonly lost: number;
}

export interface Request<O extends Operation = Operation> {
  readonly id: number;
  readonly operation: O;
  readonly argument: Argument<O>;
}

export type Response =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: Fault }
  | { readonly future: Future };
