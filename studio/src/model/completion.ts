/** What may stand at a place of a scenario's text, from its JSON Schema. Pure. */

export interface Completion {
  readonly label: string;
  readonly detail: string;
  readonly info: string;
  readonly type: "property" | "constant";
}

type Schema = { readonly [key: string]: unknown };

/** The keys or values that may follow a text which ends where a word begins. */
export function completionsAt(before: string, schema: unknown): Completion[] {
  if (!isTable(schema)) return [];
  const place = placeOf(before);
  if (!place) return [];
  const tables = follow([schema], place.path, schema);
  if (place.wants === "value") return tables.flatMap((each) => valuesOf(each, schema));
  return tables
    .flatMap((each) => keysOf(each, schema))
    .filter((each, at, all) => all.findIndex((other) => other.label === each.label) === at);
}

interface Place {
  readonly path: readonly string[];
  readonly wants: "key" | "value";
}

/** Where a text ends: in which table, and whether a key or a value is written there. Null within a comment. */
function placeOf(before: string): Place | null {
  const lines = before.split("\n");
  const last = lines.at(-1) ?? "";
  const header = /^\s*\[{1,2}\s*([\w.\s-]*)$/.exec(last);
  if (header) return { path: steps(header[1] ?? "").slice(0, -1), wants: "key" };
  if (/^[^"']*#/.test(last)) return null;
  const at = lines.findLastIndex((line, place) => place < lines.length - 1 && /^\s*\[{1,2}[\w."\s-]+\]/.test(line));
  const table = at >= 0 ? steps(/^\s*\[{1,2}([^\]]+)\]/.exec(lines[at] ?? "")?.[1] ?? "") : [];
  return within(lines.slice(at + 1).join("\n"), table);
}

/** Reads the assignments of a table to their end: the open braces and brackets there give the path. */
function within(text: string, table: readonly string[]): Place | null {
  const open: string[][] = [];
  let key: string[] | null = null;
  let word = "";
  for (const token of text.matchAll(/#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|"|[{}[\],=\n]|[^\s{}[\],="#]+/g)) {
    const [found] = token;
    if (found.startsWith("#")) continue;
    if (found === '"') return { path: [...table, ...open.flat(), ...(key ?? [])], wants: "value" };
    if (found === "=") key = steps(word);
    else if (found === "{" || found === "[") {
      open.push(key ?? []);
      key = found === "[" ? [] : null;
    } else if (found === "}" || found === "]") {
      open.pop();
      key = null;
    } else if (found === ",") key = null;
    else if (found === "\n" && open.length === 0) key = null;
    word = found;
  }
  if (key && key.length === 0) return null;
  const dotted = key === null && word.endsWith(".") ? steps(word).slice(0, -1) : [];
  return { path: [...table, ...open.flat(), ...(key ?? dotted)], wants: key ? "value" : "key" };
}

function steps(dotted: string): string[] {
  return dotted.split(".").map((step) => step.trim().replace(/^"|"$/g, ""));
}

function isTable(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A schema with its references and alternatives resolved, as the list of all that it may be. */
function alternatives(schema: Schema, root: Schema, depth = 0): Schema[] {
  if (depth > 8) return [];
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const definitions = root["$defs"];
    const named = isTable(definitions) ? definitions[reference.replace("#/$defs/", "")] : undefined;
    return isTable(named) ? alternatives(named, root, depth + 1) : [];
  }
  const nested = ["anyOf", "oneOf", "allOf"].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.filter(isTable) : [];
  });
  return [schema, ...nested.flatMap((each) => alternatives(each, root, depth + 1))];
}

function follow(start: readonly Schema[], path: readonly string[], root: Schema): Schema[] {
  return path.reduce<Schema[]>(
    (tables, step) => {
      const all = tables.flatMap((each) => alternatives(each, root)).flatMap((each) => [each, ...items(each, root)]);
      return all.flatMap((each) => {
        const properties = each["properties"];
        const own = isTable(properties) ? properties[step] : undefined;
        const any = each["additionalProperties"];
        if (isTable(own)) return [own];
        return isTable(any) ? [any] : [];
      });
    },
    [...start],
  );
}

/** The tables in a list: a path goes through a list without a step. */
function items(schema: Schema, root: Schema): Schema[] {
  const own = schema["items"];
  return isTable(own) ? alternatives(own, root) : [];
}

function keysOf(schema: Schema, root: Schema): Completion[] {
  return alternatives(schema, root)
    .flatMap((each) => [each, ...items(each, root)])
    .flatMap((each) => {
      const properties = each["properties"];
      if (!isTable(properties)) return [];
      return Object.entries(properties).map(([label, of]) => completion(label, of, "property"));
    });
}

function valuesOf(schema: Schema, root: Schema): Completion[] {
  return alternatives(schema, root).flatMap((each) => {
    const listed = Array.isArray(each["enum"]) ? (each["enum"] as unknown[]) : "const" in each ? [each["const"]] : [];
    const values = listed.filter((value): value is string => typeof value === "string");
    const flags = each["type"] === "boolean" ? ["true", "false"] : [];
    return [...values, ...flags].map((value) => completion(value, each, "constant"));
  });
}

function completion(label: string, of: unknown, type: Completion["type"]): Completion {
  const schema = isTable(of) ? of : {};
  const info = typeof schema["description"] === "string" ? schema["description"] : "";
  const usual = schema["default"];
  const detail = usual === undefined || usual === null || typeof usual === "object" ? "" : `default ${String(usual)}`;
  return { label, detail, info, type };
}
