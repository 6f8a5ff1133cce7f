/** The whole drawing of a network: sources, lines and receivers. */

import { CHAIN_HEIGHT, drawChain } from "./chain";
import { drawReceivers, drawSources, type Area } from "./ends";
import { drawMesh, meshHeight } from "./mesh";
import type { Network } from "../backend/types";
import type { Scene } from "./scene";
import type { Surface } from "./surface";

const MOST_IN_CHAIN = 8;

/** Whether a network is drawn as a chain at this width. */
export function isChain(network: Network, width: number): boolean {
  return network.layout === "row" && network.nodes.length <= Math.min(MOST_IN_CHAIN, Math.max(4, width / 100));
}

export function networkHeight(network: Network, width: number): number {
  return isChain(network, width) ? CHAIN_HEIGHT : meshHeight(network.nodes.length, width);
}

export function drawNetwork(surface: Surface, scene: Scene): void {
  const { width, height } = surface;
  const isNarrow = width < 620;
  const margin = 12;
  const left = isNarrow ? 68 : 116;
  const right = isNarrow ? 0 : 112;
  drawSources(surface, scene, { x: margin, y: 8, width: left, height: height - 16 });
  const area: Area = { x: margin + left + 18, y: 0, width: width - left - right - 2 * margin - 30, height };
  if (isChain(scene.network, width)) drawChain(surface, scene, area);
  else drawMesh(surface, scene, area);
  if (!isNarrow) {
    drawReceivers(surface, scene, { x: width - right - 2, y: 8, width: right - margin, height: height - 16 });
  }
}
