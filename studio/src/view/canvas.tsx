/** A canvas as wide as its place, drawn anew when a signal changes that its drawing reads. */

import { effect, signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { paletteOf } from "../draw/palette";
import type { Surface } from "../draw/surface";
import { theme } from "./theme";

interface Properties {
  readonly name: string;
  readonly label: string;
  /** The height for a width. */
  readonly height: (width: number) => number;
  readonly draw: (surface: Surface) => void;
  /** A table with what the drawing shows, for screen readers. */
  readonly children?: ComponentChildren;
}

/** How each canvas is drawn, so that it can be drawn as SVG, too. */
export const drawings = new WeakMap<HTMLCanvasElement, Properties["draw"]>();

export function Canvas({ name, label, height, draw, children }: Properties): JSX.Element {
  const reference = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = reference.current;
    const place = canvas?.parentElement;
    if (!canvas || !place) return undefined;
    const width = signal(place.clientWidth);
    const observer = new ResizeObserver(() => {
      width.value = place.clientWidth;
    });
    observer.observe(place);
    drawings.set(canvas, draw);
    const stop = effect(() => {
      void theme.value;
      paint(canvas, width.value, height(width.value), draw);
    });
    return () => {
      stop();
      observer.disconnect();
    };
  }, [draw, height]);
  return (
    <div class="drawing">
      <canvas ref={reference} role="img" aria-label={label} data-drawing={name} />
      {children}
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, width: number, height: number, draw: (surface: Surface) => void): void {
  const ratio = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  draw({ context, width, height, palette: paletteOf(canvas) });
}
