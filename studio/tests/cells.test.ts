import { describe, expect, it } from "vitest";
import { drawCells } from "../src/draw/cells";
import type { Palette } from "../src/draw/palette";
import type { Flying } from "../src/draw/scene";
import type { Pen, Surface } from "../src/draw/surface";

const names = ["ink", "soft", "faint", "surface", "lane", "grid", "a", "b", "notice", "tagged", "good"] as const;
const palette = {
  ...(Object.fromEntries(names.map((name) => [name, name])) as Record<(typeof names)[number], string>),
  groups: ["first", "second"],
} satisfies Palette;

/** A surface that notes what is drawn: the shape, and the colour of its outline or inside. */
function recorder(): { surface: Surface; drawn: string[] } {
  const drawn: string[] = [];
  let shape = "";
  const pen = {
    fillStyle: "",
    strokeStyle: "",
    beginPath: () => (shape = ""),
    moveTo: () => (shape += "M"),
    lineTo: () => (shape += "L"),
    roundRect: (_x: number, _y: number, width: number, _height: number, radius: number) =>
      (shape += width === 2 * radius ? "O" : "R"),
    fill: () => drawn.push(`${shape} ${pen.fillStyle}`),
    stroke: () => drawn.push(`${shape} ${pen.strokeStyle}`),
    fillRect: () => drawn.push(`column ${pen.fillStyle}`),
  };
  return { surface: { context: pen as unknown as Pen, width: 400, height: 40, palette }, drawn };
}

function pdu(fraction: number, group: number, what: Partial<Flying> = {}): Flying {
  return { fraction, group, isControl: false, isTagged: false, isRepeated: false, ...what };
}

describe("the PDUs on a line", () => {
  const lane = { x: 0, y: 0, width: 400, height: 20, isReverse: false };

  it("are columns in the colour of their group, and a segment that is sent again has a ring as well", () => {
    const { surface, drawn } = recorder();
    drawCells(surface, lane, [pdu(0.2, 0), pdu(0.5, 1, { isRepeated: true })], 2);
    expect(drawn).toEqual(["column first", "column second", "O surface", "O second"]);
  });

  it("are told apart by their shape alone", () => {
    const shapes = [{}, { isRepeated: true }, { isTagged: true }, { isControl: true }].map((what) => {
      const { surface, drawn } = recorder();
      drawCells(surface, lane, [pdu(0.5, 0, what)], 1);
      return drawn.map((each) => each.split(" ")[0]).join(" ");
    });
    expect(shapes).toEqual(["column", "column O O", "column MLL", "MLLL"]);
  });

  it("have no more rings than there is room for", () => {
    const { surface, drawn } = recorder();
    const many = Array.from({ length: 400 }, (_, place) => pdu(place / 400, 0, { isRepeated: true }));
    drawCells(surface, lane, many, 1);
    const rings = drawn.filter((each) => each === "O first").length;
    expect(rings).toBeGreaterThan(40);
    expect(rings).toBeLessThanOrEqual(400 / 7);
  });
});
