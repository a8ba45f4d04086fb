import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionError, createClient, PaginationError, ResponseError } from "../../src/index.js";
import { scan } from "../../src/scan.js";
import { createFakeNode, nodeDefects } from "../../src/testing/index.js";
import { type RangeBehaviour, RangeSource, type Row } from "../range.js";
import { answering, json, recorder } from "../recorder.js";
import { collect } from "../relay.js";

/** Rows at these times, told apart by their number. */
const rowsAt = (times: readonly number[]): Row[] => times.map((time, id) => ({ time, id, kind: id % 4 }));

/** Times with bursts and gaps between them. */
const times = fc
  .array(fc.tuple(fc.oneof(fc.constant(1), fc.nat(4), fc.nat(1000)), fc.integer({ min: 1, max: 9 })), { maxLength: 40 })
  .map((blocks) => {
    let time = 0;
    return blocks.flatMap(([gap, rows]) => {
      time += gap;
      return Array.from({ length: rows }, () => time);
    });
  });

const cases = {
  times,
  start: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  length: fc.option(fc.nat(3000), { nil: undefined }),
  pageSize: fc.integer({ min: 1, max: 8 }),
  concurrency: fc.integer({ min: 1, max: 5 }),
  order: fc.constantFrom("oldest-first" as const, "newest-first" as const),
  countsStartIn: fc.boolean(),
  countsEndIn: fc.boolean(),
};

const endOf = (start: number | undefined, length: number | undefined) =>
  length === undefined ? undefined : (start ?? 0) + length;

/** The same rows, in the same order of time: rows of one time have no order among themselves. */
function expectSame(rows: readonly Row[], expected: readonly Row[]): void {
  expect(rows.map(({ time }) => time)).toEqual(expected.map(({ time }) => time));
  const ids = (all: readonly Row[]) => all.map(({ id }) => id).sort((a, b) => a - b);
  expect(ids(rows)).toEqual(ids(expected));
}

