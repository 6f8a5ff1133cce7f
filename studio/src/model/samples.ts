/** The samples of one side: each has a value for every column of the plan, and a level for every row of the raster. */

import type { Batch } from "../backend/messages";

export class Samples {
  /** The first sample that it knows. */
  start = 0;
  /** The first sample that is drawn for this side. Those before and this one are copies from the side that was forked. */
  first = 0;
  /** One after the last sample. */
  end = 0;
  /** How often samples were forgotten or replaced: a drawing of them is then out of date. */
  cuts = 0;
  private values = new Float32Array(0);
  private levels = new Float32Array(0);

  constructor(
    readonly columns: number,
    readonly rows: number,
  ) {}

  /** Adds a batch. Samples from its first one on are replaced. */
  add(batch: Batch): void {
    if (this.end === this.first) this.start = this.first = this.end = batch.first;
    if (batch.first < this.end) this.cuts += 1;
    const at = batch.first - this.start;
    this.values = withRoom(this.values, (at + batch.count) * this.columns);
    this.levels = withRoom(this.levels, (at + batch.count) * this.rows);
    this.values.set(batch.values, at * this.columns);
    this.levels.set(batch.levels, at * this.rows);
    this.end = batch.first + batch.count;
  }

  /** Forgets the samples from `end` on. */
  cut(end: number): void {
    if (end >= this.end) return;
    this.end = Math.max(this.first, end);
    this.cuts += 1;
  }

  /** Begins as a copy of the other side up to the sample before `end`. */
  forkFrom(other: Samples, end: number): void {
    if (end <= other.start || end > other.end) return;
    const count = end - other.start;
    this.values = other.values.slice(0, count * this.columns);
    this.levels = other.levels.slice(0, count * this.rows);
    [this.start, this.first, this.end] = [other.start, end - 1, end];
  }

  /** Takes over the samples of the other side from its first one on. */
  follow(other: Samples): void {
    const count = other.end - other.first;
    if (count === 0) return;
    this.cut(other.first);
    const [start, end] = [other.first - other.start, other.end - other.start];
    const values = other.values.subarray(start * this.columns, end * this.columns);
    const levels = other.levels.subarray(start * this.rows, end * this.rows);
    this.add({ side: "a", first: other.first, count, values, levels });
  }

  value(sample: number, column: number): number {
    return this.values[(sample - this.start) * this.columns + column] ?? Number.NaN;
  }

  level(sample: number, row: number): number {
    return this.levels[(sample - this.start) * this.rows + row] ?? Number.NaN;
  }

  /** The mean of a column over some samples; NaN if there are none. */
  mean(column: number, start: number, end: number): number {
    let sum = 0;
    for (let sample = start; sample < end; sample += 1) sum += this.value(sample, column);
    return end > start ? sum / (end - start) : Number.NaN;
  }
}

function withRoom(array: Float32Array<ArrayBuffer>, size: number): Float32Array<ArrayBuffer> {
  if (array.length >= size) return array;
  const larger = new Float32Array(Math.max(size, array.length * 2, 1024));
  larger.set(array);
  return larger;
}
