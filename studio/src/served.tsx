/** The page from a server: `penstock studio`, or the playground of the documentation. */

import engine from "../wasm/penstock_wasm_bg.wasm?url";
import { ENGINE, packed, type Home } from "./model/home";
import { open } from "./main";

const home: Home = {
  makeWorker: () => new Worker(new URL("./backend/worker.ts", import.meta.url), { type: "module" }),
  engine: () => Promise.resolve(engine),
  instant: "",
  async file() {
    const [page, octets] = await Promise.all([
      fetched("./file.html").then((answer) => answer.text()),
      fetched(engine).then((answer) => answer.arrayBuffer()),
    ]);
    const made = new DOMParser().parseFromString(page, "text/html");
    const place = made.getElementById(ENGINE);
    if (place) place.textContent = await packed(octets);
    return made;
  },
};

async function fetched(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server does not have ${address}: load the page again`);
  return answer;
}

open(home);
