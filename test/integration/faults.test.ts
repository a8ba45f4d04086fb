import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, VegaError } from "../../src/index.js";
import { type Behaviour, FaultyServer, faulty, respond } from "../support/faulty-server.js";
import { freePort } from "../support/free-port.js";

let server: FaultyServer;
beforeAll(async () => {
  server = await FaultyServer.start();
});
afterAll(() => server.close());

const body = JSON.stringify({ chainId: "chain", statistics: { epochSeq: "1", note: "x".repeat(200) } });
const passed = JSON.stringify({
  success: true,
  code: 0,
  gasWanted: "1",
  gasUsed: "0",
  data: "",
  log: "",
  info: "x".repeat(200),
});
const error = { code: 13, message: "Internal error", details: [] };
const twoTypes = { "Content-Type": ["application/json", "application/grpc"] };

interface Fault {
  behave: (body: string) => Behaviour;
  /** The error of the call. */
  error: Record<string, unknown>;
  /** How often a read is sent if three attempts are allowed. */
  sent: 1 | 3;
  /** The deadline of an attempt. */
  timeout?: number;
}

const status =
  (code: number, headers: Record<string, string | string[]> = twoTypes) =>
  () =>
    respond(error, { status: code, headers });

const cutOff = { name: "ConnectionError", message: expect.stringContaining("received an incomplete response") };
const late = { name: "TimeoutError", scope: "attempt", message: expect.stringContaining("took longer than 150 ms") };
const undescribed = {
  name: "ResponseError",
  message: expect.stringContaining("status 200 that does not match the OpenAPI description"),
};

const faults: Record<string, Fault> = {
  "reset before the headers": { behave: faulty.resetBeforeHeaders, error: { name: "ConnectionError" }, sent: 3 },
  "reset within the body": { behave: faulty.resetWithinBody, error: cutOff, sent: 3 },
  "body shorter than its Content-Length": { behave: faulty.shorterThanLength, error: cutOff, sent: 3 },
  "body longer than its Content-Length": { behave: faulty.longerThanLength, error: undescribed, sent: 3 },
  "chunked body that ends within a chunk": {
    behave: faulty.chunkedCutOff,
    // Node.js 20 takes the end of such a connection for the end of the body; then it is the JSON that breaks off.
    error: { name: expect.stringMatching(/^(ConnectionError|ResponseError)$/) },
    sent: 3,
  },
  "truncated JSON in a complete response": {
    behave: (text) => respond(text.slice(0, -50)),
    error: undescribed,
    sent: 3,
  },
  "damaged gzip": { behave: faulty.damagedGzip, error: cutOff, sent: 3 },
  "silence before the headers": { behave: faulty.hangBeforeHeaders, error: late, sent: 3, timeout: 150 },
  "silence within the headers": { behave: faulty.hangWithinHeaders, error: late, sent: 3, timeout: 150 },
  "silence within the body": { behave: faulty.hangWithinBody, error: late, sent: 3, timeout: 150 },
  "HTML with status 200": {
    behave: () => respond("<html>Welcome</html>"),
    error: { name: "ResponseError", message: expect.stringContaining("(text/html, <html>Welcome</html>)") },
    sent: 1,
  },
  "nothing with status 200": {
    behave: () => respond(""),
    error: { name: "ResponseError", message: expect.stringContaining("(text/html, empty)") },
    sent: 1,
  },
  "JSON of another shape with status 200": { behave: () => respond({ hello: 1 }), error: undescribed, sent: 1 },
  ...Object.fromEntries(
    [408, 500, 502, 503, 504].map((code) => [
      `status ${code}`,
      { behave: status(code), error: { name: "ApiError", status: code, code: 13, codeName: "INTERNAL" }, sent: 3 },
    ]),
  ),
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 501].map((code) => [
      `status ${code}`,
      { behave: status(code), error: { name: "ApiError", status: code, code: 13, codeName: "INTERNAL" }, sent: 1 },
    ]),
  ),
  "an error status with HTML": {
    behave: () => respond("<html>Bad gateway</html>", { status: 502 }),
    error: {
      name: "ApiError",
      status: 502,
      code: undefined,
      message: expect.stringContaining("<html>Bad gateway</html>"),
    },
    sent: 3,
  },
  "an error status with nothing": {
    behave: () => respond("", { status: 503 }),
    error: { name: "ApiError", status: 503, code: undefined },
    sent: 3,
  },
  "an error status and a reset within the body": {
    behave: () => (socket) => {
      socket.write("HTTP/1.1 500 Status\r\nContent-Length: 100\r\n\r\n{", () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    },
    error: cutOff,
    sent: 3,
  },
  "429 for the rate": {
    behave: status(429, { ...twoTypes, "RateLimit-Reset": "0" }),
    error: { name: "RateLimitError", status: 429, banned: false, retryAfter: 0 },
    sent: 3,
  },
  "429 for the size": {
    behave: () =>
      respond({ code: 8, message: "grpc: received message larger than max (9 vs. 8)", details: [] }, { status: 429 }),
    error: { name: "ApiError", status: 429, message: expect.stringContaining("Request less: a smaller page") },
    sent: 1,
  },
  "a ban": {
    behave: () =>
      respond(
        { code: 7, message: "temporarily banned for continuing to request while rate limited", details: [] },
        { status: 403, headers: { "RateLimit-Retry-After": "599" } },
      ),
    error: {
      name: "RateLimitError",
      status: 403,
      banned: true,
      retryAfter: 599,
      message: expect.stringContaining("Wait 599 seconds."),
    },
    sent: 1,
  },
  "a Retry-After beyond the limit": {
    behave: status(503, { "Retry-After": "31" }),
    error: { name: "ApiError", status: 503 },
    sent: 1,
  },
};

