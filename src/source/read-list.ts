import type { Operation } from "../arguments/operation.js";
import type { CallSettings } from "../http/context.js";
import { NotShown, type Shown } from "../http/demand.js";
import type { OperationRoute } from "../http/operation-route.js";
import type { Connection } from "./connection.js";
import type { PageContent, ReadList } from "./node-page.js";
import { untilShown } from "./patience.js";
import type { RangeLimits } from "./range-limits.js";
import { inWindows } from "./windows.js";

/** How the pages of a list are read. */
export interface ListReading<T> {
  connection: Connection;
  route: OperationRoute & {
    read: (body: never) => PageContent<T> | undefined;
    finalStatuses?: readonly number[];
    hints?: Readonly<Record<number, string>>;
  };
  settings: CallSettings;
  /** The filters, as they are sent. */
  query: Readonly<Record<string, unknown>>;
  /** The parameters of the range, if the list has one. */
  range: Operation["range"];
  limits: RangeLimits;
  /** How long a block is waited for, in milliseconds. */
  catchUp: number;
}

/** Reads pages of a list that show what is demanded. */
export function listReader<T>({
  connection,
  route,
  settings,
  query,
  range,
  limits,
  catchUp,
}: ListReading<T>): ReadList<T> {
  const read: ReadList<T> = ({ pagination, start, end }, signal, demand) => {
    const times = range && {
      ...(start !== undefined && { [range.start]: `${start}` }),
      ...(end !== undefined && { [range.end]: `${end}` }),
    };
    const page = Object.entries(pagination).map(([name, value]) => [`pagination.${name}`, value]);
    const parameters = { query: { ...query, ...times, ...Object.fromEntries(page) }, path: {}, body: {} };
    const send = async () => {
      const { data, response, block, stale, node } = await connection.send(route, parameters, {
        ...settings,
        signal,
        demand,
      });
      limits.observe(block);
      return { edges: data.edges, pageInfo: data.pageInfo, extra: { response, block, stale }, node };
    };
    return untilShown(send, { clock: connection.clock, catchUp, signal }).catch((error: unknown) => {
      throw ofEmptied(error);
    });
  };
  return range ? inWindows(read, limits) : read;
}

/** A node that has just shown records and now keeps none has dropped all of them. */
function ofEmptied(error: unknown): unknown {
  const isOpen = NotShown.is(error) && error.lack === "history" && error.availableFrom === undefined;
  const { data, block } = (isOpen && (error.shown as Shown<PageContent<unknown>> | undefined)) || {};
  return data && data.edges.length > 0 ? new NotShown("history", { availableFrom: block?.timestamp }) : error;
}
