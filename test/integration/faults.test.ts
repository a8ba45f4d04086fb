import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, VegaError } from "../../src/index.js";
import { type Behavior, FaultyServer, faulty, respond } from "../support/faulty-server.js";
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
  behave: (body: string) => Behavior;
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

const errorStatus = (code: number, sent: 1 | 3): Fault => ({
  behave: status(code),
  error: { name: "ApiError", status: code, code: 13, codeName: "INTERNAL" },
  sent,
});

const cutOff = { name: "ConnectionError", message: expect.stringContaining("received an incomplete response") };
const late = { name: "TimeoutError", scope: "attempt", message: expect.stringContaining("took longer than 150 ms") };
const undescribed = {
  name: "ResponseError",
  message: expect.stringContaining("status 200 that does not match the OpenAPI description"),
};

/** By their names in `docs/testing-reference.md`. */
const faults: Record<string, Fault> = {
  "a reset at once": { behave: faulty.resetBeforeHeaders, error: { name: "ConnectionError" }, sent: 3 },
  "a reset within the body": { behave: faulty.resetWithinBody, error: cutOff, sent: 3 },
  "a body shorter than `Content-Length`": { behave: faulty.shorterThanLength, error: cutOff, sent: 3 },
  "a body longer than `Content-Length`": {
    behave: faulty.longerThanLength,
    error: undescribed,
    sent: 3,
  },
  "an end within a chunk": {
    behave: faulty.chunkedCutOff,
    // Node.js 20 takes the end of such a connection for the end of the body; then it is the JSON that breaks off.
    error: { name: expect.stringMatching(/^(ConnectionError|ResponseError)$/) },
    sent: 3,
  },
  "truncated JSON": {
    behave: (text) => respond(text.slice(0, -50)),
    error: undescribed,
    sent: 3,
  },
  "a damaged compressed body": { behave: faulty.damagedGzip, error: cutOff, sent: 3 },
  "no response": { behave: faulty.hangBeforeHeaders, error: late, sent: 3, timeout: 150 },
  "incomplete headers": { behave: faulty.hangWithinHeaders, error: late, sent: 3, timeout: 150 },
  "an incomplete body on an open connection": {
    behave: faulty.hangWithinBody,
    error: late,
    sent: 3,
    timeout: 150,
  },
  "status 200 with HTML": {
    behave: () => respond("<html>Welcome</html>"),
    error: { name: "ResponseError", message: expect.stringContaining("(text/html, <html>Welcome</html>)") },
    sent: 1,
  },
  "status 200 with an empty body": {
    behave: () => respond(""),
    error: { name: "ResponseError", message: expect.stringContaining("(text/html, empty)") },
    sent: 1,
  },
  "status 200 with JSON of another shape": { behave: () => respond({ hello: 1 }), error: undescribed, sent: 1 },
  "a redirected read": {
    behave: () => respond("", { status: 302, headers: { Location: "https://other.example/" } }),
    error: { name: "ApiError", status: 302, message: expect.stringContaining("https://other.example") },
    sent: 1,
  },
  "status 408": errorStatus(408, 3),
  "status 500": errorStatus(500, 3),
  "status 502": errorStatus(502, 3),
  "status 503": errorStatus(503, 3),
  "status 504": errorStatus(504, 3),
  "status 400": errorStatus(400, 1),
  "status 401": errorStatus(401, 1),
  "status 403": errorStatus(403, 1),
  "status 404": errorStatus(404, 1),
  "status 409": errorStatus(409, 1),
  "status 501": errorStatus(501, 1),
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
  "an error status without a body": {
    behave: () => respond("", { status: 503 }),
    error: { name: "ApiError", status: 503, code: undefined },
    sent: 3,
  },
  "an error status with an incomplete body": {
    behave: () => (socket) => {
      socket.write("HTTP/1.1 500 Status\r\nContent-Length: 100\r\n\r\n{", () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    },
    error: cutOff,
    sent: 3,
  },
  "status 429: the rate limit": {
    behave: status(429, { ...twoTypes, "RateLimit-Reset": "0" }),
    error: { name: "RateLimitError", status: 429, banned: false, retryAfter: 0 },
    sent: 3,
  },
  "status 429: too large": {
    behave: () =>
      respond({ code: 8, message: "grpc: received message larger than max (9 vs. 8)", details: [] }, { status: 429 }),
    error: { name: "ApiError", status: 429, message: expect.stringContaining("Request less: a smaller page") },
    sent: 1,
  },
  "status 403: a ban of more than 30 s": {
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
  "a longer wait than `maxRetryAfter`": {
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

describe("The connection is refused", () => {
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

describe("A check of a transaction is redirected", () => {
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

describe("the table in docs/testing-reference.md", () => {
  const page = readFileSync(new URL("../../docs/testing-reference.md", import.meta.url), "utf8");
  const [table = ""] = page.split("## All faults").slice(1);
  // A row can have several faults, and a fault several statuses.
  const rows = [...table.matchAll(/^\| ([^|]+) \| `(\w+)`[^|]* \| ([^|]+) \|$/gm)].flatMap(([, names = "", ...rest]) =>
    names.split("; ").flatMap((name) => {
      const [, statuses] = /^status ([\d, ]+)$/.exec(name) ?? [];
      return statuses ? statuses.split(", ").map((each) => [`status ${each}`, ...rest]) : [[name, ...rest]];
    }),
  );

  test("names each of these faults", () => {
    const tested = [...Object.keys(faults), "a refused connection", "a redirected check"];
    expect(rows.map(([name]) => name).sort()).toEqual(tested.sort());
  });

  test.each(rows.map(([name = "", error = "", retried = ""]) => ({ name, error, retried })))(
    "says the same as the tests: $name",
    ({ name, error, retried }) => {
      const fault = faults[name];
      if (fault === undefined) return;
      expect(error).toEqual(fault.error["name"]);
      if (retried !== "as its status") expect(retried.startsWith("yes")).toBe(fault.sent === 3);
    },
  );
});
