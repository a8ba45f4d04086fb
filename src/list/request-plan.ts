import type { Pagination } from "../../generated/types.js";
import { isPositiveInteger } from "../arguments/check-options.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import { type Backward, contradictionIn, type Direction, directionOf, type Forward } from "../evidence/direction.js";
import { completeFrom } from "../evidence/history.js";
import type { OldestPage } from "../evidence/node-page.js";
import type { Demand } from "../http/demand.js";
import type { Deduplicator } from "./deduplicator.js";
import type { PageContent } from "./page.js";
import type { UnreliableCursors } from "./repair/continuation.js";
import type { WalkSettings } from "./walk-options.js";

/**
 * Fetches one page that shows what is demanded. The signal aborts if the page is no longer needed.
 *
 * @param decidesStart - Whether the page decides how far back the walk is complete.
 */
export type FetchPage<T, Extra extends object> = (
  pagination: Pagination,
  signal: AbortSignal,
  demand?: Demand<PageContent<T>>,
  decidesStart?: boolean,
) => PromiseLike<FetchedPage<T, Extra>>;

/** A page of a source. Its records can be outside of the range of the walk. */
export interface FetchedPage<T, Extra extends object>
  extends PageContent<T>,
    Partial<Pick<OldestPage<T>, "completeFrom" | "availableFrom" | "node">> {
  extra?: Extra;
}

/** What a walk reads. */
export interface Source<T, Extra extends object> {
  operation?: string;
  /** What to do about a cursor that repeats. */
  advice?: string | undefined;
  cursors?: UnreliableCursors<T> | undefined;
  /** Leaves out records that come again in a later page of a walk. Default: none are. */
  deduplicator?(): Deduplicator<T>;
  /** Which records of a page belong to the list. Default: all do. */
  isWanted?: ((record: T) => boolean) | undefined;
  fetchPage: FetchPage<T, Extra>;
  /** Returns the time of the oldest record that nodes keep, if they have dropped records since a time. */
  findHistory?(time: bigint, signal: AbortSignal): Promise<bigint | undefined>;
}

/** A range of time of which one side, or both, can be open. The end does not belong to it. */
export interface OpenTimeRange {
  start: bigint | undefined;
  end: bigint | undefined;
}

/** The checked argument and options of one walk. */
export interface WalkRequest extends WalkSettings {
  operation?: string;
  pagination: Pagination;
  /** Size of a page if `pagination` names none. */
  pageSize: number;
  /** The range of time of a list that has one, in Unix nanoseconds. */
  range?: OpenTimeRange | undefined;
}

/** The requests that follow from the argument and the options of one walk. */
export class RequestPlan<T> {
  readonly operation: string | undefined;
  readonly range: OpenTimeRange | undefined;
  readonly direction: Direction;
  /** The cursor to start from. */
  readonly cursor: string | undefined;
  readonly size: number;
  readonly maxItems: number;
  readonly readAhead: boolean;
  readonly signal: AbortSignal | undefined;
  readonly #walk: WalkRequest;

  constructor(walk: WalkRequest) {
    const { operation, pagination, pageSize, range, maxItems, readAhead, signal } = walk;
    this.operation = operation;
    this.#checkPagination(pagination);
    this.range = range;
    this.direction = directionOf(pagination);
    this.cursor = pagination[this.direction.cursor];
    this.size = pagination[this.direction.size] ?? pageSize;
    this.maxItems = maxItems;
    this.readAhead = readAhead;
    this.signal = signal;
    this.#walk = walk;
  }

  /** Whether a page decides how far back the walk is complete: the first one in ascending order, any one in descending order. */
  decidesStart(direction: Direction, { isAlone, isContinued }: { isAlone: boolean; isContinued: boolean }): boolean {
    return this.range !== undefined && !isAlone && (this.isDescending(direction) || !isContinued);
  }

  /** What a page has to show, so that nothing before it and in it is missing. */
  demand(
    direction: Direction,
    { isAlone, isFirst, isContinued }: { isAlone: boolean; isFirst: boolean; isContinued: boolean },
  ): Demand<PageContent<T>> {
    const pagination = this.request(direction, undefined);
    return {
      isFresh: isFirst,
      ...(this.decidesStart(direction, { isAlone, isContinued }) && {
        historyFrom: this.range?.start ?? 0n,
        completeFrom: (shown) => completeFrom(shown, pagination, this.range?.start),
      }),
      ...(!isAlone && { lacksBlock: ({ block }, namesBlocks) => block === undefined && namesBlocks }),
    };
  }

  /** Nodes silently ignore one of two contradicting parameters (observed on v0.74 nodes). */
  #checkPagination(pagination: Pagination): void {
    for (const name of ["first", "last"] as const) {
      const size = pagination[name];
      if (size !== undefined) this.#check(`pagination.${name}`, "a positive integer", size, isPositiveInteger(size));
    }
    const [one, other] = contradictionIn(pagination) ?? [];
    if (one !== undefined) {
      const place = { operation: this.operation, argument: `pagination.${other}` };
      refuseByRule(place, `cannot be combined with \`pagination.${one}\``);
    }
  }

  #check(argument: string, expected: string, value: unknown, isRight: boolean): void {
    if (!isRight) refuse({ operation: this.operation, argument }, expected, value);
  }

  /** Returns whether a node reads the list downwards for a walk in this direction. */
  isDescending(direction: Direction): boolean {
    return (direction.size === "last") !== (this.#walk.pagination.newestFirst ?? true);
  }

  /** The `pagination` of a page: what follows a cursor, or the first page of a direction. */
  readonly request = (direction: Direction, cursor: string | undefined, size = this.size): Forward | Backward => {
    const { newestFirst } = this.#walk.pagination;
    return {
      [direction.size]: size,
      ...(cursor !== undefined && { [direction.cursor]: cursor }),
      ...(newestFirst !== undefined && { newestFirst }),
    };
  };
}
