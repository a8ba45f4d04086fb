import type { ListOperation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { CallSettings } from "../http/context.js";
import { type Demand, lackOf, NotShown, type Shown } from "../http/demand.js";
import type { OperationRoute } from "../http/operation-route.js";
import type { Connection } from "./connection.js";
import { NodeHistory } from "./node-history.js";
import type { PageContent, ReadList } from "./node-page.js";
import { askOldest } from "./oldest-record.js";
import type { CursorRules, SendPage } from "./page-sender.js";
import { untilShown } from "./patience.js";
import { RangeLimits } from "./range-limits.js";
import { inWindows } from "./windows.js";

/** How the pages of a list are read. */
export interface ListReaderOptions<T> {
  connection: Connection;
  route: OperationRoute;
  operation: Pick<ListOperation<T>, "range">;
  call: CallSettings;
  send: SendPage<T>;
  filters: CheckedArguments;
  /** For requests with a cursor. */
  rules?: CursorRules;
  /** How long a block is waited for, in milliseconds. */
  catchUp: number;
}

/** Reads pages of a list that show what is demanded. */
export function listReader<T>(options: ListReaderOptions<T>): ReadList<T> {
  const { connection, operation, send, filters, rules, catchUp } = options;
  const { session, clock, isPool } = connection;
  session.limits ??= new RangeLimits(clock);
  const { limits } = session;
  const read: ReadList<T> = (request, signal, demand) => {
    const { after, before } = request.pagination;
    const attempt = async () => {
      const reply = await send(filters, request, signal, demand, (after ?? before) === undefined ? undefined : rules);
      if (demand && !isPool) await judge(options, demand, reply, signal);
      const { data, response, block, stale, node } = reply;
      limits.observe(block);
      return { edges: data.edges, pageInfo: data.pageInfo, extra: { response, block, stale }, node };
    };
    return untilShown(attempt, { clock, catchUp, signal }).catch((error: unknown) => {
      throw ofEmptied(error);
    });
  };
  return operation.range ? inWindows(read, limits) : read;
}

/**
 * Checks a response of a client with one address, which can balance over several nodes: each response speaks for the one that gave it.
 *
 * @throws {@link NotShown} if it does not show what is demanded.
 */
async function judge<T>(
  { connection, route, call }: ListReaderOptions<T>,
  demand: Demand<PageContent<T>>,
  reply: Shown<PageContent<T>>,
  signal: AbortSignal,
): Promise<void> {
  const { session, clock } = connection;
  const lack = lackOf(demand, reply, session.namesBlocks === true);
  if (lack) throw new NotShown(lack, { shown: reply });
  session.history ??= new NodeHistory(clock);
  const ask = askOldest((params, read) => connection.send({ ...route, read }, params, { ...call, signal }));
  await session.history.check(demand, reply, ask);
}

/** A node that has just shown records and now keeps none has dropped all of them. */
function ofEmptied(error: unknown): unknown {
  const isOpen = NotShown.is(error) && error.lack === "history" && error.availableFrom === undefined;
  const { data, block } = (isOpen && (error.shown as Shown<PageContent<unknown>> | undefined)) || {};
  return data && data.edges.length > 0 ? new NotShown("history", { availableFrom: block?.timestamp }) : error;
}
