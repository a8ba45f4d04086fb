import { describe, expect, test } from "vitest";
import { createClient, RateLimitError } from "../../src/index.js";
import {
  createFakeNode,
  type FakeNode,
  type FakeNodeOptions,
  nodeDefects,
  nodeFaults,
} from "../../src/testing/index.js";

const base = "https://node.example";

/** Asks a node without a client: what it answers is what counts here. */
async function ask(node: FakeNode, path: string, init?: RequestInit) {
  const response = await node.fetch(`${base}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith("{") ? JSON.parse(text) : text,
  };
}

const signatures = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: "x", sig: null, kind: index }));

/** The kinds on a page, which tell the signatures apart. */
async function page(node: FakeNode, query: string) {
  const { body } = await ask(node, `/api/v2/node/signatures?id=x&${query}`);
  const { edges, pageInfo } = body.signatures;
  return { kinds: edges.map((edge: { node: { kind: number } }) => edge.node.kind).join(), ...pageInfo };
}

describe("a fake node pages", () => {
  const node = createFakeNode({ signatures: signatures(10) }, { rateLimit: false });
  const cursorOf = async (kind: number) => {
    const { body } = await ask(node, "/api/v2/node/signatures?id=x");
    const edge = body.signatures.edges.find((each: { node: { kind: number } }) => each.node.kind === kind);
    return encodeURIComponent(edge.cursor);
  };

  test("forward, the newest first unless told otherwise", async () => {
    const first = await page(node, "pagination.first=3");
    expect(first).toMatchObject({ kinds: "9,8,7", hasNextPage: true, hasPreviousPage: false });
    const second = await page(node, `pagination.first=3&pagination.after=${encodeURIComponent(first.endCursor)}`);
    expect(second).toMatchObject({ kinds: "6,5,4", hasNextPage: true, hasPreviousPage: true });
    expect((await page(node, "pagination.first=3&pagination.newestFirst=false")).kinds).toBe("0,1,2");
  });

  test("backward, in the same order", async () => {
    const last = await page(node, "pagination.last=3");
    expect(last).toMatchObject({ kinds: "2,1,0", hasNextPage: false, hasPreviousPage: true });
    const before = await page(node, `pagination.last=3&pagination.before=${encodeURIComponent(last.startCursor)}`);
    expect(before).toMatchObject({ kinds: "5,4,3", hasNextPage: true, hasPreviousPage: true });
  });

  test("past the end to an empty page without cursors", async () => {
    const after = await cursorOf(0);
    const empty = { kinds: "", startCursor: "", endCursor: "", hasNextPage: false, hasPreviousPage: true };
    expect(await page(node, `pagination.first=3&pagination.after=${after}`)).toEqual(empty);
  });

  test("without regard to what contradicts a size", async () => {
    const cursor = await cursorOf(5);
    expect((await page(node, "pagination.first=2&pagination.last=5")).kinds).toBe("9,8");
    expect((await page(node, `pagination.first=2&pagination.before=${cursor}`)).kinds).toBe("9,8");
    expect((await page(node, `pagination.last=2&pagination.after=${cursor}`)).kinds).toBe("1,0");
    expect((await page(node, `pagination.after=${cursor}`)).kinds).toBe("4,3,2,1,0");
    expect((await page(node, `pagination.before=${cursor}`)).kinds).toBe("9,8,7,6");
  });

  test("in thousands, and up to five thousand", async () => {
    const large = createFakeNode({ signatures: signatures(6000) });
    const count = async (query: string) => (await page(large, query)).kinds.split(",").length;
    expect(await count("")).toBe(1000);
    expect(await count("pagination.first=5000")).toBe(5000);
  });

  test.each([
    "pagination.first=0",
    "pagination.first=-1",
    "pagination.last=5001",
    "pagination.first=some",
    "pagination.newestFirst=perhaps",
    "pagination.after=",
    "pagination.after=fn5+fg==",
    "pagination.after=!",
    "pagination.after=a&pagination.before=b",
  ])("and refuses %s", async (query) => {
    const { status, body, headers } = await ask(node, `/api/v2/node/signatures?id=x&${query}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 3 });
    expect(headers.get("content-type")).toBe("application/json, application/grpc");
  });

  test("with cursors that a URL holds in an escaped form only", async () => {
    const { endCursor } = await page(node, "pagination.first=1");
    expect(endCursor).toMatch(/[+].*[/]/);
  });
});

