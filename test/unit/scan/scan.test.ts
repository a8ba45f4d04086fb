import { getEventListeners } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BalanceChange,
  type ClientOptions,
  ConnectionError,
  createClient,
  PaginationError,
  ResponseError,
  type ScanOptions,
  type VegaError,
} from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNode, type FakeNodeOptions } from "../../../src/testing/index.js";
import { mulberry32 } from "../../../src/testing/random.js";
import { maximum } from "../../../src/values/integers.js";
import { readUntilError } from "../../support/page-source.js";
import { rejectionOf, respondWith } from "../../support/recorder.js";
import { changeAt, changesAt, hex } from "../../support/records.js";
import { runs } from "../../support/runs.js";
import { type Range, ScannedNode, type ScannedNodeOptions } from "../../support/scanned-node.js";

const baseUrl = "https://node.example";
type Fetch = NonNullable<ClientOptions["fetch"]>;
const scanOf = (fetch: Fetch, query: object = {}, options?: ScanOptions) =>
  createClient({ baseUrl, fetch, pacing: false }).scanBalanceChanges(query, options);
const block = { height: 9n, timestamp: 1_000_000_000_000n };

/** So many times, a microsecond apart. */
const timesOf = (count: number) => Array.from({ length: count }, (_, index) => 1000 * (index + 1));

describe("a scan sends requests", () => {
  /** Times of a day in milliseconds. */
  const worlds: Record<string, fc.Arbitrary<number>> = {
    "evenly spread": fc.nat(86_400_000),
    "in the first hundredth": fc.nat(864_000),
    "in the last hundredth": fc.nat(864_000).map((time) => 85_536_000 + time),
    "that become denser": fc.nat(86_400_000).map((time) => Math.floor(Math.sqrt(time / 86_400_000) * 86_400_000)),
    "on five days of a hundred": fc
      .tuple(fc.nat(4), fc.nat(86_399))
      .map(([day, time]) => day * 20 * 864_000 + time * 10),
  };

  test.each(Object.entries(worlds))("at most a third above the minimum, with records %s", async (_, world) => {
    const singles = fc.array(world, { minLength: 500, maxLength: 1000, size: "max" });
    const bursts = fc.array(fc.tuple(world, fc.integer({ min: 1, max: 15 })), { maxLength: 20 });
    const sizes = fc.integer({ min: 20, max: 240 });
    const property = fc.asyncProperty(singles, bursts, sizes, async (single, bursts, pageSize) => {
      const all = [...single, ...bursts.flatMap(([time, count]) => Array<number>(count).fill(time))];
      const start = 10n ** 17n;
      const times = all.map((time) => Number(start) + 2000 * time);
      const source = new ScannedNode(times, { block: { height: 9n, timestamp: 2n * start } });
      const count = async (concurrency: number) => {
        const scan = source.scan({ end: start + 172_800_002_000n }, { pageSize, concurrency });
        expect(await scan.toArray()).toHaveLength(times.length);
        return source.requests.splice(0).length;
      };
      // One after the other there is nothing to save: each page is full.
      const least = await count(1);
      // To show that nothing is missing, a segment that begins in a gap takes two more, and one that ends in a gap one.
      expect(await count(4)).toBeLessThanOrEqual(Math.floor((4 * least) / 3) + 20);
    });
    await fc.assert(property, { ...runs(4), endOnFailure: true });
  });

  test.each<[count: number, range: Range]>([
    [2, { start: 0n, end: 100_000n }],
    [2, {}],
    [2, { start: 3000n }],
    [2, { end: 9000n }],
    [0, { start: 3000n, end: 3000n }],
  ])("%i times if everything fits a page, in the range %o", async (count, range) => {
    const source = new ScannedNode([3000, 3000, 5000, 8000]);
    expect(await source.scan(range).toArray()).toEqual(source.recordsIn(range));
    expect(source.requests).toHaveLength(count);
  });

  test.each([1, 3, 4])("up to the allowed concurrency of %i, and no more", async (concurrency) => {
    const source = new ScannedNode(timesOf(1500), { schedule: () => new Promise(setImmediate) });
    for (const start of [undefined, 1000n]) await source.scan({ start }, { pageSize: 50, concurrency }).toArray();
    expect(source.mostInFlight).toBe(concurrency);
  });

  test("for few more records than maxItems leaves", async () => {
    const source = new ScannedNode(timesOf(4000));
    const range = { start: 1_000_000n, end: 6_000_000n };
    const few = await source.scan(range, { maxItems: 30 }).toArray();
    expect(few).toEqual(source.recordsIn(range).slice(0, 30));
    // A few more show where the last block ends.
    expect(source.requests.splice(0)).toEqual([{ start: 1_000_000n, end: 6_000_000n, size: 130 }]);
    const many = await source.scan(range, { maxItems: 1050, pageSize: 100 }).toArray();
    expect(many).toEqual(source.recordsIn(range).slice(0, 1050));
    expect(source.requests.length).toBeLessThanOrEqual(14);
  });

  test("for whole pages once a block goes on", async () => {
    const source = new ScannedNode(Array<number>(1500).fill(5000));
    expect(await source.scan({}, { maxItems: 1 }).toArray()).toEqual(source.recordsIn().slice(0, 1));
    expect(source.requests).toHaveLength(3);
    expect(await source.scan({}, { maxItems: Number.POSITIVE_INFINITY }).toArray()).toEqual(source.recordsIn());
  });

  test.each([1, 4])("for no more than a bounded buffer while the caller is slow, with %i filters", async (parts) => {
    const source = new ScannedNode(timesOf(4000), { parts });
    const scan = source.scan({ start: 0n, end: 20_000_000n }, { pageSize: 100, concurrency: 4 });
    const records = scan[Symbol.asyncIterator]();
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(0);
    await records.next();
    for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
    // Five pages for each of four requests, and what is in flight.
    expect(source.requests.length).toBeLessThanOrEqual(5 * 4 + 5 + parts);
    expect(source.inFlight).toBe(0);
    await records.return(undefined);
  });

  test("for nothing more once maxItems are yielded, also of a filter that takes several requests", async () => {
    let requests = 0;
    const schedule = async () => {
      if (requests++ > 8) throw new ConnectionError("reset");
    };
    const source = new ScannedNode(timesOf(2000), { schedule, parts: 4 });
    const yielded = await source.scan({}, { maxItems: 40, pageSize: 100, concurrency: 1 }).toArray();
    expect(yielded).toEqual(source.recordsIn().slice(0, 40));
  });

  test("for each part of a filter that takes more requests than records are read in advance", async () => {
    const source = new ScannedNode(timesOf(20), { parts: 8 });
    expect(await source.scan({}, { pageSize: 1, concurrency: 1 }).toArray()).toEqual(source.recordsIn());
  });
});

