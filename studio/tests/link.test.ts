import { describe, expect, it } from "vitest";
import { decode, encode, MOST_OCTETS, type Shared } from "../src/model/link";

const shared: Shared = {
  name: "satellite/1-case-2",
  text: 'title = "A text: ä, \\"quotes\\", and\nlines"\n',
  seed: "18446744073709551615",
  at: "52.3 s",
  changes: [{ at: "10 s", path: "line.satellite.rate", value: "3 Mb/s" }],
  fork: { at: "30 s", changes: [{ at: "30 s", path: "flow.voice.active", value: false }] },
};

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const octets = new Uint8Array(await new Response(stream).arrayBuffer());
  return `s=${btoa(String.fromCharCode(...octets))
    .replaceAll("+", "-")
    .replaceAll("/", "_")}`;
}

describe("a link", () => {
  it("gives back what it was made of", async () => {
    expect(await decode(`#${await encode(shared)}`)).toEqual(shared);
    expect(await decode(await encode({ ...shared, fork: null }))).toEqual({ ...shared, fork: null });
  });

  it("is nothing without its key", async () => {
    expect(await decode("")).toBeNull();
    expect(await decode("#elsewhere")).toBeNull();
  });

  it("is refused if it is damaged", async () => {
    const code = await encode(shared);
    await expect(decode(code.slice(0, code.length / 2))).rejects.toThrow("damaged");
    await expect(decode(await packed('{"name": 1}'))).rejects.toThrow("damaged");
    await expect(decode(await packed(JSON.stringify({ ...shared, seed: "-1" })))).rejects.toThrow("seed");
    await expect(decode(await packed(JSON.stringify({ ...shared, at: "soon" })))).rejects.toThrow("a time");
    await expect(
      decode(await packed(JSON.stringify({ ...shared, changes: [{ at: "1 s", path: "a", value: {} }] }))),
    ).rejects.toThrow("a value");
  });

  it("inflates to 1 MB at most", async () => {
    const bomb = await packed("0".repeat(MOST_OCTETS + 1));
    expect(bomb.length).toBeLessThan(5000);
    await expect(decode(bomb)).rejects.toThrow("more than 1 MB");
  });
});
