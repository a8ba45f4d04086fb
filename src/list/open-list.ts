import { hints } from "../../generated/hints.js";
import type { ListOperation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { nanosecondsOf } from "../evidence/block-cursor.js";
import type { Connection } from "../evidence/connection.js";
import { type NodeExtra, ofEarlierBlock } from "../evidence/node-page.js";
import { type CursorRules, pageSender, type SendPage } from "../evidence/page-sender.js";
import { listReader } from "../evidence/read-list.js";
import { defaultCatchUp } from "../http/call-options.js";
import type { CallSettings } from "../http/context.js";
import { onDemand } from "../http/on-demand.js";
import type { OperationRoute } from "../http/operation-route.js";
import { compareDigits, isDigits } from "../values/digits.js";
import { minimum } from "../values/integers.js";
import { keyBy } from "../values/natural-key.js";
import { compareWithAllPages, compareWithLastTime } from "./deduplicator.js";
import { isTooLong } from "./query-length.js";
import type { FetchPage, OpenTimeRange, Source } from "./request-plan.js";

/** The checked argument and options of a list operation, and how its pages are requested. */
export interface ListRequest<T> {
  id: string;
  operation: ListOperation<T>;
  connection: Connection;
  route: OperationRoute;
  call: CallSettings;
  filters: CheckedArguments;
  times: OpenTimeRange;
  send: SendPage<T>;
}

const loadMerge = onDemand(() => import("./merge/merge.js"));

/** Opens a list of a node: its pages, and what is known of its cursors. */
export function openList<T>(list: ListRequest<T>): Source<T, NodeExtra> {
  const { id, operation } = list;
  const source = { operation: id, ...cursorRules(operation), advice: hintsOf(id).repeatedCursor };
  const fetchOf = (filters: CheckedArguments, send: SendPage<T>): FetchPage<T, NodeExtra> => {
    const rules = rejectedCursor(operation, id);
    const { read, readOldest } = listReader<T>({ ...list, filters, send, rules, catchUp: defaultCatchUp });
    return (pagination, signal, demand, decidesStart) => {
      const place = nanosecondsOf(pagination.after ?? pagination.before ?? "");
      const { start, end } = list.times;
      // A page that continues from before the range shows what it continues from.
      const from = start === undefined || place === undefined ? start : minimum(start, place);
      return (decidesStart ? readOldest : read)({ pagination, start: from, end }, signal, demand);
    };
  };
  const { readOldest } = listReader<T>({ ...list, catchUp: defaultCatchUp });
  const findHistory = async (start: bigint, signal: AbortSignal) => {
    const pagination = { first: 1, newestFirst: false };
    return (await readOldest({ pagination, start }, signal)).availableFrom;
  };
  const whole = operation.range ? { ...source, findHistory } : source;
  if (!isTooLong(list.filters)) return { ...whole, fetchPage: fetchOf(list.filters, list.send) };
  let fetchMerged: FetchPage<T, NodeExtra> | undefined;
  return {
    ...whole,
    fetchPage: async (...args) => {
      const { mergePages, splitFilters } = await loadMerge();
      fetchMerged ??= open(splitFilters(list.filters));
      return fetchMerged(...args);

      function open(queries: readonly CheckedArguments[]): FetchPage<T, NodeExtra> {
        if (queries.length === 1) return fetchOf(list.filters, list.send);
        // Merging compares times. Of a page that is not merged, the envelope alone is checked.
        const compare = operation.range && ((a: T, b: T) => compareDigits(timeOf(a), timeOf(b)));
        const send = pageSender<T>({ ...list, ...(compare && { isRecord: hasTime }) });
        const fetchPages = queries.map((filters) => fetchOf(filters, send));
        return mergePages({
          source: whole,
          fetchPages,
          compare,
          choose: ofEarlierBlock,
          range: operation.range && list.times,
        });
      }
    },
  };
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
