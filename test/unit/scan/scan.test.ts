import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ConnectionError,
  createClient,
  type PaginationError,
  ResponseError,
  type ScanOptions,
} from "../../../src/index.js";
import { compareRecords } from "../../../src/scan/records.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";
import { readUntilError } from "../../support/page-source.js";
import {
  accountOf,
  type RangeBehavior,
  type RangeRequest,
  RangeSource,
  type Row,
  toRow,
} from "../../support/range-source.js";
import { json, rejectionOf, respondWith } from "../../support/recorder.js";
import { changesAt, hex } from "../../support/records.js";
import { runs } from "../../support/runs.js";

const baseUrl = "https://node.example";
const orders = ["oldest-first", "newest-first"] as const;

/** Rows at these times, each of another account. */
const rowsAt = (times: readonly number[]): Row[] => times.map((time, account) => ({ time, account }));

/** Times in nanoseconds, with bursts and gaps between them, on whole microseconds or not. */
const times = (unit: number) =>
  fc
    .array(fc.tuple(fc.oneof(fc.constant(1), fc.nat(4), fc.nat(1000)), fc.integer({ min: 1, max: 9 })), {
      maxLength: 40,
    })
    .map((blocks) => {
      let time = 1000;
      return blocks.flatMap(([gap, rows]) => {
        time += gap * unit;
        return Array.from({ length: rows }, () => time);
      });
    });

const cases = fc.constantFrom(1, 100, 1000).chain((unit) =>
  fc.record({
    times: times(unit),
    start: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
    length: fc.option(fc.nat(3000 * unit), { nil: undefined }),
    pageSize: fc.integer({ min: 1, max: 8 }),
    concurrency: fc.integer({ min: 1, max: 8 }),
    order: fc.constantFrom(...orders),
    microseconds: fc.constant(unit === 1000),
    countsStartIn: fc.boolean(),
    countsEndIn: fc.boolean(),
    blockTime: fc.option(fc.integer({ min: 2000, max: 2000 + 3000 * unit }), { nil: undefined }),
    parts: fc.constantFrom(1, 1, 2, 4),
    maxItems: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  }),
);

type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

function prepare({ times, start, length, parts, blockTime, ...rest }: Case, behavior: RangeBehavior = {}) {
  const { pageSize, concurrency, order, maxItems, ...counting } = rest;
  const end = length === undefined ? undefined : (start ?? 0) + length;
  const source = new RangeSource(
    rowsAt(times),
    { start, end },
    { ...counting, ...blockOf({ start, end, blockTime }), ...behavior },
    parts,
  );
  const options = {
    pageSize: Math.max(pageSize, 1 + mostInNeighbors(times)),
    concurrency,
    order,
    maxItems,
    missingHistory: "ignore" as const,
  };
  return { source, options, expected: source.expected(order === "newest-first").slice(0, maxItems) };
}