describe("a fake node answers", () => {
  const node = createFakeNode();
  const [{ partyId = "", proposalId = "" } = {}] = node.records.votes;

  test("votes by party and by proposal, and nothing to an empty id", async () => {
    const count = async (query: string) => (await ask(node, `/api/v2/votes?${query}`)).body.votes.edges.length;
    expect(await count(`proposalId=${proposalId}`)).toBe(34);
    expect(await count(`partyId=${partyId}`)).toBe(3);
    expect(await count(`partyId=${partyId}&proposalId=${proposalId}`)).toBe(1);
    expect(await count("partyId=")).toBe(0);
    const neither = await ask(node, "/api/v2/votes");
    expect(neither.body).toEqual({
      code: 3,
      message: "InvalidArgument error",
      details: [
        {
          "@type": "type.googleapis.com/vega.ErrorDetail",
          code: 10023,
          message: "missing proposal id and party id",
          inner: "",
        },
      ],
    });
  });

  test("balance changes by filter and range, the start counted in and the end not", async () => {
    const { balances } = node.records;
    const [first, second] = balances;
    const count = async (query: string) =>
      (await ask(node, `/api/v2/balance/changes?${query}`)).body.balances.edges.length;
    const where = (test: (change: (typeof balances)[number]) => boolean) => balances.filter(test).length;
    expect(await count("")).toBe(100);
    expect(await count(`filter.assetId=${first?.assetId}`)).toBe(where(({ assetId }) => assetId === first?.assetId));
    expect(await count(`filter.partyIds=${first?.partyId}&filter.partyIds=${second?.partyId}`)).toBe(
      where(({ partyId }) => partyId === first?.partyId || partyId === second?.partyId),
    );
    expect(await count(`filter.partyIds=${first?.partyId},${second?.partyId}`)).toBe(0);
    expect(await count("filter.accountTypes=ACCOUNT_TYPE_MARGIN")).toBe(
      where(({ accountType }) => accountType === "ACCOUNT_TYPE_MARGIN"),
    );
    const at = BigInt(first?.timestamp ?? 0);
    const same = where(({ timestamp }) => timestamp === first?.timestamp);
    expect(await count(`dateRange.startTimestamp=${at}`)).toBe(same);
    expect(await count(`dateRange.endTimestamp=${at}`)).toBe(100 - same);
  });

  test.each([
    "/api/v2/parties/profiles?parties=",
    "/api/v2/balance/changes?filter.accountTypes=ACCOUNT_TYPE_NEW",
    "/api/v2/balance/changes?filter.accountTypes=",
    "/api/v2/balance/changes?dateRange.startTimestamp=yesterday",
    "/api/v2/node/signatures",
  ])("400 to %s", async (path) => {
    expect((await ask(node, path)).status).toBe(400);
  });

  test("behind any path, 404 to what it does not have and 501 to another method", async () => {
    expect((await ask(node, `/datanode/api/v2/votes?partyId=${partyId}`)).status).toBe(200);
    expect((await ask(node, "/api/v2/api/v2/votes?partyId=a")).status).toBe(404);
    expect((await ask(node, "/statistics/spam/%")).status).toBe(400);
    expect((await ask(node, "/api/v2/orders")).body).toEqual({ code: 5, message: "Not Found", details: [] });
    expect((await ask(node, "/transaction/check")).body.code).toBe(12);
    expect(node.requests.slice(-2).map(({ operation }) => operation)).toEqual([undefined, "checkTransaction"]);
  });

  test("zeros for a party that it does not know", async () => {
    const { body } = await ask(node, "/statistics/spam/nobody");
    expect(body).toMatchObject({ chainId: "vega-fake-0011", statistics: { proposals: { countForEpoch: "0" } } });
    expect((await ask(node, "/statistics/spam/constructor")).body.statistics.epochSeq).toBe("1234");
    const [known = ""] = Object.keys(node.records.spamStatistics);
    expect((await ask(node, `/statistics/spam/${known}`)).body.statistics).toEqual(node.records.spamStatistics[known]);
  });

  test("as Go writes JSON, with its block and its limits", async () => {
    const { text, headers } = await ask(node, "/api/v2/parties/profiles?pagination.first=100");
    expect(text).toContain("\\u003c");
    expect(text).not.toMatch(/[<>&]/);
    expect(Object.fromEntries(headers)).toMatchObject({
      "ratelimit-limit": "20",
      "ratelimit-reset": "1",
      "x-block-height": "1234568",
      "x-block-timestamp": "1707497696123456000",
    });
    expect(headers.get("access-control-expose-headers")).toContain("X-Block-Height");
  });

  test("429 to what is too large, which is no rate limit", async () => {
    const big = createFakeNode({ profiles: [{ partyId: "a", alias: "x".repeat(21 * 2 ** 20), metadata: [] }] });
    const { status, body } = await ask(big, "/api/v2/parties/profiles");
    expect({ status, ...body }).toMatchObject({
      status: 429,
      code: 8,
      message: expect.stringContaining("larger than max"),
    });
    const request = { method: "POST", body: JSON.stringify({ tx: { inputData: "A".repeat(5 * 2 ** 20) } }) };
    expect((await ask(big, "/transaction/check", request)).status).toBe(429);
  });

  test("the log: operation, method, address, headers and body", async () => {
    const logged = createFakeNode();
    const client = createClient({ baseUrl: base, fetch: logged.fetch, headers: { "X-Id": "7" } });
    await client.getSpamStatistics({ partyId: "a b" });
    await client.checkTransaction({ tx: { pubKey: "c" } });
    expect(logged.requests).toEqual([
      {
        operation: "getSpamStatistics",
        method: "GET",
        url: `${base}/statistics/spam/a%20b`,
        headers: { accept: "application/json", "x-id": "7" },
        body: "",
      },
      {
        operation: "checkTransaction",
        method: "POST",
        url: `${base}/transaction/check`,
        headers: { accept: "application/json", "content-type": "application/json", "x-id": "7" },
        body: '{"tx":{"pubKey":"c"}}',
      },
    ]);
  });
});

