/** The network of one side, drawn, and as a table. */

import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import type { Side, State } from "../backend/messages";
import { drawNetwork, networkHeight } from "../draw/network";
import type { Surface } from "../draw/surface";
import { limitOf, portsNow } from "../draw/scene";
import { quantity, short } from "../model/quantity";
import * as state from "../model/state";
import { Canvas } from "./canvas";
import { port, rates, sceneOf } from "./scenes";
import { Table } from "./table";

const MOST_IN_LEGEND = 6;

export function NetworkPanel({ side }: { readonly side: Side }): JSX.Element {
  const draw = useCallback(
    (surface: Surface) => {
      const scene = sceneOf(side);
      if (scene) drawNetwork(surface, scene);
    },
    [side],
  );
  const height = useCallback((width: number) => {
    const network = state.loaded.value?.network;
    return network ? networkHeight(network, width) : 236;
  }, []);
  return (
    <section class="panel" aria-label={state.isForked.value ? `Network, ${side.toUpperCase()}` : "Network"}>
      <header>
        <Title side={side} />
        {side === "a" && <Legend />}
      </header>
      <Canvas
        name={`network-${side}`}
        label={`The network${side === "b" ? " of B" : ""}; its ports are in the table that follows.`}
        draw={draw}
        height={height}
      >
        <PortTable side={side} />
        <GroupTable side={side} />
      </Canvas>
    </section>
  );
}

function Title({ side }: { readonly side: Side }): JSX.Element {
  if (!state.isForked.value) return <h2>Network</h2>;
  const frame = state.frame.value;
  const forkAt = frame?.fork?.at ?? 0n;
  const own = (side === "a" ? frame?.a : frame?.b)?.changes.filter((each) => each.ps >= forkAt) ?? [];
  const what = own.map((each) => `${each.path.split(".").slice(-2).join(".")} = ${String(each.value)}`).join(", ");
  return (
    <h2>
      <span class={`side side-${side}`}>{side.toUpperCase()}</span>{" "}
      {what || (side === "a" ? "as it was" : "no change yet: move a lever")}
    </h2>
  );
}

function Legend(): JSX.Element {
  const groups = state.loaded.value?.network.groups ?? [];
  return (
    <ul class="legend">
      {groups.slice(0, MOST_IN_LEGEND).map((group, number) => (
        <li key={group.name}>
          <i class="square" style={{ background: `var(--group-${(number % 6) + 1})` }} />
          {group.name}
        </li>
      ))}
      {groups.length > MOST_IN_LEGEND && <li>and {groups.length - MOST_IN_LEGEND} more</li>}
      <li>
        <i class="triangle" />
        tagged
      </li>
      <li>
        <i class="diamond" />
        notice, control
      </li>
      <li>
        <i class="ring" />
        sent again
      </li>
    </ul>
  );
}

/** What a table shows of a side. It is renewed when the run stands still, so that a screen reader is not interrupted. */
function standing(side: Side): State | null {
  const isPlaying = state.mode.value !== "paused";
  const frame = isPlaying ? state.frame.peek() : state.frame.value;
  return (side === "a" ? frame?.a : frame?.b) ?? null;
}

/** The groups as a table: what they offered, what arrived, and what waits at their sources. */
function GroupTable({ side }: { readonly side: Side }): JSX.Element | null {
  const loaded = state.loaded.value;
  const own = standing(side);
  if (!loaded || !own) return null;
  const count = (group: string, name: string): number => {
    const place = loaded.counterKinds.findIndex((kind) => kind.component === group && kind.quantity === name);
    return place < 0 ? Number.NaN : (own.counters[place] ?? 0);
  };
  const [offered, delivered] = [rates(side, own, "offered"), rates(side, own, "delivered")];
  return (
    <Table
      summary="Groups as a table"
      label="Groups"
      heads={["Group", "Flows", "Offered", "Delivered", "Waiting at the sources", "Lost PDUs"]}
    >
      {loaded.network.groups.slice(0, 200).map(({ name, flows }, number) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td class="number">{flows}</td>
          <td class="number">
            {Number.isNaN(count(name, "offered_bits")) ? "always data" : quantity(offered[number] ?? NaN, "b/s")}
          </td>
          <td class="number">{quantity(delivered[number] ?? NaN, "b/s")}</td>
          <td class="number">{quantity(count(name, "held_bits"), "bits")}</td>
          <td class="number">{short(count(name, "lost"))}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The ports as a table. */
function PortTable({ side }: { readonly side: Side }): JSX.Element | null {
  const loaded = state.loaded.value;
  const own = standing(side);
  if (!loaded || !own) return null;
  const shown = portsNow(loaded, own).filter(
    (each) =>
      each.shape.congestion_point !== null || each.queues.some((held) => held > 0) || loaded.network.ports.length <= 16,
  );
  return (
    <Table
      summary="Ports as a table"
      label="Ports"
      heads={["Port", "From, to", "In queue", "Limit", "Congestion point", "Over time"]}
    >
      {shown.slice(0, 200).map(({ shape, queues, point }) => (
        <tr key={shape.name}>
          <th scope="row">{shape.name}</th>
          <td>
            {shape.from}, {shape.to}
          </td>
          <td class="number">{queues.map(short).join(" + ")}</td>
          <td class="number">{limitOf(shape) ?? "none"}</td>
          <td>
            {shape.congestion_point
              ? `${shape.congestion_point}${point ? `: ${point.name} ${short(point.value)}` : ""}`
              : "none"}
          </td>
          <td>
            <button
              type="button"
              class="small"
              aria-pressed={port.value === shape.name}
              onClick={() => (state.chosenPort.value = shape.name)}
            >
              {port.value === shape.name ? "shown" : "show"}
              <span class="visually-hidden"> {shape.name} over time</span>
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
