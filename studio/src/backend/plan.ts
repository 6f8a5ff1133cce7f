/** What is recorded at each sample: the columns of the tracks, and the rows of the raster. Pure data. */

import type { CounterKind, Network, PortShape, ReadingKind } from "./types";

/** A column is the sum of some readings or counters, the growth of some counters, or the mean level of a group. */
export interface Column {
  readonly role: "queue" | "point" | "notices" | "lost" | "delivered" | "offered" | "held" | "level";
  /** A port or a group. */
  readonly of: string;
  readonly quantity: string;
  readonly unit: string;
  /** Places in `readings`, or in `counters` for what grows and what is held back. */
  readonly places: readonly number[];
}

/** Rows first..end of the raster show the flows of one group, `each` to a row. */
export interface Band {
  readonly group: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly firstFlow: number;
  readonly flows: number;
}

export interface Plan {
  readonly interval: bigint;
  readonly readings: readonly ReadingKind[];
  readonly columns: readonly Column[];
  readonly bands: readonly Band[];
  readonly rows: number;
}

export const MOST_PORTS = 200;
export const MOST_ROWS = 160;
const SAMPLES = 2000;
/** To read more than this many values takes more than 2 ms or so: then there are fewer samples. */
const QUICK_READINGS = 10_000;

/** The time between two samples: 1, 2 or 5 times a power of ten picoseconds, at most 2,000 of them in a run. */
export function sampleInterval(end: bigint, readings: number): bigint {
  const most = isQuick(readings) ? SAMPLES : SAMPLES / 10;
  let interval = 1n;
  for (let place = 0; interval * BigInt(most) < end; place += 1) {
    interval = place % 3 === 1 ? (interval / 2n) * 5n : interval * 2n;
  }
  return interval;
}

/** Whether so many values can be read for each frame. */
export function isQuick(readings: number): boolean {
  return readings <= QUICK_READINGS;
}

/** The readings of a congestion point that say most, best first. */
const POINT_READINGS = ["filtered.total", "input", "load_factor", "macr", "average_queue"];
const COMMON = /^(queue_|throughput_|utilisation|received|notices)/;
export const IS_NOTICE = /^(notices|marked)/;

export function makePlan(
  network: Network,
  readings: readonly ReadingKind[],
  counters: readonly CounterKind[],
  end: bigint,
): Plan {
  const ofReading = byComponent(readings);
  const ofCounter = byComponent(counters);
  const columns: Column[] = [];
  for (const port of recordedPorts(network)) {
    columns.push(...portColumns(port, ofReading.get(port) ?? [], ofCounter.get(port) ?? []));
  }
  for (const group of network.groups) {
    const own = ofCounter.get(group.name) ?? [];
    const sum = (role: Column["role"], quantity: string, unit: string): Column => ({
      role,
      of: group.name,
      quantity,
      unit,
      places: own.filter((each) => each.kind.quantity === quantity).map((each) => each.place),
    });
    columns.push(sum("delivered", "delivered_bits", "b/s"), sum("lost", "lost", "PDUs"), sum("level", "level", ""));
    // Sources that always have data to send have no demand.
    const demand = [sum("offered", "offered_bits", "b/s"), sum("held", "held_bits", "bits")];
    columns.push(...demand.filter((column) => column.places.length > 0));
  }
  const bands = makeBands(network);
  const last = bands.at(-1);
  return {
    interval: sampleInterval(end, readings.length),
    readings,
    columns,
    bands,
    rows: last ? last.firstRow + last.rows : 0,
  };
}

/** In a large network, the ports with a congestion point, and then those that most flows pass. */
function recordedPorts(network: Network): string[] {
  const flows = new Map<string, number>();
  for (const group of network.groups) {
    for (const hop of group.hops) flows.set(hop.join("\0"), (flows.get(hop.join("\0")) ?? 0) + group.flows);
  }
  const rank = ({ congestion_point, from, to }: PortShape): number =>
    (congestion_point === null ? 0 : 1e9) + (flows.get(`${from}\0${to}`) ?? 0);
  const ports = [...network.ports].sort((one, other) => rank(other) - rank(one)).slice(0, MOST_PORTS);
  return network.ports.filter((port) => ports.includes(port)).map((port) => port.name);
}

interface Placed<K> {
  readonly kind: K;
  readonly place: number;
}

