/** What the two futures did since the fork, and each as a scenario. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Side, State } from "../backend/messages";
import { IS_NOTICE } from "../backend/plan";
import { quantity, short } from "../model/quantity";
import type { Samples } from "../model/samples";
import { written } from "../model/share";
import * as state from "../model/state";
import { secondsOf } from "../model/time";
import { CopyButton } from "./copy";
import { port, tracks } from "./scenes";

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly a: number;
  readonly b: number;
  /** Whether more is better: 1, worse: -1, or neither. */
  readonly good: 1 | -1 | 0;
}

export function Differences(): JSX.Element {
  const seconds = secondsOf(state.now.value - (state.frame.value?.fork?.at ?? 0n));
  return (
    <section class="panel" aria-label="Since the fork">
      <header>
        <h2>Since the fork</h2>
        <span class="hint">
          {seconds > 0 ? `${short(seconds)} s, same traffic in both, one replication` : "run on to see a difference"}
        </span>
      </header>
      <table class="differences">
        <thead>
          <tr>
            <td />
            <th scope="col">
              <span class="side side-a">A</span>
            </th>
            <th scope="col">
              <span class="side side-b">B</span>
            </th>
            <th scope="col">B − A</th>
          </tr>
        </thead>
        <tbody>{seconds > 0 && rows(seconds).map((row) => <Line key={row.name} row={row} />)}</tbody>
      </table>
      <Written />
    </section>
  );
}

function Line({ row }: { readonly row: Row }): JSX.Element {
  const difference = row.b - row.a;
  const mark = difference === 0 || row.good === 0 ? "" : Math.sign(difference) === row.good ? "better" : "worse";
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "±";
  return (
    <tr>
      <th scope="row">{row.name}</th>
      <td class="number">{quantity(row.a, row.unit)}</td>
      <td class="number">{quantity(row.b, row.unit)}</td>
      <td class={`number ${mark}`}>
        {sign}
        {quantity(Math.abs(difference), row.unit)}
        {mark && <span class="visually-hidden"> ({mark})</span>}
      </td>
    </tr>
  );
}

function rows(seconds: number): Row[] {
  const frame = state.frame.value;
  const loaded = state.loaded.value;
  if (!frame?.b || !frame.fork || !loaded) return [];
  const { counters } = frame.fork;
  const grown = (side: State, test: RegExp, groups: boolean): number =>
    loaded.counterKinds.reduce((sum, kind, place) => {
      const isGroup = loaded.network.groups.some((group) => group.name === kind.component);
      return test.test(kind.quantity) && isGroup === groups
        ? sum + (side.counters[place] ?? 0) - (counters[place] ?? 0)
        : sum;
    }, 0);
  const both = (of: (side: State) => number): { a: number; b: number } => ({
    a: of(frame.a),
    b: of(frame.b ?? frame.a),
  });
  const now = (side: State): number =>
    loaded.counterKinds.reduce(
      (sum, kind, place) => (kind.quantity === "held_bits" ? sum + (side.counters[place] ?? 0) : sum),
      0,
    );
  const hasDemand = loaded.counterKinds.some((kind) => kind.quantity === "offered_bits");
  const demand: Row[] = [
    { name: "Offered", unit: "b/s", good: 0, ...both((side) => grown(side, /^offered_bits$/, true) / seconds) },
    { name: "Waiting at the sources, now", unit: "bits", good: -1, ...both(now) },
  ];
  const counted: Row[] = [
    { name: "Throughput", unit: "b/s", good: 1, ...both((side) => grown(side, /^delivered_bits$/, true) / seconds) },
    { name: "PDUs lost", unit: "", good: -1, ...both((side) => grown(side, /^lost$/, true)) },
    { name: "Notices and marks", unit: "", good: 0, ...both((side) => grown(side, IS_NOTICE, false)) },
  ];
  return [...counted, ...(hasDemand ? demand : []), ...means()];
}

/** Means of the samples since the fork: of the queue, and of the level of the sources. */
function means(): Row[] {
  const b = state.recordB.value;
  if (!b) return [];
  const start = b.first + 1; // the first is a copy of A's
  const end = Math.min(b.end, Number(state.now.value / state.interval.value) + 1);
  if (end <= start) return [];
  return tracks.value
    .filter((track) => track.key === "queue" || track.key === "level")
    .map((track) => {
      const mean = (record: Samples): number => {
        let sum = 0;
        for (let sample = start; sample < end; sample += 1) sum += track.value(record, sample);
        return sum / (end - start);
      };
      const name = track.key === "queue" ? `Mean queue, ${port.value ?? ""}` : track.title.replace(/^mean/, "Mean");
      return {
        name,
        unit: track.unit,
        good: track.key === "queue" ? -1 : 0,
        a: mean(state.recordA.value),
        b: mean(b),
      } as const;
    });
}

/** Each future as a scenario with its changes. */
function Written(): JSX.Element {
  const texts = useSignal<{ readonly [side in Side]: string }>({ a: "", b: "" });
  const changes = JSON.stringify(
    [...(state.frame.value?.a.changes ?? []), "b", ...(state.frame.value?.b?.changes ?? [])],
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
  useEffect(() => {
    void Promise.all([written("a"), written("b")]).then(([a, b]) => {
      texts.value = { a, b };
    });
  }, [changes]);
  return (
    <div class="written">
      {(["a", "b"] as const).map((side) => (
        <details key={side}>
          <summary>
            {side.toUpperCase()} as a scenario{changesOf(texts.value[side]) ? "" : ", unchanged"}
          </summary>
          <CopyButton text={texts.value[side]} what={`${side.toUpperCase()} as TOML`} />
          <pre id={`written-${side}`} tabIndex={0} aria-label={`${side.toUpperCase()} as TOML`}>
            {changesOf(texts.value[side]) || texts.value[side]}
          </pre>
        </details>
      ))}
    </div>
  );
}

/** The `[[change]]` tables of a scenario's text. */
function changesOf(toml: string): string {
  const tables = toml.split(/\n(?=\[)/).filter((table) => table.startsWith("[[change]]"));
  return tables.map((table) => table.trim()).join("\n\n");
}
