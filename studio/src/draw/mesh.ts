/** Any network that is no chain: nodes at their places, both directions of each line side by side. */

import { drawCells } from "./cells";
import type { Area } from "./ends";
import { groupColour, type Palette } from "./palette";
import { scaleOf, type Flying, type PortNow, type Scene } from "./scene";
import { box, diamond, fitted, line, ring, write, type Surface } from "./surface";

/** With more nodes there are no names; with more lines no single cells, and lines have the colour of their load. */
const MOST_NAMES = 48;
const MOST_DETAILED = 120;
const LANE = 9;

type Point = readonly [number, number];

export function meshHeight(nodes: number, width: number): number {
  return Math.round(Math.min(nodes > 30 ? 460 : 340, Math.max(280, width * 0.7)));
}

/** Where each node is, in the area, with its sides in proportion unless the network is much wider. */
export function placesOf(scene: Scene, area: Area): Map<string, Point> {
  const { nodes } = scene.network;
  const xs = nodes.map((node) => node.x);
  const ys = nodes.map((node) => node.y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const margin = 26;
  const across = (area.width - 2 * margin) / Math.max(1e-9, right - left);
  const up = (area.height - 2 * margin) / Math.max(1e-9, high - low);
  return new Map(
    nodes.map((node) => [
      node.name,
      [
        right > left ? area.x + margin + (node.x - left) * across : area.x + area.width / 2,
        high > low ? area.y + margin + (high - node.y) * up : area.y + area.height / 2,
      ] as const,
    ]),
  );
}

export function drawMesh(surface: Surface, scene: Scene, area: Area): void {
  const places = placesOf(scene, area);
  const isDetailed = scene.ports.length <= 2 * MOST_DETAILED;
  for (const port of scene.ports) {
    const from = places.get(port.shape.from);
    const to = places.get(port.shape.to);
    if (!from || !to) continue;
    if (isDetailed) drawPort(surface, scene, port, from, to);
    else drawLoad(surface, port, from, to, scene);
  }
  drawNodes(surface, scene, places);
}

function drawNodes(surface: Surface, scene: Scene, places: ReadonlyMap<string, Point>): void {
  const { palette } = surface;
  const { nodes } = scene.network;
  const hasNames = nodes.length <= MOST_NAMES;
  const half = hasNames ? 5 : nodes.length > 300 ? 1.5 : 3;
  for (const { name } of nodes) {
    const place = places.get(name);
    if (!place) continue;
    const [x, y] = place;
    box(surface, x - half, y - half, 2 * half, 2 * half, palette.ink, hasNames ? 2 : 0);
    if (hasNames) writeName(surface, name, x, y - half - 4);
  }
}

/** A name with a rim in the colour of the page, for it may stand on lines. */
function writeName(surface: Surface, name: string, x: number, y: number): void {
  const { context, palette } = surface;
  const style = { size: 10, weight: 600, align: "center", most: 80 } as const;
  write(surface, "", x, y, style);
  context.strokeStyle = palette.surface;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeText(fitted(context, name, style.most), x, y);
  write(surface, name, x, y, style);
}

/** One direction of a line: a lane beside its middle, with the queue at its start. */
function drawPort(surface: Surface, scene: Scene, port: PortNow, from: Point, to: Point): void {
  const { context, palette } = surface;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 20) return;
  context.save();
  context.translate(...from);
  context.rotate(Math.atan2(dy, dx));
  const lane = { x: 8, y: -LANE - 1, width: length - 16, height: LANE, isReverse: false };
  box(surface, lane.x, lane.y, lane.width, lane.height, palette.lane);
  drawCells(surface, lane, scene.flying?.[port.number] ?? [], scene.network.groups.length);
  if (port.shape.broken)
    line(surface, [lane.x, lane.y], [lane.x + lane.width, lane.y + lane.height], palette.notice, 2);
  drawFill(surface, scene, port, lane);
  context.restore();
}

/** The fill of the fullest queue: a bar that stands on the start of the lane. */
function drawFill(surface: Surface, scene: Scene, port: PortNow, lane: Area): void {
  const { palette } = surface;
  const share = fillOf(port);
  const isChosen = port.shape.name === scene.chosen;
  if (port.shape.congestion_point === null && share < 0.005 && !isChosen) return;
  const height = 22;
  const y = lane.y - height - 1;
  box(surface, lane.x, y, 7, height, palette.lane);
  const filled = Math.max(share > 0 ? 1 : 0, share * height);
  box(surface, lane.x, y + height - filled, 7, filled, share > 0.999 ? palette.notice : palette.a);
  surface.context.strokeStyle = isChosen ? palette.a : palette.soft;
  surface.context.lineWidth = isChosen ? 2 : 0.75;
  surface.context.strokeRect(lane.x, y, 7, height);
}

export function fillOf(port: PortNow): number {
  return port.queues.reduce(
    (most, held, index) => Math.max(most, Math.min(1, held / scaleOf(port.shape.queues[index]))),
    0,
  );
}

/** Many lines: a thin one with the colour of its queue, and a dot for each PDU that there is room for. */
function drawLoad(surface: Surface, port: PortNow, from: Point, to: Point, scene: Scene): void {
  const { context, palette } = surface;
  const share = fillOf(port);
  context.strokeStyle = share > 0.5 ? palette.notice : share > 0.02 ? palette.tagged : palette.grid;
  context.lineWidth = share > 0.02 ? 1 + 2 * share : 0.6;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  const flying = scene.flying?.[port.number] ?? [];
  const room = Math.max(1, Math.hypot(to[0] - from[0], to[1] - from[1]) / 4);
  const each = Math.max(1, Math.ceil(flying.length / room));
  for (let place = 0; place < flying.length; place += each) {
    const pdu = flying[place];
    if (pdu) drawDot(surface, palette, pdu, from, to);
  }
}

function drawDot(surface: Surface, palette: Palette, pdu: Flying, from: Point, to: Point): void {
  const x = from[0] + (to[0] - from[0]) * pdu.fraction;
  const y = from[1] + (to[1] - from[1]) * pdu.fraction;
  if (pdu.isControl) return diamond(surface, x, y, 2, palette.notice);
  if (pdu.isRepeated) return ring(surface, x, y, 2, groupColour(palette, Math.max(0, pdu.group)));
  surface.context.fillStyle = pdu.isTagged ? palette.tagged : groupColour(palette, Math.max(0, pdu.group));
  surface.context.fillRect(x - 1, y - 1, 2, 2);
}