describe("a scan ends", () => {
  /** A node that stops to respond after some responses. */
  const hanging = (responses: number, options: ScannedNodeOptions = {}) => {
    let requests = 0;
    const schedule = () => (requests++ < responses ? Promise.resolve() : new Promise(() => {}));
    return new ScannedNode(timesOf(5000), { ...options, schedule });
  };

  test("with break: requests in flight are cancelled, nothing more is sent, and no listener is left", async () => {
    const { signal } = new AbortController();
    const source = hanging(3);
    let count = 0;
    for await (const _ of source.scan({}, { pageSize: 100, signal })) if (++count === 50) break;
    const sent = source.requests.length;
    expect(source.areAborted).toBe(true);
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(sent);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test.each(["is busy", "waits"])("with an abort while the caller %s: at once, with its reason", async (caller) => {
    const controller = new AbortController();
    const { signal } = controller;
    const source = hanging(3);
    const records = source.scan({}, { pageSize: 100, signal })[Symbol.asyncIterator]();
    const read = async () => {
      while (!(await records.next()).done);
    };
    await records.next();
    const pending = caller === "waits" ? read() : undefined;
    await new Promise(setImmediate);
    expect(source.inFlight).toBeGreaterThan(0);
    controller.abort(new Error("enough"));
    expect(source.areAborted).toBe(true);
    await expect(pending ?? read()).rejects.toThrow("enough");
    await expect(source.scan({}, { signal }).toArray()).rejects.toThrow("enough");
  });

  test("with an abort between two requests: none is sent", async () => {
    const controller = new AbortController();
    let requests = 0;
    const schedule = async () => {
      if (++requests === 2) controller.abort(new Error("enough"));
    };
    const source = new ScannedNode(timesOf(5000), { schedule });
    const scan = source.scan({}, { pageSize: 100, concurrency: 1, signal: controller.signal });
    await expect(scan.toArray()).rejects.toThrow("enough");
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(2);
  });

  test("with maxItems: requests in flight beyond them are cancelled", async () => {
    // Records become denser, so that a segment is requested that begins after the last one that is needed.
    const times = Array.from({ length: 5000 }, (_, at) => 1000 * (at < 200 ? 200 * at : 40_000 + at));
    const last = times[949] ?? 0;
    const schedule = ({ start = 0n }: Range) => new Promise(start > last ? () => {} : setImmediate);
    const source = new ScannedNode(times, { schedule, block });
    const scan = source.scan({ start: 0n, end: 50_000_000n }, { pageSize: 100, maxItems: 950 });
    expect(await scan.toArray()).toHaveLength(950);
    expect(source.areAborted).toBe(true);
  });
});

test.each<[what: string, timestamps: unknown[], words: string, options?: ScanOptions]>([
  ["out of order", ["12000", "11000"], "it has records that are out of order"],
  ["out of descending order", ["11000", "12000"], "it has records that are out of order", { order: "newest-first" }],
  ["from before the range", ["3000", "11000"], "it has records outside of the requested range"],
  ["from after the range", ["11000", "25000"], "it has records outside of the requested range"],
  ["that is empty and reports a next page", [], "reports `hasNextPage` but returned no `endCursor`"],
  ["with an invalid time", ["soon"], "it has a record without a time"],
  ["with a time that is a number", [12], "it has a record without a time"],
  ["with a time that is null", [null], "it has a record without a time"],
])("a scan rejects a response %s", async (_, timestamps, words, options) => {
  const edges = timestamps.map((timestamp) => ({ cursor: "c", node: { timestamp, balance: "1" } }));
  const hasNextPage = edges.length === 0;
  const pageInfo = { hasNextPage, hasPreviousPage: false };
  const { fetch, sent } = respondWith({ balances: { edges, pageInfo } });
  const dateRange = { startTimestamp: 10_000n, endTimestamp: 20_000n };
  const error = await rejectionOf(scanOf(fetch, { dateRange }, { missingHistory: "ignore", ...options }).toArray());
  expect(error).toSatisfy(hasNextPage ? PaginationError.is : ResponseError.is);
  expect((error as Error).message).toContain(words);
  const resume = { dateRange: { startTimestamp: "10000", endTimestamp: "20000" } };
  expect(error).toMatchObject({ resume, itemsRead: 0 });
  expect(sent).toHaveLength(1);
});

test("records out of order are of a node that a pool leaves for another one, also in a loop", async () => {
  const node = createFakeNode({ balances: changesAt([1000n, 4000n, 9000n, 12_000n]) }, { defects: [] });
  const fetch = async (request: Request) => {
    const response = await node.fetch(request);
    if (!request.url.includes("wrong")) return response;
    const { balances } = (await response.json()) as { balances: { edges: object[]; pageInfo: object } };
    const [first, second, third, ...others] = balances.edges;
    const edges = [first, third, second, ...others].filter((edge) => edge !== undefined);
    return Response.json({ balances: { ...balances, edges } }, { headers: response.headers });
  };
  const urls = ["https://wrong.example", "https://right.example"];
  const client = createClient({ baseUrl: nodePool(urls, { order: "given" }), fetch });
  expect(await client.scanBalanceChanges({}).toArray()).toHaveLength(4);
  const loop = client.listBalanceChanges({ pagination: { newestFirst: false } }).toArray();
  expect((await loop).map(({ timestamp }) => timestamp)).toEqual(["1000", "4000", "9000", "12000"]);
  const alone = createClient({ baseUrl: "https://wrong.example", fetch });
  await expect(alone.listBalanceChanges({})).rejects.toThrow("it has records that are out of order");
});

test("newest first, `resume` ends after each missing record if the node drops its history meanwhile", async () => {
  const times = timesOf(1200).map((time) => 1_700_000_000_000_000_000n + BigInt(time) * 1_000_000n);
  const balances = changesAt(times);
  let holes = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const random = mulberry32(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const drops = [1, 2, 3].map(() => ({ at: 6 + below(30), history: times[below(1150)] ?? 0n }));
    const node = createFakeNode({ balances }, { defects: [], rateLimit: false });
    const waiting: (() => void)[] = [];
    let isOver = false;
    let requests = 0;
    const fetch = async (request: Request) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      requests++;
      const history = drops.filter(({ at }) => at <= requests).map((drop) => drop.history);
      node.configure({ history: history.reduce(maximum, 0n) });
      return node.fetch(request);
    };
    const scan = scanOf(fetch, {}, { order: "newest-first", pageSize: 40 });
    const reading = readUntilError(scan).finally(() => {
      isOver = true;
    });
    // Responses come in any order.
    for (; !isOver; await nextTurn()) waiting.splice(below(waiting.length), 1)[0]?.();
    const { records, error } = await reading;
    const read = records.map(({ timestamp }) => BigInt(timestamp));
    if (!PaginationError.is(error)) continue;
    const missing = times.filter((time) => !read.includes(time));
    if (missing.some((time) => time > (read.at(-1) ?? 0n))) holes++;
    const { dateRange } = error.resume as { dateRange: { endTimestamp: string } };
    for (const time of missing) {
      expect(time).toBeLessThan(error.coverage?.start ?? 0n);
      expect(time).toBeLessThan(BigInt(dateRange.endTimestamp));
    }
  }
  expect(holes).toBeGreaterThan(0);
});

test("a scan ends with an error if one microsecond has more records than a page and the cursors do not lead on", async () => {
  const node = createFakeNode({ balances: changesAt([1000n, 4000n, 4000n, 4000n, 9000n]) });
  const fetch = async ({ url }: Request) => {
    const response = await node.fetch(url.replace("&pagination.after=cursor", ""));
    const { balances } = (await response.json()) as { balances: { edges: { cursor: string }[]; pageInfo: object } };
    const edges = balances.edges.map((edge) => ({ ...edge, cursor: "cursor" }));
    const { headers } = response;
    const pageInfo = { ...balances.pageInfo, startCursor: "cursor", endCursor: "cursor" };
    return Response.json({ balances: { edges, pageInfo } }, { headers });
  };
  const error = await rejectionOf(scanOf(fetch, {}, { pageSize: 2 }).toArray());
  const resume = { dateRange: { startTimestamp: "4000", endTimestamp: "1000009000" } };
  expect(error).toMatchObject({ name: "PaginationError", reason: "repeated-cursor", resume, itemsRead: 1 });
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ resume: { dateRange: { startTimestamp: "4000" } } });
});

