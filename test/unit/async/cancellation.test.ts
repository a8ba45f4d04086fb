import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { orAborted } from "../../../src/async/abort.js";
import { createClient } from "../../../src/index.js";
import { json } from "../../support/recorder.js";

const party = { partyId: "a" };
const statistics = { chainId: "c", statistics: null };

/** Runs, and returns the warnings of Node.js meanwhile. */
async function warnings(run: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const listen = ({ name }: Error) => names.push(name);
  process.on("warning", listen);
  try {
    await run();
    await new Promise(setImmediate);
  } finally {
    process.off("warning", listen);
  }
  return names;
}

describe("calls that share a signal", () => {
  test("add one listener to it, cause no warning, and leave none", async () => {
    const { signal } = new AbortController();
    let most = 0;
    const fetch = async () => {
      most = Math.max(most, getEventListeners(signal, "abort").length);
      return json(statistics);
    };
    const client = createClient({ baseUrl: "https://node.example", fetch });
    const calls = () => Promise.all(Array.from({ length: 100 }, () => client.getSpamStatistics(party, { signal })));
    expect(await warnings(calls)).toEqual([]);
    expect(most).toBe(1);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("are all aborted with its reason, also 20 000 that wait for a permit", async () => {
    const controller = new AbortController();
    const client = createClient({ baseUrl: "https://node.example", fetch: () => new Promise(() => {}) });
    const calls = Array.from({ length: 20_000 }, () =>
      client.getSpamStatistics(party, { signal: controller.signal }).catch((reason: unknown) => reason),
    );
    controller.abort("enough");
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["enough"]));
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

describe("a body that does not end", () => {
  /** A response that has begun, by a fetch that does not listen to its signal. */
  const endless = (status: number) => {
    let isCancelled = false;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
      cancel: () => {
        isCancelled = true;
      },
    });
    return { response: new Response(body, { status }), isCancelled: () => isCancelled };
  };

  test.each([200, 500])("and has status %i does not hold up an abort", async (status) => {
    const controller = new AbortController();
    const client = createClient({ baseUrl: "https://node.example", fetch: async () => endless(status).response });
    const call = client.getSpamStatistics(party, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort("enough");
    await expect(call).rejects.toBe("enough");
  });
});

test("a signal that lives on does not keep the result of what was waited for", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const { signal } = new AbortController();
  const read = async () => new WeakRef(await orAborted(signal, Promise.resolve({ records: [] })));
  const page = await read();
  // A weak reference keeps its object until the end of the current task.
  await new Promise(setImmediate);
  collectGarbage();
  expect(page.deref()).toBeUndefined();
  expect(signal.aborted).toBe(false);
});
