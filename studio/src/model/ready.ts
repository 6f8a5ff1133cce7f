/** The ready scenarios, each loaded when it is chosen. */

const files = import.meta.glob<string>("../../../python/penstock/scenarios/**/*.toml", {
  query: "?raw",
  import: "default",
});
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/scenarios\//, "").replace(/\.toml$/, ""), load]),
);

export const FIRST = "satellite/1-case-2";

/** Their names, by folder. */
export const readyNames: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  [...loaders.keys()].sort(),
  (name) => name.split("/")[0] ?? name,
);

export function isReady(name: string): boolean {
  return loaders.has(name);
}

export async function readyText(name: string): Promise<string> {
  const load = loaders.get(name);
  if (!load) throw new Error(`there is no ready scenario ${name}`);
  return load();
}