const head = 1_707_000_000_000_000_000n;
const timeAt = (seconds: number) => head + BigInt(seconds) * 1_000_000_000n;
/** A node whose current block begins at a second. */
const nodeAt = (seconds: number, balances: BalanceChange[], options: FakeNodeOptions = {}) =>
  createFakeNode({ balances, block: { height: 9n, timestamp: timeAt(seconds) } }, { rateLimit: false, ...options });

test("a scan without an end claims none if the response that proves its start has no block headers", async () => {
  const balances = changesAt([head - 10_000_000n, head]);
  const older = balances.slice(0, 1);
  const nameless = nodeAt(0, older, { blockHeaders: false });
  const nodes = [nodeAt(0, []), nodeAt(0, older), nameless, nameless];
  // It has written the records of the current block.
  const ahead = nodeAt(0, balances);
  const fetch = (request: Request) => (nodes.shift() ?? ahead).fetch(request);
  const dateRange = { startTimestamp: head - 10_000_000n };
  const scan = scanOf(fetch, { dateRange });
  expect(await scan.toArray()).toEqual(older);
  expect((await scan.coverage).end).toBeUndefined();
});

describe.each(["oldest-first", "newest-first"] as const)("a scan, %s,", (order) => {
  test("without an end has all records, although the node of its first response is behind and sends no block headers", async () => {
    const balances = changesAt([1, 2, 3, 4].map(timeAt));
    const nodes = [nodeAt(3, balances.slice(0, 2), { blockHeaders: false })];
    const ahead = nodeAt(5, balances);
    const fetch = (request: Request) => (nodes.shift() ?? ahead).fetch(request);
    expect(await scanOf(fetch, {}, { order }).toArray()).toHaveLength(4);
  });

  test("behind a proxy that removes block headers leaves out no record between others", async () => {
    const balances = changesAt(Array.from({ length: 120 }, (_, second) => timeAt(second)));
    const nodeUpTo = (seconds: number) => nodeAt(seconds, balances.slice(0, seconds), { blockHeaders: false });
    const [behind, ahead] = [nodeUpTo(70), nodeUpTo(120)];
    for (let seed = 1; seed <= 30; seed++) {
      const random = mulberry32(seed);
      const fetch = (request: Request) => (random() < 0.5 ? behind : ahead).fetch(request);
      const { records, error } = await readUntilError(scanOf(fetch, {}, { order, pageSize: 2 }));
      // The node that is behind does not show what follows its last record.
      if (error) expect(error).toMatchObject({ reason: "gap" });
      const read = records.map(({ timestamp }) => Number(BigInt(timestamp) - head) / 1e9);
      const isWhole = read.every((second, index) => index === 0 || Math.abs(second - (read[index - 1] ?? 0)) === 1);
      expect(isWhole, `seed ${seed}: ${read}`).toBe(true);
    }
  });

  test("of which only some responses have block headers has all records, or ends with a PaginationError", async () => {
    for (let pattern = 0; pattern < 512; pattern++) {
      const node = createFakeNode({ balances: 0 }, { version: "v0.79", rateLimit: false });
      let sent = 0;
      const fetch = (request: Request) => {
        node.configure({ blockHeaders: ((pattern >> sent++) & 1) === 1 });
        return node.fetch(request);
      };
      const { error } = await readUntilError(scanOf(fetch, {}, { order, catchUp: 0, retry: false }));
      expect(error === undefined || PaginationError.is(error), `${pattern}: ${error}`).toBe(true);
    }
  });

  test.each([
    ["has no records", [0, 2], false],
    ["has later records", [0, 2, 3], false],
    ["has later records, and then all of them", [0, 2, 3], true],
  ])(
    "does not cover the history that a response to one of several requests lacks, if it %s",
    async (_, shown, hasProof) => {
      const partyIds = Array.from({ length: 150 }, (_, index) => hex(index));
      const [busy = "", quiet = ""] = [partyIds[0], partyIds[149]];
      const parties = [busy, quiet, busy, ...(shown.includes(3) ? [quiet] : [])];
      const balances = parties.map((partyId, second) => changeAt(timeAt(second), { partyId }));
      const [full, cut] = [nodeAt(9, balances), nodeAt(9, balances, { history: timeAt(2) })];
      // A balancer can choose the node by the URL.
      const isCut = (url: string) =>
        hasProof ? url.includes(quiet) && !url.includes("startTimestamp") : !url.includes(busy);
      const fetch = (request: Request) => (isCut(request.url) ? cut : full).fetch(request);
      const scan = scanOf(fetch, { filter: { partyIds } }, { order });
      const times = (await scan.toArray()).map(({ timestamp }) => timestamp);
      expect(times.sort()).toEqual(shown.map((second) => `${timeAt(second)}`));
      expect((await scan.coverage).start).toBeGreaterThan(timeAt(1));
    },
  );
});

