/** The order of levers, and which of them are found by a search. */

import type { Loaded } from "../backend/messages";
import type { Lever } from "../backend/types";

/** Levers that are shown before the reader asks for all. */
export const FEW = 6;

/** The important ones first: the congestion point of the shown port, its rate, other congestion points and rates. */
export function ordered(levers: readonly Lever[], loaded: Loaded, port: string | null): Lever[] {
  const line = loaded.network.lines.find((each) =>
    each.ports.some((place) => loaded.network.ports[place]?.name === port),
  );
  const shape = loaded.network.ports.find((each) => each.name === port);
  const isReverse = line !== undefined && shape?.from !== line.from;
  const own = `line.${line?.name ?? ""}.`;
  const rank = ({ path, kind }: Lever): number => {
    const isOwn = path.startsWith(own) && path.includes(".reverse.") === isReverse;
    if (kind === "text") return 9;
    if (isOwn && /\.(trigger|target)$/.test(path)) return 0;
    if (isOwn && path.includes(".congestion_point.")) return 0.5;
    if (path === `${own}rate`) return 1;
    if (path.startsWith(own) && path.includes(".queues[")) return 2;
    if (path.startsWith(own)) return 3;
    if (path.includes(".congestion_point.")) return 4;
    if (path.endsWith(".rate")) return 5;
    if (path.startsWith("flow.")) return 6;
    return 7;
  };
  return levers
    .map((lever) => ({ lever, rank: rank(lever) }))
    .sort((one, other) => one.rank - other.rank)
    .map((each) => each.lever);
}

/** Levers whose path, title or meaning has every word of the search. */
export function found(levers: readonly Lever[], search: string): Lever[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 0);
  return levers.filter((lever) => {
    const text = `${lever.path} ${lever.title} ${lever.meaning}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What a lever is called: its key, and the line or flow that it belongs to. */
export function titleOf({ path }: Lever): string {
  const steps = path.split(".");
  const key = (steps.at(-1) ?? path).replaceAll("_", " ");
  const reverse = steps.includes("reverse") ? " back" : "";
  const queue = /\[(\d+)\]/.exec(path);
  const of = steps[1] ?? "";
  return `${key.charAt(0).toUpperCase()}${key.slice(1)} · ${of}${reverse}${queue ? `, queue ${queue[1]}` : ""}`;
}
