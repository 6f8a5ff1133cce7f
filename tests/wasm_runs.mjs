// Runs scenarios with the engine for browsers, as WebAssembly: one request of JSON in each line of standard input, one answer in
// each line of standard output. A request is {json, seed, until, forks, most}: a scenario, the picoseconds to simulate, and
// the most bytes of its run, if it has a limit. The run stops on the way, and goes on in a fork, if `forks`.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const engine = await import(pathToFileURL(`${folder}/penstock_wasm.js`).href);
engine.initSync({ module: readFileSync(`${folder}/penstock_wasm_bg.wasm`) });
engine.use_schema(readFileSync(`${folder}/schema.json`, "utf8"));
console.log(JSON.stringify({ version: engine.version(), sources: engine.sources() }));

/** Processor time in seconds. */
function used() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function answer({ json, seed, until, forks, most }) {
  let run = new engine.Run(json, "json", BigInt(seed), 0, most ?? 2 ** 32);
  const end = BigInt(until);
  const start = used();
  if (forks) {
    while (!run.advance_to(end / 3n, 1000)) {}
    run = run.fork();
  }
  while (!run.advance_to(end, 1e6)) {}
  const seconds = used() - start;
  const told = { fingerprint: run.fingerprint(), events: String(run.events()), now: String(run.now_ps()), seconds };
  run.free();
  return told;
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(answer(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
  }
}
