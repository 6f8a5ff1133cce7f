import { describe, expect, it } from "vitest";
import { completionsAt } from "../src/model/completion";

const schema = {
  properties: {
    duration: { type: "string", description: "How long." },
    line: { additionalProperties: { $ref: "#/$defs/Line" } },
    scheme: { enum: ["erica", "becn"] },
  },
  $defs: {
    Line: {
      properties: {
        rate: { type: "string" },
        exact: { type: "boolean" },
        queues: { type: "array", items: { oneOf: [{ properties: { drop_tail: { $ref: "#/$defs/DropTail" } } }] } },
        congestion_point: { anyOf: [{ $ref: "#/$defs/Point" }, { type: "null" }] },
      },
    },
    DropTail: { properties: { size: { type: "string", default: "10 PDUs" } } },
    Point: { properties: { erica: { properties: { target: {}, interval: {} } } } },
  },
};
const labels = (text: string): string[] => completionsAt(text, schema).map((each) => each.label);

describe("completion", () => {
  it("knows the keys of a table", () => {
    expect(labels("")).toEqual(["duration", "line", "scheme"]);
    expect(labels('duration = "1 s"\n[line.link]\n')).toEqual(["rate", "exact", "queues", "congestion_point"]);
    expect(labels("[")).toEqual(["duration", "line", "scheme"]);
  });

  it("follows dotted keys, tables in a line, and lists", () => {
    expect(labels("[line.link]\ncongestion_point.")).toEqual(["erica"]);
    expect(labels("[line.link]\ncongestion_point.erica = { ")).toEqual(["target", "interval"]);
    expect(labels("[line.link]\nqueues = [\n  { drop_tail = { ")).toEqual(["size"]);
  });

  it("knows values", () => {
    expect(labels('scheme = "')).toEqual(["erica", "becn"]);
    expect(labels("[line.link]\nexact = ")).toEqual(["true", "false"]);
  });

  it("says nothing in a comment, nor where the schema ends", () => {
    expect(labels("# dur")).toEqual([]);
    expect(labels("[nowhere.at.all]\n")).toEqual([]);
  });
});
