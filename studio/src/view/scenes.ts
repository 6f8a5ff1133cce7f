/** From the state of the page to what the drawings show. */

import { computed } from "@preact/signals";
import type { Side, State } from "../backend/messages";
import type { GroupShape } from "../backend/types";
import { flyingOf, groupOfFlow, portsNow, type Scene } from "../draw/scene";
import * as state from "../model/state";
import { tracksOf, usualPort } from "../model/tracks";

/** A source is shown as told if its level fell within this many samples. */
const RECENT = 4;

const groups = computed(() => groupOfFlow(state.loaded.value?.network.groups ?? []));

export const port = computed(() => {
  const loaded = state.loaded.value;
  return loaded && (state.chosenPort.value ?? usualPort(loaded));
});

export const tracks = computed(() => {
  const loaded = state.loaded.value;
  return loaded ? tracksOf(loaded, port.value, state.levers.value) : [];
});

/** The level at which the bar of a source is full, by group: the most that is possible, or that was seen. */
const full = computed<readonly number[]>(() => {
  const loaded = state.loaded.value;
  const frame = state.frame.value;
  if (!loaded || !frame) return [];
  return loaded.network.groups.map((group) => {
    const largest = Math.max(seen.get(group) ?? 1e-9, largestOf(group, frame.a), largestOf(group, frame.b));
    seen.set(group, largest);
    return loaded.levelKinds[group.name]?.most ?? 2 ** Math.ceil(Math.log2(largest) - 1e-9);
  });
});

const seen = new WeakMap<GroupShape, number>();

function largestOf(group: GroupShape, side: State | null): number {
  let largest = 0;
  for (let flow = group.first_flow; side && flow < group.first_flow + group.flows; flow += 1)
    largest = Math.max(largest, side.levels[flow] || 0);
  return largest;
}

export function sceneOf(side: Side): Scene | null {
  const loaded = state.loaded.value;
  const frame = state.frame.value;
  const own = side === "a" ? frame?.a : frame?.b;
  if (!loaded || !frame || !own) return null;
  return {
    network: loaded.network,
    ports: portsNow(loaded, own),
    flying: flyingOf(loaded, own, groups.value),
    levels: own.levels,
    full: full.value,
    hasFallen: hasFallen(side),
    delivered: rates(side, own, "delivered").map((rate) => rate || 0),
    offered: rates(side, own, "offered"),
    chosen: port.value,
  };
}

function lastSample(): number {
  return Number(state.now.value / state.interval.value);
}

/** Whether the level of a flow is lower than a few samples ago; only where each flow has its own row. */
function hasFallen(side: Side): (flow: number) => boolean {
  const record = side === "b" && state.recordB.value ? state.recordB.value : state.recordA.value;
  const sample = Math.min(lastSample(), record.end - 1);
  const before = Math.max(record.start, sample - RECENT);
  const bands = state.loaded.value?.plan.bands ?? [];
  const rows = new Map<number, number>();
  for (const band of bands) {
    if (band.rows === band.flows)
      for (let place = 0; place < band.rows; place += 1) rows.set(band.firstFlow + place, band.firstRow + place);
  }
  return (flow) => {
    const row = rows.get(flow);
    return row !== undefined && record.level(sample, row) < record.level(before, row);
  };
}

/** Delivered or offered bits a second over the last samples, by group; NaN if the group has no such rate. */
export function rates(side: Side, own: State, role: "delivered" | "offered"): number[] {
  const loaded = state.loaded.value;
  const record = side === "b" && state.recordB.value ? state.recordB.value : state.recordA.value;
  const sample = Math.min(lastSample(), own.recorded - 1);
  return (loaded?.network.groups ?? []).map((group) => {
    const column = loaded?.plan.columns.findIndex((each) => each.role === role && each.of === group.name) ?? -1;
    return column < 0 ? Number.NaN : record.mean(column, Math.max(record.start, sample - 9), sample + 1);
  });
}
