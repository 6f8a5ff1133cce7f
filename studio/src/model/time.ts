/** Times: whole picoseconds in the engine, text for readers. */

const PICOSECONDS = 1_000_000_000_000n;
const UNITS: readonly (readonly [string, bigint])[] = [
  ["s", PICOSECONDS],
  ["ms", 1_000_000_000n],
  ["us", 1_000_000n],
  ["ns", 1_000n],
];

export function secondsOf(ps: bigint): number {
  return Number(ps) / 1e12;
}

export function psOf(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1e9)) * 1000n;
}

/** An exact time in the largest unit that needs at most six decimals: `23.1 s`. */
export function exact(ps: bigint): string {
  for (const [unit, size] of UNITS) {
    const rest = ps % size;
    const decimals = rest
      .toString()
      .padStart(size.toString().length - 1, "0")
      .replace(/0+$/, "");
    if (decimals.length <= 6 && (ps >= size || ps === 0n)) {
      return decimals ? `${ps / size}.${decimals} ${unit}` : `${ps / size} ${unit}`;
    }
  }
  return `${ps} ps`;
}

/** A time in seconds with as many decimals as `step` needs: 23.10 s. */
export function clock(ps: bigint, step: bigint): string {
  const decimals = Math.max(2, Math.min(9, Math.ceil(-Math.log10(secondsOf(step))) + 1));
  return `${secondsOf(ps).toFixed(decimals)} s`;
}

/** The picoseconds of a text such as `12.4 s` or `300 ms`; a number alone is seconds. Null if it is no time. */
export function parse(text: string): bigint | null {
  const found = /^\s*(\d+)(?:\.(\d{1,12}))?\s*(ps|ns|us|ms|s|min|h)?\s*$/.exec(text);
  if (!found) return null;
  const [, whole = "0", decimals = "", unit = "s"] = found;
  const sizes: Record<string, bigint> = { ps: 1n, min: 60n * PICOSECONDS, h: 3600n * PICOSECONDS };
  const size = sizes[unit] ?? UNITS.find(([name]) => name === unit)?.[1] ?? PICOSECONDS;
  return (BigInt(whole + decimals) * size) / 10n ** BigInt(decimals.length);
}
