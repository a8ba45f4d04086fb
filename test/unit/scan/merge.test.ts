import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import { MergedParts } from "../../../src/scan/merge.js";
import type { Failure } from "../../../src/scan/scheduler.js";
import { compareRecords, holds, microsecondAt, readingOrder } from "../../../src/scan/timeline.js";
import { changeAt } from "../../support/records.js";
import { runs } from "../../support/runs.js";

const whole = { start: 0n, end: 30n };

/** A record of a microsecond. Each part has accounts of its own. */
const recordAt = (microsecond: number, part: number, account: number) =>
  changeAt(BigInt(microsecond) * 1000n, { assetId: `${account}`, partyId: `${part}` });

/** Parts of a scan: the microseconds of records, how many records a batch has at least, and where the part fails. */
const parts = fc.array(
  fc.record({
    times: fc.array(fc.nat(29), { maxLength: 12 }),
    size: fc.integer({ min: 1, max: 4 }),
    failsAt: fc.option(fc.nat(29), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 4 },
);

test("the records of several parts come in one order, up to the first failure of one of them", async () => {
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (given, newestFirst) => {
      const order = readingOrder(newestFirst);
      const inOrder = (a: BalanceChange, b: BalanceChange) => (newestFirst ? -1 : 1) * compareRecords(a, b);
      const isBefore = (time: bigint) => (record: BalanceChange) => order.compare(microsecondAt(record), time) < 0;
      const sources = given.map(({ times, size, failsAt }, part) => {
        const records = times.map((time, account) => recordAt(time, part, account)).sort(inOrder);
        const read = failsAt === undefined ? records : records.filter(isBefore(BigInt(failsAt)));
        // A batch has all records of a microsecond.
        const batches: BalanceChange[][] = [];
        for (const record of read) {
          const last = batches.at(-1);
          if (last && (last.length < size || last.at(-1)?.timestamp === record.timestamp)) last.push(record);
          else batches.push([record]);
        }
        const failure = failsAt === undefined ? undefined : { unread: order.from(whole, BigInt(failsAt)), error: part };
        return { records, failure, next: async () => batches.shift() ?? failure };
      });
      const merged = new MergedParts(sources, order);
      const got: BalanceChange[] = [];
      let last: readonly BalanceChange[] | Failure | undefined;
      for (;;) {
        last = await merged.next();
        if (!Array.isArray(last)) break;
        expect(last).not.toEqual([]);
        got.push(...last);
      }
      const failures = sources.flatMap(({ failure }) => (failure ? order.firstOf(failure.unread) : []));
      const first = failures.sort(order.compare)[0];
      const all = sources.flatMap(({ records }) => records).sort(inOrder);
      expect(got).toEqual(first === undefined ? all : all.filter(isBefore(first)));
      expect((last as Failure | undefined) && order.firstOf((last as Failure).unread)).toBe(first);
    }),
    runs(1000),
  );
});

test("the records that wait are not compared again with each batch", async () => {
  const [count, size] = [64, 100];
  let compared = 0;
  const order = readingOrder(false);
  const counted = {
    ...order,
    compareRecords: (a: BalanceChange, b: BalanceChange) => {
      compared++;
      return order.compareRecords(a, b);
    },
  };
  const sources = Array.from({ length: count }, (_, part) => {
    const records = Array.from({ length: 2 * size }, (_, index) => recordAt(count * index + part, part, 0));
    return { next: async () => (records.length > 0 ? records.splice(0, size) : undefined) };
  });
  const merged = new MergedParts(sources, counted);
  let read = 0;
  for (let next = await merged.next(); Array.isArray(next); next = await merged.next()) read += next.length;
  expect(read).toBe(2 * count * size);
  // Sorting compares each record a few times.
  expect(compared).toBeLessThan(20 * read);
});

describe("a range of microseconds", () => {
  const range = { start: 10n, end: 20n };

  test("is split in the order of reading", () => {
    const older = { start: 10n, end: 13n };
    const newer = { start: 13n, end: 20n };
    expect(readingOrder(false).split(range, 3n)).toEqual([older, newer]);
    expect(readingOrder(true).split(range, 7n)).toEqual([newer, older]);
  });

  test("has its start, and not its end", () => {
    expect([9n, 10n, 19n, 20n].map((time) => holds(range, time))).toEqual([false, true, true, false]);
  });
});

test("records of one time are in the order of asset, party, market and account type", () => {
  const names = ["accountType", "marketId", "partyId", "assetId"] as const;
  const sorted = [changeAt(1000n), ...names.map((name) => changeAt(1000n, { [name]: "~" }))];
  for (const records of [sorted, [...sorted].reverse()]) expect([...records].sort(compareRecords)).toEqual(sorted);
});
