/** What a drawing of the network shows of one side at one instant, worked out from a frame. */

import type { Loaded, State } from "../backend/messages";
import type { GroupShape, Network, PortShape } from "../backend/types";
import { IS_CONTROL, IS_REPEATED, IS_TAGGED } from "./kinds";

/** What a port holds and measures now. */
export interface PortNow {
  readonly shape: PortShape;
  readonly number: number;
  /** PDUs in each queue, as the engine counts them. */
  readonly queues: readonly number[];
  /** The reading of its congestion point that is recorded: name, value, unit. */
  readonly point: { readonly name: string; readonly value: number; readonly unit: string } | null;
}

/** A PDU on a line. */
export interface Flying {
  readonly fraction: number;
  readonly group: number;
  readonly isControl: boolean;
  readonly isTagged: boolean;
  /** A segment of a byte stream that is sent again. */
  readonly isRepeated: boolean;
}

export interface Scene {
  readonly network: Network;
  readonly ports: readonly PortNow[];
  /** PDUs on the line behind each port; null while the page does not draw them. */
  readonly flying: readonly (readonly Flying[])[] | null;
  readonly levels: Float64Array;
  /** The level that is drawn full, by group. */
  readonly full: readonly number[];
  /** Sources of which the level fell in the last samples. */
  readonly hasFallen: (flow: number) => boolean;
  /** Delivered bits a second, by group. */
  readonly delivered: readonly number[];
  /** Offered bits a second, by group; NaN for sources that always have data to send. */
  readonly offered: readonly number[];
  readonly chosen: string | null;
}

export function groupOfFlow(groups: readonly GroupShape[]): Int32Array {
  const flows = groups.reduce((most, group) => Math.max(most, group.first_flow + group.flows), 0);
  const found = new Int32Array(flows).fill(-1);
  groups.forEach((group, number) => found.fill(number, group.first_flow, group.first_flow + group.flows));
  return found;
}

/** The state of every port. */
export function portsNow(loaded: Loaded, state: State): PortNow[] {
  const queues = new Map<string, number[]>();
  loaded.readingKinds.forEach(({ component, quantity }, place) => {
    if (/^queue_\d+$/.test(quantity)) {
      const own = queues.get(component) ?? [];
      own.push(state.readings[place] ?? 0);
      queues.set(component, own);
    }
  });
  const points = new Map(
    loaded.plan.columns
      .filter((column) => column.role === "point")
      .map(({ of, quantity, unit, places }) => [
        of,
        { name: quantity, unit, value: state.readings[places[0] ?? 0] ?? Number.NaN },
      ]),
  );
  return loaded.network.ports.map((shape, number) => ({
    shape,
    number,
    queues: queues.get(shape.name) ?? [],
    point: points.get(shape.name) ?? null,
  }));
}

/** The PDUs on each line. */
export function flyingOf(loaded: Loaded, state: State, groups: Int32Array): Flying[][] | null {
  const { positions } = state;
  if (!positions) return null;
  const found: Flying[][] = loaded.network.ports.map(() => []);
  for (let place = 0; place < positions.port.length; place += 1) {
    const kind = positions.kind[place] ?? 0;
    found[positions.port[place] ?? 0]?.push({
      fraction: positions.fraction[place] ?? 0,
      group: groups[positions.flow[place] ?? 0] ?? -1,
      isControl: (kind & IS_CONTROL) !== 0,
      isTagged: (kind & IS_TAGGED) !== 0,
      isRepeated: (kind & IS_REPEATED) !== 0,
    });
  }
  return found;
}

/** The largest limit of the queues of a port; null without a limit. */
export function limitOf(port: PortShape): number | null {
  const limits = port.queues.map((queue) => queue.limit).filter((limit) => limit !== null);
  return limits.length > 0 ? Math.max(...limits) : null;
}

/** What is drawn as a full queue: a queue without limit, or with a long one, is full at its threshold's double. */
export function scaleOf(queue: PortShape["queues"][number] | undefined): number {
  return queue?.limit ?? Math.max(...(queue?.thresholds ?? []).map((each) => 2 * each.value), 100);
}
