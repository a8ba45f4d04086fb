import type { OperationTypes, Pagination } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { ListOperation, OperationId, OperationTable, RecordOf } from "../arguments/operation.js";
import { readArguments, timesOf } from "../arguments/read-arguments.js";
import { take } from "../arguments/take.js";
import { early } from "../async/early.js";
import type { Connection } from "../evidence/connection.js";
import type { NodeExtra } from "../evidence/node-page.js";
import { pageSender } from "../evidence/page-sender.js";
import { select } from "../evidence/selection.js";
import { readCallOptions, type Settings } from "../http/call-options.js";
import type { OperationRoute } from "../http/operation-route.js";
import { loadPages } from "./first-step.js";
import { type Listing, type ListingOptions, listingChecks, walk } from "./listing.js";
import { isTooLong } from "./query-length.js";
import { readWalkOptions } from "./request-plan.js";

/** The name of an operation that returns a list. */
export type ListId = { [Id in OperationId]: OperationTypes[Id]["record"] extends object ? Id : never }[OperationId];

/** How the client sends a list operation. */
export interface ListMethod<Id extends ListId> {
  id: Id;
  connection: Connection;
  route: OperationRoute;
  /** The defaults of calls. */
  settings: Settings;
}

const lists: { readonly [Id in ListId]: ListOperation<RecordOf<Id>> & OperationTable[Id] } = operations;

/** The listing of a list operation. */
export function listOperation<Id extends ListId>(
  { id, connection, route, settings }: ListMethod<Id>,
  argument: unknown,
  options: ListingOptions | undefined,
): Listing<RecordOf<Id>> {
  const operation = lists[id];
  const taken = take(() => {
    const call = readCallOptions(id, options, settings, listingChecks);
    const checked = readArguments(id, operation, argument);
    return { call, walk: readWalkOptions(options), checked };
  });
  return walk<RecordOf<Id>, NodeExtra>(() => {
    const { call, walk, checked } = taken();
    const { pagination = {}, ...others } = checked;
    const [group = ""] = operation.range?.start.split(".") ?? [];
    const { [group]: _, ...given } = others;
    const { filters, isWanted } = select<RecordOf<Id>>(operation, given);
    const { start = 0n, end } = timesOf(checked, operation.range);
    const times = { start: start > 0n ? start : undefined, end };
    const first = early(pageSender<RecordOf<Id>>({ connection, route, operation, call }));
    return {
      operation: id,
      pagination: pagination as Pagination,
      pageSize: operation.defaultPageSize,
      ...walk,
      range: operation.range && times,
      hasUnreliableCursors: operation.cursors !== undefined,
      // Several requests are made by code that is loaded.
      ...(!isTooLong(filters) && {
        begin: (pagination, signal, demand) => first.begin(filters, { pagination, ...times }, signal, demand),
      }),
      open: async () => {
        const { openList } = await loadPages();
        const list = openList({ id, operation, connection, route, call, filters, times, send: first.call });
        return { ...list, isWanted };
      },
    };
  });
}
