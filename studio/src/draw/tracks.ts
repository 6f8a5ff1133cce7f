/** Everything over time, on one axis: curves, bars and rasters, both futures in one drawing. */

import { quantity, short, ticks } from "../model/quantity";
import type { Samples } from "../model/samples";
import type { Track } from "../model/tracks";
import { sideColour } from "./palette";
import type { Raster } from "./raster";
import type { Scale } from "./scale";
import { box, line, write, type Surface } from "./surface";
import type { Side } from "../backend/messages";

export const LEFT = 62;
const NARROW_LEFT = 44;
const RIGHT = 74;
const NARROW_RIGHT = 12;
export const TOP = 30;
const GAP = 12;

/** One side in the drawing: where its samples are, and from which on it is drawn. */
export interface Drawn {
  readonly side: Side;
  readonly record: Samples;
  readonly raster: Raster;
}

export interface TimeLine {
  readonly tracks: readonly Track[];
  readonly sides: readonly Drawn[];
  /** Seconds between two samples. */
  readonly interval: number;
  /** Seconds at the right end. */
  readonly end: number;
  readonly now: number;
  readonly nowText: string;
  readonly fork: number | null;
  /** The levels that are dark and yellow, for each row of the raster, and the names of its bands. */
  readonly scale: readonly Scale[];
  readonly bands: readonly { readonly group: string; readonly firstRow: number; readonly rows: number }[];
  readonly rasterTitle: string;
}

/** The part of the width that time takes. */
export function span(width: number): { readonly left: number; readonly right: number } {
  return width < 620 ? { left: NARROW_LEFT, right: width - NARROW_RIGHT } : { left: LEFT, right: width - RIGHT };
}

export function timeLineHeight(tracks: readonly Track[], sides: number): number {
  const of = (track: Track): number =>
    track.kind === "raster" ? track.height * sides + (sides - 1) * 3 : track.height;
  return tracks.reduce((sum, track) => sum + of(track) + GAP, TOP + 6);
}

export function drawTimeLine(surface: Surface, time: TimeLine): void {
  const { left, right } = span(surface.width);
  drawGrid(surface, time, left, right);
  let y = TOP;
  for (const track of time.tracks) {
    if (track.kind === "raster") y = drawRasters(surface, time, track, y);
    else {
      drawTrack(surface, time, track, y);
      y += track.height + GAP;
    }
  }
  drawMarks(surface, time, y);
}

function drawGrid(surface: Surface, time: TimeLine, left: number, right: number): void {
  const { palette, height } = surface;
  for (const tick of ticks(time.end, (right - left) / 76)) {
    const x = left + (tick / time.end) * (right - left);
    line(surface, [x, TOP - 4], [x, height - 6], palette.grid);
    write(surface, String(tick), x, TOP - 12, { mono: true, size: 10, align: "center", colour: palette.soft });
  }
  if (right < surface.width - 30)
    write(surface, "s", right + 12, TOP - 12, { mono: true, size: 10, colour: palette.soft });
}

/** The top of a track's axis: above all values and thresholds near them. */
function topOf(time: TimeLine, track: Track): number {
  let most = track.least;
  for (const { record } of time.sides) {
    for (let sample = record.first; sample < record.end; sample += 1) {
      const value = track.value(record, sample);
      if (value > most) most = value;
    }
  }
  const dashed = track.dashed.filter((each) => each.value < Math.max(most * 4, 400)).map((each) => each.value * 1.08);
  const top = Math.max(most, ...dashed);
  return top > 0 ? roundedUp(top) : 1;
}

/** To two digits. */
function roundedUp(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}

function drawTrack(surface: Surface, time: TimeLine, track: Track, y: number): void {
  const { palette } = surface;
  const { left, right } = span(surface.width);
  const top = topOf(time, track);
  const base = y + track.height;
  const at = (value: number): number => base - (Math.max(0, value) / top) * (track.height - 14);
  line(surface, [left, base], [right, base], palette.grid);
  const axis = hasPrefix(track.unit) ? quantity(top, track.unit).replace(track.unit, "").trim() : short(top);
  write(surface, axis, left - 7, at(top) + 4, { mono: true, size: 10, align: "right", colour: palette.soft });
  write(surface, "0", left - 7, base, { mono: true, size: 10, align: "right", colour: palette.soft });
  for (const { side, record } of time.sides) {
    const drawing = { surface, time, track, record, side, base, at };
    if (track.kind === "bars") drawBars(drawing);
    else drawCurve(drawing);
  }
  for (const { name, value } of track.dashed) {
    if (value > top) continue;
    line(surface, [left, at(value)], [right, at(value)], palette.ink, 0.8, [3, 3]);
    if (right < surface.width - 40) {
      write(surface, name, right + 5, at(value) + 3, { mono: true, size: 10, colour: palette.soft, most: RIGHT - 6 });
    }
  }
  drawTitle(surface, time, track, left + 8, y + 6);
}