describe("a fake node checks a transaction", () => {
  const tx = {
    inputData: "CPjqx6E=",
    pubKey: "a",
    signature: { algo: "vega/ed25519", value: "00ff", version: 1 },
    pow: { tid: "t1", nonce: "1" },
  };
  const checkOn = (node: FakeNode) => async (tx: object | undefined) =>
    (await ask(node, "/transaction/check", { method: "POST", body: JSON.stringify({ tx }) })).body;

  test("once in a block", async () => {
    const node = createFakeNode();
    const check = checkOn(node);
    expect(await check(tx)).toEqual({
      success: true,
      code: 0,
      gasWanted: "20000",
      gasUsed: "0",
      data: "",
      log: "",
      info: "",
    });
    expect(await check(tx)).toMatchObject({ success: false, code: 89 });
    expect(await check({ ...tx, pow: { tid: "t2" } })).toMatchObject({ success: true });
    const { height } = node.block;
    node.nextBlock();
    expect(node.block.height).toBe(height + 1n);
    expect(await check(tx)).toMatchObject({ success: true });
  });

  test("and says what is missing", async () => {
    const check = checkOn(createFakeNode());
    expect(await check(undefined)).toMatchObject({ code: 60, data: "tx (is required)" });
    expect(await check({ ...tx, inputData: "§" })).toMatchObject({ code: 60, data: "tx.input_data (is not base64)" });
    expect(await check({ ...tx, signature: undefined })).toMatchObject({ code: 60 });
    expect(await check({ ...tx, signature: { value: "xyz" } })).toMatchObject({ code: 60 });
    expect(await check({ ...tx, pow: {} })).toMatchObject({ code: 89 });
    const node = createFakeNode();
    expect((await ask(node, "/transaction/check", { method: "POST", body: "[" })).status).toBe(400);
  });

  test.each([51, 60, 70, 80, 89] as const)("with code %i where it is told to", async (code) => {
    const node = createFakeNode({}, { checkCode: ({ pubKey }) => (pubKey === "a" ? code : 0) });
    expect(await checkOn(node)(tx)).toMatchObject({ success: false, code, data: expect.stringMatching(/./) });
  });
});

