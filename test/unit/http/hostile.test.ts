import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../src/async/clock.js";
import { type ClientOptions, ConnectionError, createClient, type VegaClient, VegaError } from "../../../src/index.js";
import { createFakeNode, type FakeNode } from "../../../src/testing/index.js";
import { validateAnswers } from "../../../src/validate/index.js";
import { recorder, rejectionOf } from "../../support/recorder.js";
import { createSend } from "../../support/send.js";

const baseUrl = "https://node.example";
const party = { partyId: "aa" };
const statistics = { chainId: "c", statistics: null };
const older = { newestFirst: false, first: 4 };

/** What a call rejects with. */
const failureOf = (fetch: ClientOptions["fetch"], options: Partial<ClientOptions> = { retry: false }) =>
  rejectionOf(createClient({ baseUrl, fetch, ...options }).getSpamStatistics(party));

test("an error body of any JSON rejects the call with a VegaError that can be logged", async () => {
  const detail = "type.googleapis.com/vega.ErrorDetail";
  const bodies = [
    '{"code":3,"message":{"toString":1},"details":[{"toString":1}]}',
    `{"details":[{"@type":"${detail}","message":{"toString":null},"inner":{"toString":{}}}]}`,
    '{"__proto__":{"message":1},"details":{"length":9}}',
  ];
  const property = fc.asyncProperty(fc.json(), fc.constantFrom(400, 403, 429, 500), async (body, status) => {
    const error = await failureOf(async () => new Response(body, { status }));
    expect(VegaError.is(error)).toBe(true);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ status, attempts: 1 });
  });
  await fc.assert(property, { examples: bodies.map((body) => [body, 400]) });
});

test("JSON of any depth with any status is a result or a VegaError that can be logged", async () => {
  const nested = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const members = `{"message":${nested},"details":[${nested}],"votes":{"edges":[${nested}]}}`;
  const validate = validateAnswers({ onMismatch: "throw" });
  for (const status of [200, 302, 400, 403, 429, 503]) {
    for (const text of [nested, `[${nested}]`, members]) {
      const fetch = async () => new Response(text, { status });
      const client = createClient({ baseUrl, fetch, retry: false, validate });
      const calls = [client.getSpamStatistics(party), client.listVotes(party), client.http.GET("/api/v2/votes")];
      for (const outcome of await Promise.allSettled(calls)) {
        if (outcome.status === "fulfilled") continue;
        expect(outcome.reason, `status ${status}`).toSatisfy(VegaError.is);
        expect(() => JSON.stringify(outcome.reason)).not.toThrow();
      }
    }
  }
});

const data = { votes: 30, balances: 60, signatures: 6, profiles: 6 };
const now = () => Date.UTC(2024, 1, 10);
const nodes = [
  createFakeNode(data, { rateLimit: false }),
  createFakeNode(data, { version: "v0.79", now, rateLimit: false }),
];
const { records } = nodes[0] as FakeNode;
const [{ partyId = "", proposalId = "" } = {}] = records.votes;
const [{ partyId: owner = "", timestamp: startTimestamp = "0" } = {}] = records.balances;
const [{ id = "" } = {}] = records.signatures;
const range = { dateRange: { startTimestamp } };

/** Replaces a member or an item of JSON. `path` has the place of each among its neighbors. */
function altered(json: unknown, [place, ...path]: readonly number[], value: unknown): unknown {
  const names = Object.keys(Object(json));
  if (place === undefined || typeof json !== "object" || names.length === 0) return value;
  const name = names[place % names.length] as keyof typeof json;
  return Object.assign(Array.isArray(json) ? [...json] : { ...json }, { [name]: altered(json?.[name], path, value) });
}

const cursors = ["{}", "[]", "null", '{"vega_time":5}', '{"vega_time":"x"}', '{"last_record":[]}'].map(btoa);
const values = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(undefined, "-1", "2024-02-09T16:54:49Z", "9".repeat(30), ...cursors),
);