test("a scan of a filter that takes several requests needs block headers", async () => {
  const partyIds = Array.from({ length: 150 }, (_, index) => index.toString(16).padStart(64, "0"));
  const { fetch } = nodeAt(9, [], { blockHeaders: false });
  const message =
    "scanBalanceChanges got a response without X-Block-Height and X-Block-Timestamp, which show that all requests of this filter " +
    "reach the same time. Use a node or a proxy that sends them, or fewer parties.";
  await expect(scanOf(fetch, { filter: { partyIds } }).toArray()).rejects.toMatchObject({ message });
});

test("the coverage of an error has no time before `resume` of which some requests of the filter have shown no history", async () => {
  const partyIds = Array.from({ length: 150 }, (_, index) => hex(index));
  const [busy = "", quiet = ""] = [partyIds[0], partyIds[149]];
  const balances = [
    ...[0, 1, 2].map((second) => changeAt(timeAt(second), { partyId: busy })),
    ...[0, 6].map((second) => changeAt(timeAt(second), { partyId: quiet })),
  ];
  const [full, cut] = [nodeAt(9, balances), nodeAt(9, balances, { history: timeAt(3) })];
  const fetch = async (request: Request) => {
    if (!request.url.includes(busy)) return cut.fetch(request);
    if (request.url.includes("pagination.after")) throw new TypeError("fetch failed");
    return full.fetch(request);
  };
  const error = await rejectionOf(scanOf(fetch, { filter: { partyIds } }, { pageSize: 2, retry: false }).toArray());
  const startTimestamp = `${timeAt(1)}`;
  expect(error).toMatchObject({ itemsRead: 1, resume: { dateRange: { startTimestamp } } });
  expect((error as ConnectionError).coverage?.start).toBe(timeAt(1));
});