/** The title with the values of both sides now. */
function drawTitle(surface: Surface, time: TimeLine, track: Track, x: number, y: number): void {
  const { context, palette } = surface;
  const title = track.unit && !hasPrefix(track.unit) ? `${track.title}, ${track.unit}` : track.title;
  write(surface, "", 0, 0, { size: 11 });
  const values = time.sides.map(({ side, record }) => ({ side, text: textNow(time, track, record) }));
  const width = context.measureText(title).width;
  context.globalAlpha = 0.85;
  box(
    surface,
    x - 4,
    y - 9,
    width + 14 + values.reduce((sum, each) => sum + 7 + each.text.length * 7, 0),
    14,
    palette.surface,
    2,
  );
  context.globalAlpha = 1;
  write(surface, title, x, y + 2, { size: 11, colour: palette.soft });
  let end = x + width + 8;
  for (const { side, text } of values) {
    const colour = values.length > 1 ? sideColour(palette, side) : palette.ink;
    write(surface, text, end, y + 2, { mono: true, size: 11, weight: 700, colour });
    end += context.measureText(text).width + 8;
  }
}

/** The value at the last sample that is not after now. */
function textNow(time: TimeLine, track: Track, record: Samples): string {
  const sample = Math.min(record.end - 1, Math.floor(time.now / time.interval + 1e-6));
  const from = sample >= record.first ? record : time.sides[0]?.record;
  return from ? quantity(track.value(from, sample), track.unit === "PDUs" ? "" : track.unit) : "–";
}

/** One side of a track: zero is at `base`, and a value at `at(value)`. */
interface Drawing {
  readonly surface: Surface;
  readonly time: TimeLine;
  readonly track: Track;
  readonly record: Samples;
  readonly side: Side;
  readonly base: number;
  readonly at: (value: number) => number;
}

/** A curve from sample to sample, with the extremes of each pixel. A is solid with its area, B is dashed. */
function drawCurve(drawing: Drawing): void {
  const { surface, time, side, base, at } = drawing;
  const { context, palette } = surface;
  const points = curve(drawing);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return;
  const colour = sideColour(palette, side);
  context.beginPath();
  for (const [x, low, high] of points) {
    context.lineTo(x, at(low));
    if (high !== low) context.lineTo(x, at(high));
  }
  context.strokeStyle = colour;
  context.lineWidth = side === "a" ? 1.4 : 1.6;
  context.setLineDash(side === "a" ? [] : [5, 2.5]);
  context.stroke();
  context.setLineDash([]);
  if (side === "b" || time.sides.length > 1) return;
  context.lineTo(last[0], base);
  context.lineTo(first[0], base);
  context.globalAlpha = 0.13;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
}

/** For each pixel with samples: its x, the least and the largest value. */
function curve({ surface, time, track, record }: Drawing): (readonly [number, number, number])[] {
  const { left, right } = span(surface.width);
  const step = ((right - left) * time.interval) / time.end;
  const points: [number, number, number][] = [];
  for (let sample = record.first; sample < record.end; sample += 1) {
    const value = track.value(record, sample);
    if (Number.isNaN(value)) continue;
    const x = left + sample * step;
    const last = points.at(-1);
    if (last && Math.floor(last[0]) === Math.floor(x)) {
      last[1] = Math.min(last[1], value);
      last[2] = Math.max(last[2], value);
    } else points.push([x, value, value]);
  }
  return points;
}

/** A bar for each sample with a count. A's are full, B's hollow. */
function drawBars(drawing: Drawing): void {
  const { surface, time, side, base, at } = drawing;
  const { context, palette } = surface;
  const colour = time.sides.length > 1 ? sideColour(palette, side) : palette.notice;
  for (const [x, , value] of curve(drawing)) {
    if (value <= 0) continue;
    const y = Math.min(base - 2, at(value));
    context.fillStyle = colour;
    context.strokeStyle = colour;
    context.lineWidth = 0.9;
    if (side === "a") context.fillRect(x - 0.9, y, 1.8, base - y);
    else context.strokeRect(x - 1.2, y, 2.4, base - y);
  }
}

