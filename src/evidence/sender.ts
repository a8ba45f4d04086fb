import type { ListOperation, Operation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { Answer } from "../http/call.js";
import type { CallSettings } from "../http/call-options.js";
import type { Expectation } from "../http/expectation.js";
import type { CallRequest, OperationRoute } from "../http/request.js";
import { toName } from "../values/names.js";
import { microsecondFrom, toTime } from "../values/times.js";
import type { Connection } from "./connection.js";
import { cursorOf, type PageContent, type PageRequest, type ReceivedPage } from "./page.js";

export type CursorRules = Pick<CallRequest<never>, "finalStatuses" | "hints">;

/** A list of a node, and how its pages are requested. */
export interface NodeList<T> {
  connection: Connection;
  route: OperationRoute;
  operation: Pick<ListOperation<T>, "envelope" | "enums" | "range" | "naturalKey">;
  call: CallSettings;
  /** For requests with a cursor. */
  rules?: CursorRules;
}

/** Requests one page of the records that filters select. */
export function sendPage<T>(
  { connection, route, operation: { envelope, enums, range }, call, rules }: NodeList<T>,
  filters: CheckedArguments,
  request: PageRequest,
  expectation: Expectation,
  signal: AbortSignal,
): Promise<Answer<ReceivedPage<T>>> {
  const { pagination, start, end } = request;
  const params = { ...filters, ...rangeOf(range, start, end), pagination };
  const read = (body: { [name: string]: PageContent<T> | null | undefined }) => {
    const page = readEnvelope(body[envelope]);
    return page && { edges: enums ? named(page.edges, enums) : page.edges, pageInfo: page.pageInfo, request };
  };
  const cursorRules = cursorOf(pagination) === undefined ? undefined : rules;
  return connection.send({ ...route, ...cursorRules, ...call, read, params, signal, expectation });
}

/** The envelope of a page, if it is one: without its edges or `pageInfo`, a walk would lose records or end too early. */
const readEnvelope = <T>(envelope: PageContent<T> | null | undefined): PageContent<T> | undefined =>
  Array.isArray(envelope?.edges) && envelope.edges.every(isEdge) && typeof envelope.pageInfo === "object"
    ? envelope
    : undefined;

/** Whether an edge has a record, and a cursor that fits a URL. */
const isEdge = (edge: { cursor: unknown; node: unknown } | null): boolean =>
  typeof edge?.node === "object" &&
  edge.node !== null &&
  typeof edge.cursor === "string" &&
  !loneSurrogate.test(edge.cursor);

const loneSurrogate = /\p{Surrogate}/u;

/**
 * Replaces the numbers of enumerations by their names: a node sends the number of a name that its version does not have, such as 24 for
 * `ACCOUNT_TYPE_REWARD_AVERAGE_POSITION` (observed on v0.79 nodes).
 */
function named<T>(
  edges: PageContent<T>["edges"],
  enums: NonNullable<ListOperation<never>["enums"]>,
): PageContent<T>["edges"] {
  return edges.map((edge) => {
    const record = edge?.node as Record<string, unknown> | null | undefined;
    const numbers = Object.entries(enums).filter(([member]) => typeof record?.[member] === "number");
    if (numbers.length === 0) return edge;
    const names = numbers.map(([member, enumeration]) => [member, toName(enumeration, record?.[member])]);
    return { ...edge, node: { ...record, ...Object.fromEntries(names) } } as typeof edge;
  });
}

/** Nodes cut times to microseconds, and so would leave out the records of the last one. */
function rangeOf(range: Operation["range"], start?: bigint, end?: bigint): CheckedArguments {
  if (range === undefined) return {};
  const [group = "", first = ""] = range.start.split(".");
  const [, last = ""] = range.end.split(".");
  return {
    [group]: {
      [first]: start?.toString(),
      [last]: end === undefined ? undefined : String(toTime(microsecondFrom(end))),
    },
  };
}

/** Takes a parameter with a name that some versions of nodes reject out of the filters: the client selects the records itself. */
export function select<T>(
  { rejectedNames }: Pick<ListOperation<T>, "rejectedNames">,
  filters: CheckedArguments,
): { filters: CheckedArguments; isWanted?: (record: T) => boolean } {
  if (rejectedNames === undefined) return { filters };
  const { parameter, member, names } = rejectedNames;
  const [group = "", name = ""] = parameter.split(".");
  const { [name]: wanted, ...others } = (filters[group] ?? {}) as Record<string, readonly unknown[] | undefined>;
  if (!wanted?.some((each) => (names as readonly unknown[]).includes(each))) return { filters };
  return { filters: { ...filters, [group]: others }, isWanted: (record) => wanted.includes(record[member]) };
}
