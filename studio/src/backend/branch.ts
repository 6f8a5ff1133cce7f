/** One future of the scenario: its run, its checkpoints, its changes, and the samples that it has recorded. */

import { exact } from "../model/time";
import * as engine from "./engine";
import { columnValues, isQuick, rasterRows, type Plan } from "./plan";
import type { Batch, Changed, Side, Written } from "./messages";
import type { LeverValue } from "./types";

/** A run at an instant, with the changes that it has already taken. */
interface Checkpoint {
  readonly run: engine.Run;
  readonly at: bigint;
  readonly events: bigint;
  /** How many instants with changes are in it. */
  readonly applied: number;
  /** The counters at the last sample. */
  readonly counters: Float64Array;
}

/** All changes that were made here at one instant. `before` is the run without them, so that they can be made anew. */
interface Instant {
  readonly at: bigint;
  readonly values: ReadonlyMap<string, LeverValue>;
  readonly before: engine.Run;
}

/** Events between two checkpoints: a tenth of a second of work, about. */
const APART = 1_000_000n;
const NEVER = 2 ** 31;

export class Branch {
  private checkpoints: Checkpoint[] = [];
  private instants: Instant[] = [];
  private applied = 0;
  private counters: Float64Array;
  private lastRead: { readonly at: bigint; readonly values: Float64Array } | null = null;
  private values: number[] = [];
  private levels: number[] = [];
  private firstUnsent: number;
  private apart = APART;
  /** How many samples are recorded, from the start of the run. */
  recorded: number;

  constructor(
    public side: Side,
    private shown: engine.Run,
    private readonly plan: Plan,
    private parent: Branch | null = null,
  ) {
    this.counters = shown.counters();
    this.recorded = Number(this.now / plan.interval) + (parent ? 1 : 0);
    this.firstUnsent = this.recorded;
    if (parent) {
      this.counters = parent.counters;
      this.instants = parent.instants.map((each) => ({ ...each, before: each.before.fork() }));
      this.applied = parent.applied;
    } else {
      this.stop();
    }
    this.keep();
  }

  get now(): bigint {
    return this.shown.now_ps();
  }

  get ended(): boolean {
    return this.shown.has_ended();
  }

  get run(): engine.Run {
    return this.shown;
  }

  get checkpointCount(): number {
    return this.checkpoints.length;
  }

  /** Octets that the run and its checkpoints hold, about. */
  get bytes(): number {
    const held = [this.shown, ...this.checkpoints.map((each) => each.run), ...this.instants.map((each) => each.before)];
    return held.reduce((sum, run) => sum + run.bytes(), 0);
  }

  /** The readings now; if they need not be exact and take long, those of the last sample. */
  readings(isExact: boolean): Float64Array {
    const { now, lastRead } = this;
    const isUsable = !isExact && !isQuick(this.plan.readings.length);
    if (lastRead && (lastRead.at === now || (isUsable && lastRead.at < now))) return lastRead.values;
    const values = engine.readingsOf(this.shown, this.plan.readings);
    this.lastRead = { at: now, values };
    return values;
  }

  /** Every change made here, in the order of time. */
  changes(): Changed[] {
    return this.instants.flatMap(({ at, values }) =>
      [...values].map(([path, value]) => ({ ps: at, at: exact(at), path, value })),
    );
  }

  /** Runs about so many PDUs towards a time, and stops after all events of an instant. True when there. */
  advance(target: bigint, pdus: number): boolean {
    if (this.now >= target || this.ended) return true;
    const stop = this.nextStop(target);
    if (!this.shown.advance_to(stop, pdus)) {
      const here = this.now;
      while (!this.shown.advance_to(here, NEVER));
    }
    this.stop();
    return this.now >= target || this.ended;
  }

  /** Runs to a time, which has to be near. */
  catchUp(target: bigint): void {
    while (!this.advance(target, NEVER));
  }

  /** The next sample, the next change, or the target. */
  private nextStop(target: bigint): bigint {
    const { interval } = this.plan;
    const sample = (this.now / interval + 1n) * interval;
    const change = this.instants[this.applied]?.at ?? target;
    return [sample, change, target].reduce((least, each) => (each < least ? each : least));
  }

  /** What happens when all events of an instant have happened: first a sample, then a change. */
  private stop(): void {
    const now = this.now;
    if (now % this.plan.interval === 0n) this.sample(Number(now / this.plan.interval));
    for (let next = this.instants[this.applied]; next && next.at <= now; next = this.instants[this.applied]) {
      engine.change(this.shown, tablesOf(next.at, next.values));
      this.applied += 1;
    }
    const last = this.checkpoints.at(-1);
    if (last && now > last.at && this.shown.events() - last.events >= this.apart) this.keep();
  }

  private keep(): void {
    const { shown: run, applied, counters } = this;
    this.checkpoints.push({ run: run.fork(), at: this.now, events: run.events(), applied, counters });
  }

