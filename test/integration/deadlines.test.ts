import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient, type ObserverEvent } from "../../src/index.js";
import { createFakeNode } from "../../src/testing/index.js";
import { type Behavior, type FaultyServer, faulty, respond, startFaultyServer } from "../support/faulty-server.js";

// A server for each test: an aborted request may still arrive when its test is over.
let server: FaultyServer;
beforeEach(async () => {
  server = await startFaultyServer();
});
afterEach(() => server.close());

const party = { partyId: "aa" };
const body = { chainId: "chain", statistics: null };
const text = JSON.stringify({ ...body, note: "x".repeat(200) });

describe("the deadline of a whole call", () => {
  const total = { name: "TimeoutError", scope: "total" };

  test.each([
    ["while the headers do not come", faulty.hangBeforeHeaders(), 1],
    ["while the body does not come", faulty.hangWithinBody(text), 1],
    ["while it waits for another attempt", respond({}, { status: 503, headers: { "Retry-After": "20" } }), 1],
  ])("rejects it %s", async (_, behavior, attempts) => {
    server.behave(behavior);
    const client = createClient({ baseUrl: server.url, totalTimeout: 60 });
    await expect(client.getSpamStatistics(party)).rejects.toMatchObject({ ...total, attempts });
    await expect(client.checkTransaction({ tx: {} }, { totalTimeout: 50 })).rejects.toMatchObject({
      name: expect.stringMatching(/^(TimeoutError|ApiError)$/),
    });
  });

  test("keeps the error of the last attempt as its cause", async () => {
    server.behave(respond({}, { status: 503, headers: { "Retry-After": "20" } }));
    const call = createClient({ baseUrl: server.url }).getSpamStatistics(party, { totalTimeout: 500 });
    await expect(call).rejects.toMatchObject({ ...total, cause: { name: "ApiError", status: 503 } });
    await expect(call).rejects.toThrow(
      /^getSpamStatistics took longer than 500 ms in total, with 1 attempt\. The last one failed: .* 503/,
    );
  });

  test("takes precedence over that of an attempt", async () => {
    server.behave(faulty.hangBeforeHeaders());
    const client = createClient({
      baseUrl: server.url,
      timeout: 20,
      // Room for many attempts, also on a busy machine.
      totalTimeout: 500,
      retry: { attempts: 500, baseDelay: 1 },
    });
    await expect(client.getSpamStatistics(party)).rejects.toMatchObject(total);
    expect(server.requests.length).toBeGreaterThan(1);
  });

  test("ends the wait of a page for a later block", async () => {
    const node = createFakeNode({ votes: [{ partyId: "aa" }, { partyId: "bb" }, { partyId: "cc" }] });
    const client = createClient({ baseUrl: server.url, fetch: node.fetch, totalTimeout: 300 });
    const proposalId = node.records.votes[0]?.proposalId ?? "";
    const { next } = await client.listVotes({ proposalId, pagination: { first: 1 } });
    node.configure({ lag: 1 });
    // Otherwise it would wait for longer than a test can take.
    const page = client.listVotes({ proposalId, ...(next && { pagination: next }) });
    await expect(page).rejects.toMatchObject({ name: "PaginationError", reason: "behind" });
  });

  test("rejects a loop over a listing with the place to resume", async () => {
    server.behave(faulty.hangBeforeHeaders());
    const client = createClient({ baseUrl: server.url });
    await expect(client.listNodeSignatures({ id: "aa" }, { totalTimeout: 50 }).toArray()).rejects.toMatchObject({
      ...total,
      resume: { pagination: { first: 1000 } },
    });
  });
});

describe("an abort", () => {
  const reason = new Error("enough");
  let controller: AbortController;
  let events: ObserverEvent[];
  beforeEach(() => {
    controller = new AbortController();
    events = [];
  });

  /** Calls with a signal, and aborts when an event of that type comes. */
  function abortAt(type: ObserverEvent["type"]) {
    const client = createClient({
      baseUrl: server.url,
      observe: (event) => {
        events.push(event);
        if (event.type === type) controller.abort(reason);
      },
    });
    return client.getSpamStatistics(party, { signal: controller.signal });
  }

  test("before the call sends nothing", async () => {
    server.behave(respond(body));
    controller.abort(reason);
    await expect(abortAt("attempt")).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
    expect(events).toEqual([]);
  });

  test.each<[when: string, behavior: Behavior, event: ObserverEvent["type"]]>([
    ["while the request is in flight", faulty.hangBeforeHeaders(), "attempt"],
    ["between two attempts", respond({}, { status: 503, headers: { "Retry-After": "20" } }), "retry"],
    [
      "while the body is received",
      (socket) => {
        faulty.hangWithinBody(text)(socket);
        setImmediate(() => controller.abort(reason));
      },
      "retry",
    ],
  ])("%s rejects the call, and nothing more is sent", async (_, behavior, event) => {
    server.behave(behavior);
    await expect(abortAt(event)).rejects.toBe(reason);
    expect(server.requests.length).toBeLessThan(2);
  });
});

