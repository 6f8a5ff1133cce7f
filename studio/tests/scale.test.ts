import { describe, expect, it } from "vitest";
import { endsOf, scaleOf, Spread } from "../src/draw/scale";
import { Samples } from "../src/model/samples";

function record(...levels: readonly (readonly number[])[]): Samples {
  const rows = levels[0]?.length ?? 0;
  const samples = new Samples(0, rows);
  const values = new Float32Array(0);
  samples.add({ side: "a", first: 0, count: levels.length, values, levels: Float32Array.from(levels.flat()) });
  return samples;
}

describe("the scale of the picture", () => {
  it("is from the least to the largest level, rounded outwards", () => {
    expect(scaleOf(0.52, 0.98)).toEqual({ low: 0.5, full: 1 });
    expect(scaleOf(312_000, 1_740_000)).toEqual({ low: 0, full: 2_000_000 });
    expect(scaleOf(0, 12)).toEqual({ low: 0, full: 15 });
  });

  it("does not show noise in all colours", () => {
    const { low, full } = scaleOf(99.99, 100);
    expect(full).toBe(100);
    expect(low).toBeLessThanOrEqual(90);
  });

  it("is there without a level, and with zeros alone", () => {
    expect(scaleOf(Infinity, -Infinity)).toEqual({ low: 0, full: 1 });
    expect(scaleOf(0, 0)).toEqual({ low: 0, full: 1 });
  });
});

describe("the spread of a record", () => {
  const all = [{ firstRow: 0, rows: 3 }];

  it("has all samples, by bands of rows, without those that have no level", () => {
    const spread = new Spread();
    const bands = [0, 1, 2].map((firstRow) => ({ firstRow, rows: 1 }));
    spread.follow(record([1, Number.NaN, 5], [3, Number.NaN, 4]), bands);
    expect(endsOf([spread.of(0)])).toEqual([1, 3]);
    expect(endsOf([spread.of(1)])).toEqual([Infinity, -Infinity]);
    expect(endsOf([0, 1, 2].map((band) => spread.of(band)))).toEqual([1, 5]);
  });

  it("leaves out what is rare, such as a peak at the start", () => {
    const spread = new Spread();
    spread.follow(record([0, 150, 150], ...Array.from({ length: 200 }, (_, n) => [10, 12, n % 2 ? 16 : 14])), all);
    expect(endsOf([spread.of(0)])).toEqual([10, 16]);
  });

  it("follows new samples, and forgets a future that was given up", () => {
    const samples = record([1, 1, 1], [2, 2, 2]);
    const spread = new Spread();
    spread.follow(samples, all);
    samples.add({ side: "a", first: 2, count: 1, values: new Float32Array(0), levels: Float32Array.of(9, 9, 9) });
    spread.follow(samples, all);
    expect(endsOf([spread.of(0)])).toEqual([1, 9]);
    samples.cut(2);
    spread.follow(samples, all);
    expect(endsOf([spread.of(0)])).toEqual([1, 2]);
  });
});
