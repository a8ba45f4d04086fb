import type { Pagination } from "../../generated/types.js";
import { refuseByRule } from "../arguments/refuse.js";
import { microsecondFrom } from "../values/times.js";
import type { History } from "./history.js";
import { type Direction, directionOf, type ReadPage } from "./page.js";
import type { WalkSettings } from "./walk-options.js";

/** A range of time in Unix nanoseconds. Either side can be open; the end does not belong to it. */
export interface OpenRange {
  start?: bigint | undefined;
  end?: bigint | undefined;
  /** A time before the start from which pages are requested: a record from before it shows that nothing is missing. */
  lead?: bigint | undefined;
  /** A time after the end up to which pages are requested: a record from after the end shows the same there. */
  trail?: bigint | undefined;
}

/** Whether a range has no record, whatever nodes keep: their times are whole microseconds. */
export const isEmptyRange = ({ start = 0n, end }: OpenRange): boolean =>
  end !== undefined && microsecondFrom(start) >= microsecondFrom(end);

/**
 * Lists whose cursors are unreliable. Cursors of another form than expected are followed as they are.
 *
 * `"votes"`: the cursor is a block time, and v0.74 nodes leave out the first vote of that block, whichever it is.
 * `"changes"`: the cursor of v0.74 nodes lacks the account id that the records of a block are sorted by.
 * `"signatures"`: the cursor is sound, but a node that does not have its record yet leaves out the record behind it.
 */
export type ListKind = "votes" | "changes" | "signatures";

/** The list and the range of a walk, and how its pages are fetched. */
export interface WalkRequest<T> extends WalkSettings {
  operation?: string;
  pagination: Pagination;
  /** Size of a page if `pagination` names none. */
  pageSize: number;
  /** The range of time of a list that has one. */
  range?: OpenRange | undefined;
  /** Whether nodes must have reached the bounds of the range. Default: the coverage tells how far they are. */
  isFixed?: boolean;
  /** Whether the list ends with the oldest record that nodes keep. Default: missing earlier ones are an error. */
  endsAtHistory?: boolean;
  /** Default: the cursors of the list are followed as they are. */
  kind?: ListKind | undefined;
  /** Advice for a cursor that repeats. */
  advice?: string | undefined;
  /** Which records of a page belong to the list. Default: all do. */
  isWanted?(record: T): boolean;
  /**
   * Fetches one page that meets the expectation. The signal aborts if the page is no longer needed. Its records can be
   * outside of the range of the walk.
   */
  fetchPage: ReadPage<T>;
  /** The history of a list with a range. Default: it is not proved that pages have everything from the start on. */
  history?: History<T> | undefined;
  /** Whether a block is so recent that it makes sense to wait for a later one. */
  isRecent?(time: bigint): boolean;
}

export interface WalkPlan<T = unknown> extends WalkRequest<T> {
  direction: Direction;
  cursor: string | undefined;
  size: number;
}

/** @throws {@link ArgumentError} if a parameter contradicts another one. */
export function planWalk<T>(request: WalkRequest<T>): WalkPlan<T> {
  const { operation, pagination, pageSize } = request;
  const [one, other] = contradictions.find((names) => names.every((name) => pagination[name] !== undefined)) ?? [];
  if (one !== undefined) {
    refuseByRule({ operation, argument: `pagination.${other}` }, `cannot be combined with \`pagination.${one}\``);
  }
  const direction = directionOf(pagination);
  const size = pagination[direction.size] ?? pageSize;
  return { ...request, direction, cursor: pagination[direction.cursor], size };
}

/** Parameters of which nodes silently ignore one (observed on v0.74 nodes). */
const contradictions = [
  ["first", "last"],
  ["first", "before"],
  ["last", "after"],
  ["after", "before"],
] as const;

/** The `pagination` of a page: after a cursor, or the first page of a direction. */
export function pageAfter(
  { pagination: { newestFirst }, ...plan }: Pick<WalkPlan, "pagination" | "size">,
  direction: Direction,
  cursor: string | undefined,
  size = plan.size,
): Pagination {
  return {
    [direction.size]: size,
    ...(cursor !== undefined && { [direction.cursor]: cursor }),
    ...(newestFirst !== undefined && { newestFirst }),
  };
}
