/** The simulation in the worker: side A, after a fork side B, and the operations of `Calls`. */

import { Branch } from "./branch";
import * as engine from "./engine";
import { makePlan, type Plan } from "./plan";
import type { Batch, Fork, Frame, Loaded, Question, Side, Source, State, Future, Written } from "./messages";
import type { Lever, LeverValue, Positions } from "./types";
import { exact } from "../model/time";

/** Above this share of the memory that they may take, checkpoints are thinned out. */
const CHECKPOINT_SHARE = 1 / 8;
/** The longest time for which the worker does not look at its messages, and the time that slices aim at, in ms. */
const SLICE = 8;
/** The fewest and the most PDUs of a slice. Memory is looked at after each slice: with more, a run on a fast machine would
 * pass far beyond its limit. */
const [FEWEST, MOST] = [2_000, 100_000];

/** What a value brings that is refused, or with which the run would not fit in memory. */
const NO_FUTURE = { throughput: null, lost: 0 } as const;

/** Lets the worker hear of other requests. */
const breathe = ((): (() => Promise<void>) => {
  const channel = new MessageChannel();
  const waiting: (() => void)[] = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(null);
    });
})();

export class Laboratory {
  private main: Branch;
  private b: Branch | null = null;
  private fork: Fork | null = null;
  /** PDUs that are simulated in one slice, about. */
  private slice = 20_000;
  private leversAt: readonly Lever[] | null = null;
  private stopped: string | null = null;
  readonly loaded: Loaded;
  private readonly plan: Plan;
  /** Above this many octets, the run stops. */
  private readonly most: number;

  constructor(source: Source) {
    this.most = source.most;
    const run = engine.newRun(source.text, source.form, source.seed, source.most);
    const network = engine.networkOf(run);
    const readingKinds = engine.readingKinds(run);
    const counterKinds = engine.counterKinds(run);
    const end = run.end_ps();
    this.plan = makePlan(network, readingKinds, counterKinds, end);
    const title = engine.titleOf(run);
    const levelKinds = engine.levelKinds(run);
    this.loaded = { title, network, readingKinds, counterKinds, levelKinds, plan: this.plan, end };
    this.main = new Branch("a", run, this.plan);
    this.renewLevers();
  }

  /** The side whose levers are shown and that changes act on. */
  private get active(): Branch {
    return this.b ?? this.main;
  }

  /** Runs both sides towards a time, for about `budget` ms or until `isCancelled`. */
  async advance(target: bigint, budget: number, draw: boolean, isCancelled: () => boolean): Promise<Frame> {
    const reached = await this.run(target, budget, isCancelled);
    return this.frame(reached, draw, budget === 0);
  }

  private async run(target: bigint, budget: number, isCancelled: () => boolean): Promise<boolean> {
    const begin = performance.now();
    let reached = this.main.now >= target;
    let isFull = this.isFull();
    while (!reached && !isCancelled() && !isFull) {
      reached = this.advanceSlice(target);
      isFull = this.isFull();
      if (performance.now() - begin > budget) break;
      await breathe();
    }
    return reached;
  }

  private advanceSlice(target: bigint): boolean {
    const begin = performance.now();
    let reached = false;
    let left = this.slice;
    // A stop at a sample ends an advance early: go on until the slice is used up.
    while (!reached && performance.now() - begin < SLICE) {
      const before = this.main.run.events();
      reached = this.main.advance(target, left);
      left = Math.max(1000, left - Number(this.main.run.events() - before));
    }
    this.b?.catchUp(this.main.now);
    const took = performance.now() - begin;
    this.slice = Math.max(FEWEST, Math.min(MOST, this.slice * (took > SLICE ? 0.7 : 1.2)));
    return reached;
  }

  /** Goes to a time, back by the last checkpoint before it. */
  async go(to: bigint, isCancelled: () => boolean): Promise<Frame> {
    this.main.rewind(to);
    if (this.b && this.b.now > this.main.now) this.b.rewind(this.main.now);
    this.b?.catchUp(this.main.now);
    await this.run(to, Infinity, isCancelled);
    this.renewLevers();
    return this.frame(this.main.now >= to || this.main.ended, true);
  }

  /** To the end of the next instant with an event on any side. */
  step(): Frame {
    const sides = this.b ? [this.main, this.b] : [this.main];
    const next = sides.map((side) => side.run.next_event_ps()).reduce((one, other) => (one < other ? one : other));
    for (const side of sides) side.catchUp(next);
    return this.frame(true, true);
  }

  change(path: string, value: LeverValue): Frame {
    if (this.fork && this.main.now < this.fork.at) {
      const reason = `A and B are one before the fork at ${exact(this.fork.at)}`;
      throw new Error(JSON.stringify({ kind: "scenario", path, reason, remedy: "go to a time after the fork first" }));
    }
    this.active.change(path, value);
    return this.withLevers();
  }