function byComponent<K extends { readonly component: string }>(kinds: readonly K[]): Map<string, Placed<K>[]> {
  const found = new Map<string, Placed<K>[]>();
  kinds.forEach((kind, place) => {
    const own = found.get(kind.component);
    if (own) own.push({ kind, place });
    else found.set(kind.component, [{ kind, place }]);
  });
  return found;
}

function portColumns(
  port: string,
  readings: readonly Placed<ReadingKind>[],
  counters: readonly Placed<CounterKind>[],
): Column[] {
  const queues = readings.filter((each) => /^queue_\d+$/.test(each.kind.quantity));
  const columns: Column[] = [
    { role: "queue", of: port, quantity: "queue", unit: "PDUs", places: queues.map((each) => each.place) },
  ];
  const special = readings.filter((each) => !COMMON.test(each.kind.quantity) && each.kind.quantity !== "queue_bits");
  const best = POINT_READINGS.flatMap((name) => special.filter((each) => each.kind.quantity === name)).at(0);
  const chosen = best ?? special.at(0);
  if (chosen) {
    const { quantity, unit } = chosen.kind;
    columns.push({ role: "point", of: port, quantity, unit, places: [chosen.place] });
  }
  const growing = (role: Column["role"], test: RegExp): void => {
    const own = counters.filter((each) => test.test(each.kind.quantity));
    if (own.length > 0) {
      const places = own.map((each) => each.place);
      columns.push({ role, of: port, quantity: role, unit: "PDUs", places });
    }
  };
  growing("notices", IS_NOTICE);
  growing("lost", /^discarded/);
  return columns;
}

/** Every group has a row; a group of many flows has several flows to a row. */
function makeBands(network: Network): Band[] {
  const flows = network.groups.reduce((sum, group) => sum + group.flows, 0);
  const share = Math.min(1, MOST_ROWS / Math.max(1, flows));
  const bands: Band[] = [];
  let firstRow = 0;
  for (const group of network.groups) {
    const rows = Math.max(1, Math.floor(group.flows * share));
    bands.push({ group: group.name, firstRow, rows, firstFlow: group.first_flow, flows: group.flows });
    firstRow += rows;
  }
  return bands;
}

/** Appends the mean level of the flows of each row; NaN where no flow has a level. */
export function rasterRows(plan: Plan, levels: Float64Array, into: number[]): void {
  for (const band of plan.bands) {
    for (let row = 0; row < band.rows; row += 1) {
      const start = band.firstFlow + Math.floor((row * band.flows) / band.rows);
      const end = band.firstFlow + Math.floor(((row + 1) * band.flows) / band.rows);
      into.push(meanOf(levels, start, end));
    }
  }
}

/** What the engine tells at a sample: its counters, those of the sample before, and the seconds between. */
export interface Sample {
  readonly readings: Float64Array;
  readonly levels: Float64Array;
  readonly counters: Float64Array;
  readonly before: Float64Array;
  readonly seconds: number;
}

/** Appends the value of each column. */
export function columnValues(plan: Plan, sample: Sample, into: number[]): void {
  const { readings, levels, counters, before } = sample;
  const sum = (places: readonly number[], of: (place: number) => number): number =>
    places.reduce((total, place) => total + of(place), 0);
  const bands = new Map(plan.bands.map((band) => [band.group, band]));
  for (const column of plan.columns) {
    const grown = (): number => sum(column.places, (place) => (counters[place] ?? 0) - (before[place] ?? 0));
    switch (column.role) {
      case "queue":
      case "point":
        into.push(sum(column.places, (place) => readings[place] ?? 0));
        break;
      case "notices":
      case "lost":
        into.push(grown());
        break;
      case "delivered":
      case "offered":
        into.push(grown() / sample.seconds);
        break;
      case "held":
        into.push(sum(column.places, (place) => counters[place] ?? 0));
        break;
      case "level": {
        const band = bands.get(column.of);
        into.push(band ? meanOf(levels, band.firstFlow, band.firstFlow + band.flows) : Number.NaN);
      }
    }
  }
}

/** The mean of the levels start..end that are numbers; NaN if none is. */
export function meanOf(levels: Float64Array, start: number, end: number): number {
  let sum = 0;
  let count = 0;
  for (let place = start; place < end; place += 1) {
    const level = levels[place] ?? Number.NaN;
    if (!Number.isNaN(level)) {
      sum += level;
      count += 1;
    }
  }
  return count > 0 ? sum / count : Number.NaN;
}
