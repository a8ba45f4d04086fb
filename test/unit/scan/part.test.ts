import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BalanceChange, PaginationError } from "../../../src/index.js";
import type { WalkPlan } from "../../../src/list/plan.js";
import type { ListPage } from "../../../src/list/read-page.js";
import type { WalkState } from "../../../src/list/state.js";
import { type PartOptions, PartScan } from "../../../src/scan/part.js";
import type { Failure } from "../../../src/scan/scheduler.js";
import { compareRecords, microsecondAt, readingOrder } from "../../../src/scan/timeline.js";
import { changesAt } from "../../support/records.js";
import { runs } from "../../support/runs.js";

type Plan = WalkPlan<BalanceChange>;
interface Read {
  start: bigint | undefined;
  lead: bigint | undefined;
  end: bigint | undefined;
  size: number;
  left: number;
  pages: number;
}
interface Source {
  newestFirst: boolean;
  size: number;
  /** The time from which a page is complete, or an error. */
  respond?: (read: Read) => bigint;
}

/** Times in whole microseconds. */
const recordsAt = (microseconds: readonly number[]) => changesAt(microseconds.map((each) => BigInt(each) * 1000n));

/** A scan of records, whose walks have them in order, and its requests. */
function partOf(records: readonly BalanceChange[], source: Source, options: Partial<PartOptions> = {}) {
  const { newestFirst, size, respond } = source;
  const reads: Read[] = [];
  const sorted = [...records].sort((a, b) => (newestFirst ? -1 : 1) * compareRecords(a, b));
  const read = async (plan: Plan, state: WalkState<BalanceChange>, left: number) => {
    const { start, lead = start, end } = plan.range ?? {};
    const request = { start, lead: plan.range?.lead, end, size: plan.size, left, pages: state.pages };
    reads.push(request);
    await Promise.resolve();
    const completeFrom = respond?.(request) ?? 0n;
    const isInRange = ({ timestamp }: BalanceChange) =>
      BigInt(timestamp) >= (lead ?? 0n) && BigInt(timestamp) < (end ?? 0n);
    const inRange = sorted.filter(isInRange);
    const first = state.count ?? 0;
    const nodes = inRange.slice(first, first + plan.size);
    const next = { ...state, pages: state.pages + 1, count: first + nodes.length };
    const hasMore = first + nodes.length < inRange.length;
    const onward = () => (hasMore ? next : undefined);
    return { nodes, completeFrom, onward } as unknown as ListPage<BalanceChange>;
  };
  const part = new PartScan({
    plan: { size, direction: undefined, cursor: undefined } as unknown as Plan,
    order: readingOrder(newestFirst),
    range: { start: 1n, end: 10_000n },
    maxItems: Number.POSITIVE_INFINITY,
    concurrency: 4,
    bufferSize: 10_000,
    countProofs: () => 0,
    read,
    ...options,
  });
  const all = async () => {
    const taken: BalanceChange[] = [];
    for (let batch = await part.next(); ; batch = await part.next()) {
      if (batch === undefined) return { taken, failure: undefined };
      if ("error" in batch) return { taken, failure: batch as Failure };
      taken.push(...batch);
    }
  };
  return { part, reads, all, sorted };
}

const dense = Array.from({ length: 2000 }, (_, index) => 1 + 4 * index);

