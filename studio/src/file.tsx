/** The page as one file, which opens without a server: the code is in it, and Share has put the engine beside it. */

import SimulationWorker from "./backend/worker?worker&inline";
import { ENGINE, INSTANT, unpacked, type Home } from "./model/home";
import { open } from "./main";

/** The file as it was read, before the page is rendered. */
const file = document.cloneNode(true) as Document;
const textOf = (id: string): string => document.getElementById(id)?.textContent?.trim() ?? "";

const home: Home = {
  makeWorker: () => new SimulationWorker(),
  async engine() {
    const text = textOf(ENGINE);
    if (!text) throw new Error("this file has no engine: Share in the studio saves one that has");
    return unpacked(text);
  },
  instant: textOf(INSTANT),
  file: () => Promise.resolve(file.cloneNode(true) as Document),
};

open(home);
