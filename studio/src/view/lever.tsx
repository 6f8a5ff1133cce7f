/** One lever: its range, its value, and what its whole range would bring. */

import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import type { Future } from "../backend/messages";
import type { Lever, LeverValue } from "../backend/types";
import { change } from "../model/actions";
import { hasRange, horizonSeconds, numberOf, PLACES, shareOf, withUnit } from "../model/foretell";
import { titleOf } from "../model/levers";
import { quantity, short } from "../model/quantity";
import * as state from "../model/state";
import { Field } from "./field";

const CURVE = { width: 260, height: 34 };

export function LeverRow({ lever, isOff }: { readonly lever: Lever; readonly isOff: boolean }): JSX.Element {
  const before = state.leversBefore.value.get(lever.path);
  const hasChanged = before !== undefined && before !== lever.value;
  const id = `lever-${lever.path}`;
  return (
    <li class={hasChanged ? "lever changed" : "lever"}>
      <div class="lever-name">
        <label for={id}>{titleOf(lever)}</label>
        <span class="value">
          {hasChanged && <s>{valueText(lever, before)}</s>} <b>{valueText(lever, lever.value)}</b>
        </span>
      </div>
      <p class="note" title={`${lever.meaning} ${lever.effect}`}>
        {firstSentence(lever.meaning)}
      </p>
      <Control lever={lever} id={id} isOff={isOff} />
      <Futures lever={lever} />
      <code>{lever.path}</code>
    </li>
  );
}

interface ControlProperties {
  readonly lever: Lever;
  readonly id: string;
  readonly isOff: boolean;
}

function Control(properties: ControlProperties): JSX.Element {
  const { lever, id, isOff } = properties;
  if (isSwitch(lever)) {
    const flip = async ({ currentTarget }: TargetedEvent<HTMLInputElement>): Promise<void> => {
      const { checked } = currentTarget;
      if (!(await change(lever.path, checked))) currentTarget.checked = !checked;
    };
    return (
      <input
        id={id}
        type="checkbox"
        checked={lever.value !== false}
        disabled={isOff}
        onChange={(event) => void flip(event)}
      />
    );
  }
  if (lever.kind === "text" || lever.least === null || lever.most === null) return <TextControl {...properties} />;
  return <RangeControl {...properties} />;
}

/** Whether it is on or off; `active` is on if the scenario does not say. */
function isSwitch(lever: Lever): boolean {
  return lever.kind === "boolean" || (lever.path.endsWith(".active") && lever.value === null);
}

/** The value is shown while it moves, and given to the engine when it is let go. */
function RangeControl({ lever, id, isOff }: ControlProperties): JSX.Element {
  const own = numberOf(lever);
  const moved = useSignal<number | null>(null);
  const shown = moved.value ?? own;
  const give = async ({ currentTarget }: TargetedEvent<HTMLInputElement>): Promise<void> => {
    const given = currentTarget.valueAsNumber;
    await change(lever.path, withUnit(lever, given));
    if (moved.value === given) moved.value = null; // else the reader has moved it on
  };
  return (
    <>
      <input
        id={id}
        type="range"
        min={Math.min(lever.least ?? 0, own)}
        max={Math.max(lever.most ?? 1, own)}
        step={lever.step ?? "any"}
        value={shown}
        disabled={isOff}
        aria-valuetext={quantityOf(lever, shown)}
        onInput={(event) => (moved.value = event.currentTarget.valueAsNumber)}
        onChange={(event) => void give(event)}
      />
      {shown !== own && <span class="moving">{quantityOf(lever, shown)}</span>}
    </>
  );
}

/** A value that has no range: written as in a scenario. */
function TextControl({ lever, id, isOff }: ControlProperties): JSX.Element {
  const give = (text: string): Promise<boolean> => change(lever.path, readValue(lever, text));
  return <Field id={id} value={plainText(lever.value)} disabled={isOff} onGive={give} />;
}

/** A number without unit stays a number. JSON is read as such; all else is text. */
function readValue(lever: Lever, text: string): LeverValue {
  if (lever.kind === "quantity" && /^[\d.e+-]+$/i.test(text)) return `${text} ${lever.unit}`;
  try {
    return JSON.parse(text) as LeverValue;
  } catch {
    return text;
  }
}

function plainText(value: LeverValue): string {
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
}

function valueText(lever: Lever, value: LeverValue | undefined): string {
  if (typeof value === "number") return quantityOf(lever, value);
  if (typeof value === "boolean" || isSwitch(lever)) return value === false ? "no" : "yes";
  return value === undefined || value === null ? "none" : plainText(value);
}

function quantityOf(lever: Lever, value: number): string {
  const text = String(Number(value.toPrecision(6)));
  return lever.unit ? `${text} ${lever.unit}` : text;
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** Throughput as a curve and loss as bars, over the lever's range. */
function Futures({ lever }: { readonly lever: Lever }): JSX.Element | null {
  if (!hasRange(lever)) return null;
  const futures = state.futures.value.get(lever.path) ?? [];
  const x = (place: number): number => 3 + shareOf(lever, place) * (CURVE.width - 6);
  const known = futures.filter((each): each is Future => each !== undefined && each.throughput !== null);
  known.sort((one, other) => x(one.place) - x(other.place));
  const here = futures[PLACES];
  return (
    <div class="futures">
      <svg viewBox={`0 0 ${CURVE.width} ${CURVE.height}`} aria-hidden="true" preserveAspectRatio="none">
        {bars(known, x)}
        <polyline class="throughput" points={curve(known, x)} />
        {known.length > 0 && <line class="here" x1={x(PLACES)} x2={x(PLACES)} y1={0} y2={CURVE.height} />}
      </svg>
      <p class="foretold">
        {here?.throughput != null ? (
          <>
            <b class="rate">{quantity(here.throughput, "b/s")}</b> <b class="lost">{short(here.lost)} lost</b> in the
            next {short(horizonSeconds())} s
          </>
        ) : (
          " "
        )}
      </p>
    </div>
  );
}

/** The curve takes the whole height if it changes by a tenth or more. */
function curve(futures: readonly Future[], x: (place: number) => number): string {
  const rates = futures.map((each) => each.throughput ?? 0);
  const high = Math.max(...rates);
  const low = Math.min(high * 0.9, ...rates);
  const y = (rate: number): number => (high > low ? 30 - ((rate - low) / (high - low)) * 26 : 30);
  return futures.map((each) => `${x(each.place)},${y(each.throughput ?? 0)}`).join(" ");
}

function bars(futures: readonly Future[], x: (place: number) => number): JSX.Element[] {
  const most = Math.max(1, ...futures.map((each) => each.lost));
  return futures
    .filter((each) => each.lost > 0 && each.place < PLACES)
    .map((each) => {
      const height = 3 + (each.lost / most) * 29;
      return (
        <rect key={each.place} class="loss" x={x(each.place) - 4} width={8} y={CURVE.height - height} height={height} />
      );
    });
}
