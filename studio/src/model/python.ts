/** The run as a few lines of Python that give the same fingerprint. */

import type { Changed } from "../backend/messages";

export interface Snippet {
  /** The name of a ready scenario, or null if the text is the user's own. */
  readonly ready: string | null;
  readonly text: string;
  readonly seed: bigint;
  readonly now: string;
  readonly changes: readonly Changed[];
  readonly fingerprint: string;
}

export function python({ ready, text, seed, now, changes, fingerprint }: Snippet): string {
  const lines = ["import penstock", ""];
  if (ready === null) lines.push(`text = ${quoted(text)}`, "");
  const scenario = ready === null ? "penstock.Scenario.parse(text)" : JSON.stringify(ready);
  lines.push(`sim = penstock.Simulation(${scenario}, seed=${seed})`);
  for (const at of [...new Set(changes.map((each) => each.at))]) {
    const values = changes
      .filter((each) => each.at === at)
      .map((each) => `${JSON.stringify(each.path)}: ${value(each.value)}`);
    if (!at.startsWith("0 ")) lines.push(`sim.run_until(${JSON.stringify(at)})`);
    lines.push(`sim.change({${values.join(", ")}})`);
  }
  lines.push(`sim.run_until(${JSON.stringify(now)})`, `assert sim.fingerprint == ${JSON.stringify(fingerprint)}`);
  return `${lines.join("\n")}\n`;
}

function value(each: Changed["value"]): string {
  if (each === null) return "None";
  if (typeof each === "boolean") return each ? "True" : "False";
  return JSON.stringify(each);
}

/** A text as a literal of Python that spans lines. */
function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
  return `"""\\\n${escaped.endsWith('"') ? `${escaped.slice(0, -1)}\\"` : escaped}"""`;
}
