import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionError, createClient, type PaginationError, ResponseError } from "../../src/index.js";
import { scan } from "../../src/scan/scan.js";
import { createFakeNode, nodeDefects } from "../../src/testing/index.js";
import { accountOf, type RangeBehaviour, RangeSource, type Row, toRow } from "../range.js";
import { answering, json, recorder } from "../recorder.js";
import { collect } from "../relay.js";

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
    order: fc.constantFrom("oldest-first" as const, "newest-first" as const),
    microseconds: fc.constant(unit === 1000),
    countsStartIn: fc.boolean(),
    countsEndIn: fc.boolean(),
    blockTime: fc.option(fc.integer({ min: 1, max: 3000 * unit }), { nil: undefined }),
    parts: fc.constantFrom(1, 1, 3),
    maxItems: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  }),
);

type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

function prepare({ times, start, length, parts, blockTime, ...rest }: Case, behaviour: RangeBehaviour = {}) {
  const { pageSize, concurrency, order, maxItems, ...counting } = rest;
  const end = length === undefined ? undefined : (start ?? 0) + length;
  const source = new RangeSource(
    rowsAt(times),
    { start, end },
    { ...counting, ...(blockTime !== undefined && { blockTime }), ...behaviour },
    parts,
  );
  const options = { pageSize, concurrency, order, maxItems, missingHistory: "ignore" as const };
  return { source, options, expected: source.expected(order === "newest-first").slice(0, maxItems) };
}

