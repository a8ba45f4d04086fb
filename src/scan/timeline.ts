import { compareIntegers } from "../values/integers.js";
import { microsecondOf } from "../values/times.js";

/**
 * Times of a scan are whole microseconds since Unix time 0, in which v0.74 nodes keep and compare times: requests that are
 * aligned to them mean the same on nodes that compare nanoseconds.
 */
export interface Range {
  readonly start: bigint;
  /** Not part of the range. */
  readonly end: bigint;
}

/** The smallest range in microseconds that holds a range in Unix nanoseconds. */
export const aligned = (start: bigint, end: bigint): Range => ({
  start: microsecondOf(start),
  end: -microsecondOf(-end),
});

export const isEmpty = ({ start, end }: Range): boolean => start >= end;
export const lengthOf = ({ start, end }: Range): number => Number(end - start);

/** A range is read from one of its sides to the other. */
export interface ReadingOrder {
  readonly newestFirst: boolean;
  /** -1 if times decrease. */
  readonly sign: 1 | -1;
  /** The microsecond that is read first. */
  firstOf(range: Range): bigint;
  /** What is left of a range from a microsecond on. */
  from(range: Range, microsecond: bigint): Range;
  /** Splits a range after so many microseconds, in reading order. */
  split(range: Range, length: bigint): [Range, Range];
  /** Less than 0 if the first time is read before the second. */
  compare(a: bigint, b: bigint): number;
}

export const oldestFirst: ReadingOrder = {
  newestFirst: false,
  sign: 1,
  firstOf: ({ start }) => start,
  from: ({ end }, start) => ({ start, end }),
  split: ({ start, end }, length) => [
    { start, end: start + length },
    { start: start + length, end },
  ],
  compare: compareIntegers,
};

export const newestFirst: ReadingOrder = {
  newestFirst: true,
  sign: -1,
  firstOf: ({ end }) => end - 1n,
  from: ({ start }, microsecond) => ({ start, end: microsecond + 1n }),
  split: ({ start, end }, length) => [
    { start: end - length, end },
    { start, end: end - length },
  ],
  compare: (a, b) => compareIntegers(b, a),
};
