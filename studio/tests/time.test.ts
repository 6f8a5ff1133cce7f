import { describe, expect, it } from "vitest";
import { clock, exact, parse, psOf } from "../src/model/time";

describe("times", () => {
  it("are written exactly, in the largest unit with at most six decimals", () => {
    expect(exact(0n)).toBe("0 s");
    expect(exact(23_100_000_000_000n)).toBe("23.1 s");
    expect(exact(1_500_000n)).toBe("1.5 us");
    expect(exact(1_000_000_000_001n)).toBe("1000000.000001 us");
    expect(exact(7n)).toBe("7 ps");
  });

  it("are read back to the same picosecond", () => {
    for (const ps of [0n, 7n, 999n, 1_500_000n, 23_100_000_000_000n, 1_000_000_000_001n, 180_000_000_000_000n]) {
      expect(parse(exact(ps))).toBe(ps);
    }
    expect(parse("2 min")).toBe(120_000_000_000_000n);
    expect(parse("12.4")).toBe(12_400_000_000_000n);
    expect(parse("soon")).toBeNull();
    expect(parse("-1 s")).toBeNull();
  });

  it("are shown with the decimals of a sample", () => {
    expect(clock(psOf(23.1), psOf(0.1))).toBe("23.10 s");
    expect(clock(psOf(0.3), psOf(0.0005))).toBe("0.30000 s");
  });
});
