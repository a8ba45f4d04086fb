import type { BalanceChangesInRange } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange, BalanceChangeList } from "../../generated/types.js";
import { readArguments } from "../arguments/read-arguments.js";
import { take } from "../arguments/take.js";
import type { Target } from "../http/context.js";
import { type CallSettings, type Requester, readBlock } from "../http/index.js";
import type { OperationRoute } from "../http/operation-route.js";
import { readEnvelope, toWire } from "../pagination/list-operation.js";
import { hasRecord } from "../pagination/page.js";
import { splitFilters } from "../pagination/split.js";
import type { FetchRange, SpreadRanges } from "./range-page.js";
import type { ScanSource } from "./scan-run.js";

/** The argument of `scanBalanceChanges`. */
export interface BalanceChangesScanQuery extends Omit<BalanceChangesInRange, "pagination"> {}

const name = "scanBalanceChanges";
const { pagination: _, ...scanArguments } = operations.listBalanceChanges.arguments;
const { range, envelope } = operations.listBalanceChanges;

export interface ScanRequests {
  requester: Requester;
  route: OperationRoute;
  argument: unknown;
  readSettings(): CallSettings;
  /** Set if the client has several nodes. */
  openNodes: ((target: Target | undefined) => SpreadRanges) | undefined;
}

/** What a scan of balance changes reads: the list operation, by ranges of time. */
export const openScan = ({ requester, route, argument, readSettings, openNodes }: ScanRequests): ScanSource["open"] => {
  const taken = take(() => ({
    settings: readSettings(),
    query: readArguments(name, { arguments: scanArguments, range }, argument).query,
  }));
  return () => {
    const { settings, query } = taken();
    const { [range.start]: start, [range.end]: end, ...filters } = query;
    const read = (body: Partial<BalanceChangeList>) => readEnvelope(body[envelope]);
    const fetchRange =
      (filter: Record<string, unknown>): FetchRange =>
      async ({ start, end, size, newestFirst, after }, signal, target = settings.target) => {
        const page = toWire({ first: size, newestFirst, ...(after !== undefined && { after }) });
        const times = {
          ...(start !== undefined && { [range.start]: String(start) }),
          ...(end !== undefined && { [range.end]: String(end) }),
        };
        const parameters = { query: { ...filter, ...times, ...page }, path: {}, body: {} };
        const scanRoute = { ...route, operation: name, read };
        const { data, response } = await requester.send(scanRoute, parameters, { ...settings, signal, target });
        return {
          edges: data.edges.filter(hasRecord<BalanceChange>),
          hasMore: data.pageInfo?.hasNextPage ?? false,
          endCursor: data.pageInfo?.endCursor,
          blockTime: readBlock(response)?.timestamp,
          response,
        };
      };
    const nanoseconds = (time: unknown) => (typeof time === "string" ? BigInt(time) : undefined);
    const fetchRanges = splitFilters(filters).map(fetchRange);
    const nodes = openNodes?.(settings.target);
    return {
      start: nanoseconds(start),
      end: nanoseconds(end),
      fetchRanges: nodes ? fetchRanges.map(nodes.spread, nodes) : fetchRanges,
      fetchAny: fetchRange({}),
      nodes,
    };
  };
};
