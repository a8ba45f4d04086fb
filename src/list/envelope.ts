/**
 * Whether a body is a page of the list that was requested. Proxies leave out members, cut lists, and drop parameters of
 * requests, and caches ignore some: a walk would lose records, or yield records of others.
 */
import type { Pagination } from "../../generated/types.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { KnownRecord } from "../http/expectation.js";
import { nanosecondsOf } from "./cursors.js";
import { dimensions } from "./filters.js";
import { directionOf, type Edge, type EdgePage, never, type PageRequest, timeOf } from "./page.js";

/** Whether `pageInfo` shows if another page follows. `null` is an end. */
export const isPageInfo = (pageInfo: unknown, pagination: Pagination): boolean =>
  pageInfo === null || typeof Object(pageInfo)[directionOf(pagination).more] === "boolean";

/**
 * Returns the envelope of a page; `undefined` if it is none.
 *
 * @throws `Error` if it contradicts itself, or is not the requested page.
 */
export function readEnvelope<T>(
  envelope: EdgePage<T> | null | undefined,
  pagination: Pagination,
): EdgePage<T> | undefined {
  const { edges, pageInfo } = envelope ?? {};
  if (!Array.isArray(edges) || !edges.every(isEdge) || !isPageInfo(pageInfo, pagination)) return undefined;
  const { startCursor, endCursor } = pageInfo ?? {};
  if (!isAt(edges[0], startCursor) || !isAt(edges.at(-1), endCursor))
    throw new Error("the cursors of `pageInfo` are not those of its records");
  if (!isInOrder(edges, pagination)) throw new Error("it has another order than requested");
  return envelope as EdgePage<T>;
}

/** @throws `Error` if a record is not one that was requested. */
export function refuseOthers(edges: readonly { node: unknown }[], filters: CheckedArguments): void {
  const conditions = conditionsOf(filters);
  const isRequested = ({ node }: { node: unknown }) =>
    conditions.every(({ member, values }) => values.includes((node as KnownRecord)[member]));
  if (!edges.every(isRequested)) throw new Error("it has records that were not requested");
}

/** @throws `Error` if a record is out of order of time, or outside of the range by more than two microseconds. */
export function checkTimes(
  edges: readonly Edge<unknown>[],
  { pagination: { newestFirst = true }, start = 0n, end = never }: PageRequest,
): void {
  // Nodes compare microseconds.
  const [earliest, latest] = [start - 2000n, end + 2000n];
  let previous = newestFirst ? latest : earliest;
  for (const edge of edges) {
    const time = timeOf(edge);
    if (time === undefined) throw new Error("it has a record without a time");
    if (time < earliest || time > latest) throw new Error("it has records outside of the requested range");
    if (newestFirst ? time > previous : time < previous) throw new Error("it has records that are out of order");
    previous = time;
  }
}

/** Whether an edge has a record, and a cursor that fits a URL. */
const isEdge = (edge: { cursor: unknown; node: unknown } | null): boolean =>
  typeof edge?.node === "object" &&
  edge.node !== null &&
  typeof edge.cursor === "string" &&
  !loneSurrogate.test(edge.cursor);

const loneSurrogate = /\p{Surrogate}/u;

/** Whether a cursor of `pageInfo` equals an edge's cursor. Fixtures and some proxies leave it empty. */
const isAt = (edge: { cursor: string } | undefined, cursor: string | undefined) => !cursor || cursor === edge?.cursor;

/** Cursors of profiles and signatures have no time. */
function isInOrder(edges: readonly { cursor: string }[], { newestFirst = true }: Pagination): boolean {
  const [first, last] = [edges[0], edges.at(-1)].map((edge) => nanosecondsOf(edge?.cursor ?? ""));
  return first === undefined || last === undefined || (newestFirst ? first >= last : first <= last);
}

/** The members of records by the parameters that select them. */
const members: Readonly<Record<string, string>> = {
  ...{ id: "id", partyId: "partyId", proposalId: "proposalId", assetId: "assetId", parties: "partyId" },
  ...Object.fromEntries(dimensions),
};

/**
 * The values of members that filters select. Nodes know shorter ids by names, or for all (observed on v0.74 nodes). Of
 * the names, only `network` appears in records.
 */
function conditionsOf(filters: object): readonly { member: string; values: readonly unknown[] }[] {
  return Object.entries(filters).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return conditionsOf(value);
    const [member, values] = [members[name], [value ?? []].flat()];
    const isComparable = values.length > 0 && values.every((each) => comparable.test(String(each)));
    return member !== undefined && isComparable ? [{ member, values }] : [];
  });
}

const comparable = /^(?:[\da-f]{64}|network|ACCOUNT_TYPE_\w+)$/;