describe("a fake node limits the rate", () => {
  test("refuses, then bans, and serves again", async () => {
    let now = 0;
    const node = createFakeNode({}, { now: () => now, rateLimit: { refusals: 3 } });
    const path = "/api/v2/parties/profiles";
    for (let left = 99; left >= 0; left--) {
      const { status, headers } = await ask(node, path);
      expect([status, headers.get("ratelimit-remaining")]).toEqual([200, String(left)]);
    }
    for (let refusal = 0; refusal < 3; refusal++) expect((await ask(node, path)).status).toBe(429);
    const banned = await ask(node, path);
    expect([banned.status, banned.headers.get("ratelimit-retry-after")]).toEqual([403, "600"]);
    expect(banned.headers.get("retry-after")).toBeNull();
    now += 599_000;
    expect((await ask(node, path)).status).toBe(403);
    now += 1000;
    expect((await ask(node, path)).status).toBe(200);
  });

  test("which a client that goes on finds out", async () => {
    let now = 0;
    const node = createFakeNode({}, { now: () => now, rateLimit: { rate: 1, burst: 1, refusals: 0 } });
    const client = createClient({ baseUrl: base, fetch: node.fetch, pacing: false, retry: false });
    await client.listPartiesProfiles();
    const error = await client.listPartiesProfiles().catch((reason: unknown) => reason);
    expect(RateLimitError.is(error) && error.banned && error.retryAfter).toBe(600);
    now += 600_000;
    node.configure({ rateLimit: false });
    for (let request = 0; request < 300; request++) await ask(node, "/statistics/spam/a");
    expect((await ask(node, "/statistics/spam/a")).headers.has("ratelimit-remaining")).toBe(false);
  });
});

