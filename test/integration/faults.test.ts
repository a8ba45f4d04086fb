import { afterAll, describe, expect, test } from "vitest";
import {
  type BalanceChange,
  type Coverage,
  createClient,
  type Page,
  type VegaClient,
  VegaError,
} from "../../src/index.js";
import { createFakeNode, nodeDefects } from "../../src/testing/index.js";
import { type Behavior, faulty, respond, startFaultyServer } from "../support/faulty-server.js";
import { freePort } from "../support/free-port.js";
import { rejectionOf } from "../support/recorder.js";
import { changesAt } from "../support/records.js";
import { shortened } from "../support/worlds/faults.js";

const server = await startFaultyServer();
afterAll(() => server.close());

const body = JSON.stringify({ chainId: "chain", statistics: { epochSeq: "1", note: "x".repeat(200) } });
const passed = JSON.stringify({ success: true, code: 0, gasWanted: "1", gasUsed: "0", data: "", log: "x".repeat(200) });
const error = { code: 13, message: "Internal error", details: [] };
const twoTypes = { "Content-Type": ["application/json", "application/grpc"] };

/** What a server does, how often a read is sent if three attempts are allowed, the error of the call, and the deadline of an attempt. */
type Fault = [behave: (body: string) => Behavior, sent: 1 | 3, error: Record<string, unknown>, timeout?: number];

const part = (text: string) => expect.stringContaining(text);
const status =
  (code: number, headers: Record<string, string | string[]> = twoTypes, content: object = error) =>
  () =>
    respond(content, { status: code, headers });
const errorStatus = (code: number, sent: 1 | 3): [string, Fault] => [
  `status ${code}`,
  [status(code), sent, { name: "ApiError", status: code, code: 13, codeName: "INTERNAL" }],
];

const firstMemberOf = (text: string): object => Object.fromEntries(Object.entries(JSON.parse(text)).slice(0, 1));

const cutOff = { name: "ConnectionError", message: part("received an incomplete response") };
const late = { name: "TimeoutError", scope: "attempt", message: part("took longer than 150 ms") };
const responseError = (words: string) => ({ name: "ResponseError", message: part(words) });
const apiError = (status: number, text: string) => ({ name: "ApiError", status, code: undefined, message: part(text) });
const undescribed = responseError("status 200 that does not match the OpenAPI description");
const tooLarge = { code: 8, message: "grpc: received message larger than max (9 vs. 8)", details: [] };
const banned = { code: 7, message: "temporarily banned for continuing to request while rate limited", details: [] };

const faults: Record<string, Fault> = {
  "a reset at once": [faulty.resetBeforeHeaders, 3, { name: "ConnectionError" }],
  "a reset within the body": [faulty.resetWithinBody, 3, cutOff],
  "a body shorter than `Content-Length`": [faulty.shorterThanLength, 3, cutOff],
  "a body longer than `Content-Length`": [faulty.longerThanLength, 3, undescribed],
  // Node.js 20 takes the end of such a connection for the end of the body; then it is the JSON that breaks off.
  "an end within a chunk": [faulty.chunkedCutOff, 3, { name: expect.stringMatching(/^(Connection|Response)Error$/) }],
  "truncated JSON": [(text) => respond(` ${text.slice(0, -50)}`), 3, undescribed],
  "a damaged compressed body": [faulty.damagedGzip, 3, cutOff],
  "no response": [faulty.hangBeforeHeaders, 3, late, 150],
  "incomplete headers": [faulty.hangWithinHeaders, 3, late, 150],
  "an incomplete body on an open connection": [faulty.hangWithinBody, 3, late, 150],
  "status 200 with HTML": [() => respond("<p>{Hello}</p>"), 1, responseError("(text/html, <p>{Hello}</p>)")],
  "status 200 with an empty body": [() => respond(""), 1, responseError("(text/html, empty)")],
  "status 200 with JSON of another shape": [() => respond({ hello: 1 }), 1, undescribed],
  "status 200 with one of the members": [(text) => respond(firstMemberOf(text)), 1, undescribed],
  ...Object.fromEntries([408, 500, 502, 503, 504, 522].map((code) => errorStatus(code, 3))),
  ...Object.fromEntries([400, 401, 403, 404, 409, 501, 505].map((code) => errorStatus(code, 1))),
  "an error status with HTML": [() => respond("<p>Bad</p>", { status: 502 }), 3, apiError(502, "<p>Bad</p>")],
  "an error status without a body": [() => respond("", { status: 503 }), 3, apiError(503, "status 503")],
  "an error status with an incomplete body": [faulty.resetWithinError, 3, cutOff],
  "status 429: the rate limit": [
    status(429, { ...twoTypes, "RateLimit-Reset": "0" }),
    3,
    { name: "RateLimitError", status: 429, banned: false, retryAfter: 0 },
  ],
  "status 429 of a proxy": [status(429, {}), 3, { name: "RateLimitError", retryAfter: undefined }],
  "status 429: too large": [status(429, {}, tooLarge), 1, { ...apiError(429, "Request less: a smaller"), code: 8 }],
  "status 403: a ban of more than 30 s": [
    status(403, { "RateLimit-Retry-After": "599" }, banned),
    1,
    { name: "RateLimitError", status: 403, banned: true, retryAfter: 599, message: part("Wait 599 seconds.") },
  ],
  "a longer wait than `maxRetryAfter`": [status(503, { "Retry-After": "31" }), 1, { name: "ApiError", status: 503 }],
};