/** A client that waits for a response only as long as a fault needs: a busy machine takes its time for the others. */
function connect({ timeout = 30_000, url = server.url } = {}) {
  // A function of its own: a ban of one test would hold back the requests of the next.
  const ownFetch = (request: Request) => fetch(request);
  return createClient({ baseUrl: url, fetch: ownFetch, timeout, retry: { attempts: 3, baseDelay: 1 } });
}

async function caught(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("Nothing was thrown");
}

describe.each(Object.entries(faults))("%s", (_, { behave, error, sent, timeout }) => {
  test(sent === 3 ? "is retried for a read" : "is not retried for a read", async () => {
    server.behave(behave(body));
    const reason = await caught(connect({ timeout }).getSpamStatistics({ partyId: "a" }));
    expect(VegaError.is(reason)).toBe(true);
    expect(reason).toMatchObject({ operation: "getSpamStatistics", attempts: sent, ...error });
    expect(server.requests).toHaveLength(sent);
  });

  test("rejects a listing with the same error", async () => {
    server.behave(behave(body));
    const reason = await caught(connect({ timeout }).listVotes({ partyId: "a" }).toArray());
    expect(reason).toMatchObject({ operation: "listVotes", attempts: sent, ...error, pagesRead: 0, itemsRead: 0 });
  });

  test("is not retried for a check", async () => {
    server.behave(behave(passed));
    const reason = await caught(connect({ timeout }).checkTransaction({ tx: { pubKey: "a" } }));
    expect(reason).toMatchObject({ operation: "checkTransaction", attempts: 1, ...error });
    expect(server.requests).toEqual(["POST /transaction/check"]);
  });

  if (sent === 3) {
    test("does not fail a read if it occurs once", async () => {
      server.behave(behave(body), respond(JSON.parse(body)));
      expect(await connect({ timeout }).getSpamStatistics({ partyId: "a" })).toEqual(JSON.parse(body));
      expect(server.requests).toHaveLength(2);
    });
  }
});

describe("a connection that is refused", () => {
  test("is retried for a read, not for a check", async () => {
    const client = connect({ url: `http://127.0.0.1:${await freePort()}` });
    const refused = { name: "ConnectionError", message: expect.stringContaining("ECONNREFUSED") };
    expect(await caught(client.getSpamStatistics({ partyId: "a" }))).toMatchObject({ attempts: 3, ...refused });
    expect(await caught(client.checkTransaction({ tx: {} }))).toMatchObject({ attempts: 1, ...refused });
  });
});

describe("a response is accepted if it is sent", () => {
  test.each([
    ["with gzip", "gzip"],
    ["in halves", "inHalves"],
    ["byte by byte", "byteByByte"],
  ] as const)("%s", async (_, way) => {
    server.behave(faulty[way](body));
    const client = createClient({ baseUrl: server.url, fetch: (request) => fetch(request) });
    expect(await client.getSpamStatistics({ partyId: "a" })).toEqual(JSON.parse(body));
    expect(server.requests).toHaveLength(1);
  });
});

describe("a redirect of a check", () => {
  test.each([301, 302, 307, 308])("with status %s is not followed", async (code) => {
    server.behave(respond("", { status: code, headers: { Location: `${server.url}/elsewhere` } }));
    const reason = await caught(connect().checkTransaction({ tx: {} }));
    expect(reason).toMatchObject({ name: "ApiError", status: code, attempts: 1 });
    expect(server.requests).toEqual(["POST /transaction/check"]);
  });
});

describe("a 500 for a list of profiles", () => {
  test("is retried for the first page, and is final for a cursor", async () => {
    server.behave(status(500)());
    await caught(connect().listPartiesProfiles().toArray());
    expect(server.requests).toHaveLength(3);
    for (const pagination of [{ after: "c" }, { before: "c" }]) {
      server.behave(status(500)());
      expect(await caught(connect().listPartiesProfiles({ pagination }).toArray())).toMatchObject({ status: 500 });
      expect(server.requests).toHaveLength(1);
    }
  });
});

test("the table in docs/errors.md names each of these faults", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const named = [...page.matchAll(/^\| [^|]+ \| [^|]+ \| [^|]+ \| `([^`]+)` \|$/gm)].map(([, name]) => name);
  const tested = [...Object.keys(faults), "a connection that is refused", "a redirect of a check"];
  expect([...named].sort()).toEqual(tested.sort());
});
