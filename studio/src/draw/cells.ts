/**
 * PDUs on a line: a histogram along it, stacked by group, with diamonds for control, triangles for tagged PDUs and rings for
 * segments that are sent again.
 */

import { groupColour } from "./palette";
import type { Flying } from "./scene";
import { diamond, ring, triangle, type Surface } from "./surface";

/** A straight piece of the drawing on which PDUs travel from left to right, or back. */
export interface Lane {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isReverse: boolean;
}

/** A single PDU that is shown by its shape. */
interface Mark {
  readonly column: number;
  readonly group: number;
}

const COLUMN = 2;
/** A column is full with this many PDUs at least, so that one alone is short. */
const LEAST_FULL = 3;
const APART = 7;

export function drawCells(surface: Surface, lane: Lane, flying: readonly Flying[], groups: number): void {
  const columns = Math.max(1, Math.floor(lane.width / COLUMN));
  const tagged = groups;
  const counts = new Uint16Array(columns * (groups + 1));
  const control: number[] = [];
  const repeated: Mark[] = [];
  for (const pdu of flying) {
    const along = lane.isReverse ? 1 - pdu.fraction : pdu.fraction;
    const column = Math.min(columns - 1, Math.max(0, Math.floor(along * columns)));
    if (pdu.isControl) control.push(column);
    else {
      const place = column * (groups + 1) + (pdu.isTagged || pdu.group < 0 ? tagged : pdu.group);
      counts[place] = (counts[place] ?? 0) + 1;
      if (pdu.isRepeated) repeated.push({ column, group: Math.max(0, pdu.group) });
    }
  }
  drawColumns(surface, lane, counts, groups);
  drawRepeated(surface, lane, repeated);
  drawControl(surface, lane, control);
}

function drawColumns(surface: Surface, lane: Lane, counts: Uint16Array, groups: number): void {
  const { context, palette } = surface;
  const columns = counts.length / (groups + 1);
  let full = LEAST_FULL;
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    for (let group = 0; group <= groups; group += 1) sum += counts[column * (groups + 1) + group] ?? 0;
    full = Math.max(full, sum);
  }
  const height = lane.height / full;
  let lastTriangle = -APART;
  for (let column = 0; column < columns; column += 1) {
    let y = lane.y + lane.height;
    for (let group = 0; group <= groups; group += 1) {
      const count = counts[column * (groups + 1) + group] ?? 0;
      if (count === 0) continue;
      context.fillStyle = group === groups ? palette.tagged : groupColour(palette, group);
      y -= count * height;
      context.fillRect(lane.x + column * COLUMN, y, COLUMN - 0.4, count * height);
      if (group === groups && column - lastTriangle >= APART / COLUMN) {
        triangle(surface, lane.x + column * COLUMN, Math.max(lane.y - 1, y - 4), 3, palette.tagged);
        lastTriangle = column;
      }
    }
  }
}

function drawControl(surface: Surface, lane: Lane, columns: number[]): void {
  columns.sort((one, other) => one - other);
  let last = -APART;
  for (const column of columns) {
    if (column - last < 3) continue;
    diamond(surface, lane.x + column * COLUMN, lane.y + lane.height / 2, 4, surface.palette.notice);
    last = column;
  }
}

function drawRepeated(surface: Surface, lane: Lane, marks: Mark[]): void {
  marks.sort((one, other) => one.column - other.column);
  let last = -APART;
  for (const { column, group } of marks) {
    if ((column - last) * COLUMN < APART) continue;
    ring(surface, lane.x + column * COLUMN, lane.y + lane.height / 2, 3, groupColour(surface.palette, group));
    last = column;
  }
}
