import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corsHint } from "../../../src/http/response.js";
import { ArgumentError, type ClientOptions, ConnectionError, createClient, VegaError } from "../../../src/index.js";
import { validateAnswers } from "../../../src/validate/index.js";
import { json } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const party = { partyId: "a" };

async function caught(run: () => PromiseLike<unknown>): Promise<unknown> {
  let promise: PromiseLike<unknown>;
  try {
    promise = run();
  } catch (error) {
    throw new Error("It was thrown synchronously.", { cause: error });
  }
  return promise.then(
    () => {
      throw new Error("It resolved.");
    },
    (reason) => reason,
  );
}

test("an error body of any JSON rejects the call with a VegaError that can be logged", async () => {
  const detail = "type.googleapis.com/vega.ErrorDetail";
  const bodies = [
    '{"code":3,"message":{"toString":1},"details":[{"toString":1}]}',
    `{"details":[{"@type":"${detail}","message":{"toString":null},"inner":{"toString":{}}}]}`,
    '{"__proto__":{"message":1},"details":{"length":9}}',
  ];
  const anyBody = fc.oneof(fc.json(), fc.constantFrom(...bodies));
  await fc.assert(
    fc.asyncProperty(anyBody, fc.constantFrom(400, 403, 429, 500), async (body, status) => {
      const client = createClient({ baseUrl, retry: false, fetch: async () => new Response(body, { status }) });
      const error = await caught(() => client.getSpamStatistics(party));
      expect(VegaError.is(error)).toBe(true);
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ status, attempts: 1 });
    }),
    { examples: bodies.map((body) => [body, 400]) },
  );
});

describe("a fetch that fails", () => {
  const cyclic = new Error("cyclic");
  cyclic.cause = new Error("inner", { cause: cyclic });
  const withMember = (name: string, value: unknown) => Object.defineProperty(new TypeError("x"), name, { value });
  const reasons: [name: string, reason: unknown][] = [
    ["an error whose causes are cyclic", cyclic],
    ["an error whose cause is a symbol", withMember("cause", Symbol("x"))],
    ["an AggregateError of anything", new AggregateError([undefined, null, 1], "all")],
    ["a symbol", Symbol("x")],
    ["undefined", undefined],
    ["0", 0],
    ["an empty string", ""],
  ];

  test.each(reasons)("with %s rejects the call with a ConnectionError that can be logged", async (_, reason) => {
    const options = { baseUrl, retry: { attempts: 2, baseDelay: 0 } };
    const rejecting = createClient({ ...options, fetch: () => Promise.reject(reason) });
    const throwing = createClient({
      ...options,
      fetch: () => {
        throw reason;
      },
    });
    for (const client of [rejecting, throwing]) {
      const error = await caught(() => client.getSpamStatistics(party));
      expect(ConnectionError.is(error)).toBe(true);
      expect(error).toMatchObject({ attempts: 2 });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: "ConnectionError" });
    }
  });

  test("does so while the body is read", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(cyclic) });
    const client = createClient({ baseUrl, retry: false, fetch: async () => new Response(body) });
    const error = await caught(() => client.getSpamStatistics(party));
    expect(error).toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("getSpamStatistics received an incomplete response"),
    });
  });

  test("names its causes once, down to the fifth", async () => {
    const deep = ["g", "f", "e", "d", "c", "b", "a"].reduce<unknown>((cause, name) => new Error(name, { cause }), null);
    for (const [reason, message] of [
      [cyclic, /: cyclic: inner$/],
      [deep, /: a: b: c: d: e$/],
    ] as const) {
      const client = createClient({ baseUrl, retry: false, fetch: () => Promise.reject(reason) });
      const error = await caught(() => client.getSpamStatistics(party));
      expect((error as Error).message).toMatch(message);
    }
  });

  test.each([200, 500])("because its response %i was read before rejects with a ConnectionError", async (status) => {
    const response = new Response('{"chainId":"","statistics":null}', { status });
    await response.text();
    const client = createClient({ baseUrl, retry: false, fetch: async () => response });
    expect(ConnectionError.is(await caught(() => client.getSpamStatistics(party)))).toBe(true);
  });
});

test.each([undefined, null, "text", 5, {}, { status: 200 }])(
  "a fetch that resolves to %j instead of a response rejects the call with an ArgumentError",
  async (value) => {
    let requests = 0;
    const fetch = async () => {
      requests++;
      return value as never;
    };
    const error = await caught(() => createClient({ baseUrl, fetch }).getSpamStatistics(party));
    expect(error).toMatchObject({ name: "ArgumentError", argument: "fetch" });
    expect((error as Error).message).toContain("Expected `fetch` to be a function that resolves to a Response, got");
    expect(requests).toBe(1);
  },
);

