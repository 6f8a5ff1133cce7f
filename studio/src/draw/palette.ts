/** Colours of the drawings: the Okabe-Ito set, which colour-blind readers can tell apart, and those of the page. */

import type { Side } from "../backend/messages";

export interface Palette {
  readonly ink: string;
  readonly soft: string;
  readonly faint: string;
  readonly surface: string;
  readonly lane: string;
  readonly grid: string;
  readonly a: string;
  readonly b: string;
  readonly notice: string;
  readonly tagged: string;
  readonly good: string;
  readonly groups: readonly string[];
}

const NAMES = {
  ink: "--ink",
  soft: "--soft",
  faint: "--faint",
  surface: "--surface",
  lane: "--lane",
  grid: "--grid",
  a: "--a",
  b: "--b",
  notice: "--notice",
  tagged: "--tagged",
  good: "--good",
} as const;

/** Groups: blue, sky blue, green, purple, yellow, grey. Vermilion and orange are for notices and tagged cells. */
const GROUPS = ["--group-1", "--group-2", "--group-3", "--group-4", "--group-5", "--group-6"];

/** The colours of the page as it is now, light or dark. */
export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const found = Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, colour(name)])) as {
    [K in keyof typeof NAMES]: string;
  };
  return { ...found, groups: GROUPS.map(colour) };
}

export function groupColour(palette: Palette, group: number): string {
  return palette.groups[group % palette.groups.length] ?? palette.a;
}

export function sideColour(palette: Palette, side: Side): string {
  return side === "a" ? palette.a : palette.b;
}

export const FONT = 'Inter, system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
export const MONO = 'ui-monospace, "JetBrains Mono", "DejaVu Sans Mono", monospace';
