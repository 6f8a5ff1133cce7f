/** Numbers for readers. */

const PREFIXES: readonly (readonly [number, string])[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "u"],
];

/** Three significant digits without trailing zeros. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** A number with its unit; rates and times get a prefix: 5.44 Mb/s. */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "–";
  if (unit !== "b/s" && unit !== "s" && unit !== "bits") return unit ? `${short(value)} ${unit}` : short(value);
  const size = Math.abs(value);
  const [scale, prefix] = PREFIXES.find(([least]) => size >= least) ?? [1, ""];
  return `${short(value / scale)} ${prefix}${unit}`;
}

/** The smallest of 1, 2 or 5 times a power of ten that is not below the value. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Ticks of an axis from 0: at most `most` of them, at round numbers. */
export function ticks(end: number, most: number): number[] {
  const step = roundUp(end / Math.max(1, most));
  const count = Math.floor(end / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}