test("middleware reads the body of an error response, and so does the client", async () => {
  const body = { code: 5, message: "NotFound error", details: [] };
  const client = createClient({ baseUrl, retry: false, fetch: async () => json(body, { status: 404 }) });
  const bodies: unknown[] = [];
  client.http.use({ onResponse: async ({ response }) => void bodies.push(await response.clone().json()) });
  const error = await caught(() => client.getSpamStatistics(party));
  expect(error).toMatchObject({ name: "ApiError", status: 404, code: 5, body });
  expect(bodies).toEqual([body]);
});

describe("null", () => {
  const client = createClient({ baseUrl, fetch: async () => json({}) });
  const nothing = null as never;
  test.each([
    ["an argument of a call", () => client.getSpamStatistics(nothing)],
    ["an argument of a check", () => client.checkTransaction(nothing)],
    ["an argument of a list", () => client.listVotes(nothing)],
    ["an argument of a scan", () => client.scanBalanceChanges(nothing).toArray()],
    ["options of a call", () => client.getSpamStatistics(party, nothing)],
    ["options of a check", () => client.checkTransaction({ tx: {} }, nothing)],
    ["options of a list", () => client.listVotes(party, nothing)],
    ["options of a scan", () => client.scanBalanceChanges({}, nothing).toArray()],
  ])("instead of %s rejects with an ArgumentError", async (_, run) => {
    expect(ArgumentError.is(await caught(run))).toBe(true);
  });
});

describe("credentials in a baseUrl", () => {
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
  ])("do not appear in the message about %s", (baseUrl) => {
    let error: unknown;
    try {
      createClient({ baseUrl });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: "ArgumentError", argument: "baseUrl" });
    const { message, stack } = error as Error;
    expect(`${message} ${stack?.split("\n")[0]} ${JSON.stringify(error)}`).not.toMatch(/sec|ret|me:/);
  });
});

describe("a callback that returns a promise that rejects", () => {
  const statistics = { chainId: "c", statistics: null };
  const fetch = async () => json(statistics);
  const own = new Error("in the callback");
  const reject = async () => {
    throw own;
  };

  /** Runs, and returns the rejections that nothing handled. */
  async function unhandled(run: () => Promise<unknown>): Promise<unknown[]> {
    const reasons: unknown[] = [];
    const listen = (reason: unknown) => reasons.push(reason);
    process.on("unhandledRejection", listen);
    try {
      await run();
      await new Promise(setImmediate);
    } finally {
      process.off("unhandledRejection", listen);
    }
    return reasons;
  }

  const mismatching = async () => json({ chainId: 5, statistics: null });
  test.each<[outcome: string, options: Partial<ClientOptions>, result: unknown]>([
    ["is ignored if it is the observer", { observe: reject }, statistics],
    ["rejects the call if it is the validator", { validate: reject }, own],
    [
      "rejects the call if it is onMismatch",
      { fetch: mismatching, validate: validateAnswers({ onMismatch: reject }) },
      own,
    ],
  ])("%s", async (_, options, result) => {
    const client = createClient({ baseUrl, fetch, ...options });
    const run = async () => {
      expect(await client.getSpamStatistics(party).catch((reason: unknown) => reason)).toEqual(result);
    };
    expect(await unhandled(run)).toEqual([]);
  });

  test("is awaited with the deadline of the attempt if it is the validator", async () => {
    const client = createClient({ baseUrl, fetch, validate: () => new Promise(() => {}), timeout: 5, retry: false });
    expect(await caught(() => client.getSpamStatistics(party))).toMatchObject({
      name: "TimeoutError",
      scope: "attempt",
    });
  });
});

const blocked = new TypeError("Failed to fetch");

test.each<[what: string, error: unknown, page: string | undefined, hint: string]>([
  ["of another origin", blocked, "https://app.example", "allow the origin https://app.example with"],
  ["of a page that was opened from disk", blocked, "null", "(CORS)"],
  ["of the same origin", blocked, "https://node.example", ""],
  ["outside of browsers", blocked, undefined, ""],
  [
    "of Node.js, whose errors have a cause",
    new TypeError("fetch failed", { cause: new Error() }),
    "https://a.example",
    "",
  ],
  ["with an error of another kind", new Error("Failed to fetch"), "https://app.example", ""],
])("the hint that a browser may have blocked a request %s", (_, error, page, hint) => {
  const text = corsHint(error, "https://node.example/api/v2/votes", page);
  expect(hint === "" ? text : text.includes(hint)).toBe(hint === "" ? "" : true);
});