describe("a scan", () => {
  test("yields every row once, in order, on nodes with microseconds and with nanoseconds", async () => {
    const property = fc.asyncProperty(cases, fc.scheduler(), async (given, scheduler) => {
      const { source, options, expected } = prepare(given, { schedule: () => scheduler.schedule(Promise.resolve()) });
      const yielded = await scheduler.waitFor(scan(source, options).toArray());
      expect(yielded.map(toRow)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 1500 });
  });

  test("yields every row once if rows are added meanwhile at and after the block that has begun", async () => {
    const property = fc.asyncProperty(cases, fc.infiniteStream(fc.nat(3)), async (given, additions) => {
      const blockTime = given.blockTime ?? 2_000_000;
      let account = given.times.length;
      const schedule = async () => {
        const [added = 0] = additions.take(1);
        for (let count = 0; count < added; count++) {
          source.rows = [...source.rows, { time: blockTime + 1000 * count, account: account++ }].sort(
            (a, b) => a.time - b.time,
          );
        }
      };
      const { source, options, expected } = prepare({ ...given, blockTime }, { schedule });
      expect((await scan(source, options).toArray()).map(toRow)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test("ends with an error if one microsecond has more rows than a page and cursors do not lead on", async () => {
    const property = fc.asyncProperty(cases, async (given) => {
      const { source, options, expected } = prepare({ ...given, maxItems: undefined }, { hasCursors: false });
      const yielded: Row[] = [];
      try {
        for await (const record of scan(source, options)) yielded.push(toRow(record));
        expect(yielded).toEqual(expected);
      } catch (error) {
        expect(error).toMatchObject({ name: "PaginationError", reason: "too-dense" });
        expect(yielded).toEqual(expected.slice(0, yielded.length));
        const dense = Number((error as PaginationError).timestamp);
        const inDense = source.rows.filter(({ time }) => Math.floor(time / 1000) === dense / 1000);
        // The row of a neighbouring microsecond can fill a page, too, on nodes that count the ends of ranges in.
        const around = source.rows.filter(({ time }) => Math.abs(Math.floor(time / 1000) - dense / 1000) <= 1);
        expect(Math.max(inDense.length, around.length)).toBeGreaterThanOrEqual(options.pageSize);
      }
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test("continues from `resume` after an error at any request: together they yield every row once", async () => {
    const property = fc.asyncProperty(cases, fc.nat(12), async (given, failing) => {
      let requests = 0;
      const schedule = async () => {
        if (requests++ === failing) throw new ConnectionError("reset");
      };
      const { source, options, expected } = prepare({ ...given, maxItems: undefined }, { schedule });
      const yielded: Row[] = [];
      try {
        for await (const record of scan(source, options)) yielded.push(toRow(record));
      } catch (error) {
        if (!ConnectionError.is(error)) throw error;
        expect(error.itemsRead).toBe(yielded.length);
        const { startTimestamp, endTimestamp } = error.resume ?? {};
        const rest = { start: optional(startTimestamp), end: optional(endTimestamp) };
        const { blockTime } = given;
        const behaviour = blockTime === undefined ? {} : { blockTime };
        const { order } = given;
        const continued = scan(new RangeSource(rowsAt(given.times), rest, behaviour), {
          order,
          missingHistory: "ignore",
        });
        yielded.push(...(await continued.toArray()).map(toRow));
      }
      expect(yielded).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 1000 });
  });
});

const optional = (digits: unknown) => (digits === undefined ? undefined : Number(digits));

function mostAtOneTime(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { time } of rows) counts.set(time, (counts.get(time) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}

describe("a scan asks", () => {
  /** Rows of a day in milliseconds. */
  const worlds: Record<string, fc.Arbitrary<number>> = {
    "evenly spread": fc.nat(86_400_000),
    "in the first hundredth": fc.nat(864_000),
    "in the last hundredth": fc.nat(864_000).map((time) => 85_536_000 + time),
    "ever more of them": fc.nat(86_400_000).map((time) => Math.floor(Math.sqrt(time / 86_400_000) * 86_400_000)),
    "on five days of a hundred": fc
      .tuple(fc.nat(4), fc.nat(86_399))
      .map(([day, time]) => day * 20 * 864_000 + time * 10),
  };

  test.each(Object.entries(worlds))("no more than a quarter above the least, with rows %s", async (_, world) => {
    const property = fc.asyncProperty(
      fc.array(world, { minLength: 1500, maxLength: 3000, size: "max" }),
      fc.integer({ min: 50, max: 700 }),
      fc.array(fc.tuple(world, fc.integer({ min: 1, max: 40 })), { maxLength: 20 }),
      async (single, size, bursts) => {
        const all = [...single, ...bursts.flatMap(([time, rows]) => Array.from({ length: rows }, () => time))];
        const rows = rowsAt(all.map((time) => 1000 * time));
        const pageSize = Math.max(size, mostAtOneTime(rows) + 1);
        const count = async (concurrency: number) => {
          const source = new RangeSource(rows, { start: 0, end: 86_400_001_000 });
          const yielded = await scan(source, { pageSize, concurrency }).toArray();
          expect(yielded).toHaveLength(all.length);
          return source.requests.length;
        };
        // One after the other there is nothing to save: each page is full.
        const least = await count(1);
        expect(await count(4)).toBeLessThanOrEqual(Math.max(least + 1, Math.floor(1.25 * least)));
      },
    );
    await fc.assert(property, { numRuns: 40, endOnFailure: true });
  });

  test("once if everything fits a page, also if the ends are open", async () => {
    for (const range of [{ start: 0, end: 100_000 }, {}, { start: 3000 }, { end: 9000 }]) {
      const source = new RangeSource(rowsAt([3000, 3000, 5000, 8000]), range);
      expect((await scan(source).toArray()).map(toRow)).toEqual(source.expected());
      expect(source.requests).toHaveLength(1);
    }
  });

  test("with as many requests in flight as it may have, and no more", async () => {
    for (const concurrency of [1, 3, 4]) {
      const source = new RangeSource(manyRows(4000), {}, { schedule: () => new Promise(setImmediate) });
      await scan(source, { pageSize: 50, concurrency }).toArray();
      expect(source.mostInFlight).toBe(concurrency);
    }
  });

  test("for little more than maxItems leaves", async () => {
    const rows = manyRows(4000);
    const range = { start: 1_000_000, end: 6_000_000 };
    const source = new RangeSource(rows, range);
    expect((await scan(source, { maxItems: 30 }).toArray()).map(toRow)).toEqual(source.expected().slice(0, 30));
    // A few more show where the last block ends; the start is one microsecond early.
    expect(source.requests).toEqual([{ start: 999_000n, end: 6_000_000n, size: 130, newestFirst: false }]);

    const many = new RangeSource(rows, range);
    expect((await scan(many, { maxItems: 1050, pageSize: 100 }).toArray()).map(toRow)).toEqual(
      rows.slice(1000 - 1, 2049),
    );
    expect(many.rowsSent).toBeLessThan(1050 + 3 * 100);
  });

  test("for more than maxItems if one time has more rows than that", async () => {
    const times = Array.from({ length: 300 }, (_, index) => (index < 200 ? 1000 : index < 280 ? 2000 : 3000));
    for (const start of [1000, 2000]) {
      const source = new RangeSource(rowsAt(times), { start, end: 10_000 });
      const yielded = await scan(source, { maxItems: 3, pageSize: 50 }).toArray();
      expect(yielded.map(toRow)).toEqual(source.expected().slice(0, 3));
    }
  });

  test("for nothing before it is used, and for no more than a bounded buffer while the caller is slow", async () => {
    for (const parts of [1, 5]) {
      const source = new RangeSource(manyRows(50_000), { start: 0, end: 50_000_000 }, {}, parts);
      const records = scan(source, { pageSize: 100, concurrency: 4 })[Symbol.asyncIterator]();
      await new Promise(setImmediate);
      expect(source.requests).toHaveLength(0);
      await records.next();
      for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
      // Twelve pages for each of four requests, and what is in flight.
      expect(source.rowsSent).toBeLessThanOrEqual((12 * 4 + 4 + parts) * 100);
      expect(source.inFlight).toBe(0);
      await records.return(undefined);
    }
  });

  test("for nothing if the range is empty", async () => {
    const source = new RangeSource(rowsAt([3000]), { start: 3000, end: 3000 });
    expect(await scan(source).toArray()).toEqual([]);
    expect(source.requests).toEqual([]);
  });

  test("for nothing more once maxItems are yielded, also of a filter that takes several requests", async () => {
    let requests = 0;
    const schedule = async () => {
      if (requests++ > 8) throw new ConnectionError("reset");
    };
    const source = new RangeSource(manyRows(2000), {}, { schedule }, 3);
    const yielded = await scan(source, { maxItems: 40, pageSize: 100, concurrency: 1 }).toArray();
    expect(yielded.map(toRow)).toEqual(source.expected().slice(0, 40));
  });
});

const manyRows = (count: number) => rowsAt(Array.from({ length: count }, (_, index) => 1000 * (index + 1)));

/** Who listens to a signal. */
function listenersOf(signal: AbortSignal): Set<unknown> {
  const listeners = new Set<unknown>();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  return listeners;
}

describe("a scan stops", () => {
  const rows = manyRows(5000);
  const hanging = (answers: number): RangeBehaviour => {
    let requests = 0;
    return { schedule: () => (requests++ < answers ? Promise.resolve() : new Promise(() => {})) };
  };

  test("with break: requests in flight are cancelled and nothing more is sent", async () => {
    const source = new RangeSource(rows, {}, hanging(3));
    for await (const row of scan(source, { pageSize: 100 })) if (accountOf(row) === 50) break;
    const sent = source.requests.length;
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(sent);
  });

  test("with an abort: a call that waits rejects with the reason, and no listener is left", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = listenersOf(signal);
    const source = new RangeSource(rows, {}, hanging(3));
    const walk = collect(scan(source, { pageSize: 100, signal }));
    await new Promise(setImmediate);
    controller.abort(new Error("enough"));
    await expect(walk).rejects.toThrow("enough");
    expect(listeners.size).toBe(0);
    await expect(scan(source, { signal }).toArray()).rejects.toThrow("enough");
  });

  test("with its end or a break: no listener is left on a signal that lives on", async () => {
    const { signal } = new AbortController();
    const listeners = listenersOf(signal);
    await scan(new RangeSource(rows), { pageSize: 100, signal }).toArray();
    expect(listeners.size).toBe(0);
    for await (const row of scan(new RangeSource(rows, {}, hanging(3)), { pageSize: 100, signal }))
      if (accountOf(row) === 5) break;
    expect(listeners.size).toBe(0);
  });

  test("with an abort while the caller is busy: requests in flight are cancelled at once", async () => {
    const controller = new AbortController();
    const source = new RangeSource(rows, {}, hanging(3));
    const records = scan(source, { pageSize: 100, signal: controller.signal })[Symbol.asyncIterator]();
    await records.next();
    await new Promise(setImmediate);
    expect(source.inFlight).toBeGreaterThan(0);
    controller.abort(new Error("enough"));
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
    await expect(records.next()).rejects.toThrow("enough");
  });

  test("with an abort between two requests: none is sent", async () => {
    const controller = new AbortController();
    const source = new RangeSource(
      rows,
      {},
      { schedule: async () => source.requests.length === 2 && controller.abort(new Error("enough")) },
    );
    const walk = scan(source, { pageSize: 100, concurrency: 1, signal: controller.signal }).toArray();
    await expect(walk).rejects.toThrow("enough");
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(2);
  });

  test("with maxItems: requests in flight beyond them are cancelled", async () => {
    const source = new RangeSource(rows, { start: 0, end: 5_000_000 }, { schedule: () => new Promise(setImmediate) });
    await scan(source, { pageSize: 100, maxItems: 950 }).toArray();
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test("while next() waits: it reports the end", async () => {
    const records = scan(new RangeSource(rows, {}, hanging(0)))[Symbol.asyncIterator]();
    const waiting = [records.next(), records.next()];
    await records.return(undefined);
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });
});

describe("a scan refuses a response", () => {
  const change = (timestamp: unknown) => ({
    cursor: "c",
    node: { timestamp, balance: "1", accountType: "ACCOUNT_TYPE_GENERAL" },
  });
  const answer = (timestamps: unknown[], hasNextPage = false) => ({
    balances: {
      edges: timestamps.map(change),
      pageInfo: { startCursor: "c", endCursor: "c", hasNextPage, hasPreviousPage: false },
    },
  });

  test.each([
    ["out of order", answer(["12", "11"]), "records that are out of order"],
    ["from before the range", answer(["3000", "11000"]), "records outside of the requested range"],
    ["from after the range", answer(["11000", "25000"]), "records outside of the requested range"],
    ["that is empty and reports a next page", answer([], true), "an empty page that reports a next page"],
    ["with a time that is none", answer(["soon"]), 'a record with the timestamp "soon"'],
    ["with a time that is a number", answer([12]), "a record with the timestamp 12"],
  ])("%s", async (_, body, words) => {
    const source = answering(body);
    const client = createClient({ baseUrl: "https://node.example", fetch: source.fetch });
    const changes = client.scanBalanceChanges(
      { dateRange: { startTimestamp: 10_000n, endTimestamp: 20_000n } },
      { missingHistory: "ignore" },
    );
    const error: unknown = await changes.toArray().catch((reason: unknown) => reason);
    expect(error).toSatisfy(ResponseError.is);
    expect((error as Error).message).toMatch(new RegExp(`^scanBalanceChanges got ${words} from `));
    expect(error).toMatchObject({ resume: { startTimestamp: "10000", endTimestamp: "20000" }, itemsRead: 0 });
    expect(source.sent).toHaveLength(1);
  });
});

describe("scanBalanceChanges", () => {
  test("hands out exactly what is stored on a node with all defects, where a walk by cursors does not", async () => {
    const node = createFakeNode({ balances: 20_000 }, { defects: nodeDefects });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const stored = [...node.records.balances].sort((a, b) => Number(BigInt(a.timestamp) - BigInt(b.timestamp)));
    const times = new Map<string, number>();
    for (const { timestamp } of stored) times.set(timestamp, (times.get(timestamp) ?? 0) + 1);
    expect(Math.max(...times.values())).toBeGreaterThan(100);

    const scanned = await client.scanBalanceChanges().toArray();
    expect(scanned.map(({ timestamp }) => timestamp)).toEqual(stored.map(({ timestamp }) => timestamp));
    const texts = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).sort();
    expect(texts(scanned)).toEqual(texts(stored));
    expect(node.requests.length).toBeLessThanOrEqual(6);

    const walked = await client.listBalanceChanges({ pagination: { first: 1000 } }).toArray();
    expect(walked).toHaveLength(20_000 - 19);
  });

  test("hands out rows that are equal in all members", async () => {
    const change = { timestamp: "5", balance: "1", partyId: "p", assetId: "a", marketId: "" } as const;
    const node = createFakeNode({ balances: [change, change, change] });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    expect(await client.scanBalanceChanges().toArray()).toEqual([change, change, change]);
  });

  test("sends filters, headers and deadlines with every request", async () => {
    const node = createFakeNode({ balances: 50 });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const query = { filter: { accountTypes: ["ACCOUNT_TYPE_GENERAL" as const], marketIds: [] } };
    const changes = await client
      .scanBalanceChanges(query, { headers: { "x-id": "7" }, order: "newest-first" })
      .toArray();
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.every(({ accountType }) => accountType === "ACCOUNT_TYPE_GENERAL")).toBe(true);
    expect(node.requests.map(({ url }) => new URL(url).search)).toEqual([
      "?filter.accountTypes=ACCOUNT_TYPE_GENERAL&pagination.first=5000&pagination.newestFirst=true",
    ]);
    expect(node.requests[0]?.headers).toMatchObject({ "x-id": "7" });
    const slow = createFakeNode({ balances: 5 }, { faults: [{ name: "latency", milliseconds: 60_000 }] });
    const hasty = createClient({ baseUrl: "https://node.example", fetch: slow.fetch });
    await expect(hasty.scanBalanceChanges({}, { totalTimeout: 20 }).toArray()).rejects.toMatchObject({
      name: "TimeoutError",
      operation: "scanBalanceChanges",
      resume: {},
    });
  });

  test("parts the lists of the filter where one nanosecond has more rows than fit a page", async () => {
    const types = ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN", "ACCOUNT_TYPE_BOND", "ACCOUNT_TYPE_HOLDING"] as const;
    const balances = Array.from({ length: 40 }, (_, index) => ({
      timestamp: "1707497695123456000" as const,
      balance: String(index),
      partyId: `party ${index % 2}`,
      accountType: types[index % 4] ?? "",
    }));
    const node = createFakeNode({ balances });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const changes = client.scanBalanceChanges({ filter: { accountTypes: types } }, { pageSize: 10 });
    expect(new Set((await changes.toArray()).map(({ balance }) => balance)).size).toBe(40);

    const dense: unknown = await client
      .scanBalanceChanges({ filter: { partyIds: ["party 1"] } }, { pageSize: 10 })
      .toArray()
      .catch((reason: unknown) => reason);
    expect(dense).toSatisfy(PaginationError.is);
    expect(dense).toMatchObject({
      reason: "too-dense",
      timestamp: "1707497695123456000",
      resume: { startTimestamp: "1707497695123456000", endTimestamp: "1707497695123456001" },
      pagesRead: 3,
      itemsRead: 0,
    });
    expect((dense as Error).message).toMatch(
      /^scanBalanceChanges found more than 10 records at the nanosecond 1707497695123456000: /,
    );
    expect(JSON.parse(JSON.stringify(dense))).toMatchObject({ resume: { startTimestamp: "1707497695123456000" } });
  });

  test.each([
    [{ dateRange: { startTimestamp: "5", endTimestamp: "4" } }, {}, "dateRange.endTimestamp"],
    [{ dateRange: { startTimestamp: 5 } }, {}, "dateRange.startTimestamp"],
    [{ pagination: { first: 5 } }, {}, "pagination"],
    [{ filter: { party: "a" } }, {}, "filter.party"],
    [{}, { order: "oldest" }, "order"],
    [{}, { concurrency: 0 }, "concurrency"],
    [{}, { pageSize: 1.5 }, "pageSize"],
    [{}, { maxItems: "all" }, "maxItems"],
    [{}, { readAhead: true }, "readAhead"],
    [{}, { signal: "stop" }, "signal"],
    [{}, { timeout: -1 }, "timeout"],
  ])("refuses %j with %j", async (query, options, argument) => {
    const source = recorder(async () => json({}));
    const client = createClient({ baseUrl: "https://node.example", fetch: source.fetch });
    const changes = client.scanBalanceChanges(query as object, options as object);
    await expect(changes.toArray()).rejects.toMatchObject({
      name: "ArgumentError",
      operation: "scanBalanceChanges",
      argument,
    });
    expect(source.sent).toEqual([]);
  });
});