test("a scan of a filter that takes several requests covers its first record, also if it ends after maxItems records", async () => {
  const partyIds = Array.from({ length: 150 }, (_, index) => hex(index));
  const [early = "", late = ""] = [partyIds[0], partyIds[149]];
  const balances = [early, late, early, late].map((partyId, second) => changeAt(timeAt(second), { partyId }));
  const { fetch } = nodeAt(9, balances);
  const scan = scanOf(fetch, { filter: { partyIds } }, { maxItems: 3 });
  expect(await scan.toArray()).toHaveLength(3);
  expect(await scan.coverage).toMatchObject({ start: timeAt(0), end: timeAt(2) });
});

test("a scan with the newest first yields records of a node that lacks the start, before it rejects", async () => {
  const balances = changesAt(Array.from({ length: 400 }, (_, second) => timeAt(second)));
  const { fetch } = nodeAt(400, balances, { history: timeAt(100) });
  const options = { order: "newest-first", pageSize: 20 } as const;
  const query = { dateRange: { startTimestamp: timeAt(50) } };
  expect(await scanOf(fetch, query, { ...options, maxItems: 2 }).toArray()).toEqual([balances[399], balances[398]]);
  const { records, error } = await readUntilError(scanOf(fetch, query, options));
  expect(error).toMatchObject({ reason: "pruned", availableFrom: timeAt(100) });
  const rest = await scanOf(fetch, (error as VegaError).resume, options).toArray();
  expect([...records, ...rest]).toEqual(balances.slice(100).reverse());
});