/** A client that waits for a response only as long as a fault needs: a busy machine takes its time for the others. */
function connect({ timeout = 30_000, url = server.url } = {}) {
  // A function of its own: a ban of one test would hold back the requests of the next.
  const ownFetch = (request: Request) => fetch(request);
  return createClient({ baseUrl: url, fetch: ownFetch, timeout, retry: { attempts: 3, baseDelay: 1 } });
}

describe.each(Object.entries(faults))("%s", (_, [behave, sent, error, timeout]) => {
  test(sent === 3 ? "is retried for a read" : "is not retried for a read", async () => {
    server.behave(behave(body));
    const call = connect({ timeout }).getSpamStatistics({ partyId: "aa" });
    await expect(call).rejects.toMatchObject({ operation: "getSpamStatistics", attempts: sent, ...error });
    await expect(call).rejects.toSatisfy(VegaError.is);
    expect(server.requests).toHaveLength(sent);
  });

  test("rejects a listing with the same error", async () => {
    server.behave(behave(body));
    const walk = connect({ timeout }).listVotes({ partyId: "aa" }).toArray();
    const expected = { operation: "listVotes", attempts: sent, ...error, pagesRead: 0, itemsRead: 0 };
    await expect(walk).rejects.toMatchObject(expected);
  });

  test("is not retried for a check", async () => {
    server.behave(behave(passed));
    const call = connect({ timeout }).checkTransaction({ tx: { pubKey: "a" } });
    await expect(call).rejects.toMatchObject({ operation: "checkTransaction", attempts: 1, ...error });
    expect(server.requests).toEqual(["POST /transaction/check"]);
  });

  if (sent === 1) return;
  test("does not fail a read if it occurs once", async () => {
    server.behave(behave(body), respond(JSON.parse(body)));
    expect(await connect({ timeout }).getSpamStatistics({ partyId: "aa" })).toEqual(JSON.parse(body));
    expect(server.requests).toHaveLength(2);
  });
});

test("a refused connection: a read is retried, a check is not", async () => {
  const client = connect({ url: `http://127.0.0.1:${await freePort()}` });
  const refused = { name: "ConnectionError", message: part("ECONNREFUSED") };
  await expect(client.getSpamStatistics({ partyId: "aa" })).rejects.toMatchObject({ attempts: 3, ...refused });
  await expect(client.checkTransaction({ tx: {} })).rejects.toMatchObject({ attempts: 1, ...refused });
});

test.each(["gzip", "inHalves", "byteByByte"] as const)("a response is accepted if it is sent: %s", async (way) => {
  server.behave(faulty[way](body));
  expect(await connect().getSpamStatistics({ partyId: "aa" })).toEqual(JSON.parse(body));
  expect(server.requests).toHaveLength(1);
});

test("a balance change at a time that no Date can hold ends a loop with a VegaError", async () => {
  const node = createFakeNode({ balances: 60 }, { rateLimit: false });
  const fetch = async (request: Request) => {
    const body = await (await node.fetch(request)).json();
    body.balances.edges[0].node.timestamp = "9".repeat(30);
    return Response.json(body);
  };
  const client = createClient({ baseUrl: "https://node.example", fetch });
  const loop = client.listBalanceChanges({ pagination: { first: 20 } }).toArray();
  await expect(loop).rejects.toSatisfy(VegaError.is);
});

