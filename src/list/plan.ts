import type { Pagination } from "../../generated/types.js";
import { isPositiveInteger } from "../arguments/check-options.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import {
  type Backward,
  type Direction,
  directionOf,
  type Edge,
  type Forward,
  isDescending,
  type NodePage,
  type PageContent,
} from "../evidence/page.js";
import type { Expectation } from "../http/expectation.js";
import type { Deduplicator, UnreliableCursors } from "./repair.js";
import type { WalkSettings } from "./walk-options.js";

export interface Source<T, Extra extends object> {
  operation?: string;
  /** What to do about a cursor that repeats. */
  advice?: string | undefined;
  cursors?: UnreliableCursors<T> | undefined;
  /**
   * Leaves out records that come again in a later page of a walk. Default: none are.
   *
   * @param isKnown - Whether a record was read before the walk.
   */
  deduplicator?(isKnown: ((edge: Edge<T>) => boolean) | undefined): Deduplicator<T>;
  /** Which records of a page belong to the list. Default: all do. */
  isWanted?: ((record: T) => boolean) | undefined;
  /**
   * Fetches one page that shows what is expected. The signal aborts if the page is no longer needed.
   *
   * @param decidesStart - Whether the page decides how far back the walk is complete.
   */
  fetchPage(
    pagination: Pagination,
    expectation: Expectation,
    signal: AbortSignal,
    decidesStart: boolean,
  ): PromiseLike<FetchedPage<T, Extra>>;
  /** Returns the time of the oldest record that nodes keep, if they have dropped records since a time. */
  findHistory?(time: bigint, signal: AbortSignal): Promise<bigint | undefined>;
}

/** A page of a source. Its records can be outside of the range of the walk. */
export interface FetchedPage<T, Extra extends object>
  extends PageContent<T>,
    Partial<Pick<NodePage<T>, "completeFrom" | "availableFrom" | "node">> {
  extra?: Extra;
}

export interface WalkRequest extends WalkSettings {
  operation?: string;
  pagination: Pagination;
  /** Size of a page if `pagination` names none. */
  pageSize: number;
  /** The range of time of a list that has one, in Unix nanoseconds. Either side can be open; the end does not belong to it. */
  range?: { start: bigint | undefined; end: bigint | undefined } | undefined;
}

export interface WalkPlan extends WalkRequest {
  direction: Direction;
  cursor: string | undefined;
  size: number;
}

/** @throws {@link ArgumentError} if a parameter is invalid, or contradicts another one. */
export function planWalk(request: WalkRequest): WalkPlan {
  const { operation, pagination, pageSize } = request;
  for (const name of ["first", "last"] as const) {
    const size = pagination[name];
    if (size === undefined || isPositiveInteger(size)) continue;
    refuse({ operation, argument: `pagination.${name}` }, "a positive integer", size);
  }
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

/** The `pagination` of a page: what follows a cursor, or the first page of a direction. */
export function pageAfter(
  { pagination: { newestFirst }, ...plan }: WalkPlan,
  direction: Direction,
  cursor: string | undefined,
  size = plan.size,
): Forward | Backward {
  return {
    [direction.size]: size,
    ...(cursor !== undefined && { [direction.cursor]: cursor }),
    ...(newestFirst !== undefined && { newestFirst }),
  };
}

/** Whether a walk in a direction goes from newer records to older ones. */
export const goesDown = (plan: WalkPlan, direction = plan.direction): boolean =>
  isDescending(pageAfter(plan, direction, undefined));
