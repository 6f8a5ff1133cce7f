import { describe, expect, it } from "vitest";
import { quantity, roundUp, short, ticks } from "../src/model/quantity";

describe("numbers for readers", () => {
  it("have three digits and a prefix", () => {
    expect(quantity(5_437_000, "b/s")).toBe("5.44 Mb/s");
    expect(quantity(0, "b/s")).toBe("0 b/s");
    expect(quantity(0.25, "s")).toBe("250 ms");
    expect(quantity(12, "PDUs")).toBe("12 PDUs");
    expect(quantity(Number.NaN, "b/s")).toBe("–");
    expect(short(12_345)).toBe("12,345");
  });

  it("are rounded up to 1, 2 or 5", () => {
    expect([0.9, 1, 1.1, 2.5, 7, 180].map(roundUp)).toEqual([1, 1, 2, 5, 10, 200]);
  });

  it("give an axis round ticks", () => {
    expect(ticks(24, 12)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]);
    expect(ticks(0.3, 4)).toEqual([0, 0.1, 0.2, 0.3]);
  });
});
