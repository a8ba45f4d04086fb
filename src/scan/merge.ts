import type { BalanceChange } from "../../generated/types.js";
import type { PartScan } from "./part.js";
import type { NextRecords } from "./scheduler.js";
import { microsecondAt, type ReadingOrder } from "./timeline.js";

type Part = Pick<PartScan, "next">;

/** Merges the records of the parts of a scan in one order. */
export class MergedParts {
  readonly #order: ReadingOrder;
  #heads: readonly { readonly part: Part; readonly next: NextRecords }[];

  constructor(parts: readonly Part[], order: ReadingOrder) {
    this.#heads = parts.map((part) => ({ part, next: [] }));
    this.#order = order;
  }

  async next(): Promise<NextRecords> {
    const [only, ...others] = this.#heads;
    if (others.length === 0) return only?.part.next();
    const heads = await Promise.all(
      this.#heads.map(async ({ part, next }) => ({ part, next: isBatch(next) && !next[0] ? await part.next() : next })),
    );
    const { compare, compareRecords, firstOf } = this.#order;
    const batches = heads.map(({ next }) => next).filter(isBatch);
    const [failure] = heads
      .flatMap(({ next }) => (next && !isBatch(next) ? next : []))
      .sort((a, b) => compare(firstOf(a.unread), firstOf(b.unread)));
    const [bound] = batches.flatMap((batch) => batch.slice(-1)).sort(compareRecords);
    // No unread record of another part can come before it.
    const isReady = (record: BalanceChange) =>
      (bound === undefined || compareRecords(record, bound) <= 0) &&
      (failure === undefined || compare(microsecondAt(record), firstOf(failure.unread)) < 0);
    // A batch is in order: the rest of it is not compared.
    const ready = heads.map(({ next }) => {
      if (!isBatch(next)) return [];
      const later = next.findIndex((record) => !isReady(record));
      return later < 0 ? next : next.slice(0, later);
    });
    this.#heads = heads.map(({ part, next }, index) => ({
      part,
      next: isBatch(next) ? next.slice(ready[index]?.length) : next,
    }));
    const records = ready.flat().sort(compareRecords);
    // Nothing is ready if the part that comes next has failed, or if all have ended.
    return records.length > 0 ? records : failure;
  }
}

const isBatch = (next: NextRecords): next is readonly BalanceChange[] => Array.isArray(next);
