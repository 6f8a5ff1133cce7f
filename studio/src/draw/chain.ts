/** A network that is one path: switches from left to right, the forward direction above, the way back below. */

import { short } from "../model/quantity";
import type { LineShape } from "../backend/types";
import { drawCells } from "./cells";
import type { Area } from "./ends";
import { scaleOf, type PortNow, type Scene } from "./scene";
import { groupColour } from "./palette";
import { box, fitted, line, triangle, write, type Surface } from "./surface";

export const CHAIN_HEIGHT = 236;
const SWITCH = 10;
const QUEUE = { width: 38, height: 52 };
const NARROW_QUEUE = { width: 18, height: 36 };
const LANE = 25;
const GAP = 4;

/** A line of the chain with its two ports, and where it is drawn. */
interface Piece {
  readonly shape: LineShape;
  readonly forward: PortNow | undefined;
  readonly back: PortNow | undefined;
  readonly from: number;
  readonly to: number;
}

export function drawChain(surface: Surface, scene: Scene, area: Area): void {
  const nodes = [...scene.network.nodes].sort((one, other) => one.x - other.x).map((node) => node.name);
  const pieces = piecesOf(scene, nodes, area);
  const middle = area.y + area.height / 2;
  const isNarrow = area.width / Math.max(1, nodes.length) < 120;
  for (const piece of pieces) drawPiece(surface, scene, piece, middle, isNarrow);
  nodes.forEach((node, number) => {
    const x = pieces[number]?.from ?? pieces.at(-1)?.to ?? area.x;
    box(surface, x - SWITCH / 2, middle - 53, SWITCH, 106, surface.palette.ink, 2);
    // Names of neighbours stand at two heights if there is little room.
    const y = isNarrow ? middle + (number % 2 === 0 ? -9 : 9) : middle;
    drawName(surface, node, x, y, number, nodes.length, isNarrow ? 76 : 120);
  });
}

function drawName(
  surface: Surface,
  node: string,
  x: number,
  y: number,
  number: number,
  count: number,
  most: number,
): void {
  const { context, palette } = surface;
  const size = most < 100 ? 10 : 12;
  write(surface, "", x, y, { size, weight: 600 });
  const name = fitted(context, node, most);
  const width = context.measureText(name).width;
  const left = number === 0 ? x + SWITCH / 2 + 3 : number === count - 1 ? x - SWITCH / 2 - 3 - width : x - width / 2;
  box(surface, left - 3, y - 9, width + 6, 18, palette.surface, 2);
  write(surface, name, left, y + 4, { size, weight: 600 });
}

/** The lines between neighbours; a line with a long delay is drawn longer. */
function piecesOf(scene: Scene, nodes: readonly string[], area: Area): Piece[] {
  const { lines, ports } = scene.network;
  const chain = nodes.slice(1).map((node, number) => {
    const before = nodes[number];
    return lines.find((each) => [each.from, each.to].includes(node) && [each.from, each.to].includes(before ?? ""));
  });
  const delay = (each: LineShape | undefined): number => ports[each?.ports[0] ?? -1]?.delay_s ?? 0;
  const longest = Math.max(1e-12, ...chain.map(delay));
  const weights = chain.map((each) => 1 + Math.sqrt(delay(each) / longest));
  const whole = weights.reduce((sum, each) => sum + each, 0);
  let x = area.x + SWITCH / 2;
  return chain.flatMap((shape, number) => {
    const from = x;
    x += ((area.width - SWITCH) * (weights[number] ?? 1)) / whole;
    if (!shape) return [];
    const own = shape.ports.map((port) => scene.ports[port]);
    const forward = own.find((port) => port?.shape.from === nodes[number]);
    const back = own.find((port) => port !== forward);
    return [{ shape, forward, back, from, to: x }];
  });
}

function drawPiece(surface: Surface, scene: Scene, piece: Piece, middle: number, isNarrow: boolean): void {
  const queue = isNarrow ? NARROW_QUEUE : QUEUE;
  const left = piece.from + SWITCH / 2 + GAP;
  const right = piece.to - SWITCH / 2 - GAP;
  const width = Math.max(4, right - left - queue.width - GAP);
  const top = middle - 26 - LANE;
  const bottom = middle + 26;
  const forward = { x: left + queue.width + GAP, y: top, width, height: LANE, isReverse: false };
  const back = { x: left, y: bottom, width, height: LANE, isReverse: true };
  for (const [lane, port] of [
    [forward, piece.forward],
    [back, piece.back],
  ] as const) {
    box(surface, lane.x, lane.y, lane.width, lane.height, surface.palette.lane);
    if (!port) continue;
    drawCells(surface, lane, scene.flying?.[port.number] ?? [], scene.network.groups.length);
    if (port.shape.broken) drawBroken(surface, lane);
  }
  if (piece.forward)
    drawQueue(surface, scene, piece.forward, { x: left, y: top + LANE - queue.height, ...queue }, isNarrow);
  if (piece.back) drawQueue(surface, scene, piece.back, { x: right - queue.width, y: bottom, ...queue }, isNarrow);
  drawLabels(surface, piece, forward, back, isNarrow);
}

