/** A pen that writes SVG: the drawings use it like a canvas. */

import type { Pen } from "./surface";

const ANCHORS: Readonly<Record<string, string>> = { center: "middle", right: "end" };

export class SvgPen implements Pen {
  fillStyle: Pen["fillStyle"] = "#000";
  strokeStyle: Pen["strokeStyle"] = "#000";
  lineWidth = 1;
  lineJoin: CanvasLineJoin = "miter";
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  imageSmoothingEnabled = true;
  private readonly parts: string[] = [];
  private path = "";
  private dash: readonly number[] = [];
  private moves = "";
  private readonly saved: string[] = [];
  private readonly measure = document.createElement("canvas").getContext("2d");

  /** All that was drawn, as elements. */
  get content(): string {
    return this.parts.join("\n");
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path ? "L" : "M"}${round(x)} ${round(y)}`;
  }

  roundRect(
    x: number,
    y: number,
    width: number,
    height: number,
    radius: number | DOMPointInit | Iterable<number | DOMPointInit> = 0,
  ): void {
    const r = Math.min(typeof radius === "number" ? radius : 0, width / 2, height / 2);
    const arc = (dx: number, dy: number): string => (r > 0 ? `a${r} ${r} 0 0 1 ${dx} ${dy}` : "");
    const [across, down] = [round(width - 2 * r), round(height - 2 * r)];
    this.path += `M${round(x + r)} ${round(y)}h${across}${arc(r, r)}v${down}${arc(-r, r)}`;
    this.path += `h${-across}${arc(-r, -r)}v${-down}${arc(r, -r)}z`;
  }

  fill(): void {
    this.add(`<path d="${this.path}" fill="${String(this.fillStyle)}"/>`);
  }

  stroke(): void {
    this.add(`<path d="${this.path}" fill="none" ${this.strokes()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.add(`<rect ${area(x, y, width, height)} fill="${String(this.fillStyle)}"/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.add(`<rect ${area(x, y, width, height)} fill="none" ${this.strokes()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    this.addText(text, x, y, `fill="${String(this.fillStyle)}"`);
  }

  strokeText(text: string, x: number, y: number): void {
    this.addText(text, x, y, `fill="none" ${this.strokes()}`);
  }

  measureText(text: string): TextMetrics {
    if (!this.measure) throw new Error("the browser has no canvas to measure text with");
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }

  setLineDash(dash: Iterable<number>): void {
    this.dash = [...dash];
  }

  /** A piece of another canvas, with its pixels as they are. */
  drawImage(...[image, sx, sy, sw, sh, x, y, width, height]: Parameters<Pen["drawImage"]>): void {
    const piece = document.createElement("canvas");
    piece.width = Math.max(1, Math.round(sw));
    piece.height = Math.max(1, Math.round(sh));
    piece.getContext("2d")?.drawImage(image, sx, sy, sw, sh, 0, 0, piece.width, piece.height);
    const look = 'preserveAspectRatio="none" style="image-rendering: pixelated"';
    this.add(`<image href="${piece.toDataURL()}" ${area(x, y, width, height)} ${look}/>`);
  }

  save(): void {
    this.saved.push(this.moves);
  }

  restore(): void {
    this.moves = this.saved.pop() ?? "";
  }

  translate(x: number, y: number): void {
    this.moves += `translate(${round(x)} ${round(y)})`;
  }

  rotate(angle: number): void {
    this.moves += `rotate(${round((angle * 180) / Math.PI)})`;
  }

  private strokes(): string {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const line = `stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"${dash}`;
    return `stroke="${String(this.strokeStyle)}" ${line}`;
  }

  private addText(text: string, x: number, y: number, paint: string): void {
    if (!text) return;
    const anchor = ANCHORS[this.textAlign];
    const place = `x="${round(x)}" y="${round(y)}"${anchor ? ` text-anchor="${anchor}"` : ""}`;
    this.add(`<text ${place} style="font: ${escaped(this.font)}" ${paint}>${escaped(text)}</text>`);
  }

  private add(element: string): void {
    const moves = this.moves ? ` transform="${this.moves}"` : "";
    const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
    this.parts.push(moves || alpha ? `<g${moves}${alpha}>${element}</g>` : element);
  }
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function area(x: number, y: number, width: number, height: number): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
