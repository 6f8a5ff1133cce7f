import { describe, expect, it } from "vitest";
import { Samples } from "../src/model/samples";

const batch = (side: "a" | "b", first: number, values: readonly number[]) => ({
  side,
  first,
  count: values.length,
  values: Float32Array.from(values),
  levels: Float32Array.from(values),
});

function all(samples: Samples): number[] {
  return Array.from({ length: samples.end - samples.first }, (_, place) => samples.value(samples.first + place, 0));
}

describe("samples", () => {
  it("are added, forgotten and replaced", () => {
    const samples = new Samples(1, 1);
    samples.add(batch("a", 0, [1, 2, 3]));
    samples.add(batch("a", 3, [4, 5]));
    expect(all(samples)).toEqual([1, 2, 3, 4, 5]);
    const { cuts } = samples;
    samples.cut(2);
    samples.add(batch("a", 2, [7]));
    expect(all(samples)).toEqual([1, 2, 7]);
    expect(samples.cuts).toBeGreaterThan(cuts);
    expect(samples.mean(0, 0, 2)).toBe(1.5);
  });

  it("of a fork begin with those before it", () => {
    const a = new Samples(1, 1);
    a.add(batch("a", 0, [1, 2, 3, 4]));
    const b = new Samples(1, 1);
    b.forkFrom(a, 3);
    expect([b.start, b.first, b.end, b.value(2, 0), b.level(1, 0)]).toEqual([0, 2, 3, 3, 2]);
    expect(b.mean(0, 0, 3)).toBe(2);
    b.add(batch("b", 3, [40, 50]));
    expect(all(b)).toEqual([3, 40, 50]);
    a.follow(b);
    expect(all(a)).toEqual([1, 2, 3, 40, 50]);
  });

  it("of a fork wait for its own if the other side has none there", () => {
    const b = new Samples(1, 1);
    b.forkFrom(new Samples(1, 1), 3);
    expect(b.end).toBe(b.first);
  });

  it("follow the other side from the fork on", () => {
    const a = new Samples(1, 1);
    a.add(batch("a", 0, [1, 2, 3, 4]));
    const b = new Samples(1, 1);
    b.add(batch("b", 2, [30, 40, 50]));
    expect(b.value(2, 0)).toBe(30);
    a.follow(b);
    expect(all(a)).toEqual([1, 2, 30, 40, 50]);
  });

  it("end at the fork if the other side has none yet", () => {
    const a = new Samples(1, 1);
    a.add(batch("a", 0, [1, 2, 3, 4]));
    a.follow(new Samples(1, 1));
    expect(all(a)).toEqual([1, 2, 3, 4]);
  });
});
