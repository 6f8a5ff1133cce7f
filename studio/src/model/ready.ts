/** The ready scenarios, each loaded when it is chosen. */

const files = import.meta.glob<string>("../../../python/penstock/scenarios/**/*.toml", {
  query: "?raw",
  import: "default",
});
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/scenarios\//, "").replace(/\.toml$/, ""), load]),
);

/** The first one shown: its queue overflows in the first seconds, notices follow, and the sources slow down. */
export const FIRST = "satellite/3-case-2";

/** Their names, by folder. */
export const readyNames: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  [...loaders.keys()].sort(),
  (name) => name.split("/")[0] ?? name,
);

export function isReady(name: string): boolean {
  return loaders.has(name);
}

/** Whether a text comes from a ready scenario: it has its title. */
export function isMadeFrom(text: string, ready: string): boolean {
  const title = titleLine(text);
  return title !== null && title === titleLine(ready);
}

/** The line with the title, which stands before the first table. */
function titleLine(text: string): string | null {
  const top = text.split(/^\s*\[/m, 1)[0] ?? "";
  return /^\s*title\s*=.*$/m.exec(top)?.[0].trim() ?? null;
}

export async function readyText(name: string): Promise<string> {
  const load = loaders.get(name);
  if (!load) throw new Error(`there is no ready scenario ${name}`);
  return load();
}
