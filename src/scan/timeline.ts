import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { compare, compareDigits } from "../values/integers.js";
import { microsecondOf } from "../values/times.js";

/** A range in whole microseconds since Unix time 0. Nodes have no finer times (observed on v0.74 and v0.79 nodes). */
export interface Range {
  readonly start: bigint;
  /** Not part of the range. */
  readonly end: bigint;
}

export const holds = ({ start, end }: Range, microsecond: bigint): boolean => microsecond >= start && microsecond < end;
export const isEmpty = ({ start, end }: Range): boolean => start >= end;
export const lengthOf = ({ start, end }: Range): number => Number(end - start);

export const microsecondAt = ({ timestamp }: BalanceChange): bigint => microsecondOf(BigInt(timestamp));

const { cursors } = operations.listBalanceChanges;

/** The order of balance changes of one time: by their account, of which a node has one balance in a block. */
function compareAccounts(a: BalanceChange, b: BalanceChange): number {
  for (const name of cursors.missingMember.sha256Of) {
    const order = compare(String(a[name] ?? ""), String(b[name] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of a scan, oldest first: by time, then by account. */
export const compareRecords = (a: BalanceChange, b: BalanceChange): number =>
  compareDigits(a.timestamp, b.timestamp) || compareAccounts(a, b);

/** A range is read from one of its sides to the other. */
export type ReadingOrder = ReturnType<typeof readingOrder>;

export function readingOrder(newestFirst: boolean) {
  const sign = newestFirst ? -1 : 1;
  return {
    newestFirst,
    /** The microsecond that is read first. */
    firstOf: ({ start, end }: Range): bigint => (newestFirst ? end - 1n : start),
    /** The rest of a range from a microsecond on. */
    from: ({ start, end }: Range, at: bigint): Range => (newestFirst ? { start, end: at + 1n } : { start: at, end }),
    /** Splits a range after a number of microseconds, in reading order. */
    split({ start, end }: Range, length: bigint): [Range, Range] {
      const middle = newestFirst ? end - length : start + length;
      const [older, newer] = [
        { start, end: middle },
        { start: middle, end },
      ];
      return newestFirst ? [newer, older] : [older, newer];
    },
    /** Less than 0 if the first time is read before the second. */
    compare: (a: bigint, b: bigint): number => sign * compare(a, b),
    /** Less than 0 if the first record is read before the second. */
    compareRecords: (a: BalanceChange, b: BalanceChange): number => sign * compareRecords(a, b),
  };
}
