/** Everything over time; dragging it goes to a time. */

import { useCallback, useMemo } from "preact/hooks";
import type { JSX, TargetedPointerEvent } from "preact";
import type { Side } from "../backend/messages";
import { Raster } from "../draw/raster";
import { endsOf, scaleOf, Spread, type Scale } from "../draw/scale";
import type { Surface } from "../draw/surface";
import { drawTimeLine, span, timeLineHeight, type Drawn } from "../draw/tracks";
import { clockText, go } from "../model/player";
import { quantity, short } from "../model/quantity";
import * as state from "../model/state";
import { psOf, secondsOf } from "../model/time";
import { Canvas } from "./canvas";
import { port, tracks } from "./scenes";
import { Table } from "./table";

const ROWS_IN_TABLE = 20;

export function TimeLinePanel(): JSX.Element {
  const pictures = useMemo(() => ({ a: new Picture(), b: new Picture() }), []);
  const draw = useCallback((surface: Surface) => drawAll(surface, pictures), [pictures]);
  const height = useCallback(() => timeLineHeight(tracks.value, state.recordB.value ? 2 : 1), []);
  return (
    <section class="panel" aria-label="Over time">
      <header>
        <h2>Over time</h2>
        <PortChoice />
        <span class="hint">drag or click to go there · ← → one sample</span>
      </header>
      <div
        class="time-line"
        role="slider"
        tabIndex={0}
        aria-label="Time"
        aria-valuemin={0}
        aria-valuemax={secondsOf(state.loaded.value?.end ?? 1n)}
        aria-valuenow={secondsOf(state.now.value)}
        aria-valuetext={clockText()}
        onPointerDown={drag}
        onPointerMove={drag}
      >
        <Canvas
          name="time-line"
          label="Queue, notices, losses, levels and delivered rate over time; the table that follows has the numbers."
          draw={draw}
          height={height}
        />
      </div>
      <SampleTable />
    </section>
  );
}

/** What is kept of the levels of one side from drawing to drawing. */
class Picture {
  readonly raster = new Raster();
  readonly spread = new Spread();
}

function drawAll(surface: Surface, pictures: { readonly [side in Side]: Picture }): void {
  const { plan, network } = state.loaded.value ?? {};
  const frame = state.frame.value;
  if (!plan || !network || !frame) return;
  const { value: b } = state.recordB;
  const sides: Drawn[] = [{ side: "a", record: state.recordA.value, raster: pictures.a.raster }];
  if (b) sides.push({ side: "b", record: b, raster: pictures.b.raster });
  for (const { side, record } of sides) pictures[side].spread.follow(record, plan.bands);
  const kinds = levelScales(sides.map(({ side }) => pictures[side].spread));
  const scale = plan.bands.flatMap((band) => {
    const own = kinds.find((kind) => kind.groups.includes(band.group))?.scale ?? { low: 0, full: 1 };
    return new Array<Scale>(band.rows).fill(own);
  });
  drawTimeLine(surface, {
    tracks: tracks.value,
    sides,
    interval: secondsOf(plan.interval),
    end: state.shownSeconds.value,
    now: secondsOf(frame.now),
    nowText: clockText(),
    fork: frame.fork && secondsOf(frame.fork.at),
    scale,
    bands: plan.bands,
    rasterTitle: rasterTitle(kinds),
  });
}

/** The scale of one kind of level, and the groups that have it. */
interface KindScale {
  readonly name: string;
  readonly unit: string;
  readonly groups: readonly string[];
  readonly scale: Scale;
}

/** Groups with the same kind of level have the same colours for the same level. */
function levelScales(spreads: readonly Spread[]): KindScale[] {
  const { levelKinds = {}, plan } = state.loaded.value ?? {};
  const bands = Map.groupBy(
    (plan?.bands ?? []).filter((band) => levelKinds[band.group]),
    (band) => `${levelKinds[band.group]?.name} ${levelKinds[band.group]?.unit}`,
  );
  return [...bands.values()].map((own) => {
    const kind = levelKinds[own[0]?.group ?? ""];
    const counts = spreads.flatMap((each) => own.map((band) => each.of(plan?.bands.indexOf(band) ?? -1)));
    const scale = scaleOf(...endsOf(counts));
    const name = (kind?.name ?? "level").replaceAll("_", " ");
    return { name, unit: kind?.unit ?? "", groups: own.map((band) => band.group), scale };
  });
}

function rasterTitle(kinds: readonly KindScale[]): string {
  const bands = state.loaded.value?.plan.bands ?? [];
  const controlled = bands.filter((band) => kinds.some((kind) => kind.groups.includes(band.group)));
  const flows = controlled.reduce((sum, band) => sum + band.flows, 0);
  const texts = kinds.map(
    ({ name, unit, scale: { low, full } }) =>
      `${name}, dark ${quantity(low, unit)}${low > 0 ? " or less" : ""}, yellow ${quantity(full, unit)} or more`,
  );
  return `${flows} sources: ${texts.join("; ")}`;
}

function drag(event: TargetedPointerEvent<HTMLDivElement>): void {
  if (event.buttons !== 1) return;
  const place = event.currentTarget.getBoundingClientRect();
  const { left, right } = span(place.width);
  const share = Math.min(1, Math.max(0, (event.clientX - place.left - left) / (right - left)));
  if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
  const interval = state.interval.value;
  const target = psOf(share * state.shownSeconds.value);
  void go(((target + interval / 2n) / interval) * interval);
}

function PortChoice(): JSX.Element | null {
  const loaded = state.loaded.value;
  if (!loaded || loaded.network.ports.length < 2) return null;
  const recorded = loaded.plan.columns.filter((column) => column.role === "queue").map((column) => column.of);
  return (
    <label class="choice">
      Port{" "}
      <select value={port.value ?? ""} onChange={(event) => (state.chosenPort.value = event.currentTarget.value)}>
        {recorded.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The last samples as a table. It is renewed when the run stands still. */
function SampleTable(): JSX.Element | null {
  const frame = state.mode.value === "paused" ? state.frame.value : state.frame.peek();
  const record = state.recordB.value ?? state.recordA.value;
  if (!frame) return null;
  const interval = state.interval.value;
  const last = Math.min(record.end - 1, Number(frame.now / interval));
  const first = Math.max(record.first, last - ROWS_IN_TABLE + 1);
  const shown = tracks.value.filter((track) => track.kind !== "raster");
  const samples = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => last - place);
  return (
    <Table
      summary="The last samples as a table"
      label="Samples"
      heads={["Time, s", ...shown.map((track) => (track.unit ? `${track.title}, ${track.unit}` : track.title))]}
    >
      {samples.map((sample) => (
        <tr key={sample}>
          <th scope="row" class="number">
            {Number((sample * secondsOf(interval)).toPrecision(9))}
          </th>
          {shown.map((track) => (
            <td class="number" key={track.key}>
              {short(track.value(record, sample))}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