  private sample(number: number): void {
    const counters = this.shown.counters();
    if (number === this.recorded) {
      const sample = {
        readings: this.readings(true),
        levels: this.shown.flow_levels(),
        counters,
        before: number === 0 ? counters : this.counters,
        seconds: Number(this.plan.interval) / 1e12,
      };
      columnValues(this.plan, sample, this.values);
      rasterRows(this.plan, sample.levels, this.levels);
      this.recorded += 1;
    }
    this.counters = counters;
  }

  /** The samples since the last call. */
  batch(): Batch | null {
    const count = this.recorded - this.firstUnsent;
    if (count <= 0) return null;
    const first = this.firstUnsent;
    const values = Float32Array.from(this.values);
    const batch = { side: this.side, first, count, values, levels: Float32Array.from(this.levels) };
    this.values = [];
    this.levels = [];
    this.firstUnsent = this.recorded;
    return batch;
  }

  /** Goes to the last checkpoint that is not after a time. The way from there is for `advance`. */
  rewind(target: bigint): void {
    if (this.parent && target < this.forkedAt) {
      this.parent.catchUp(target);
      return this.show(this.parent.run.fork(), this.parent.applied, this.parent.counters);
    }
    const checkpoint = this.checkpoints.findLast((each) => each.at <= target);
    if (!checkpoint || (this.now <= target && this.now >= checkpoint.at)) return;
    if (this.recorded === Number(this.now / this.plan.interval) + 1 && this.now > (this.checkpoints.at(-1)?.at ?? 0n)) {
      this.keep();
    }
    this.show(checkpoint.run.fork(), checkpoint.applied, checkpoint.counters);
    this.stop();
  }

  private get forkedAt(): bigint {
    return this.checkpoints[0]?.at ?? 0n;
  }

  private show(run: engine.Run, applied: number, counters: Float64Array): void {
    this.shown.free();
    this.shown = run;
    this.applied = applied;
    this.counters = counters;
    this.lastRead = null;
  }

  /** A run that has taken one more change at this instant. The changes of an instant are made together. */
  with(path: string, value: LeverValue): { run: engine.Run; values: Map<string, LeverValue> } {
    const same = this.instantNow();
    const values = new Map(same?.values ?? []).set(path, value);
    const run = (same?.before ?? this.shown).fork();
    try {
      engine.change(run, tablesOf(this.now, values));
    } catch (error) {
      run.free();
      throw error;
    }
    return { run, values };
  }

  private instantNow(): Instant | undefined {
    const last = this.instants[this.applied - 1];
    return last?.at === this.now ? last : undefined;
  }

  /** Changes a parameter now. What was recorded after this instant no longer holds. */
  change(path: string, value: LeverValue): void {
    const { run, values } = this.with(path, value);
    const same = this.instantNow();
    const before = same?.before ?? this.shown.fork();
    const now = this.now;
    for (const each of this.instants.slice(this.applied)) each.before.free();
    this.instants = this.instants.slice(0, same ? this.applied - 1 : this.applied);
    this.instants.push({ at: now, values, before });
    this.show(run, this.instants.length, this.counters);
    const isKept = (each: Checkpoint): boolean => each.at < now;
    this.checkpoints.filter((each) => !isKept(each)).forEach((each) => each.run.free());
    this.checkpoints = this.checkpoints.filter(isKept);
    this.keep();
    this.truncate(Number(now / this.plan.interval) + 1);
  }

  private truncate(samples: number): void {
    if (samples >= this.recorded) return;
    const unsent = Math.max(0, samples - this.firstUnsent);
    this.values.length = unsent * this.plan.columns.length;
    this.levels.length = unsent * this.plan.rows;
    this.recorded = samples;
    this.firstUnsent = Math.min(this.firstUnsent, samples);
  }

  /** The scenario with all changes, those after this instant too. */
  written(): Written {
    const run = this.shown.fork();
    try {
      for (const { at, values } of this.instants.slice(this.applied)) engine.change(run, tablesOf(at, values));
      return engine.written(run);
    } finally {
      run.free();
    }
  }

  /** Takes the place of the side that it was forked from, with its past. */
  adopt(): this {
    const { parent, forkedAt } = this;
    if (parent) {
      this.checkpoints.unshift(...parent.checkpoints.filter((each) => each.at < forkedAt));
      parent.checkpoints = parent.checkpoints.filter((each) => each.at >= forkedAt);
      parent.free();
      this.parent = null;
      this.side = "a";
    }
    return this;
  }

  /** Removes every second checkpoint but the first, and keeps fewer from now on. */
  thin(): void {
    this.checkpoints.filter((_, place) => place % 2 === 1).forEach((each) => each.run.free());
    this.checkpoints = this.checkpoints.filter((_, place) => place % 2 === 0);
    this.apart *= 2n;
  }

  free(): void {
    this.shown.free();
    for (const each of this.checkpoints) each.run.free();
    for (const each of this.instants) each.before.free();
  }
}

function tablesOf(at: bigint, values: ReadonlyMap<string, LeverValue>): engine.Change[] {
  return [...values].map(([path, value]) => ({ at: exact(at), path, value }));
}