test("a 500 for a list of profiles is retried for the first page, and is final for a cursor", async () => {
  for (const pagination of [{}, { after: "c" }, { before: "c" }]) {
    const sent = Object.keys(pagination).length === 0 ? 3 : 1;
    server.behave(status(500)());
    const error = await rejectionOf(connect().listPartiesProfiles({ pagination }).toArray());
    expect(error).toMatchObject({ status: 500 });
    expect((error as Error).message.includes("v0.74 nodes reject every cursor of this list")).toBe(sent === 1);
    expect(server.requests).toHaveLength(sent);
  }
});

describe("a page of balance changes that ends where the query of the node failed", () => {
  const [first, second] = [1_707_486_400_000_000_000n, 1_000_000_000n];
  // Three records in each block.
  const balances = changesAt(Array.from({ length: 90 }, (_, index) => first + BigInt(Math.floor(index / 3)) * second));
  const block = { height: 40n, timestamp: first + 40n * second };
  const dateRange = { startTimestamp: first + 2n * second, endTimestamp: first + 20n * second };
  const chain = async (page: Page<BalanceChange>) => {
    const all: BalanceChange[] = [];
    for (let each: Page<BalanceChange> | undefined = page; each; each = await each.nextPage()) all.push(...each.nodes);
    return all;
  };
  /** All records, which the coverage has as well. */
  const whole = async (reading: AsyncIterable<BalanceChange> & { coverage: Promise<Coverage> }) => {
    const all: BalanceChange[] = [];
    for await (const change of reading) all.push(change);
    const { start } = await reading.coverage;
    for (const { timestamp } of all) expect(BigInt(timestamp)).toBeGreaterThanOrEqual(start);
    return all;
  };
  type Reader = (client: VegaClient, range: object, newestFirst: boolean, size?: number) => Promise<BalanceChange[]>;
  const readers: Record<string, Reader> = {
    "a loop": (client, range, newestFirst, first = 20) =>
      whole(client.listBalanceChanges({ ...range, pagination: { first, newestFirst } })),
    "a chain of pages": async (client, range, newestFirst, first = 20) =>
      chain(await client.listBalanceChanges({ ...range, pagination: { first, newestFirst } })),
    "a scan": (client, range, newestFirst, pageSize = 20) =>
      whole(client.scanBalanceChanges(range, { pageSize, order: newestFirst ? "newest-first" : "oldest-first" })),
  };
  const cases = Object.entries(readers).flatMap(([name, reader]) =>
    [true, false].flatMap((newestFirst) => [true, false].map((isOpen) => ({ name, reader, newestFirst, isOpen }))),
  );

  const open = cases.filter(({ isOpen }) => isOpen);
  test.each(open)(
    "is not the end if all queries of many records fail: $name, newest first: $newestFirst",
    async (each) => {
      for (const share of [0, 0.2, 0.5]) {
        const many = changesAt(Array.from({ length: 900 }, (_, index) => first + BigInt(index) * second));
        const node = createFakeNode({ balances: many }, { defects: nodeDefects, rateLimit: false });
        const fetch = async (request: Request) => {
          const response = await node.fetch(request);
          const size = Number(new URL(request.url).searchParams.get("pagination.first"));
          return size > 300 ? new Response(shortened(await response.arrayBuffer(), share), response) : response;
        };
        const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
        const read = await each.reader(client, {}, each.newestFirst, 5000).catch((error: unknown) => error);
        if (read instanceof Error) expect(read).toMatchObject({ reason: "gap" });
        else expect(read).toHaveLength(900);
      }
    },
  );

  test.each(cases)("is read again by $name, newest first: $newestFirst, without a range: $isOpen", async (each) => {
    const range = each.isOpen ? {} : { dateRange };
    const wanted = balances.filter(({ timestamp }) => {
      const time = BigInt(timestamp);
      return each.isOpen || (time >= dateRange.startTimestamp && time < dateRange.endTimestamp);
    });
    for (const share of [0, 0.4, 0.9]) {
      for (let failing = 0, requests = 1; failing < requests; failing++) {
        const node = createFakeNode({ balances, block }, { defects: nodeDefects, rateLimit: false });
        requests = 0;
        const fetch = async (request: Request) => {
          const response = await node.fetch(request);
          if (requests++ !== failing) return response;
          return new Response(shortened(await response.arrayBuffer(), share), response);
        };
        const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
        const read = await each.reader(client, range, each.newestFirst);
        expect(read.map(({ balance }) => Number(balance)).sort((a, b) => a - b)).toEqual(
          wanted.map(({ balance }) => Number(balance)).sort((a, b) => a - b),
        );
      }
    }
  });
});