function drawRasters(surface: Surface, time: TimeLine, track: Track, y: number): number {
  const { context, palette } = surface;
  const { left, right } = span(surface.width);
  const columns = Math.max(1, Math.ceil(time.end / time.interval));
  for (const { side, record, raster } of time.sides) {
    context.strokeStyle = palette.grid;
    context.lineWidth = 1;
    context.strokeRect(left, y, right - left, track.height);
    context.imageSmoothingEnabled = false;
    for (const each of side === "b" ? time.sides : [{ record, raster }]) {
      // B's past is A's: it is drawn from A's picture, up to the fork.
      const isPast = each.record !== record;
      each.raster.paint(each.record, time.scale, paintedColumns(time));
      const end = isPast ? record.first : record.end;
      const share = (Math.min(columns, end) * time.interval) / time.end;
      const from = isPast || side === "a" ? 0 : record.first;
      if (end > from) {
        const x = left + ((from * time.interval) / time.end) * (right - left);
        context.drawImage(
          each.raster.canvas,
          from,
          0,
          end - from,
          record.rows,
          x,
          y,
          left + share * (right - left) - x,
          track.height,
        );
      }
      if (each.record === record) break;
    }
    drawBandNames(surface, time, y, track.height, left);
    if (time.sides.length > 1)
      write(surface, side.toUpperCase(), right + 10, y + track.height / 2 + 4, {
        weight: 700,
        colour: sideColour(palette, side),
      });
    if (side === "a") drawRasterTitle(surface, time, left, y);
    y += track.height + (side === time.sides.at(-1)?.side ? GAP : 3);
  }
  return y;
}

/** Rasters are painted for the whole run in steps, so that they are not painted anew at each sample. */
function paintedColumns(time: TimeLine): number {
  const needed = Math.ceil(time.end / time.interval) + 1;
  return Math.min(2100, 2 ** Math.ceil(Math.log2(Math.max(64, needed))));
}

function drawRasterTitle(surface: Surface, time: TimeLine, x: number, y: number): void {
  const { context, palette } = surface;
  write(surface, "", 0, 0, { size: 10 });
  context.globalAlpha = 0.88;
  box(surface, x + 3, y + 3, context.measureText(time.rasterTitle).width + 9, 16, palette.surface, 2);
  context.globalAlpha = 1;
  write(surface, time.rasterTitle, x + 7, y + 14, { size: 10, colour: palette.ink });
}

function drawBandNames(surface: Surface, time: TimeLine, y: number, height: number, left: number): void {
  const rows = time.scale.length;
  let last = -Infinity;
  for (const band of time.bands) {
    const middle = y + ((band.firstRow + band.rows / 2) / rows) * height + 3;
    if (middle - last < 11) continue;
    write(surface, band.group, left - 7, middle, {
      mono: true,
      size: 10,
      align: "right",
      colour: surface.palette.soft,
      most: left - 8,
    });
    last = middle;
  }
}

/** The fork, and now. */
function drawMarks(surface: Surface, time: TimeLine, end: number): void {
  const { palette } = surface;
  const { left, right } = span(surface.width);
  const mark = (seconds: number, text: string, colour: string, ink: string): void => {
    const x = left + Math.min(1, seconds / time.end) * (right - left);
    line(surface, [x, TOP - 6], [x, end], colour, 1.5);
    write(surface, "", 0, 0, { mono: true, size: 11, weight: 700 });
    const width = surface.context.measureText(text).width + 12;
    const start = Math.min(surface.width - width, Math.max(0, x - width / 2));
    box(surface, start, TOP - 26, width, 19, colour, 3);
    write(surface, text, start + 6, TOP - 12.5, { mono: true, size: 11, weight: 700, colour: ink });
  };
  if (time.fork !== null) mark(time.fork, "fork", palette.b, palette.surface);
  mark(time.now, time.nowText, palette.ink, palette.surface);
}

/** Whether a number of this unit is told with a prefix, as in Mb/s: then its value tells the unit. */
function hasPrefix(unit: string): boolean {
  return unit === "b/s" || unit === "bits";
}
