/** The levels that are dark and yellow in the picture of the sources: those that nearly all levels are between. */

import type { Samples } from "../model/samples";

export interface Scale {
  readonly low: number;
  readonly full: number;
}

/** Smaller differences than this share of the largest level do not take all colours. */
const LEAST_SPREAD = 0.1;

/** From one level to another, rounded outwards so that colours change seldom. */
export function scaleOf(least: number, largest: number): Scale {
  const spread = Math.max(largest - least, LEAST_SPREAD * largest);
  if (!(spread > 0)) return { low: 0, full: 1 };
  const step = 10 ** Math.floor(Math.log10(spread)) / 2;
  const low = Math.floor(Math.min(least, largest - spread) / step + 1e-6) * step;
  const full = Math.ceil(largest / step - 1e-6) * step;
  return { low: Number(Math.max(0, low).toPrecision(6)), full: Number(full.toPrecision(6)) };
}

/** Levels are counted in sixteen bins for each power of two: those whose first bits as a 32-bit number are equal. */
const DROPPED_BITS = 19;
const BINS = 2 ** (31 - DROPPED_BITS);
/** So many of the levels are beyond each end of the scale: a peak at the start does not make all others dark. */
const BEYOND = 0.02;

/** How often each level occurs in one record, by bands of rows. It only looks at samples that are new. */
export class Spread {
  private record: Samples | null = null;
  private cuts = 0;
  private end = 0;
  private counts: Uint32Array[] = [];
  private readonly float = new Float32Array(1);
  private readonly bits = new Uint32Array(this.float.buffer);

  /** Looks at the samples of a record. */
  follow(record: Samples, bands: readonly { readonly firstRow: number; readonly rows: number }[]): void {
    if (record !== this.record || record.cuts !== this.cuts) {
      [this.record, this.cuts, this.end] = [record, record.cuts, record.first];
      this.counts = bands.map(() => new Uint32Array(BINS));
    }
    for (; this.end < record.end; this.end += 1) {
      bands.forEach(({ firstRow, rows }, band) => {
        for (let row = firstRow; row < firstRow + rows; row += 1)
          this.count(this.counts[band], record.level(this.end, row));
      });
    }
  }

  private count(counts: Uint32Array | undefined, level: number): void {
    if (!counts || !(level >= 0)) return;
    this.float[0] = level;
    const bin = (this.bits[0] ?? 0) >>> DROPPED_BITS;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }

  /** How often the levels of a band occur, by bins. */
  of(band: number): Uint32Array {
    return this.counts[band] ?? new Uint32Array(BINS);
  }
}

/** The levels that nearly all are between: ends of bins. Infinity and -Infinity if there are none. */
export function endsOf(counts: readonly Uint32Array[]): readonly [number, number] {
  const sums = new Float64Array(BINS);
  for (const each of counts) each.forEach((count, bin) => (sums[bin] = (sums[bin] ?? 0) + count));
  const most = sums.reduce((sum, count) => sum + count, 0) * BEYOND;
  if (most === 0) return [Infinity, -Infinity];
  let [low, high] = [0, BINS - 1];
  for (let beyond = sums[low] ?? 0; beyond <= most; beyond += sums[low] ?? 0) low += 1;
  for (let beyond = sums[high] ?? 0; beyond <= most; beyond += sums[high] ?? 0) high -= 1;
  return [levelOf(low), levelOf(high)];
}

/** The least level of a bin. */
function levelOf(bin: number): number {
  return new Float32Array(Uint32Array.of(bin << DROPPED_BITS).buffer)[0] ?? 0;
}
