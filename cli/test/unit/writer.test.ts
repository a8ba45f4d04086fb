import { describe, expect, test } from "vitest";
import type { WireRecord } from "../../src/output/cells.js";
import { RecordWriter } from "../../src/output/writer.js";
import { Progress } from "../../src/progress.js";
import { createIo } from "../support/run-cli.js";

/** A writer of records with a text that is written as it is. */
function createWriter(write: (text: string) => Promise<void>) {
  const encoder = { head: "", encode: ({ text }: WireRecord) => String(text), flush: () => "", end: () => "" };
  const writer = new RecordWriter(encoder, { write }, new Progress(createIo([]).io, false), {
    isByBlock: false,
    hasEnd: true,
  });
  return { add: (text: string) => writer.add({ text }), flush: () => writer.end() };
}

/** An output whose writes end when the test says so. */
function slowOutput() {
  const writes: { text: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ text, resolve, reject });
    });
  return { writes, write };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const large = "x".repeat(200_000);

describe("lines", () => {
  test("are written in their order, one batch at a time", async () => {
    const texts: string[] = [];
    let inFlight = 0;
    const writer = createWriter(async (text) => {
      expect(++inFlight).toBe(1);
      await turn();
      texts.push(text);
      inFlight--;
    });
    let expected = "";
    for (let number = 0; number < 50_000; number++) {
      const line = `line ${number} of the output\n`;
      expected += line;
      await writer.add(line);
      if (number % 10_000 === 0) await turn();
    }
    await writer.flush();
    expect(texts.join("")).toBe(expected);
    expect(texts.length).toBeGreaterThan(5);
  });

  test("are written as soon as the program waits for something else", async () => {
    const { writes, write } = slowOutput();
    const writer = createWriter(write);
    expect(writer.add("first\n")).toBeUndefined();
    expect(writes).toEqual([]);
    await turn();
    expect(writes.map(({ text }) => text)).toEqual(["first\n"]);
  });

  test("wait for a slow output, so that at most two batches are in memory", async () => {
    const { writes, write } = slowOutput();
    const writer = createWriter(write);
    await writer.add(large);
    let isAdded = false;
    const second = writer.add(large)?.then(() => {
      isAdded = true;
    });
    await turn();
    expect([writes.length, isAdded]).toEqual([1, false]);
    writes[0]?.resolve();
    await second;
    expect([writes.length, isAdded]).toEqual([2, true]);
  });
});

test("an error of the output rejects the next call, and nothing is written after it", async () => {
  const { writes, write } = slowOutput();
  const writer = createWriter(write);
  await writer.add(large);
  writes[0]?.reject(new Error("full"));
  await turn();
  await expect(writer.add(large)).rejects.toThrow("full");
  await expect(writer.add("more")).rejects.toThrow("full");
  await expect(writer.flush()).rejects.toThrow("full");
  expect(writes).toHaveLength(1);
});