test.each<[name: string, read: (client: VegaClient) => PromiseLike<unknown>]>([
  ["votes", (client) => client.listVotes({ proposalId }).toArray()],
  ["votes, oldest first", (client) => client.listVotes({ partyId, pagination: older }).toArray()],
  ["profiles", (client) => client.listPartiesProfiles({ pagination: { first: 2 } }).toArray()],
  ["signatures", (client) => client.listNodeSignatures({ id }).toArray()],
  ["balance changes", (client) => client.listBalanceChanges(range).toArray()],
  ["balance changes, oldest first", (client) => client.listBalanceChanges({ ...range, pagination: older }).toArray()],
  ["a scan", (client) => client.scanBalanceChanges(range, { order: "newest-first" }).toArray()],
  ["a scan of a party", (client) => client.scanBalanceChanges({ ...range, filter: { partyIds: [owner] } }).toArray()],
  ["spam statistics", (client) => client.getSpamStatistics({ partyId })],
])("responses of another form are read, or end the reading of %s with a VegaError", async (_, read) => {
  const paths = fc.array(fc.nat(), { maxLength: 6 });
  const property = fc.asyncProperty(
    fc.constantFrom(...nodes),
    paths,
    values,
    fc.nat(2),
    async (node, path, value, from) => {
      let count = 0;
      const fetch = async (request: Request) => {
        const response = await node.fetch(request);
        if (count++ < from) return response;
        if (count > 100) throw new Error("too many requests");
        return Response.json(altered(await response.json(), path, value), response);
      };
      const [outcome] = await Promise.allSettled([read(createClient({ baseUrl, fetch, retry: false }))]);
      if (outcome.status === "rejected") expect(outcome.reason).toSatisfy(VegaError.is);
      expect(count).toBeLessThan(100);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test("a long error body does not make the message of its error long", async () => {
  const message = "a".repeat(100_000);
  const error = await failureOf(async () => Response.json({ code: 3, message, details: [] }, { status: 400 }));
  expect(error).toMatchObject({ body: { message } });
  expect((error as Error).message.length).toBeLessThan(1200);
});

test("an error body adds no line and no control character to the message of its error", async () => {
  const message = "first\n\u001b[2J second\u009b31m";
  for (const body of [JSON.stringify({ code: 3, message, details: [] }), message]) {
    const error = await failureOf(async () => new Response(body, { status: 400 }));
    expect((error as Error).message).toContain("first [2J second 31m");
  }
});

test("a status that no Response can be created with rejects the call with an ApiError that has the body", async () => {
  // Some proxies respond with 999.
  const status = { status: { value: 999 }, ok: { value: false } };
  const fetch = async () => Object.defineProperties(new Response("denied"), status);
  const client = createClient({ baseUrl, fetch, retry: false });
  const error = { name: "ApiError", status: 999, body: "denied" };
  expect(await rejectionOf(client.getSpamStatistics(party))).toMatchObject(error);
  expect(await rejectionOf(client.http.GET("/api/v2/votes"))).toMatchObject(error);
});

const statuses = [200, 400, 429, 500];
test.each(statuses)("a status text outside of Latin-1 with a %i changes neither results nor errors", async (status) => {
  const fetch = async () =>
    Object.defineProperty(Response.json(statistics, { status }), "statusText", { value: "\u041e\u043a" });
  const client = createClient({ baseUrl, fetch, retry: false });
  const { data, error, response } = await client.http.GET("/api/v2/votes");
  expect([data ?? error, response.status]).toEqual([statistics, status]);
  if (status === 200) return;
  expect(await rejectionOf(client.getSpamStatistics(party))).toMatchObject({ status, body: statistics });
});

test("a parameter of client.http that no URL can hold is refused", async () => {
  const client = createClient({ baseUrl });
  const query = { "pagination.after": "\ud800" };
  const message = "Expected `params` to be well-formed Unicode.";
  expect(await rejectionOf(client.http.GET("/api/v2/votes", { params: { query } }))).toMatchObject({ message });
});

test("a result that cannot be read rejects the call with a ResponseError", async () => {
  const read = () => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  const send = createSend({ clock: systemClock, fetch: async () => Response.json(statistics), read }, { attempts: 1 });
  expect(await rejectionOf(send())).toMatchObject({ name: "ResponseError", cause: { name: "RangeError" } });
});

describe("a fetch that fails", () => {
  const fail = () => {
    throw new Error("unreadable");
  };
  const cyclic = new Error("cyclic");
  cyclic.cause = new Error("inner", { cause: cyclic });
  const deep = ["g", "f", "e", "d", "c", "b", "a"].reduce<unknown>((cause, name) => new Error(name, { cause }), null);

  /** As in Jest, whose tests have an `Error` of their own. */
  const ofAnotherRealm = (source: string) => runInNewContext(source);

  test.each<[name: string, reason: unknown]>([
    ["an error whose causes are cyclic", cyclic],
    ["an error whose cause is a symbol", new TypeError("x", { cause: Symbol("x") })],
    ["an AggregateError of anything", new AggregateError([undefined, null, 1], "all")],
    ["an error whose message is a symbol", Object.assign(new Error(), { message: Symbol("x") })],
    ["an error whose message cannot be read", Object.defineProperty(new Error(), "message", { get: fail })],
    ["an object without a text", Object.create(null)],
    ["a symbol", Symbol("x")],
    ["undefined", undefined],
    ["an empty string", ""],
  ])("with %s rejects the call with a ConnectionError that can be logged", async (_, reason) => {
    const throwing = () => {
      throw reason;
    };
    const broken = async () => new Response(new ReadableStream({ pull: (body) => body.error(reason) }));
    for (const fetch of [throwing, async () => throwing(), broken]) {
      const error = await failureOf(fetch, { retry: { attempts: 2, baseDelay: 0 } });
      expect(ConnectionError.is(error)).toBe(true);
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: "ConnectionError", attempts: 2 });
    }
  });

  test.each([
    [cyclic, /: cyclic: inner$/],
    [deep, /: a: b: c: d: e$/],
    [new TypeError("fetch failed", { cause: new Error("wrong version number\n") }), /failed: wrong version number$/],
    [ofAnotherRealm('new TypeError("fetch failed", { cause: new Error("refused") })'), /: fetch failed: refused$/],
    [ofAnotherRealm('new AggregateError([new Error("::1"), new Error("127.0.0.1")])'), /: ::1, 127.0.0.1$/],
  ])("names its causes once, down to the fifth, in one line: %s", async (reason, message) => {
    const error = await failureOf(() => Promise.reject(reason));
    expect(error).toHaveProperty("message", expect.stringMatching(message));
    expect(JSON.parse(JSON.stringify(error))).toHaveProperty("cause.name", reason.name);
  });

  test("in the middle of a body whose reader has no `cancel` rejects with its error as the cause", async () => {
    const cut = new Error("cut");
    const body = { getReader: () => ({ read: () => Promise.reject(cut) }) };
    const response = { ok: true, status: 200, headers: new Headers(), text: async () => "", body };
    const error = await failureOf(async () => response as unknown as Response);
    expect(error).toMatchObject({ name: "ConnectionError", cause: cut });
  });
});

const withoutHeaders = { ok: true, status: 200, text: async () => JSON.stringify(statistics) };
const others = [undefined, null, "text", 5, {}, { status: 200 }, withoutHeaders];
test.each(others)("fetch must not resolve to %j", async (value) => {
  const { fetch, sent } = recorder(async () => value as never);
  const error = await failureOf(fetch, { retry: { attempts: 2 } });
  const message = expect.stringContaining("Expected `fetch` to be a function that resolves to a new Response, got");
  expect(error).toMatchObject({ name: "ArgumentError", argument: "fetch", message, attempts: 1 });
  expect(sent).toHaveLength(1);
});

test.each([429, 500])("fetch can resolve to an object like a Response, also with status %i", async (status) => {
  const response = { status, headers: { get: () => null }, text: async () => '{"code":3,"message":"bad"}' };
  const error = await failureOf(async () => response as never);
  expect(error).toMatchObject({ status, body: { message: "bad" } });
});

test.each([200, 500])("fetch must not resolve to one response twice, here with status %i", async (status) => {
  const response = Response.json(statistics, { status });
  await response.text();
  const message = expect.stringMatching(/new Response, got one whose body has been read\.$/);
  expect(await failureOf(async () => response, {})).toMatchObject({ name: "ArgumentError", message, attempts: 1 });
});

test("errors keep headers and body where a test environment or a polyfill has replaced classes of the platform", async () => {
  const headers = { "Retry-After": "7" };
  const sent = Response.json({ code: 8, message: "slow down", details: [] }, { status: 429, headers });
  // As whatwg-fetch: it does not know the headers of another implementation.
  class OtherResponse extends Response {
    constructor(body: BodyInit, init: ResponseInit) {
      super(body, { ...init, headers: Array.isArray(init.headers) ? init.headers : { ...init.headers } });
    }
  }
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("Response", OtherResponse);
  // As jsdom: the other classes do not know it.
  vi.stubGlobal("Blob", class {});
  const error = await failureOf(async () => sent);
  expect(error).toMatchObject({ name: "RateLimitError", retryAfter: 7, body: { code: 8 } });
});

test("middleware reads the body of a response, and so does the client", async () => {
  const body = { code: 5, message: "NotFound error", details: [] };
  const responses = [Response.json(body, { status: 404 }), Response.json(statistics)];
  const fetch = async () => responses.shift() as Response;
  const client = createClient({ baseUrl, retry: false, fetch });
  const bodies: unknown[] = [];
  client.http.use({ onResponse: async ({ response }) => void bodies.push(await response.clone().json()) });
  const error = await rejectionOf(client.getSpamStatistics(party));
  expect(error).toMatchObject({ name: "ApiError", status: 404, code: 5, body });
  expect(await client.getSpamStatistics(party)).toEqual(statistics);
  expect(bodies).toEqual([body, statistics]);
});

test("an abort of a call reaches middleware that is at work", async () => {
  const client = createClient({ baseUrl, retry: false, fetch: async () => Response.json(statistics) });
  const controller = new AbortController();
  const reasons: unknown[] = [];
  client.http.use({
    onRequest({ request: { signal } }) {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      controller.abort("enough");
      return new Promise(() => {});
    },
  });
  await expect(client.getSpamStatistics(party, { signal: controller.signal })).rejects.toBe("enough");
  expect(reasons).toEqual(["enough"]);
});

test("an error response of middleware names the path of the request", async () => {
  const client = createClient({ baseUrl, retry: false });
  client.http.use({ onRequest: () => new Response("", { status: 401 }) });
  const error = await rejectionOf(client.getSpamStatistics(party));
  expect(error).toMatchObject({ status: 401, message: expect.stringContaining("GET /statistics/spam/{partyId}") });
});

test.each([
  "https://me:secret@",
  "https://me:secret",
  "me:secret@node.example",
  "https//me:secret@node.example",
  "ftp://me:secret@node.example",
  "https://me:secret@node.example:99999",
  "https://me:secret%40node.example",
  "https://me:sec/ret@node.example",
  "https://me:secret@node.example",
  "https://node.example?token=secret",
  "https://node.example#secret",
  "node.example?token=secret",
  " me:secret@node.example ",
  "https://[secret",
])("the credentials of the baseUrl %s do not appear in the message about it", async (baseUrl) => {
  const error = await rejectionOf((async () => createClient({ baseUrl }))());
  expect(error).toMatchObject({ name: "ArgumentError", argument: "baseUrl" });
  const { message, stack } = error as Error;
  expect(`${message} ${stack?.split("\n")[0]} ${JSON.stringify(error)}`).not.toMatch(/sec|ret|me:/);
});

describe("a callback that throws, or returns a promise that rejects,", () => {
  const fetch = async () => Response.json(statistics);
  const mismatching = async () => Response.json({ ...statistics, chainId: 5 });
  const own = new Error("in the callback");
  const reject = () => Promise.reject(own);
  const observe = () => {
    throw own;
  };
  const validate = validateAnswers({ onMismatch: reject });

  // An unhandled rejection would fail the run.
  test.each<[outcome: string, options: Partial<ClientOptions>, result: unknown]>([
    ["is ignored if it is the observer", { observe: reject }, statistics],
    ["is ignored if it is the observer and throws", { observe }, statistics],
    ["rejects the call if it is the validator", { validate: reject }, own],
    ["rejects the call if it is onMismatch", { fetch: mismatching, validate }, own],
  ])("%s", async (_, options, result) => {
    const client = createClient({ baseUrl, fetch, ...options });
    expect(await client.getSpamStatistics(party).catch((reason: unknown) => reason)).toEqual(result);
    await new Promise(setImmediate);
  });

  test("is awaited with the deadline of the attempt if it is the validator", async () => {
    const options = { validate: () => new Promise<void>(() => {}), timeout: 5, retry: false } as const;
    expect(await failureOf(fetch, options)).toMatchObject({ name: "TimeoutError", scope: "attempt" });
  });
});

const blocked = new TypeError("Failed to fetch");

test.each<[what: string, error: Error, page: string | undefined, end: RegExp]>([
  ["of another origin", blocked, "https://app.example", /\(CORS\).*allow the origin https:\/\/app.example, or/],
  ["of the same origin", blocked, "https://node.example", /: Failed to fetch$/],
  ["outside of browsers", blocked, undefined, /: Failed to fetch$/],
  [
    "of Node.js, whose errors have a cause",
    new TypeError("x", { cause: new Error("y") }),
    "https://app.example",
    /: x: y$/,
  ],
  ["with an error of another kind", new Error("Failed to fetch"), "https://app.example", /: Failed to fetch$/],
])("the hint that a browser may have blocked a request %s", async (_, error, page, end) => {
  vi.stubGlobal("location", page && { origin: page });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await failureOf(() => Promise.reject(error))).toMatchObject({ message: expect.stringMatching(end) });
});
