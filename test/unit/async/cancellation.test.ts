import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { orAborted } from "../../../src/async/abort.js";
import { type ClientOptions, createClient } from "../../../src/index.js";
import { collectGarbage } from "../../support/garbage.js";

const hanging = () => new Promise<Response>(() => {});
const connect = (fetch: ClientOptions["fetch"]) => createClient({ baseUrl: "https://node.example", fetch });
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("calls that share a signal", () => {
  test("add one listener to it, and leave none", async () => {
    const { signal } = new AbortController();
    const counts = new Set<number>();
    const client = connect(async () => {
      counts.add(listenersOf(signal));
      return Response.json({ chainId: "c", statistics: null });
    });
    await Promise.all(Array.from({ length: 100 }, () => client.getSpamStatistics({ partyId: "aa" }, { signal })));
    expect([counts, listenersOf(signal)]).toEqual([new Set([1]), 0]);
  });

  test("are all aborted with its reason, also 5000 that wait for a permit", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const client = connect(hanging);
    const calls = Array.from({ length: 5000 }, () => client.getSpamStatistics({ partyId: "aa" }, { signal }));
    controller.abort("enough");
    const results = await Promise.allSettled(calls);
    expect(results.every((result) => result.status === "rejected" && result.reason === "enough")).toBe(true);
    expect(listenersOf(signal)).toBe(0);
  });
});

test.each([1, 2])("an abort ends the request of attempt %i, not only the wait for it", async (attempt) => {
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  const client = connect(async ({ signal }) => {
    if (signals.push(signal) < attempt) return Response.json({}, { status: 503 });
    setImmediate(() => controller.abort("enough"));
    return hanging();
  });
  const options = { signal: controller.signal, retry: { baseDelay: 0 } };
  await expect(client.getSpamStatistics({ partyId: "aa" }, options)).rejects.toBe("enough");
  expect(signals.map(({ aborted }) => aborted)).toEqual([...Array(attempt - 1).fill(false), true]);
});

test("a signal that lives on does not keep the result of what was waited for", async () => {
  const { signal } = new AbortController();
  const read = async () => new WeakRef(await orAborted(signal, Promise.resolve({ records: [] })));
  const page = await read();
  await collectGarbage();
  expect(page.deref()).toBeUndefined();
  expect(signal.aborted).toBe(false);
});
