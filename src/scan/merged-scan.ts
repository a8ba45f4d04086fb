import type { BalanceChange } from "../../generated/types.js";
import { readyItems } from "../list/merge/ready.js";
import { microsecondOf } from "../values/microseconds.js";
import type { Failure, FilterScan } from "./filter-scan.js";
import { compareRecords } from "./record-order.js";
import type { ReadingOrder } from "./timeline.js";

/** A scan with what it has read and the caller does not have yet. */
interface Head {
  scan: FilterScan;
  records: readonly BalanceChange[];
  failure: Failure | undefined;
  isDone: boolean;
}

/** Merges the records of several scans in one order. */
export class MergedScan {
  readonly #heads: Head[];
  readonly #order: ReadingOrder;

  constructor(scans: readonly FilterScan[], order: ReadingOrder) {
    this.#heads = scans.map((scan) => ({ scan, records: [], failure: undefined, isDone: false }));
    this.#order = order;
  }

  /** The next records; a failure once everything before it was returned; `undefined` at the end. */
  async next(): Promise<readonly BalanceChange[] | Failure | undefined> {
    const [only, ...others] = this.#heads;
    if (only !== undefined && others.length === 0) return only.scan.next();
    await Promise.all(this.#heads.map((head) => this.#fill(head)));
    const ready = this.#takeReady();
    if (ready.length > 0) return ready;
    // Nothing is ready if the scan that comes next has failed, or if all have ended.
    return this.#firstFailure;
  }

  get #firstFailure(): Failure | undefined {
    const { compare, firstOf } = this.#order;
    const failures = this.#heads.flatMap(({ failure }) => failure ?? []);
    return failures.sort((a, b) => compare(firstOf(a.unread), firstOf(b.unread)))[0];
  }

  async #fill(head: Head): Promise<void> {
    if (head.isDone || head.failure || head.records.length > 0) return;
    const next = await head.scan.next();
    if (next === undefined) head.isDone = true;
    else if ("error" in next) head.failure = next;
    else head.records = next;
  }

  #takeReady(): BalanceChange[] {
    const { sign, compare, firstOf } = this.#order;
    const lists = this.#heads.map(({ records }) => records);
    const ends = lists.flatMap((records) => records.slice(-1));
    const ready = readyItems(lists, ends, (a, b) => sign * compareRecords(a, b));
    const failure = this.#firstFailure;
    const isBeforeFailure = ({ timestamp }: BalanceChange) =>
      failure === undefined || compare(microsecondOf(BigInt(timestamp)), firstOf(failure.unread)) < 0;
    const taken = new Set(ready.filter(isBeforeFailure));
    for (const head of this.#heads) head.records = head.records.filter((record) => !taken.has(record));
    return [...taken];
  }
}
