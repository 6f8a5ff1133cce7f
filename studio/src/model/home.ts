/** Where the page comes from: a server, or one file that has everything in it. */

export interface Home {
  /** A new worker of the simulation. */
  readonly makeWorker: () => Worker;
  /** The engine for the worker: its address, or its octets. */
  readonly engine: () => Promise<string | ArrayBuffer>;
  /** The instant that the page begins with, as the fragment of a link; empty if there is none. */
  readonly instant: string;
  /** A new copy of the page as one file: its code and its engine are in it, and its instant may be set. */
  readonly file: () => Promise<Document>;
}

/** The ids of the elements of the file that hold data. */
export const ENGINE = "engine";
export const INSTANT = "instant";

/** Octets as text, compressed. */
export async function packed(octets: ArrayBuffer): Promise<string> {
  const stream = new Blob([octets]).stream().pipeThrough(new CompressionStream("gzip"));
  const address = await addressOf(await new Response(stream).blob());
  return address.slice(address.indexOf(",") + 1);
}

/** The octets of such a text. */
export async function unpacked(text: string): Promise<ArrayBuffer> {
  const octets = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([octets]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

function addressOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error("the engine cannot be read"));
    reader.readAsDataURL(blob);
  });
}
