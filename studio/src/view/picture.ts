/** The drawings of the page, one below the other, as one PNG or SVG. */

import { FONT, paletteOf } from "../draw/palette";
import { escaped, SvgPen } from "../draw/svg";
import { clockText } from "../model/player";
import { shownTitle } from "../model/share";
import * as state from "../model/state";
import { drawings } from "./canvas";

const MARGIN = 16;
const HEADING = 40;

function canvases(): HTMLCanvasElement[] {
  return [...document.querySelectorAll<HTMLCanvasElement>("canvas[data-drawing]")];
}

function heading(): string {
  return `${shownTitle()}, at ${clockText()}, seed ${state.seed.value}`;
}

/** The picture as it is on the page. */
export function png(): Promise<Blob | null> {
  const all = canvases();
  const ratio = window.devicePixelRatio || 1;
  const sheet = document.createElement("canvas");
  sheet.width = Math.max(...all.map((each) => each.width)) + 2 * MARGIN * ratio;
  sheet.height = all.reduce((sum, each) => sum + each.height + MARGIN * ratio, HEADING * ratio);
  const context = sheet.getContext("2d");
  if (!context) return Promise.resolve(null);
  const palette = paletteOf(document.documentElement);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.fillStyle = palette.ink;
  context.font = `600 ${14 * ratio}px ${FONT}`;
  context.fillText(heading(), MARGIN * ratio, 26 * ratio);
  let y = HEADING * ratio;
  for (const each of all) {
    context.drawImage(each, MARGIN * ratio, y);
    y += each.height + MARGIN * ratio;
  }
  return new Promise((resolve) => sheet.toBlob(resolve, "image/png"));
}

/** The same drawn with lines and texts, for a document. */
export function svg(): Blob {
  const all = canvases();
  const palette = paletteOf(document.documentElement);
  const width = Math.max(...all.map((each) => each.clientWidth)) + 2 * MARGIN;
  let y = HEADING;
  const parts = all.map((each) => {
    const pen = new SvgPen();
    drawings.get(each)?.({ context: pen, width: each.clientWidth, height: each.clientHeight, palette });
    const part = `<g transform="translate(${MARGIN} ${y})">\n${pen.content}\n</g>`;
    y += each.clientHeight + MARGIN;
    return part;
  });
  const look = `style="font: 600 14px ${escaped(FONT)}" fill="${palette.ink}"`;
  const text = `<text x="${MARGIN}" y="26" ${look}>${escaped(heading())}</text>`;
  const size = `width="${width}" height="${y}" viewBox="0 0 ${width} ${y}"`;
  const sheet = `<rect width="100%" height="100%" fill="${palette.surface}"/>`;
  const lines = [`<svg xmlns="http://www.w3.org/2000/svg" ${size}>`, sheet, text, ...parts, "</svg>", ""];
  return new Blob([lines.join("\n")], { type: "image/svg+xml" });
}