test("a scan that yields nothing before an error begins again, although its first page did not prove the start", async () => {
  const balances = changesAt([0, 1, 2, 3, 4, 5].map(timeAt));
  const history = timeAt(3);
  const [full, cut] = [nodeAt(9, balances), nodeAt(9, balances, { history })];
  let isDown = true;
  const fetch = async (request: Request) => {
    const from = new URL(request.url).searchParams.get("dateRange.startTimestamp");
    if (isDown && from === String(history)) throw new TypeError("fetch failed");
    // Nodes show that they have a record up to the start, and not what follows it.
    return (isDown && from !== null ? cut : full).fetch(request);
  };
  const dateRange = { startTimestamp: head, endTimestamp: timeAt(6) };
  const error = await rejectionOf(scanOf(fetch, { dateRange }, { pageSize: 1, retry: false }).toArray());
  expect(error).toMatchObject({ name: "ConnectionError", itemsRead: 0 });
  isDown = false;
  expect(await scanOf(fetch, (error as ConnectionError).resume).toArray()).toEqual(balances);
});

test("a scan sends filters, headers and deadlines with every request", async () => {
  const node = createFakeNode({ balances: 50 });
  const query = { filter: { accountTypes: ["ACCOUNT_TYPE_GENERAL" as const] } };
  const options = { headers: { "x-id": "7" }, order: "newest-first" } as const;
  const changes = await scanOf(node.fetch, query, options).toArray();
  expect(new Set(changes.map(({ accountType }) => accountType))).toEqual(new Set(["ACCOUNT_TYPE_GENERAL"]));
  expect(node.requests.map(({ url }) => new URL(url).search)).toEqual([
    "?filter.accountTypes=ACCOUNT_TYPE_GENERAL&pagination.first=5000&pagination.newestFirst=true",
    expect.stringMatching(/^\?filter\.accountTypes=ACCOUNT_TYPE_GENERAL&dateRange.*&pagination\.after=/),
  ]);
  expect(node.requests[0]?.headers).toMatchObject({ "x-id": "7" });
  const silent = () => new Promise<Response>(() => {});
  const late = { name: "TimeoutError", operation: "scanBalanceChanges", resume: { dateRange: {} } };
  await expect(scanOf(silent, {}, { totalTimeout: 20 }).toArray()).rejects.toMatchObject(late);
});
