import { describe, expect, it } from "vitest";
import { MOST_OCTETS, mostOctets } from "../src/model/limits";

describe("the limit on memory", () => {
  it("is less on a small machine, and never more than the most", () => {
    expect([0.25, 4, 8, 32].map(mostOctets)).toEqual([MOST_OCTETS / 32, MOST_OCTETS / 2, MOST_OCTETS, MOST_OCTETS]);
  });

  it("is the most where the browser does not tell", () => {
    expect(mostOctets(undefined)).toBe(MOST_OCTETS);
  });
});