function countsOf(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** The most rows of neighboring microseconds. A page has to hold them; a microsecond alone can have more rows than a page. */
function mostInNeighbors(times: readonly number[]): number {
  const counts = countsOf(times.map((time) => Math.floor(time / 1000)));
  const inNeighbors = [...counts].map(([microsecond, count]) => {
    const others = (counts.get(microsecond - 1) ?? 0) + (counts.get(microsecond + 1) ?? 0);
    return others === 0 ? 0 : others + count;
  });
  return Math.max(0, ...inNeighbors);
}

/** A node that has not reached the range is another subject. */
const blockOf = ({ start = 0, end, blockTime }: { [Name in "start" | "end" | "blockTime"]?: number | undefined }) =>
  blockTime !== undefined && end === undefined && blockTime >= start + 2000 ? { blockTime } : {};

describe("a scan", () => {
  test("yields every row once, in order, on nodes with microseconds and with nanoseconds", async () => {
    const property = fc.asyncProperty(cases, fc.scheduler(), async (input, scheduler) => {
      const { source, options, expected } = prepare(input, { schedule: () => scheduler.schedule(Promise.resolve()) });
      const yielded = await scheduler.waitFor(source.scan(options).toArray());
      expect(yielded.map(toRow)).toEqual(expected);
    });
    await fc.assert(property, runs(60));
  });

  test("ends with an error if one microsecond has more rows than a page and cursors do not lead on", async () => {
    const property = fc.asyncProperty(cases, async (input) => {
      const { source, options, expected } = prepare(
        { ...input, maxItems: undefined, blockTime: undefined },
        { hasCursors: false },
      );
      const { records, error } = await readUntilError(source.scan(options));
      expect(records.map(toRow)).toEqual(error === undefined ? expected : expected.slice(0, records.length));
      if (error === undefined) return;
      expect(error).toMatchObject({ name: "PaginationError", reason: "too-dense" });
      const dense = Number((error as PaginationError).timestamp) / 1000;
      // The row of a neighboring microsecond can fill a page, too, on nodes that count the ends of ranges in.
      const around = source.rows.filter(({ time }) => Math.abs(Math.floor(time / 1000) - dense) <= 1);
      expect(around.length).toBeGreaterThanOrEqual(options.pageSize);
    });
    await fc.assert(property, runs(60));
  });
});

describe("a scan sends requests", () => {
  /** Rows of a day in milliseconds. */
  const worlds: Record<string, fc.Arbitrary<number>> = {
    "evenly spread": fc.nat(86_400_000),
    "in the first hundredth": fc.nat(864_000),
    "in the last hundredth": fc.nat(864_000).map((time) => 85_536_000 + time),
    "that become denser": fc.nat(86_400_000).map((time) => Math.floor(Math.sqrt(time / 86_400_000) * 86_400_000)),
    "on five days of a hundred": fc
      .tuple(fc.nat(4), fc.nat(86_399))
      .map(([day, time]) => day * 20 * 864_000 + time * 10),
  };

  test.each(Object.entries(worlds))("at most a quarter above the minimum, with rows %s", async (_, world) => {
    const property = fc.asyncProperty(
      fc.array(world, { minLength: 500, maxLength: 1000, size: "max" }),
      fc.integer({ min: 20, max: 240 }),
      fc.array(fc.tuple(world, fc.integer({ min: 1, max: 15 })), { maxLength: 20 }),
      async (single, size, bursts) => {
        const all = [...single, ...bursts.flatMap(([time, rows]) => Array.from({ length: rows }, () => time))];
        const rows = rowsAt(all.map((time) => 1000 * time));
        const pageSize = Math.max(size, ...countsOf(all).values()) + 1;
        const count = async (concurrency: number) => {
          const source = new RangeSource(rows, { start: 0, end: 86_400_001_000 });
          const yielded = await source.scan({ pageSize, concurrency }).toArray();
          expect(yielded).toHaveLength(all.length);
          return source.requests.length;
        };
        // One after the other there is nothing to save: each page is full.
        const least = await count(1);
        expect(await count(4)).toBeLessThanOrEqual(Math.floor(1.25 * least) + 2);
      },
    );
    await fc.assert(property, { ...runs(4), endOnFailure: true });
  });

  test.each([{ start: 0, end: 100_000 }, {}, { start: 3000 }, { end: 9000 }, { start: 3000, end: 3000 }])(
    "once if everything fits a page, in the range %j, and never if that is empty",
    async (range) => {
      const source = new RangeSource(rowsAt([3000, 3000, 5000, 8000]), range);
      const { length } = await source.scan().toArray();
      expect(length).toBe(source.expected().length);
      expect(source.requests).toHaveLength(length === 0 ? 0 : 1);
    },
  );

  test.each([1, 3, 4])("up to the allowed concurrency of %i, and no more", async (concurrency) => {
    const source = new RangeSource(manyRows(4000), {}, { schedule: () => new Promise(setImmediate) });
    await source.scan({ pageSize: 50, concurrency }).toArray();
    expect(source.mostInFlight).toBe(concurrency);
  });

  test("one at a time with a concurrency of 1, that for the oldest record included", async () => {
    const node = createFakeNode({ balances: 2000 });
    let inFlight = 0;
    let most = 0;
    const fetch = async (request: Request) => {
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      return node.fetch(request).finally(() => inFlight--);
    };
    const client = createClient({ baseUrl, fetch });
    for (const startTimestamp of [undefined, 1n, node.records.balances.at(-1)?.timestamp]) {
      const scan = client.scanBalanceChanges({ dateRange: { startTimestamp } }, { pageSize: 500, concurrency: 1 });
      await scan.toArray().catch(() => {});
    }
    expect(node.requests.length).toBeGreaterThan(6);
    expect(most).toBe(1);
  });

  test("for few more records than maxItems leaves", async () => {
    const rows = manyRows(4000);
    const range = { start: 1_000_000, end: 6_000_000 };
    const source = new RangeSource(rows, range);
    expect((await source.scan({ maxItems: 30 }).toArray()).map(toRow)).toEqual(source.expected().slice(0, 30));
    // A few more show where the last block ends; the start is one microsecond early.
    expect(source.requests).toEqual([{ start: 999_000, end: 6_000_000, size: 130, newestFirst: false }]);

    const many = new RangeSource(rows, range);
    expect((await many.scan({ maxItems: 1050, pageSize: 100 }).toArray()).map(toRow)).toEqual(
      rows.slice(1000 - 1, 2049),
    );
    expect(many.rowsSent).toBeLessThan(1050 + 3 * 100);
  });

  test.each([1000, 2000])("for more than maxItems if one time has more rows than that, from %i on", async (start) => {
    const times = Array.from({ length: 300 }, (_, index) => (index < 200 ? 1000 : index < 280 ? 2000 : 3000));
    const source = new RangeSource(rowsAt(times), { start, end: 10_000 });
    const yielded = await source.scan({ maxItems: 3, pageSize: 50 }).toArray();
    expect(yielded.map(toRow)).toEqual(source.expected().slice(0, 3));
  });

  test.each([1, 4])("for no more than a bounded buffer while the caller is slow, with %i filters", async (parts) => {
    const source = new RangeSource(manyRows(50_000), { start: 0, end: 50_000_000 }, {}, parts);
    const records = source.scan({ pageSize: 100, concurrency: 4 })[Symbol.asyncIterator]();
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(0);
    await records.next();
    for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
    // Five pages for each of four requests, and what is in flight.
    expect(source.rowsSent).toBeLessThanOrEqual((5 * 4 + 4 + parts) * 100);
    expect(source.inFlight).toBe(0);
    await records.return(undefined);
  });

  test("for nothing more once maxItems are yielded, also of a filter that takes several requests", async () => {
    let requests = 0;
    const schedule = async () => {
      if (requests++ > 8) throw new ConnectionError("reset");
    };
    const source = new RangeSource(manyRows(2000), {}, { schedule }, 4);
    const yielded = await source.scan({ maxItems: 40, pageSize: 100, concurrency: 1 }).toArray();
    expect(yielded.map(toRow)).toEqual(source.expected().slice(0, 40));
  });
});

const manyRows = (count: number) => rowsAt(Array.from({ length: count }, (_, index) => 1000 * (index + 1)));

describe("a scan ends", () => {
  const rows = manyRows(5000);
  const hanging = (responses: number): RangeBehavior => {
    let requests = 0;
    return { schedule: () => (requests++ < responses ? Promise.resolve() : new Promise(() => {})) };
  };

  test("with break: requests in flight are cancelled, nothing more is sent, and no listener is left", async () => {
    const { signal } = new AbortController();
    const source = new RangeSource(rows, {}, hanging(3));
    for await (const row of source.scan({ pageSize: 100, signal })) if (accountOf(row) === 50) break;
    const sent = source.requests.length;
    expect(source.areAborted).toBe(true);
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(sent);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("with its last record: no listener is left on the signal", async () => {
    const { signal } = new AbortController();
    await new RangeSource(rows).scan({ pageSize: 100, signal }).toArray();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test.each(["is busy", "waits"])(
    "with an abort while the caller %s: requests in flight are cancelled at once, and next() rejects with the reason",
    async (caller) => {
      const controller = new AbortController();
      const { signal } = controller;
      const source = new RangeSource(rows, {}, hanging(3));
      const records = source.scan({ pageSize: 100, signal })[Symbol.asyncIterator]();
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
      await expect(source.scan({ signal }).toArray()).rejects.toThrow("enough");
    },
  );

  test("with an abort between two requests: none is sent", async () => {
    const controller = new AbortController();
    let requests = 0;
    const schedule = async () => {
      if (++requests === 2) controller.abort(new Error("enough"));
    };
    const source = new RangeSource(rows, {}, { schedule });
    const walk = source.scan({ pageSize: 100, concurrency: 1, signal: controller.signal }).toArray();
    await expect(walk).rejects.toThrow("enough");
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(2);
  });

  test("with maxItems: requests in flight beyond them are cancelled", async () => {
    // Rows become denser, so that a segment is requested that begins after the last one that is needed.
    const times = Array.from({ length: 5000 }, (_, row) => (row < 200 ? 20_000 * row : 4_000_000 + 100 * row));
    const last = times[949] ?? 0;
    const schedule = ({ start = 0 }: RangeRequest) => new Promise<unknown>(start > last ? () => {} : setImmediate);
    const source = new RangeSource(rowsAt(times), { start: 0, end: 5_000_000 }, { schedule });
    expect(await source.scan({ pageSize: 100, maxItems: 950 }).toArray()).toHaveLength(950);
    expect(source.areAborted).toBe(true);
  });

  test("while next() is pending: it reports the end", async () => {
    const records = new RangeSource(rows, {}, hanging(0)).scan()[Symbol.asyncIterator]();
    const waiting = [records.next(), records.next()];
    await records.return(undefined);
    expect(await Promise.all(waiting)).toEqual(Array(2).fill({ done: true, value: undefined }));
  });
});

describe("a scan rejects a response", () => {
  const pageOf = (timestamps: unknown[], hasNextPage = false) => ({
    edges: timestamps.map((timestamp) => ({ cursor: "c", node: { timestamp, balance: "1" } })),
    pageInfo: { startCursor: "c", endCursor: "c", hasNextPage, hasPreviousPage: false },
  });
  const dateRange = { startTimestamp: 10_000n, endTimestamp: 20_000n };
  const missingHistory = "ignore";

  test.each([
    ["out of order", pageOf(["12", "11"]), "records that are out of order"],
    ["from before the range", pageOf(["3000", "11000"]), "records outside of the requested range"],
    ["from after the range", pageOf(["11000", "25000"]), "records outside of the requested range"],
    ["that is empty and reports a next page", pageOf([], true), "an empty page that reports a next page"],
    ["with an invalid time", pageOf(["soon"]), 'a record with the timestamp "soon"'],
    ["with a time that is a number", pageOf([12]), "a record with the timestamp 12"],
    ["with a time that is null", pageOf([null]), "a record with the timestamp null"],
  ])("%s", async (_, balances, words) => {
    const { fetch, sent } = respondWith({ balances });
    const scan = createClient({ baseUrl, fetch }).scanBalanceChanges({ dateRange }, { missingHistory });
    const error = await rejectionOf(scan.toArray());
    expect(error).toSatisfy(ResponseError.is);
    expect((error as Error).message).toMatch(new RegExp(`^scanBalanceChanges got ${words} from `));
    expect(error).toMatchObject({ resume: { startTimestamp: "10000", endTimestamp: "20000" }, itemsRead: 0 });
    expect(sent).toHaveLength(1);
  });

  test.each([null, undefined, "", "soon", {}])("with the time %j to one of several requests", async (timestamp) => {
    const { fetch } = respondWith({ balances: pageOf([timestamp]) });
    const partyIds = Array.from({ length: 300 }, (_, index) => hex(index));
    const scan = createClient({ baseUrl, fetch }).scanBalanceChanges({ filter: { partyIds } });
    await expect(scan.toArray()).rejects.toSatisfy(ResponseError.is);
  });
});

test("a scan yields a record that a node repeats inside of a page once", async () => {
  const node = createFakeNode({ balances: 700 });
  const fetch = async (request: Request) => {
    const response = await node.fetch(request);
    const { balances } = (await response.json()) as { balances: { edges: unknown[]; pageInfo: object } };
    const edges = balances.edges.flatMap((edge, index) => (index % 3 === 0 ? [edge, edge] : [edge]));
    return json({ balances: { ...balances, edges } }, { headers: response.headers });
  };
  const client = createClient({ baseUrl, fetch });
  for (const order of orders) {
    const changes = await client.scanBalanceChanges({}, { pageSize: 100, order }).toArray();
    expect(changes).toHaveLength(700);
    expect(new Set(changes.map((change) => JSON.stringify(change))).size).toBe(700);
  }
});

describe("scanBalanceChanges", () => {
  const clientOf = (node: Pick<FakeNode, "fetch">) => createClient({ baseUrl, fetch: node.fetch, pacing: false });

  test("yields exactly what is stored on a node with all defects, and so does a walk by cursors", async () => {
    const node = createFakeNode({ balances: 20_000 }, { defects: nodeDefects });
    const client = clientOf(node);
    const stored = [...node.records.balances].sort(compareRecords);
    expect(await client.scanBalanceChanges().toArray()).toEqual(stored);
    // One of them asks since when the node keeps records, because segments begin after the first one.
    expect(node.requests.length).toBeLessThanOrEqual(7);
    const walked = await client.listBalanceChanges({ pagination: { first: 1000, newestFirst: false } }).toArray();
    expect(walked.sort(compareRecords)).toEqual(stored);
  });

  test.each(orders)("reads a block with more records than a page by completed cursors, %s", async (order) => {
    const time = 1_707_497_695_123_456_000n;
    const balances = changesAt(
      Array.from({ length: 6000 }, (_, index) => (index < 5990 ? time : time + BigInt(1 + (index % 5)) * 1000n)),
    );
    const node = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });
    for (const pageSize of [1000, 5000]) {
      const yielded = await clientOf(node).scanBalanceChanges({}, { pageSize, order }).toArray();
      const expected = [...balances].sort(compareRecords);
      expect(yielded).toEqual(order === "oldest-first" ? expected : expected.reverse());
    }
    const some = await clientOf(node).scanBalanceChanges({}, { maxItems: 5, order }).toArray();
    expect(some).toHaveLength(5);
  });

  test("says what to do if one microsecond has more records than a page and the node's cursors do not lead on", async () => {
    const source = new RangeSource(rowsAt([1000, 2000, 2000, 2000, 3000]), {}, { hasCursors: false });
    const error = await rejectionOf(source.scan({ pageSize: 2 }).toArray());
    expect(error).toMatchObject({
      name: "PaginationError",
      message:
        "scanBalanceChanges found more than 2 records in the microsecond from 2000 on, and the node's cursors do not lead " +
        "through them. Narrow the filter by account types, parties or markets, or continue after that time.",
      reason: "too-dense",
      timestamp: "2000",
      resume: { startTimestamp: "2000", endTimestamp: "3001" },
      itemsRead: 1,
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ resume: { startTimestamp: "2000" } });
  });

  test("sends filters, headers and deadlines with every request", async () => {
    const node = createFakeNode({ balances: 50 });
    const client = createClient({ baseUrl, fetch: node.fetch });
    const query = { filter: { accountTypes: ["ACCOUNT_TYPE_GENERAL" as const], marketIds: [] } };
    const options = { headers: { "x-id": "7" }, order: "newest-first" } as const;
    const changes = await client.scanBalanceChanges(query, options).toArray();
    expect(new Set(changes.map(({ accountType }) => accountType))).toEqual(new Set(["ACCOUNT_TYPE_GENERAL"]));
    expect(node.requests.map(({ url }) => new URL(url).search)).toEqual([
      "?filter.accountTypes=ACCOUNT_TYPE_GENERAL&pagination.first=5000&pagination.newestFirst=true",
    ]);
    expect(node.requests[0]?.headers).toMatchObject({ "x-id": "7" });
    const silent = createClient({ baseUrl, fetch: () => new Promise(() => {}) });
    const late = { name: "TimeoutError", operation: "scanBalanceChanges", resume: {} };
    await expect(silent.scanBalanceChanges({}, { totalTimeout: 20 }).toArray()).rejects.toMatchObject(late);
  });
});

describe("a scan of a range that begins before the node's history", () => {
  const hour = 3_600_000_000_000n;
  const day = 24n * hour;
  // Midnight: nodes drop whole days.
  const oldest = 1_700_006_400_000_000_000n;
  const block = { height: 1000n, timestamp: oldest + 20n * day };
  /** A change each hour, over ten days. */
  const hourly = changesAt(Array.from({ length: 240 }, (_, index) => oldest + BigInt(index) * hour));

  function setting(balances = hourly, history = 0n) {
    const node = createFakeNode({ balances, block }, { history, rateLimit: false });
    const client = createClient({ baseUrl, fetch: node.fetch });
    const read = (startTimestamp: bigint | undefined, options: ScanOptions = {}) =>
      client.scanBalanceChanges({ dateRange: { startTimestamp, endTimestamp: oldest + 9n * day } }, options);
    /** The requests for the oldest record of all. */
    const historyRequests = () => node.requests.filter(({ url }) => url.includes("first=1&"));
    return { node, client, read, historyRequests };
  }

  test.each(orders)(
    "rejects before it yields a record and says from when on the node has records, %s",
    async (order) => {
      const { read } = setting(hourly, oldest + 2n * day);
      const records = read(oldest, { order })[Symbol.asyncIterator]();
      const error = await rejectionOf(records.next());
      expect(error).toMatchObject({
        name: "PaginationError",
        reason: "pruned",
        availableFrom: oldest + 2n * day,
        resume: { startTimestamp: `${oldest + 2n * day}`, endTimestamp: `${oldest + 9n * day}` },
        itemsRead: 0,
      });
      expect((error as Error).message).toBe(
        `The range of scanBalanceChanges begins at ${oldest} (2023-11-15T00:00:00.000Z), but the balance changes of the node ` +
          `begin at ${oldest + 2n * day} (2023-11-17T00:00:00.000Z): earlier records were pruned or never existed. Begin the ` +
          'range there, use a node that keeps a longer history, or pass `missingHistory: "ignore"` to read what is left.',
      );
      expect(await read(oldest + 2n * day, { order }).toArray()).toHaveLength(7 * 24);
    },
  );

  test('reads what is left with `missingHistory: "ignore"`, and sends no request for the oldest record', async () => {
    const { read, historyRequests } = setting(hourly, oldest + 2n * day);
    expect(await read(oldest, { missingHistory: "ignore" }).toArray()).toHaveLength(7 * 24);
    expect(historyRequests()).toEqual([]);
  });

  test("is complete on a node without any record, and if the start is open or not after Unix time 0", async () => {
    expect(await setting([]).read(oldest).toArray()).toEqual([]);
    for (const start of [undefined, 0n, -5n]) {
      const { read, historyRequests } = setting();
      expect(await read(start).toArray()).toHaveLength(9 * 24);
      expect(historyRequests()).toEqual([]);
    }
  });

  test.each([
    ["oldest-first", 3],
    ["newest-first", 6],
  ] as const)(
    "takes two requests more for each page that shows the start if the first day has no record, %s",
    async (order, count) => {
      const sparse = hourly.filter((_, index) => index % 48 === 0);
      const { read, node } = setting(sparse);
      expect(await read(oldest + day + hour, { order }).toArray()).toHaveLength(4);
      expect(node.requests).toHaveLength(count);
    },
  );

  test("takes one request if the first record is of the day on which the range begins", async () => {
    const { client, node } = setting();
    const dateRange = { startTimestamp: oldest + 3n * day, endTimestamp: oldest + 4n * day };
    await client.scanBalanceChanges({ filter: { assetId: hex(1) }, dateRange }).toArray();
    expect(node.requests).toHaveLength(1);
  });
});
