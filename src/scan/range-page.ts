import type { BalanceChange } from "../../generated/types.js";
import { ResponseError } from "../errors/index.js";
import type { Block } from "../http/block.js";
import type { Demand } from "../http/demand.js";
import { type Edge, hasRecord, type PageContent } from "../source/node-page.js";
import { compareDigits, isDigits } from "../values/digits.js";
import { microsecondOf } from "../values/microseconds.js";
import { show } from "../values/show.js";

/** One request of a scan, with times in Unix nanoseconds. The start belongs to the range, the end does not. */
export interface RangeRequest {
  start?: bigint | undefined;
  end?: bigint | undefined;
  size: number;
  newestFirst: boolean;
  after?: string | undefined;
}

/** What a page of a scan shows. */
export interface RangeContent {
  edges: readonly Edge<BalanceChange>[];
  hasMore: boolean;
  endCursor: string | undefined;
}

export const contentOf = ({ edges, pageInfo }: PageContent<BalanceChange>): RangeContent => ({
  edges: edges.filter(hasRecord<BalanceChange>),
  hasMore: pageInfo?.hasNextPage ?? false,
  endCursor: pageInfo?.endCursor,
});

/** What a page of a scan has to show. */
export type RangeDemand = Demand<PageContent<BalanceChange>>;

/** The response to a request of a scan. */
export interface RangePage extends RangeContent {
  /** The current block; `undefined` if the node does not say. */
  block: Block | undefined;
  response: Response;
}

/** A record of a list that is sorted by time, in Unix nanoseconds. */
export type Timed = Pick<BalanceChange, "timestamp">;

/** Fetches a page that shows what is demanded. */
export type FetchRange = (request: RangeRequest, signal: AbortSignal, demand: RangeDemand) => Promise<RangePage>;

/** Refuses a page whose records are not in order of time, or outside of the range by more than a microsecond. */
export function checkPage(
  operation: string,
  request: Pick<RangeRequest, "start" | "end" | "newestFirst">,
  { edges, hasMore, response }: Pick<RangePage, "hasMore" | "response"> & { edges: readonly Edge<Timed>[] },
): void {
  const fail = (what: string, record?: Timed): never => {
    const body = record ?? edges.map(({ node }) => node);
    throw new ResponseError(`${operation} got ${what} from ${response.url}`, {
      operation,
      attempts: 1,
      response,
      body,
    });
  };
  if (edges.length === 0 && hasMore) fail("an empty page that reports a next page");
  const sign = request.newestFirst ? -1 : 1;
  let previous: string | undefined;
  for (const { node } of edges) {
    const { timestamp } = node;
    if (!isDigits(timestamp)) {
      fail(`a record with the timestamp ${show(timestamp)}`, node);
    }
    if (previous !== undefined && sign * compareDigits(timestamp, previous) < 0)
      fail("records that are out of order", node);
    previous = timestamp;
  }
  for (const { node } of [edges.at(0), edges.at(-1)].flatMap((edge) => edge ?? [])) {
    const time = microsecondOf(BigInt(node.timestamp));
    const isEarly = request.start !== undefined && time < microsecondOf(request.start) - 1n;
    const isLate = request.end !== undefined && time > microsecondOf(request.end) + 1n;
    if (isEarly || isLate) fail("records outside of the requested range", node);
  }
}
