/** Levels of flows over time as a picture: a column for each sample, a row for each row of the plan. */

import type { Samples } from "../model/samples";
import type { Scale } from "./scale";

/** Viridis at nine places: dark is low, yellow is high, and grey tones keep the order. */
const VIRIDIS: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
];
const COLOURS = lookUp();

function lookUp(): Uint32Array {
  const table = new Uint32Array(256);
  for (let place = 0; place < 256; place += 1) {
    const at = (place / 255) * (VIRIDIS.length - 1);
    const low = VIRIDIS[Math.floor(at)] ?? [0, 0, 0];
    const high = VIRIDIS[Math.ceil(at)] ?? [0, 0, 0];
    const mix = (index: 0 | 1 | 2): number => Math.round(low[index] + (high[index] - low[index]) * (at % 1));
    table[place] = (255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0);
  }
  return table;
}

/** The picture of one record. It only paints the samples that are new, unless the scale changes. */
export class Raster {
  readonly canvas = document.createElement("canvas");
  private painted = 0;
  private record: Samples | null = null;
  private image: ImageData | null = null;
  private key = "";

  /** Paints the samples of a record, the scale of each row given. */
  paint(record: Samples, scale: readonly Scale[], columns: number): void {
    const key = `${scale.map(({ low, full }) => `${low} ${full}`).join()} ${columns} ${record.cuts}`;
    if (record !== this.record || key !== this.key || !this.image) {
      this.canvas.width = columns;
      this.canvas.height = Math.max(1, record.rows);
      this.image = new ImageData(this.canvas.width, this.canvas.height);
      this.painted = record.first;
      this.record = record;
      this.key = key;
    }
    if (record.end === this.painted) return;
    const pixels = new Uint32Array(this.image.data.buffer);
    for (let sample = this.painted; sample < record.end; sample += 1) {
      if (sample >= columns) break;
      for (let row = 0; row < record.rows; row += 1) {
        const { low, full } = scale[row] ?? { low: 0, full: 1 };
        const level = (record.level(sample, row) - low) / (full - low);
        const place = Math.min(255, Math.max(0, Math.round(level * 255)));
        pixels[row * columns + sample] = Number.isNaN(level) ? 0 : (COLOURS[place] ?? 0);
      }
    }
    this.painted = record.end;
    this.canvas.getContext("2d")?.putImageData(this.image, 0, 0);
  }
}
