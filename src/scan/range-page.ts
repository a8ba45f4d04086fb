import type { BalanceChange } from "../../generated/types.js";
import { ResponseError } from "../errors/index.js";
import { type Edge, hasRecord, type ListRequest, type OldestPage, type PageContent } from "../evidence/node-page.js";
import type { Block } from "../http/block.js";
import type { Demand } from "../http/demand.js";
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
  /** Whether the page decides how far back the scan is complete, or is a probe before the page that does. */
  decidesStart: boolean | "probe";
  /** The record before the start, or that there is none, if a probe has found out. */
  before?: bigint | "none" | undefined;
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
export interface RangePage extends RangeContent, Pick<OldestPage<never>, "completeFrom" | "availableFrom"> {
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
  { pagination, start, end }: ListRequest,
  { edges, pageInfo, response }: PageContent<Timed> & { response: Response },
): void {
  const fail = (what: string, record?: Timed): never => {
    const body = record ?? records;
    throw new ResponseError(`${operation} got ${what} from ${response.url}`, {
      operation,
      attempts: 1,
      response,
      body,
    });
  };
  const records = edges.filter(hasRecord<Timed>).map(({ node }) => node);
  if (edges.length === 0 && pageInfo?.hasNextPage) fail("an empty page that reports a next page");
  const sign = pagination.newestFirst === false ? 1 : -1;
  let previous: string | undefined;
  for (const node of records) {
    const { timestamp } = node;
    if (!isDigits(timestamp)) {
      fail(`a record with the timestamp ${show(timestamp)}`, node);
    }
    if (previous !== undefined && sign * compareDigits(timestamp, previous) < 0)
      fail("records that are out of order", node);
    previous = timestamp;
  }
  for (const node of [records.at(0), records.at(-1)].flatMap((record) => record ?? [])) {
    const time = microsecondOf(BigInt(node.timestamp));
    const isEarly = start !== undefined && time < microsecondOf(start) - 1n;
    const isLate = end !== undefined && time > microsecondOf(end) + 1n;
    if (isEarly || isLate) fail("records outside of the requested range", node);
  }
}
