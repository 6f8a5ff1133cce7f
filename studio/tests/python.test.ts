import { describe, expect, it } from "vitest";
import { python } from "../src/model/python";

describe("the Python of a run", () => {
  it("names a ready scenario, and makes the changes of an instant together", () => {
    const text = python({
      ready: "satellite/1-case-2",
      text: "",
      seed: 3n,
      now: "40 s",
      changes: [
        { at: "30 s", ps: 30n, path: "line.satellite.rate", value: "3 Mb/s" },
        { at: "30 s", ps: 30n, path: "flow.voice.active", value: false },
      ],
      fingerprint: "00ff",
    });
    expect(text).toBe(
      [
        "import penstock",
        "",
        'sim = penstock.Simulation("satellite/1-case-2", seed=3)',
        'sim.run_until("30 s")',
        'sim.change({"line.satellite.rate": "3 Mb/s", "flow.voice.active": False})',
        'sim.run_until("40 s")',
        'assert sim.fingerprint == "00ff"',
        "",
      ].join("\n"),
    );
  });

  it("holds a text of the reader's own as it is", () => {
    const text = python({
      ready: null,
      text: 'title = "a"\nb = """c"""\n\\',
      seed: 1n,
      now: "1 s",
      changes: [],
      fingerprint: "",
    });
    expect(text).toContain('text = """\\\ntitle = "a"\nb = \\"\\"\\"c\\"\\"\\"\n\\\\"""');
  });
});
