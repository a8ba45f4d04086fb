import { hints } from "../../generated/hints.js";
import type { Pagination } from "../../generated/types.js";
import type { ListOperation } from "../arguments/operation.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import { nanosecondsOf } from "../evidence/block-cursor.js";
import type { Connection } from "../evidence/connection.js";
import { type NodeExtra, ofEarlierBlock } from "../evidence/node-page.js";
import { type CursorRules, pageSender, type SendPage } from "../evidence/page-sender.js";
import { listReader } from "../evidence/read-list.js";
import { select } from "../evidence/selection.js";
import type { CallSettings } from "../http/call-options.js";
import { defaultCatchUp } from "../http/call-options.js";
import type { OperationRoute } from "../http/route.js";
import { compareDigits, isDigits } from "../values/digits.js";
import { minimum } from "../values/integers.js";
import { keyBy } from "../values/natural-key.js";
import { compareWithAllPages, compareWithLastTime } from "./deduplicator.js";
import { mergePages, splitFilters } from "./merge/merge.js";
import { OpenWalk } from "./page-reader.js";
import { isTooLong } from "./query-length.js";
import type { FetchPage, Source } from "./request-plan.js";
import type { WalkSettings } from "./walk-options.js";

/** The checked argument and options of a list operation, and how its pages are requested. */
export interface ListRequest<T> {
  id: string;
  operation: ListOperation<T>;
  connection: Connection;
  route: OperationRoute;
  call: CallSettings;
  checked: CheckedArguments;
  walk: WalkSettings;
}

/** Opens a list of a node: its pages, and what is known of its cursors. */
export function openList<T>(list: ListRequest<T>): OpenWalk<T, NodeExtra> {
  const { id, operation, checked, walk } = list;
  const { pagination = {}, ...others } = checked;
  const [group = ""] = operation.range?.start.split(".") ?? [];
  const { [group]: _, ...given } = others;
  const { filters, isWanted } = select<T>(operation, given);
  const { start = 0n, end } = timesOf(checked, operation.range);
  const times = { start: start > 0n ? start : undefined, end };
  const send = pageSender<T>(list);
  const rules = rejectedCursor(operation, id);
  const fetchOf = (filters: CheckedArguments, send: SendPage<T>): FetchPage<T, NodeExtra> => {
    const { read, readOldest } = listReader<T>({ ...list, filters, send, rules, catchUp: defaultCatchUp });
    return (pagination, signal, demand, decidesStart) => {
      const place = nanosecondsOf(pagination.after ?? pagination.before ?? "");
      // A page that continues from before the range shows what it continues from.
      const from = times.start === undefined || place === undefined ? times.start : minimum(times.start, place);
      return (decidesStart ? readOldest : read)({ pagination, start: from, end }, signal, demand);
    };
  };
  const { readOldest } = listReader<T>({ ...list, filters, send, catchUp: defaultCatchUp });
  const findHistory = async (start: bigint, signal: AbortSignal) => {
    const pagination = { first: 1, newestFirst: false };
    return (await readOldest({ pagination, start }, signal)).availableFrom;
  };
  const source = {
    operation: id,
    ...cursorRules(operation),
    advice: hintsOf(id).repeatedCursor,
    isWanted,
    ...(operation.range && { findHistory }),
  };
  const range = operation.range && times;
  const request = {
    operation: id,
    pagination: pagination as Pagination,
    pageSize: operation.defaultPageSize,
    ...walk,
    range,
  };
  const queries = isTooLong(filters) ? splitFilters(filters) : [filters];
  if (queries.length === 1) return new OpenWalk(request, { ...source, fetchPage: fetchOf(filters, send) });
  // Merging compares times. Of a page that is not merged, the envelope alone is checked.
  const compare = range && ((a: T, b: T) => compareDigits(timeOf(a), timeOf(b)));
  const sendPart = pageSender<T>({ ...list, ...(compare && { isRecord: hasTime }) });
  const fetchPages = queries.map((part) => fetchOf(part, sendPart));
  const fetchPage = mergePages<T, NodeExtra>({ source, fetchPages, compare, choose: ofEarlierBlock, range });
  return new OpenWalk(request, { ...source, fetchPage });
}

/** Lists with a time range are sorted by this member of their records. */
const timeOf = (record: unknown): string => String((record as { timestamp?: unknown }).timestamp);
const hasTime = (record: unknown): boolean => isDigits(timeOf(record));

/** What a caller can do about the errors of an operation. */
const hintsOf = (id: string): Hints => (hints as { readonly [id: string]: Hints })[id] ?? {};

interface Hints {
  /** For a node that returns the same cursor twice. */
  readonly repeatedCursor?: string;
  /** For a node that responds to a cursor with the status `cursors.rejectedWith`. */
  readonly rejectedCursor?: string;
}

/** For a list whose cursors a node refuses: a retry does not help. */
function rejectedCursor({ cursors }: ListOperation<never>, id: string): CursorRules {
  const status = cursors?.rejectedWith;
  return status === undefined ? {} : { finalStatuses: [status], hints: { [status]: hintsOf(id).rejectedCursor ?? "" } };
}

/** What the cursors of a list lack on v0.74 nodes, and which records can come again because of it. */
function cursorRules<T>({
  cursors,
  naturalKey,
}: ListOperation<T>): Pick<Source<T, object>, "cursors" | "deduplicator"> {
  if (cursors?.timeMember === undefined) return {};
  const keyOf = keyBy<T>(naturalKey);
  return cursors.missingMember === undefined
    ? // A record that is rewritten during a walk can repeat.
      { cursors: { lack: "record", keyOf }, deduplicator: () => compareWithAllPages(keyOf) }
    : { cursors: { lack: "account", keyOf }, deduplicator: () => compareWithLastTime(keyOf, timeOf) };
}