  makeFork(): Frame {
    if (!this.b && !this.main.ended) {
      this.b = new Branch("b", this.main.run.fork(), this.plan, this.main);
      this.fork = { at: this.main.now, counters: this.main.run.counters() };
    }
    return this.withLevers();
  }

  endFork(keep: Side): Frame {
    if (this.b) {
      if (keep === "b") this.main = this.b.adopt();
      else this.b.free();
      this.b = null;
      this.fork = null;
    }
    return this.withLevers();
  }

  written(side: Side): Written {
    return ((side === "b" && this.b) || this.main).written();
  }

  /** Runs each future in slices, and tells each when it is known. */
  async foretell(question: Question, tell: (future: Future) => void, isCancelled: () => boolean): Promise<void> {
    for (const { path, values } of question.levers) {
      for (const [place, value] of values.entries()) {
        const future = await this.future(path, value, question.horizon, isCancelled);
        if (isCancelled()) return;
        tell({ path, place, ...future });
      }
    }
  }

  private async future(
    path: string,
    value: LeverValue,
    horizon: bigint,
    isCancelled: () => boolean,
  ): Promise<{ throughput: number | null; lost: number }> {
    let run: engine.Run;
    try {
      run = this.active.with(path, value).run;
    } catch {
      return NO_FUTURE;
    }
    try {
      const before = run.counters();
      const start = run.now_ps();
      while (!run.advance_to(start + horizon, this.slice)) {
        await breathe();
        if (isCancelled()) break;
        if (run.bytes() > this.most) return NO_FUTURE;
      }
      const seconds = Number(run.now_ps() - start) / 1e12;
      const after = run.counters();
      const grown = (quantity: string): number =>
        this.loaded.counterKinds.reduce(
          (sum, kind, place) => (kind.quantity === quantity ? sum + (after[place] ?? 0) - (before[place] ?? 0) : sum),
          0,
        );
      return { throughput: seconds > 0 ? grown("delivered_bits") / seconds : 0, lost: grown("lost") };
    } catch (error) {
      // With this value a queue may only grow: then the engine ends the run.
      if (engine.asFault(error).kind === "defect") throw error;
      return NO_FUTURE;
    } finally {
      run.free();
    }
  }

  private withLevers(): Frame {
    this.renewLevers();
    return this.frame(true, true);
  }

  private renewLevers(): void {
    this.leversAt = engine.leversOf(this.active.run);
  }

  /** Thins out checkpoints above the limit. True if the run itself is too large. */
  private isFull(): boolean {
    const sides = this.b ? [this.main, this.b] : [this.main];
    const bytes = (): number => sides.reduce((sum, side) => sum + side.bytes, 0);
    const thin = (limit: number, fewest: number): void => {
      while (bytes() > limit && sides.some((side) => side.checkpointCount > fewest)) {
        for (const side of sides) side.thin();
      }
    };
    thin(this.most * CHECKPOINT_SHARE, 2);
    // Rather than to stop, only the start is kept.
    thin(this.most, 1);
    const [held, most] = [bytes(), this.most].map((octets) => Math.round(octets / 1e6));
    const reason = `the simulation holds ${held} MB of memory, and this tab may take ${most} MB`;
    this.stopped = bytes() > this.most ? reason : null;
    return this.stopped !== null;
  }

  /** Everything that is shown now. Frames of a run that goes on need not be exact in everything. */
  frame(reached: boolean, draw: boolean, isExact = true): Frame {
    const sides = this.b ? [this.main, this.b] : [this.main];
    const levers = this.leversAt;
    this.leversAt = null;
    return {
      now: this.main.now,
      ended: this.main.ended,
      a: stateOf(this.main, draw, isExact),
      b: this.b && stateOf(this.b, draw, isExact),
      fork: this.fork,
      batches: sides.map((side) => side.batch()).filter((batch): batch is Batch => batch !== null),
      checkpoints: sides.reduce((sum, side) => sum + side.checkpointCount, 0),
      bytes: sides.reduce((sum, side) => sum + side.bytes, 0),
      events: this.main.run.events(),
      reached,
      stopped: this.stopped,
      levers,
    };
  }

  free(): void {
    this.main.free();
    this.b?.free();
  }
}

function stateOf(side: Branch, draw: boolean, isExact: boolean): State {
  const { run } = side;
  return {
    readings: side.readings(isExact),
    counters: run.counters(),
    levels: run.flow_levels(),
    positions: draw ? positionsOf(run) : null,
    fingerprint: run.fingerprint(),
    recorded: side.recorded,
    changes: side.changes(),
  };
}

function positionsOf(run: engine.Run): Positions {
  const found = run.positions();
  const positions = {
    port: found.port,
    fraction: found.fraction,
    flow: found.flow,
    kind: found.kind,
    queuePort: found.queue_port,
    queueIndex: found.queue_index,
    queuePlace: found.queue_place,
    queueFlow: found.queue_flow,
    queueKind: found.queue_kind,
    thinned: found.thinned,
  };
  found.free();
  return positions;
}