const observed = async (use: (client: ReturnType<typeof createClient>) => Promise<unknown>) => {
  const events: ObserverEvent[] = [];
  const options = { observe: (event: ObserverEvent) => events.push(event), retry: { baseDelay: 1 } };
  await use(createClient({ baseUrl: server.url, ...options })).catch(() => {});
  for (const { time } of events) expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
  // They are plain data.
  expect(JSON.parse(JSON.stringify(events))).toMatchObject(events.map(({ type, time }) => ({ type, time })));
  return events.map(({ time, ...event }) => event);
};

test("the events of an observer are each attempt of a call that is retried, how it ended, and the wait", async () => {
  server.behave(respond({ code: 14, message: "starting", details: [] }, { status: 503 }), respond(body));
  const url = `${server.url}/statistics/spam/aa`;
  const error = { name: "ApiError", message: expect.stringContaining("starting"), status: 503 };
  const base = { operation: "getSpamStatistics" };
  expect(await observed((client) => client.getSpamStatistics(party))).toMatchObject([
    { ...base, type: "attempt", attempt: 1, method: "GET", url },
    { ...base, type: "response", attempt: 1, duration: expect.any(Number), status: 503, error },
    { ...base, type: "retry", attempt: 1, delay: expect.any(Number), error },
    { ...base, type: "attempt", attempt: 2, method: "GET", url },
    { ...base, type: "response", attempt: 2, duration: expect.any(Number), status: 200, error: undefined },
  ]);
});

describe("middleware", () => {
  test.each(["onRequest", "onResponse"] as const)("that throws in %s ends the call with its error", async (at) => {
    server.behave(respond(body));
    const own = new TypeError("in middleware");
    const client = createClient({ baseUrl: server.url });
    client.http.use({
      [at]: () => {
        throw own;
      },
    } as { onRequest: () => never });
    await expect(client.getSpamStatistics(party)).rejects.toBe(own);
    expect(server.requests).toHaveLength(at === "onRequest" ? 0 : 1);
  });

  test.each(["onRequest", "onResponse"] as const)("that never returns from %s does not hold up a call", async (at) => {
    server.behave(respond(body));
    const client = createClient({ baseUrl: server.url });
    client.http.use({ [at]: () => new Promise<never>(() => {}) } as { onRequest: () => Promise<never> });
    const late = { name: "TimeoutError", scope: "total", waitedFor: undefined };
    await expect(client.getSpamStatistics(party, { totalTimeout: 30 })).rejects.toMatchObject(late);
    const controller = new AbortController();
    const call = client.getSpamStatistics(party, { signal: controller.signal });
    setImmediate(() => controller.abort("enough"));
    await expect(call).rejects.toBe("enough");
  });

  test("runs once a call, around all its attempts, and its response counts", async () => {
    server.behave(respond({}, { status: 503 }), respond(body));
    const client = createClient({ baseUrl: server.url, retry: { baseDelay: 1 } });
    const seen: unknown[] = [];
    client.http.use({
      onRequest: ({ request }) => void seen.push(request.method),
      onResponse: async ({ response }) => {
        seen.push([response.url, await response.clone().json(), await response.json()]);
        return Response.json({ code: 5, message: "replaced" }, { status: 404 });
      },
    });
    const error = { name: "ApiError", status: 404, code: 5, attempts: 2, request: { method: "GET" } };
    await expect(client.getSpamStatistics(party)).rejects.toMatchObject(error);
    expect(seen).toEqual(["GET", [`${server.url}/statistics/spam/aa`, body, body]]);
    expect(server.requests).toHaveLength(2);
  });

  test("that returns a response determines the result of the call, which is validated", async () => {
    const validated: unknown[] = [];
    const validate = (received: { body: unknown }) => void validated.push(received.body);
    const client = createClient({ baseUrl: server.url, validate });
    server.behave();
    client.http.use({ onRequest: () => Response.json(body) });
    expect(await client.getSpamStatistics(party)).toEqual(body);
    expect([server.requests, validated]).toEqual([[], [body]]);
  });
});