/** A broken line is crossed out. */
function drawBroken(surface: Surface, lane: Area): void {
  const { notice } = surface.palette;
  line(surface, [lane.x, lane.y], [lane.x + lane.width, lane.y + lane.height], notice, 2);
  line(surface, [lane.x, lane.y + lane.height], [lane.x + lane.width, lane.y], notice, 2);
}

function drawLabels(surface: Surface, piece: Piece, forward: Area, back: Area, isNarrow: boolean): void {
  const { shape } = piece;
  const { soft } = surface.palette;
  if (!isNarrow || forward.width > 70) {
    const rest = `${shape.rate} · ${shape.delay}`;
    const text = isNarrow ? rest : `${shape.name} · ${rest}`;
    const right = forward.x + forward.width;
    const most = forward.width;
    const wide = surface.context.measureText(text).width <= most ? text : shape.name;
    write(surface, isNarrow ? text : wide, right, forward.y - 6, { align: "right", colour: soft, most });
  }
  if (!isNarrow) write(surface, `${shape.name} ◂`, back.x, back.y + LANE + 13, { colour: soft, most: back.width });
  const point = piece.forward?.point;
  if (!isNarrow && point && forward.width > 110) drawPoint(surface, piece.forward, forward, point);
}

/** What the congestion point reads, as a bar of the line's rate. */
function drawPoint(
  surface: Surface,
  port: PortNow | undefined,
  lane: Area,
  point: NonNullable<PortNow["point"]>,
): void {
  const { palette } = surface;
  const isRate = point.unit === "b/s";
  if (!isRate && !point.name.startsWith("filtered")) return;
  const share = isRate ? point.value / Math.max(1, port?.shape.rate_bps ?? 1) : point.value;
  const width = Math.min(130, lane.width - 10);
  const y = lane.y - 33;
  write(surface, `${isRate ? point.name.replaceAll("_", " ") : "input"} ${share.toFixed(2)} of the line`, lane.x, y, {
    mono: true,
    size: 10,
    colour: palette.soft,
    most: width + 30,
  });
  box(surface, lane.x, y + 5, width, 5, palette.lane);
  box(surface, lane.x, y + 5, Math.min(1, share) * width, 5, share > 1 ? palette.notice : palette.good);
}

/** The queues of a port in one box: the fill of each, stacked by what they hold, with limits and thresholds. */
function drawQueue(surface: Surface, scene: Scene, port: PortNow, area: Area, isNarrow: boolean): void {
  const { context, palette } = surface;
  const isChosen = port.shape.name === scene.chosen;
  box(surface, area.x, area.y, area.width, area.height, palette.lane, 4);
  const count = Math.max(1, port.queues.length);
  const width = (area.width - 2) / count;
  port.queues.forEach((held, index) => {
    const own = port.shape.queues[index];
    const share = Math.min(1, held / scaleOf(own));
    const height = held > 0 ? Math.max(1, share * (area.height - 2)) : 0;
    const colour = share > 0.999 ? palette.notice : groupColour(palette, index);
    box(surface, area.x + 1 + index * width, area.y + area.height - 1 - height, Math.max(1, width - 1), height, colour);
    for (const threshold of own?.thresholds ?? []) {
      const y = area.y + area.height - (threshold.value / scaleOf(own)) * area.height;
      if (y > area.y)
        line(surface, [area.x + index * width, y], [area.x + (index + 1) * width, y], palette.soft, 1, [2, 2]);
    }
  });
  context.strokeStyle = isChosen ? palette.a : palette.soft;
  context.lineWidth = isChosen ? 2 : 1;
  context.beginPath();
  context.roundRect(area.x, area.y, area.width, area.height, 4);
  context.stroke();
  const isAbove = area.y < surface.height / 2;
  const held = port.queues.reduce((sum, each) => sum + each, 0);
  const limit = port.shape.queues[0]?.limit ?? null;
  const isOfFirst = held === (port.queues[0] ?? 0);
  const text = isNarrow || limit === null || !isOfFirst ? short(held) : `${held}/${limit}`;
  const y = isAbove ? area.y - 5 : area.y + area.height + 13;
  write(surface, text, area.x + area.width / 2, y, { mono: true, size: 10, align: "center", colour: palette.soft });
  if (isChosen)
    triangle(surface, area.x + area.width / 2, isAbove ? area.y - 20 : area.y + area.height + 22, 4, palette.a);
}
