import type { Pagination } from "../../generated/types.js";
import {
  abortSignal,
  boolean,
  isPositiveInteger,
  type OptionChecks,
  positiveInteger,
} from "../arguments/check-options.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import type { Block } from "../http/block.js";
import type { Demand } from "../http/demand.js";
import type { Deduplicator } from "./deduplicator.js";
import { type Backward, type Direction, directionOf, type Forward } from "./direction.js";
import type { PageContent } from "./page.js";
import type { UnreliableCursors } from "./repair/continuation.js";

/** Options of a walk. */
export interface WalkOptions {
  /**
   * How many records to read at most. The last request asks for no more than are left, unless its page repeats records of
   * the one before.
   *
   * @default Infinity
   * @example
   * ```ts
   * const votes = await client.listVotes({ partyId }, { maxItems: 500 }).toArray();
   * ```
   */
  maxItems?: number | undefined;
  /**
   * Whether the next page is fetched while the caller works on the current one, from the second page on and never more
   * than one page in advance.
   *
   * @default true
   */
  readAhead?: boolean | undefined;
  /** Ends the walk and the request in flight: a call that waits for a record rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export const walkChecks: OptionChecks<WalkOptions> = {
  maxItems: positiveInteger,
  readAhead: boolean,
  signal: abortSignal,
};

/** What a walk reads. It is opened when the walk is used: wrong arguments and options are a rejection then. */
export interface Source<T, Extra extends object> {
  operation?: string;
  /** What to do about a cursor that repeats. */
  advice?: string | undefined;
  cursors?: UnreliableCursors<T> | undefined;
  /** Leaves out records that come again in a later page of a walk. Default: none are. */
  deduplicator?(): Deduplicator<T>;
  open(): {
    pagination: Pagination;
    /** Size of a page if `pagination` names none. */
    pageSize: number;
    /** Fetches one page that shows what is demanded. The signal aborts if the page is no longer needed. */
    fetchPage(
      pagination: Pagination,
      signal: AbortSignal,
      demand?: Demand<PageContent<T>>,
    ): PromiseLike<PageContent<T> & { extra?: Extra; node?: string | undefined }>;
    /** The time that nodes must reach back to, in Unix nanoseconds, if the list is one whose old records they drop. */
    start?: bigint | undefined;
    /** Set if a first page that is awaited alone must reach back there, too. */
    reading?: Reading | undefined;
    /** Whether the client has several nodes with such a list. Without a start, the one that keeps the most is read. */
    comparesHistory?: boolean;
  };
}

/** What a follower needs of the first page that it reads. */
export interface Reading {
  /** The time that its node must reach back to, in Unix nanoseconds. */
  start: bigint;
  /** Returns whether that is certain if the page is of a block. */
  isProven(block: Block | undefined): boolean;
}

const contradictions = [
  ["first", "last"],
  ["first", "before"],
  ["last", "after"],
  ["after", "before"],
] as const;

/** The checked arguments and options of one walk, and the requests that follow from them. */
export class RequestPlan<T, Extra extends object> {
  readonly source: Source<T, Extra>;
  readonly fetchPage: ReturnType<Source<T, Extra>["open"]>["fetchPage"];
  readonly start: bigint | undefined;
  readonly reading: Reading | undefined;
  readonly comparesHistory: boolean;
  readonly direction: Direction;
  readonly newestFirst: boolean | undefined;
  /** The cursor to start from. */
  readonly cursor: string | undefined;
  readonly size: number;
  readonly maxItems: number;
  readonly readAhead: boolean;
  readonly signal: AbortSignal | undefined;

  constructor(source: Source<T, Extra>, options: WalkOptions) {
    this.source = source;
    const { pagination, pageSize, fetchPage, start, reading, comparesHistory = false } = source.open();
    const { maxItems = Number.POSITIVE_INFINITY, readAhead = true, signal } = options;
    this.#checkPagination(pagination);
    this.fetchPage = fetchPage;
    this.start = start;
    this.reading = reading;
    this.comparesHistory = comparesHistory;
    this.direction = directionOf(pagination);
    this.newestFirst = pagination.newestFirst;
    this.cursor = pagination[this.direction.cursor];
    this.size = pagination[this.direction.size] ?? pageSize;
    this.maxItems = maxItems;
    this.readAhead = readAhead;
    this.signal = signal;
  }

  /** Nodes silently ignore one of two contradicting parameters (observed on v0.74 nodes). */
  #checkPagination(pagination: Pagination): void {
    for (const name of ["first", "last"] as const) {
      const size = pagination[name];
      if (size !== undefined) this.#check(`pagination.${name}`, "a positive integer", size, isPositiveInteger(size));
    }
    for (const [one, other] of contradictions) {
      if (pagination[one] === undefined || pagination[other] === undefined) continue;
      const place = { operation: this.source.operation, argument: `pagination.${other}` };
      refuseByRule(place, `cannot be combined with \`pagination.${one}\``);
    }
  }

  #check(argument: string, expected: string, value: unknown, isRight: boolean): void {
    if (!isRight) refuse({ operation: this.source.operation, argument }, expected, value);
  }

  /** Returns whether a node reads the list downwards for a walk in this direction. */
  isDescending(direction: Direction): boolean {
    return (direction.size === "last") !== (this.newestFirst ?? true);
  }

  /** The `pagination` of a page: what follows a cursor, or the first page of a direction. */
  readonly request = (direction: Direction, cursor: string | undefined, size = this.size): Forward | Backward => {
    return {
      [direction.size]: size,
      ...(cursor !== undefined && { [direction.cursor]: cursor }),
      ...(this.newestFirst !== undefined && { newestFirst: this.newestFirst }),
    };
  };
}
