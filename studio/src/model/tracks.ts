/** Which tracks are shown over time: what each draws, from which columns of the record. */

import type { Loaded } from "../backend/messages";
import type { Column } from "../backend/plan";
import type { Lever, PortShape } from "../backend/types";
import { numberOf } from "./foretell";
import type { Samples } from "./samples";

export interface Dashed {
  readonly name: string;
  readonly value: number;
}

export interface Track {
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  readonly kind: "area" | "bars" | "raster";
  readonly height: number;
  /** Thresholds, as dashed lines. */
  readonly dashed: readonly Dashed[];
  /** The largest value that is always on the axis. */
  readonly least: number;
  readonly value: (record: Samples, sample: number) => number;
}

/** The port that is shown until the reader chooses one: with a congestion point, and of the slowest line. */
export function usualPort(loaded: Loaded): string | null {
  const recorded = new Set(loaded.plan.columns.filter((column) => column.role === "queue").map((column) => column.of));
  const used = new Set(loaded.network.groups.flatMap((group) => group.hops.map((hop) => hop.join("\0"))));
  const rank = (port: PortShape): number =>
    (used.has(`${port.from}\0${port.to}`) ? 0 : 4) + (port.congestion_point ? 0 : 2);
  const ports = loaded.network.ports.filter((port) => recorded.has(port.name));
  ports.sort(
    (one, other) => rank(one) - rank(other) || one.rate_bps - other.rate_bps || load(loaded, other) - load(loaded, one),
  );
  return ports[0]?.name ?? null;
}

/** How many flows pass a port. */
function load(loaded: Loaded, port: PortShape): number {
  return loaded.network.groups
    .filter((group) => group.hops.some(([from, to]) => from === port.from && to === port.to))
    .reduce((sum, group) => sum + group.flows, 0);
}

export function tracksOf(loaded: Loaded, port: string | null, levers: readonly Lever[]): Track[] {
  const { columns } = loaded.plan;
  const shape = loaded.network.ports.find((each) => each.name === port);
  const own = (role: Column["role"]): number =>
    columns.findIndex((column) => column.role === role && column.of === port);
  const all = (role: Column["role"]): number[] =>
    columns.flatMap((column, place) => (column.role === role ? [place] : []));
  const tracks: Track[] = [];
  const queue = own("queue");
  if (queue >= 0) {
    const dashed = (shape?.queues ?? [])
      .flatMap((each) => each.thresholds)
      .filter((each) => each.unit === "PDUs")
      .map(({ name, value }) => ({ name: name.includes(".") ? (name.split(".").at(-1) ?? name) : "threshold", value }));
    tracks.push(single("queue", `queue at ${port}`, "PDUs", "area", 84, queue, once(dashed), 10));
  }
  const point = columns[own("point")];
  if (point) {
    const title = point.quantity.replaceAll("_", " ").replace("filtered.total", "input rate, filtered, of the line");
    tracks.push(single("point", title, point.unit, "area", 74, own("point"), targets(shape, point, levers), 0));
  }
  if (own("notices") >= 0) tracks.push(single("notices", "notices, per sample", "", "bars", 46, own("notices"), [], 1));
  const lost = all("lost").filter((place) => loaded.network.groups.some((group) => group.name === columns[place]?.of));
  tracks.push({ ...single("lost", "PDUs lost, per sample", "", "bars", 46, 0, [], 1), value: sumOf(lost) });
  const level = levelTrack(loaded);
  if (level) tracks.push(level, { ...level, key: "raster", kind: "raster", height: 104, dashed: [] });
  const delivered = {
    ...single("delivered", "delivered", "b/s", "area", 70, 0, [], 0),
    value: sumOf(all("delivered")),
  };
  const held = all("held");
  // Data that are thinned or generated later do not wait.
  const canWait = loaded.readingKinds.some((kind) => kind.quantity.startsWith("held_bits"));
  const waiting = { ...single("held", "waiting at the sources", "bits", "area", 46, 0, [], 1), value: sumOf(held) };
  return [...tracks, delivered, ...(canWait ? [waiting] : [])];
}

function single(
  key: string,
  title: string,
  unit: string,
  kind: Track["kind"],
  height: number,
  column: number,
  dashed: readonly Dashed[],
  least: number,
): Track {
  return { key, title, unit, kind, height, dashed, least, value: (record, sample) => record.value(sample, column) };
}

function sumOf(columns: readonly number[]): Track["value"] {
  return (record, sample) => columns.reduce((sum, column) => sum + record.value(sample, column), 0);
}

function once(dashed: readonly Dashed[]): Dashed[] {
  return dashed.filter((each, place) => dashed.findIndex((other) => other.value === each.value) === place);
}

/** The trigger or target of a congestion point, in the unit of its reading. */
function targets(port: PortShape | undefined, point: Column, levers: readonly Lever[]): Dashed[] {
  const scale = point.unit === "b/s" ? (port?.rate_bps ?? 0) : 1;
  const isShare = point.unit === "b/s" ? point.quantity === "input" : /^(filtered|load)/.test(point.quantity);
  if (!isShare || !port) return [];
  const line = port.name.split(/[ .]/)[0] ?? "";
  const isReverse = port.name !== line;
  const prefix = `line.${line}.${isReverse ? "reverse." : ""}congestion_point.`;
  return levers
    .filter((lever) => lever.path.startsWith(prefix) && /\.(trigger|target)$/.test(lever.path))
    .map((lever) => ({ name: lever.path.split(".").at(-1) ?? "", value: numberOf(lever) * scale }))
    .filter((each) => Number.isFinite(each.value));
}

/** The mean level of the sources: of the groups that have the kind of level that most flows have. */
function levelTrack(loaded: Loaded): Track | null {
  const { groups } = loaded.network;
  const controlled = groups.filter((group) => loaded.levelKinds[group.name]);
  const first = [...controlled].sort((one, other) => other.flows - one.flows)[0];
  const kind = first && loaded.levelKinds[first.name];
  if (!kind) return null;
  const alike = controlled.filter((group) => loaded.levelKinds[group.name]?.name === kind.name);
  const parts = alike.map((group) => ({
    flows: group.flows,
    column: loaded.plan.columns.findIndex((column) => column.role === "level" && column.of === group.name),
  }));
  const value = (record: Samples, sample: number): number => {
    const known = parts.filter((part) => !Number.isNaN(record.value(sample, part.column)));
    const flows = known.reduce((sum, part) => sum + part.flows, 0);
    return known.reduce((sum, part) => sum + part.flows * record.value(sample, part.column), 0) / flows;
  };
  const title = `mean ${kind.name.replaceAll("_", " ")} of the sources`;
  const least = kind.unit === "" ? (kind.most ?? 0) : 0;
  return { ...single("level", title, kind.unit, "area", 66, 0, [], least), value };
}
