import type { BalanceChange } from "../../generated/types.js";
import type { PartScan } from "./part.js";
import { compareRecords, microsecondAt } from "./records.js";
import type { Failure } from "./scheduler.js";
import type { ReadingOrder } from "./timeline.js";

/** A part with what it has read and the caller does not have yet. */
interface Head {
  part: PartScan;
  records: readonly BalanceChange[];
  failure?: Failure;
  isDone?: boolean;
}

/** Merges the records of the parts of a scan in one order. */
export class MergedParts {
  readonly #order: ReadingOrder;
  #heads: readonly Head[];

  constructor(parts: readonly PartScan[], order: ReadingOrder) {
    this.#heads = parts.map((part) => ({ part, records: [] }));
    this.#order = order;
  }

  /** The next records; a failure once everything before it was returned; `undefined` at the end. */
  async next(): Promise<readonly BalanceChange[] | Failure | undefined> {
    const [only, ...others] = this.#heads;
    if (only !== undefined && others.length === 0) return only.part.next();
    this.#heads = await Promise.all(this.#heads.map(filled));
    const { compare, firstOf } = this.#order;
    const failures = this.#heads.flatMap(({ failure }) => failure ?? []);
    const [failure] = failures.sort((a, b) => compare(firstOf(a.unread), firstOf(b.unread)));
    const ready = this.#takeReady(failure);
    // Nothing is ready if the part that comes next has failed, or if all have ended.
    return ready.length > 0 ? ready : failure;
  }

  /** The records that no unread record of another part can come before. */
  #takeReady(failure: Failure | undefined): BalanceChange[] {
    const { sign, compare, firstOf } = this.#order;
    const inOrder = (a: BalanceChange, b: BalanceChange) => sign * compareRecords(a, b);
    const [bound] = this.#heads.flatMap(({ records }) => records.slice(-1)).sort(inOrder);
    const isReady = (record: BalanceChange) =>
      (bound === undefined || inOrder(record, bound) <= 0) &&
      (failure === undefined || compare(microsecondAt(record), firstOf(failure.unread)) < 0);
    const taken = this.#heads.map(({ records }) => {
      const index = records.findIndex((record) => !isReady(record));
      return index < 0 ? records.length : index;
    });
    const ready = this.#heads.flatMap(({ records }, index) => records.slice(0, taken[index])).sort(inOrder);
    this.#heads = this.#heads.map((head, index) => ({ ...head, records: head.records.slice(taken[index]) }));
    return ready;
  }
}

async function filled(head: Head): Promise<Head> {
  if (head.isDone || head.failure || head.records.length > 0) return head;
  const next = await head.part.next();
  if (next === undefined) return { ...head, isDone: true };
  return "error" in next ? { ...head, failure: next } : { ...head, records: next };
}
