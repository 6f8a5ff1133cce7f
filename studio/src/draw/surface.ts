/** What every drawing is given, and the small shapes that they share. */

import { FONT, MONO, type Palette } from "./palette";

/** What drawings need of a canvas; `svg.ts` has another one that writes SVG. */
export interface Pen extends Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "lineJoin"
  | "globalAlpha"
  | "font"
  | "textAlign"
  | "textBaseline"
  | "imageSmoothingEnabled"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "roundRect"
  | "fillRect"
  | "strokeRect"
  | "fillText"
  | "strokeText"
  | "measureText"
  | "setLineDash"
  | "save"
  | "restore"
  | "translate"
  | "rotate"
> {
  fill(): void;
  stroke(): void;
  drawImage(
    image: HTMLCanvasElement,
    sx: number,
    sy: number,
    sw: number,
    sh: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void;
}

export interface Surface {
  readonly context: Pen;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
}

export interface TextStyle {
  readonly size?: number;
  readonly weight?: number;
  readonly mono?: boolean;
  readonly colour?: string;
  readonly align?: CanvasTextAlign;
  readonly most?: number;
}

/** Writes a text with its baseline at y. */
export function write(surface: Surface, text: string, x: number, y: number, style: TextStyle = {}): void {
  const { context, palette } = surface;
  const { size = 11, weight = 400, mono = false, colour = palette.ink, align = "left", most } = style;
  context.font = `${weight} ${size}px ${mono ? MONO : FONT}`;
  context.fillStyle = colour;
  context.textAlign = align;
  context.textBaseline = "alphabetic";
  context.fillText(most === undefined ? text : fitted(context, text, most), x, y);
}

/** The text, cut with three dots if it is wider than `most`. */
export function fitted(context: Pen, text: string, most: number): string {
  if (context.measureText(text).width <= most) return text;
  for (let length = text.length - 1; length > 0; length -= 1) {
    const part = `${text.slice(0, length).trimEnd()}…`;
    if (context.measureText(part).width <= most) return part;
  }
  return "";
}

export function box(
  surface: Surface,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
  radius = 0,
): void {
  const { context } = surface;
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
  context.fill();
}

export function line(
  surface: Surface,
  from: readonly [number, number],
  to: readonly [number, number],
  colour: string,
  width = 1,
  dash: readonly number[] = [],
): void {
  const { context } = surface;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash([...dash]);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.setLineDash([]);
}

/** A notice or another control PDU: a diamond. */
export function diamond(surface: Surface, x: number, y: number, size: number, colour: string): void {
  const { context } = surface;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.fill();
}

/** A segment that is sent again: a ring. */
export function ring(surface: Surface, x: number, y: number, size: number, colour: string): void {
  const { context, palette } = surface;
  context.beginPath();
  context.roundRect(x - size, y - size, 2 * size, 2 * size, size);
  context.fillStyle = palette.surface;
  context.fill();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
}

/** A tagged cell: a triangle. */
export function triangle(surface: Surface, x: number, y: number, size: number, colour: string): void {
  const { context } = surface;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y + size * 0.8);
  context.lineTo(x - size, y + size * 0.8);
  context.fill();
}