describe("a scan hands out what is stored", () => {
  test("whatever the bursts, gaps, ends, order and number of requests at once", async () => {
    const property = fc.asyncProperty(fc.record(cases), fc.scheduler(), async (given, scheduler) => {
      const { start, pageSize, concurrency, order, ...behaviour } = given;
      const range = { start, end: endOf(start, given.length) };
      const schedule = () => scheduler.schedule(Promise.resolve());
      const source = new RangeSource(rowsAt(given.times), range, { ...behaviour, schedule });
      const handedOut: Row[] = [];
      const walk = (async () => {
        for await (const row of scan(source, { pageSize, concurrency, order })) handedOut.push(row);
      })();
      const error: unknown = await scheduler.waitFor(walk.catch((reason: unknown) => reason));
      const expected = source.expected(order === "newest-first");
      if (error === undefined) return expectSame(handedOut, expected);
      // The one thing that may stop it: more rows at one time than fit a page, and no lists to part.
      expect(error).toMatchObject({ name: "PaginationError", reason: "too-dense" });
      const [, dense] = /at the nanosecond (\d+):/.exec((error as Error).message) ?? [];
      const isAhead = ({ time }: Row) => (order === "newest-first" ? time > Number(dense) : time < Number(dense));
      expect(expected.filter(({ time }) => time === Number(dense)).length).toBeGreaterThan(pageSize);
      expectSame(handedOut, expected.filter(isAhead));
    });
    await fc.assert(property, { numRuns: 1500 });
  });

  test("also more rows at one time than fit a page, where there are lists to part", async () => {
    const property = fc.asyncProperty(fc.record(cases), async ({ times, start, length, order, concurrency }) => {
      const kinds = [0, 1, 2, 3];
      const source = new RangeSource(rowsAt(times), { start, end: endOf(start, length) }, {}, kinds);
      // A burst has nine rows of at most three of a kind; two bursts can have the same time.
      const dense = Math.max(
        0,
        ...kinds.map((kind) => mostAtOneTime(rowsAt(times).filter((row) => row.kind === kind))),
      );
      const rows = await scan(source, { pageSize: Math.max(1, dense), order, concurrency }).toArray();
      expectSame(rows, source.expected(order === "newest-first"));
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test.each([false, true])(
    "with room for rows just outside of the range, which the node counts in: %s",
    async (isEnd) => {
      // Each side has a burst that fills pages at the very nanosecond that a request begins with.
      const rows = rowsAt([9, 9, 9, 9, 9, 9, 10, 11, 11, 11, 12, 20, 20, 20, 20, 20, 20]);
      const source = new RangeSource(rows, { start: 10, end: 20 }, { countsStartIn: true, countsEndIn: true });
      const order = isEnd ? "newest-first" : "oldest-first";
      expectSame(await scan(source, { pageSize: 4, order }).toArray(), source.expected(isEnd));
      expect(source.requests.length).toBeLessThan(8);
    },
  );

  test("after an error too, from where it says, wherever that comes", async () => {
    const property = fc.asyncProperty(fc.record(cases), fc.nat(12), fc.boolean(), async (given, failing, isParted) => {
      const { times, start, length, order, concurrency } = given;
      const range = { start, end: endOf(start, length) };
      const kinds = isParted
        ? [0, 1, 2, 3].map((kind) => rowsAt(times).filter((row) => row.kind === kind))
        : [rowsAt(times)];
      const pageSize = Math.max(given.pageSize, ...kinds.map(mostAtOneTime));
      let requests = 0;
      const schedule = async () => {
        if (requests++ === failing) throw new ConnectionError("reset");
      };
      const source = new RangeSource(rowsAt(times), range, { schedule }, [0, 1, 2, 3], isParted);
      const handedOut: Row[] = [];
      try {
        for await (const row of scan(source, { pageSize, concurrency, order })) handedOut.push(row);
      } catch (error) {
        if (!ConnectionError.is(error)) throw error;
        expect(error.itemsRead).toBe(handedOut.length);
        const { startTimestamp, endTimestamp } = error.resume ?? {};
        const rest = { start: optional(startTimestamp), end: optional(endTimestamp) };
        handedOut.push(...(await scan(new RangeSource(rowsAt(times), rest), { order }).toArray()));
      }
      expectSame(handedOut, source.expected(order === "newest-first"));
    });
    await fc.assert(property, { numRuns: 500 });
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
        const pageSize = Math.max(size, mostAtOneTime(rowsAt(all)) + 1);
        const count = async (concurrency: number) => {
          const source = new RangeSource(rowsAt(all), { start: 0, end: 86_400_001 });
          const rows = await scan(source, { pageSize, concurrency }).toArray();
          expect(rows).toHaveLength(all.length);
          return source.requests.length;
        };
        // One after the other there is nothing to save: each page is full.
        const least = await count(1);
        expect(await count(4)).toBeLessThanOrEqual(Math.max(least + 1, Math.floor(1.25 * least)));
      },
    );
    await fc.assert(property, { numRuns: 40, endOnFailure: true });
  });

  test("once, where everything fits a page, also where the ends are open", async () => {
    for (const range of [{ start: 0, end: 100 }, {}, { start: 3 }, { end: 9 }]) {
      const source = new RangeSource(rowsAt([3, 3, 5, 8]), range);
      expectSame(await scan(source).toArray(), source.expected());
      expect(source.requests).toHaveLength(1);
    }
  });

  test("with as many requests at once as it may, and no more", async () => {
    const rows = rowsAt(Array.from({ length: 4000 }, (_, time) => time));
    for (const concurrency of [1, 3, 4]) {
      const source = new RangeSource(rows, {}, { schedule: () => new Promise(setImmediate) });
      await scan(source, { pageSize: 50, concurrency }).toArray();
      expect(source.mostUnderWay).toBe(concurrency);
    }
  });

  test("for no more than maxItems leaves", async () => {
    const rows = rowsAt(Array.from({ length: 4000 }, (_, time) => time));
    const source = new RangeSource(rows, { start: 0, end: 4000 });
    expectSame(await scan(source, { maxItems: 30 }).toArray(), rows.slice(0, 30));
    expect(source.requests).toEqual([{ start: -1n, end: 4000n, size: 30, newestFirst: false }]);

    const many = new RangeSource(rows, { start: 0, end: 4000 });
    expectSame(await scan(many, { maxItems: 1050, pageSize: 100 }).toArray(), rows.slice(0, 1050));
    expect(many.rowsSent).toBeLessThan(1050 + 3 * 100);
  });

  test("for more than maxItems where one time has more rows than that", async () => {
    const source = new RangeSource(rowsAt([1, 2, 2, 2, 2, 2, 2, 3, 4]), { start: 2, end: 10 });
    expectSame(await scan(source, { maxItems: 3 }).toArray(), source.expected().slice(0, 3));
    const behind = new RangeSource(rowsAt([1, 1, 1, 1, 2, 3, 4]), { start: 2, end: 10 });
    expectSame(await scan(behind, { maxItems: 2 }).toArray(), behind.expected().slice(0, 2));
  });

  test("for nothing before it is used, and for no more than a bounded stock while the caller is slow", async () => {
    const rows = rowsAt(Array.from({ length: 50_000 }, (_, time) => time));
    const source = new RangeSource(rows, { start: 0, end: 50_000 });
    const records = scan(source, { pageSize: 100, concurrency: 4 })[Symbol.asyncIterator]();
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(0);
    await records.next();
    for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
    // Twelve pages for each of four at once, and what is under way.
    expect(source.rowsSent).toBeLessThanOrEqual((12 * 4 + 4) * 100);
    expect(source.underWay).toBe(0);
    await records.return(undefined);
  });
});

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
  const rows = rowsAt(Array.from({ length: 5000 }, (_, time) => time));
  const hanging = (answers: number): RangeBehaviour => {
    let requests = 0;
    return { schedule: () => (requests++ < answers ? Promise.resolve() : new Promise(() => {})) };
  };

  test("with break: what is under way is given up and nothing more is sent", async () => {
    const source = new RangeSource(rows, {}, hanging(3));
    for await (const row of scan(source, { pageSize: 100 })) if (row.id === 50) break;
    const sent = source.requests.length;
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
    await new Promise(setImmediate);
    expect(source.requests).toHaveLength(sent);
  });

  test("with an abort: whoever waits gets the reason, and no listener is left", async () => {
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
      if (row.id === 5) break;
    expect(listeners.size).toBe(0);
  });

  test("with an abort while the caller is busy: what is under way is given up at once", async () => {
    const controller = new AbortController();
    const source = new RangeSource(rows, {}, hanging(3));
    const records = scan(source, { pageSize: 100, signal: controller.signal })[Symbol.asyncIterator]();
    await records.next();
    await new Promise(setImmediate);
    expect(source.underWay).toBeGreaterThan(0);
    controller.abort(new Error("enough"));
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
    await expect(records.next()).rejects.toThrow("enough");
  });

  test("with maxItems: what is under way beyond them is given up", async () => {
    const source = new RangeSource(rows, { start: 0, end: 5000 }, { schedule: () => new Promise(setImmediate) });
    await scan(source, { pageSize: 100, maxItems: 950 }).toArray();
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test("where next() waits: it is told that there is nothing more", async () => {
    const records = scan(new RangeSource(rows, {}, hanging(0)))[Symbol.asyncIterator]();
    const waiting = [records.next(), records.next()];
    await records.return(undefined);
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });
});

describe("a scan refuses an answer", () => {
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
    ["out of order", answer(["12", "11"]), "records out of order"],
    ["from before the range", answer(["3", "11"]), "records outside of the range"],
    ["from behind the range", answer(["11", "25"]), "records outside of the range"],
    ["that is empty and says there is more", answer([], true), "an empty page that says there is more"],
    ["with a time that is none", answer(["soon"]), 'a record with the timestamp "soon"'],
    ["with a time that is a number", answer([12]), "a record with the timestamp 12"],
  ])("%s", async (_, body, words) => {
    const source = answering(body);
    const client = createClient({ baseUrl: "https://node.example", fetch: source.fetch });
    const changes = client.scanBalanceChanges({ dateRange: { startTimestamp: 10n, endTimestamp: 20n } });
    const error: unknown = await changes.toArray().catch((reason: unknown) => reason);
    expect(error).toSatisfy(ResponseError.is);
    expect((error as Error).message).toMatch(new RegExp(`^scanBalanceChanges got ${words} from `));
    expect(error).toMatchObject({ resume: { startTimestamp: "10", endTimestamp: "20" }, itemsRead: 0 });
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

  test("yields rows of one time that differ in their account alone", async () => {
    const change = { timestamp: "5000", balance: "1", partyId: "p", marketId: "" } as const;
    const changes = ["c", "a", "b"].map((assetId) => ({ ...change, assetId }));
    const node = createFakeNode({ balances: changes });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const scanned = await client.scanBalanceChanges().toArray();
    expect(new Set(scanned)).toEqual(new Set(changes));
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
      assetId: `asset ${index}`,
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