describe("a fake node meets", () => {
  const path = "/api/v2/parties/profiles?pagination.first=2";
  const nodeWith = (options: FakeNodeOptions) => createFakeNode({ profiles: 7 }, options);

  test("faults at the n-th request, of all or of one operation", async () => {
    const node = nodeWith({ faults: [{ name: "status", status: 503, request: 2, headers: { "Retry-After": "9" } }] });
    const statuses = async (...paths: string[]) => {
      const all: number[] = [];
      for (const each of paths) all.push((await ask(node, each)).status);
      return all;
    };
    expect(await statuses(path, path, path)).toEqual([200, 503, 200]);
    node.configure({ faults: [{ name: "status", status: 404, operation: "getSpamStatistics", request: [1, 3] }] });
    const spam = "/statistics/spam/a";
    expect(await statuses(path, spam, path, spam, spam, spam)).toEqual([200, 404, 200, 200, 404, 200]);
    node.configure({ faults: [] });
    expect(await statuses(spam, path)).toEqual([200, 200]);
  });

  test("a reset, HTML, a truncated body and latency", async () => {
    const node = nodeWith({ faults: [{ name: "reset" }] });
    await expect(node.fetch(base + path)).rejects.toThrow(TypeError);
    expect(node.requests).toHaveLength(1);
    node.configure({ faults: [{ name: "html", status: 502 }] });
    expect(await ask(node, path)).toMatchObject({ status: 502, text: expect.stringContaining("<!doctype html>") });
    node.configure({ faults: [{ name: "truncated-body" }] });
    const response = await node.fetch(base + path);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("terminated");
    node.configure({ faults: [{ name: "latency", milliseconds: 60_000 }] });
    const controller = new AbortController();
    const late = node.fetch(base + path, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
    await expect(node.fetch(base + path, { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
    node.configure({ faults: [{ name: "latency", milliseconds: 1 }] });
    expect((await ask(node, path)).status).toBe(200);
  });

  test("an empty page, and a walk goes on behind it", async () => {
    const node = nodeWith({ faults: [{ name: "empty-page", request: [1, 3] }] });
    const client = createClient({ baseUrl: base, fetch: node.fetch });
    for (const way of ["first", "last"]) {
      node.configure({ faults: [{ name: "empty-page", request: [1, 3] }] });
      const listing = client.listPartiesProfiles({ pagination: { [way]: 2 } });
      expect(await listing.toArray()).toHaveLength(7);
    }
    expect(node.requests).toHaveLength(12);
  });

  test("a repeated cursor, and a walk ends with an error", async () => {
    const node = nodeWith({ faults: [{ name: "repeated-cursor", request: 2 }] });
    const client = createClient({ baseUrl: base, fetch: node.fetch });
    const walked: unknown[] = [];
    const walk = async () => {
      for await (const each of client.listPartiesProfiles({ pagination: { first: 2 } })) walked.push(each);
    };
    await expect(walk()).rejects.toMatchObject({ reason: "repeated-cursor" });
    expect(walked).toHaveLength(4);
  });

  test("the defects of real nodes", async () => {
    // Eight rows, two by two: what was observed.
    const change = (time: number) => ({ timestamp: `${BigInt(time)}` as const, balance: "0", partyId: String(time) });
    const balances = [7, 6, 5, 4, 3, 2, 1, 0].map(change);
    const node = createFakeNode({ balances, votes: 0, signatures: signatures(6) }, { defects: nodeDefects });
    const client = createClient({ baseUrl: base, fetch: node.fetch });
    const pages: string[] = [];
    for await (const { nodes } of client.listBalanceChanges({ pagination: { first: 2 } }).pages()) {
      pages.push(nodes.map(({ partyId }) => partyId).join());
    }
    expect(pages).toEqual(["7,6", "4,3", "1,0"]);
    const backward: string[] = [];
    for await (const { nodes } of client.listBalanceChanges({ pagination: { last: 2 } }).pages()) {
      backward.push(nodes.map(({ partyId }) => partyId).join());
    }
    expect(backward).toEqual(["1,0", "4,3", "7,6"]);
    const first = await page(node, "");
    const same = await page(node, `pagination.after=${encodeURIComponent(first.endCursor)}`);
    expect(same.kinds).toBe(first.kinds);
    const sized = await page(node, `pagination.first=9&pagination.after=${encodeURIComponent(first.endCursor)}`);
    expect(sized.kinds).toBe("");
  });
});

describe("a fake node holds", () => {
  test("the same made-up records for the same seed, and the first of many are those of few", () => {
    const data = { votes: 60, profiles: 60, balances: 60, signatures: 60, spamStatistics: 6 };
    expect(createFakeNode(data).records).toEqual(createFakeNode({ ...data, seed: 1 }).records);
    expect(createFakeNode({ ...data, seed: 2 }).records).not.toEqual(createFakeNode(data).records);
    for (const name of ["votes", "profiles", "balances", "signatures"] as const) {
      const few = createFakeNode({ [name]: 10 }).records[name];
      expect(createFakeNode({ [name]: 500 }).records[name].slice(0, 10)).toEqual(few);
      expect(few).toHaveLength(10);
    }
  });

  test("other made-up ones with each block, and what is undefined changes nothing", async () => {
    const node = createFakeNode({ votes: 3, spamStatistics: 2 }, { rateLimit: undefined, defects: nodeDefects });
    node.nextBlock({ votes: 4, balances: 2, spamStatistics: 1 });
    node.nextBlock({ balances: 3, profiles: 5 });
    expect(node.records.votes).toEqual(createFakeNode({ votes: 7 }).records.votes);
    expect(node.records.balances).toEqual(createFakeNode({ balances: 5 }).records.balances);
    expect(Object.keys(node.records.spamStatistics)).toHaveLength(3);
    node.configure({ defects: undefined, chainId: undefined });
    const { headers } = await ask(node, "/statistics/spam/a");
    expect(headers.get("ratelimit-limit")).toBe("20");
    const path = "/api/v2/parties/profiles?pagination.first=2";
    const { pageInfo } = (await ask(node, path)).body.profiles;
    expect((await ask(node, `${path}&pagination.after=${encodeURIComponent(pageInfo.endCursor)}`)).status).toBe(500);
  });

  test("what it is given, and more with the next block", async () => {
    const { votes } = createFakeNode({ votes: 2, seed: 5 }).records;
    const node = createFakeNode({ votes });
    expect(node.records).toMatchObject({ votes, profiles: [], spamStatistics: {} });
    const { timestamp } = node.block;
    node.nextBlock({ votes: [{ ...votes[0], timestamp: `${timestamp}` } as (typeof votes)[number]], balances: 5 });
    expect(node.records.votes).toHaveLength(3);
    expect(node.records.balances).toHaveLength(5);
    expect(node.block.timestamp).toBeGreaterThan(timestamp);
    const client = createClient({ baseUrl: base, fetch: node.fetch });
    const [vote] = await client.listVotes({ partyId: votes[0]?.partyId ?? "" }).toArray();
    expect(vote?.timestamp).toBe(`${timestamp}`);
  });

  test.each<[data: unknown, options: unknown, argument: string, words: string]>([
    [{ vote: 1 }, {}, "data.vote", "createFakeNode has no `data.vote`. Expected `votes`, "],
    [7, {}, "data", "to be an object with"],
    [{ votes: -1 }, {}, "data.votes", "to be an array of records, or how many to make up, got -1."],
    [{ votes: [null] }, {}, "data.votes[0]", "to be a record, got null."],
    [{ balances: [{ timestamp: 5 }] }, {}, "data.balances[0].timestamp", "to be digits of Unix nanoseconds, got 5."],
    [{ seed: "a" }, {}, "data.seed", "to be an integer"],
    [{ spamStatistics: "a" }, {}, "data.spamStatistics", "to be an object by party, or how many to make up"],
    [
      {},
      { faults: [{ name: "reset", operation: "votes" }] },
      "options.faults[0].operation",
      "to be one of `listVotes`",
    ],
    [{}, { defect: [] }, "options.defect", "createFakeNode has no `options.defect`."],
    [{}, { defects: ["slow"] }, "options.defects[0]", `to be one of \`${nodeDefects[0]}\``],
    [{}, { defects: "all" }, "options.defects", "to be an array of names"],
    [{}, { faults: [{ name: "fire" }] }, "options.faults[0].name", `to be one of \`${nodeFaults[0]}\``],
    [{}, { faults: [{ name: "latency" }] }, "options.faults[0].milliseconds", "to be a number, got undefined."],
    [{}, { faults: [{ name: "status", status: 99 }] }, "options.faults[0].status", "to be an HTTP status, got 99."],
    [{}, { rateLimit: { rate: "a" } }, "options.rateLimit.rate", "to be a whole number"],
    [{}, { rateLimit: { requests: 5 } }, "options.rateLimit.requests", "createFakeNode has no"],
    [{}, { now: 5 }, "options.now", "to be a function, got 5."],
    [{}, { chainId: 5 }, "options.chainId", "to be a string, got 5."],
  ])("and refuses %j with %j", (data, options, argument, words) => {
    const make = () => createFakeNode(data as object, options as object);
    expect(make).toThrow(words);
    expect(make).toThrow(expect.objectContaining({ name: "ArgumentError", argument }));
  });
});
