import type { ListOperation, Operation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { Answer } from "../http/call.js";
import type { CallSettings } from "../http/call-options.js";
import type { Demand } from "../http/demand.js";
import type { CallRoute, OperationRoute } from "../http/route.js";
import { toName } from "../values/enumeration.js";
import type { Connection } from "./connection.js";
import { type ListRequest, type PageContent, readEnvelope } from "./node-page.js";

/** What a request with a cursor has beside its route. */
export type CursorRules = Pick<CallRoute<never, never, never>, "finalStatuses" | "hints">;

/** Sends the request for one page of a list. */
export type SendPage<T> = (
  filters: CheckedArguments,
  request: ListRequest,
  signal: AbortSignal,
  demand?: Demand<PageContent<T>>,
  rules?: CursorRules,
) => PromiseLike<Answer<PageContent<T>>>;

export interface PageSenderOptions<T> {
  connection: Connection;
  route: OperationRoute;
  operation: Pick<ListOperation<T>, "envelope" | "enums" | "range">;
  call: CallSettings;
  /** Returns whether a record has what is read of it. Default: the envelope alone is checked. */
  isRecord?: (record: T) => boolean;
}

/** Returns the function that sends the requests of a list. */
export function pageSender<T>({ connection, route, operation, call, isRecord }: PageSenderOptions<T>): SendPage<T> {
  const { envelope, enums, range } = operation;
  const read = (body: { [name: string]: PageContent<T> | null | undefined }) => {
    const page = readEnvelope(body[envelope]);
    if (page && enums) nameNumbers(page, enums);
    return page && isRecord && !page.edges.every((edge) => edge?.node == null || isRecord(edge.node))
      ? undefined
      : page;
  };
  return (filters, { pagination, start, end }, signal, demand, rules) => {
    const params = { ...filters, ...rangeOf(range, start, end), pagination };
    return connection.send({ ...route, ...rules, read }, params, { ...call, signal, demand });
  };
}

/**
 * Replaces the numbers of enumerations by their names: a node sends the number of a name that its version does not have, such as 24 for
 * `ACCOUNT_TYPE_REWARD_AVERAGE_POSITION` (observed on v0.79 nodes).
 */
function nameNumbers({ edges }: PageContent<unknown>, enums: NonNullable<ListOperation<never>["enums"]>): void {
  for (const [member, enumeration] of Object.entries(enums)) {
    for (const edge of edges as readonly ({ node: Record<string, unknown> | null } | null)[]) {
      const record = edge?.node;
      if (typeof record?.[member] === "number") record[member] = toName(enumeration, record[member]);
    }
  }
}

function rangeOf(range: Operation["range"], start?: bigint, end?: bigint): CheckedArguments {
  if (range === undefined || (start === undefined && end === undefined)) return {};
  const [group = "", first = ""] = range.start.split(".");
  const [, last = ""] = range.end.split(".");
  return {
    [group]: { ...(start !== undefined && { [first]: `${start}` }), ...(end !== undefined && { [last]: `${end}` }) },
  };
}
