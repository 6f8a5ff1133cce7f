/** The sources at the left of a network, a bar for each flow, and the receivers at the right, with what they get. */

import { quantity } from "../model/quantity";
import { groupColour } from "./palette";
import type { Scene } from "./scene";
import { box, write, type Surface } from "./surface";

const BAR = 4;
const STEP = 5;
const ROW = 15;
const LABEL = 13;

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How tall the sources are if every group has a label. */
function heightOf(scene: Scene, width: number): number {
  const each = Math.max(1, Math.floor(width / STEP));
  return scene.network.groups.reduce((sum, group) => sum + LABEL + 4 + Math.ceil(group.flows / each) * ROW, 0);
}

export function drawSources(surface: Surface, scene: Scene, area: Area): void {
  const { groups } = scene.network;
  const hasLabels = heightOf(scene, area.width) <= area.height;
  if (hasLabels) {
    let y = area.y + (area.height - heightOf(scene, area.width)) / 2;
    groups.forEach((group, number) => {
      const label = group.flows > 1 ? `${group.name} × ${group.flows}` : group.name;
      write(surface, label, area.x, y + LABEL - 3, { most: area.width });
      y = drawBars(surface, scene, number, { ...area, y: y + LABEL }, ROW) + 4;
    });
    return;
  }
  drawTight(surface, scene, area);
}

/** The bars of a group. Returns the y below them. */
function drawBars(surface: Surface, scene: Scene, number: number, area: Area, row: number): number {
  const group = scene.network.groups[number];
  if (!group) return area.y;
  const single = group.flows === 1;
  const across = single ? 1 : Math.max(1, Math.floor(area.width / STEP));
  for (let place = 0; place < group.flows; place += 1) {
    const x = area.x + (place % across) * STEP;
    const y = area.y + Math.floor(place / across) * row;
    drawBar(surface, scene, number, group.first_flow + place, {
      x,
      y,
      width: single ? area.width : BAR,
      height: row - 3,
    });
  }
  return area.y + Math.ceil(group.flows / across) * row;
}

/** One source: how much of its level it is allowed. A source without control is a full bar, pale. */
function drawBar(surface: Surface, scene: Scene, group: number, flow: number, bar: Area): void {
  const { palette, context } = surface;
  const level = scene.levels[flow] ?? Number.NaN;
  const colour = groupColour(palette, group);
  if (Number.isNaN(level)) {
    context.globalAlpha = 0.45;
    box(surface, bar.x, bar.y, bar.width, bar.height, colour);
    context.globalAlpha = 1;
    return;
  }
  const share = Math.min(1, Math.max(0.04, level / (scene.full[group] ?? 1)));
  const filled = scene.hasFallen(flow) ? palette.notice : colour;
  box(surface, bar.x, bar.y, bar.width, bar.height, palette.lane);
  if (bar.width > bar.height) box(surface, bar.x, bar.y, bar.width * share, bar.height, filled);
  else box(surface, bar.x, bar.y + bar.height * (1 - share), bar.width, bar.height * share, filled);
}

/** Many groups: one bar for each flow, or for as many as there is room for, without names. */
function drawTight(surface: Surface, scene: Scene, area: Area): void {
  const flows = scene.network.groups.flatMap((group, number) =>
    Array.from({ length: group.flows }, (_, place) => [number, group.first_flow + place] as const),
  );
  const across = Math.max(1, Math.floor(area.width / STEP));
  const most = across * Math.max(1, Math.floor((area.height - LABEL) / ROW));
  const each = Math.max(1, Math.ceil(flows.length / most));
  const shown = flows.filter((_, place) => place % each === 0);
  const rows = Math.ceil(shown.length / across);
  const y = area.y + Math.max(0, (area.height - LABEL - rows * ROW) / 2);
  const label = each > 1 ? `every ${each}th of ${flows.length} flows` : `${flows.length} flows`;
  write(surface, label, area.x, y + LABEL - 3, { most: area.width });
  shown.forEach(([group, flow], place) => {
    const x = area.x + (place % across) * STEP;
    const top = y + LABEL + Math.floor(place / across) * ROW;
    drawBar(surface, scene, group, flow, { x, y: top, width: BAR, height: ROW - 3 });
  });
}

const RECEIVER = 36;
/** The height of a line about what is not sent. */
const OF = 14;
/** The least part of what was offered that is told as missing. */
const LEAST_SHARE = 0.01;

/** What each group delivers, and what was offered if that is more; for many groups the sum of what they deliver. */
export function drawReceivers(surface: Surface, scene: Scene, area: Area): void {
  const { groups } = scene.network;
  const each = groups.map((group, number) => {
    const [rate, offered] = [scene.delivered[number] ?? 0, scene.offered[number] ?? Number.NaN];
    return { name: group.name, rate, offered, colour: groupColour(surface.palette, number) };
  });
  const isMore = (rate: number, offered: number): boolean => rate < offered * (1 - LEAST_SHARE);
  const heightOf = ({ rate, offered }: (typeof each)[number]): number => RECEIVER + (isMore(rate, offered) ? OF : 0);
  const height = each.reduce((sum, one) => sum + heightOf(one), 0);
  const rate = scene.delivered.reduce((sum, one) => sum + one, 0);
  const sum = { name: `${groups.length} groups`, rate, offered: Number.NaN, colour: surface.palette.ink };
  const isTight = height > area.height && each.length > 1;
  let y = area.y + (area.height - (isTight ? RECEIVER : height)) / 2;
  for (const one of isTight ? [sum] : each) {
    box(surface, area.x, y + 3, 8, 8, one.colour);
    write(surface, one.name, area.x + 13, y + 11, { most: area.width - 13 });
    write(surface, quantity(one.rate, "b/s"), area.x, y + 25, { mono: true, size: 12, most: area.width });
    if (isMore(one.rate, one.offered)) {
      write(surface, `of ${quantity(one.offered, "b/s")}`, area.x, y + 25 + OF, { most: area.width });
    }
    y += heightOf(one);
  }
}
