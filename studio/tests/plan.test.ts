import { describe, expect, it } from "vitest";
import { columnValues, makePlan, meanOf, MOST_ROWS, rasterRows, sampleInterval } from "../src/backend/plan";
import type { Network } from "../src/backend/types";

const S = 1_000_000_000_000n;
const group = { senders: [], receivers: [], hops: [], reaction_point: null, notification_point: null, active: true };
const network: Network = {
  layout: "row",
  nodes: [],
  lines: [],
  ports: [
    {
      name: "link",
      from: "a",
      to: "b",
      rate_bps: 1e6,
      delay_s: 0,
      queues: [],
      congestion_point: "erica",
      broken: false,
    },
  ],
  groups: [
    { ...group, name: "few", flows: 2, first_flow: 0 },
    { ...group, name: "many", flows: 638, first_flow: 2 },
  ],
};
const readings = ["queue_0", "queue_1", "utilisation", "active", "input"].map((quantity) => ({
  component: "link",
  quantity,
  unit: "",
  most: null,
}));
const counters = [
  { component: "few", quantity: "delivered_bits", unit: "bits" },
  { component: "few", quantity: "lost", unit: "PDUs" },
  { component: "few", quantity: "offered_bits", unit: "bits" },
  { component: "few", quantity: "held_bits", unit: "bits" },
  { component: "link", quantity: "discarded", unit: "PDUs" },
  { component: "link", quantity: "notices", unit: "PDUs" },
  { component: "link", quantity: "marked", unit: "PDUs" },
];

describe("the plan of a record", () => {
  it("has at most 2,000 samples, at round times", () => {
    expect(sampleInterval(180n * S, 300)).toBe(S / 10n);
    expect(sampleInterval((24n * S) / 10n, 300)).toBe(S / 500n);
    for (const end of [1n, 999n, 7n * S, 600n * S]) expect(end / sampleInterval(end, 300)).toBeLessThanOrEqual(2000n);
    expect(sampleInterval(180n * S, 9_000)).toBe(S / 10n);
    expect(sampleInterval(180n * S, 12_000)).toBe(S);
  });

  it("gives each group a row, and few rows to many flows", () => {
    const { bands, rows } = makePlan(network, readings, counters, S);
    expect(bands.map((band) => band.rows)).toEqual([1, 159]);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS + network.groups.length);
  });

  it("adds queues, takes the reading that says most, and counts what grew", () => {
    const plan = makePlan(network, readings, counters, S);
    const values: number[] = [];
    columnValues(
      plan,
      {
        readings: Float64Array.of(3, 4, 0.5, 7, 9e5),
        levels: Float64Array.of(0.5, 1),
        counters: Float64Array.of(1500, 3, 4000, 700, 2, 10, 5),
        before: Float64Array.of(500, 1, 1000, 900, 2, 4, 5),
        seconds: 0.5,
      },
      values,
    );
    const found = Object.fromEntries(
      plan.columns.map((column, place) => [`${column.role} ${column.of}`, values[place]]),
    );
    expect(found).toMatchObject({
      "queue link": 7,
      "point link": 9e5,
      "notices link": 6,
      "lost link": 0,
      "delivered few": 2000,
      "lost few": 2,
      "offered few": 6000,
      "held few": 700,
      "level few": 0.75,
      "level many": Number.NaN,
    });
    expect(Object.keys(found)).not.toContain("offered many");
  });

  it("means the levels of the flows of a row, without those that have none", () => {
    const rows: number[] = [];
    const plan = {
      ...makePlan(network, readings, counters, S),
      bands: [{ group: "x", firstRow: 0, rows: 2, firstFlow: 1, flows: 4 }],
    };
    rasterRows(plan, Float64Array.of(9, 1, 2, Number.NaN, 4), rows);
    expect(rows).toEqual([1.5, 4]);
    expect(meanOf(Float64Array.of(Number.NaN), 0, 1)).toBeNaN();
  });
});