describe.each([true, false])("a part of a scan, newest first: %s,", (newestFirst) => {
  test("yields each record once and in order, whatever the sizes of pages, the requests at once and the records of a time", async () => {
    const cases = fc.record({
      times: fc.array(fc.integer({ min: 1, max: 9999 }), { maxLength: 300, size: "max" }),
      bursts: fc.array(fc.integer({ min: 1, max: 9999 }), { maxLength: 3 }),
      size: fc.integer({ min: 1, max: 40 }),
      concurrency: fc.integer({ min: 1, max: 5 }),
      bufferSize: fc.constantFrom(1, 50, 1000),
    });
    const property = fc.asyncProperty(cases, async ({ times, bursts, size, concurrency, bufferSize }) => {
      const records = recordsAt([...times, ...bursts.flatMap((time) => Array<number>(30).fill(time))]);
      const { all, sorted } = partOf(records, { newestFirst, size }, { concurrency, bufferSize });
      const { taken, failure } = await all();
      expect(taken).toEqual(sorted);
      expect(failure).toBeUndefined();
    });
    await fc.assert(property, runs(50));
  });

  test("reads with as many requests as it may, each segment from before its start, and no more records than are needed", async () => {
    const { all, reads } = partOf(recordsAt(dense), { newestFirst, size: 50 }, { maxItems: 1000 });
    await all();
    const led = reads.filter(({ lead, start }) => lead !== undefined && start !== undefined && lead < start);
    expect(led.length).toBeGreaterThan(2);
    // Some records lead in: 6 of them for pages of 50, with room for twice as many on the first page.
    for (const { lead = 0n, start = 0n, size, pages } of led) {
      expect(start - lead).toBeGreaterThanOrEqual(20_000n);
      expect(size).toBe(pages === 0 ? 62 : 50);
    }
    expect(reads[0]).toMatchObject({ start: 1000n, lead: 1000n, end: 10_000_000n, left: 1100 });
    expect(reads.at(-1)?.left).toBeLessThan(1100);
  });

  test("has no lead from before its range, and none at time 0", async () => {
    const { all, reads } = partOf(recordsAt(dense), { newestFirst, size: 50 }, { range: { start: 0n, end: 8000n } });
    await all();
    expect(reads.filter(({ start }) => start === undefined).every(({ lead }) => lead === undefined)).toBe(true);
    expect(reads.every(({ lead }) => lead === undefined || lead > 0n)).toBe(true);
  });

  test("splits less if starts have taken more requests", async () => {
    const [cheap, dear] = [0, 100].map((proofs) =>
      partOf(recordsAt(dense), { newestFirst, size: 20 }, { countProofs: () => proofs }),
    );
    for (const part of [cheap, dear]) expect((await part?.all())?.taken).toHaveLength(2000);
    const segments = (reads: Read[] = []) => new Set(reads.map(({ start, end }) => `${start} ${end}`)).size;
    expect(segments(dear?.reads)).toBe(1);
    expect(segments(cheap?.reads)).toBeGreaterThan(5);
  });

  test("is complete from the latest time that a page could not prove", async () => {
    const completeFrom = 5_000_000n;
    const completeWith = async (records: BalanceChange[], shownFrom: (start: bigint) => bigint) => {
      const respond = ({ start = 0n }: Read) => shownFrom(start);
      const { part, all } = partOf(records, { newestFirst, size: 50, respond });
      await all();
      return part.completeFrom;
    };
    expect(await completeWith(recordsAt(dense), (start) => start)).toBe(0n);
    expect(await completeWith(recordsAt(dense), () => completeFrom)).toBe(completeFrom);
    expect(await completeWith([], () => 1n << 62n)).toBe(10_000_000n);
  });

  test("fails after everything before, and the rest of the range is not read", async () => {
    const error = new Error("refused");
    const respond = ({ start = 0n, pages }: Read) => {
      if (pages === 2 && (newestFirst || start > 1000n)) throw error;
      return 0n;
    };
    const { all, sorted } = partOf(recordsAt(dense), { newestFirst, size: 50, respond });
    const { taken, failure } = await all();
    const order = readingOrder(newestFirst);
    const at = order.firstOf(failure?.unread ?? { start: 0n, end: 0n });
    expect(taken).toEqual(sorted.filter((record) => order.compare(microsecondAt(record), at) < 0));
    expect(failure).toMatchObject({ error, unread: newestFirst ? { start: 1n } : { end: 10_000n } });
    expect(taken.length).toBeGreaterThan(50);
  });
});

test("a part of a scan that reaches the block of a node that is behind yields what is before it", async () => {
  const block = { height: 9n, timestamp: 6_000_500n };
  const error = new PaginationError("behind", { operation: "scanBalanceChanges", reason: "behind", block });
  const respond = ({ end = 0n }: Read) => {
    if (end > block.timestamp) throw error;
    return 0n;
  };
  const behind = { newestFirst: false, size: 5000, respond };
  const { all, sorted } = partOf(recordsAt(dense), behind, { concurrency: 1 });
  const { taken, failure } = await all();
  expect(taken).toEqual(sorted.filter((record) => microsecondAt(record) < 6000n));
  expect(failure).toEqual({ unread: { start: 6000n, end: 10_000n }, error });
  const newest = partOf(recordsAt(dense), { ...behind, newestFirst: true });
  expect(await newest.all()).toEqual({ taken: [], failure: { unread: { start: 1n, end: 10_000n }, error } });
  for (const timestamp of [1_000n, 10_000_000n]) {
    const place = { operation: "scan", reason: "behind", block: { height: 9n, timestamp } } as const;
    const outside = new PaginationError("behind", place);
    const respond = () => {
      throw outside;
    };
    const { failure } = await partOf(recordsAt(dense), { ...behind, respond }).all();
    expect(failure).toEqual({ unread: { start: 1n, end: 10_000n }, error: outside });
  }
});
