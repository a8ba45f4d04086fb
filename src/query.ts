import type {
  BalanceChangesDateRange,
  BalanceChangesFilter,
  BalanceChangesInRange,
  CheckTransactionRequest,
  GetSpamStatisticsQuery,
  Pagination,
  ProfilesOfParties,
  SignaturesOfResource,
  VotesOfParty,
  VotesOnProposal,
} from "../generated/client.js";
import { accountTypes, isAccountType } from "../generated/enums.js";
import type { operations } from "../generated/openapi.js";
import { listNames, refuse } from "./arguments/refuse.js";
import { ArgumentError } from "./errors/index.js";
import type { Backward, Forward } from "./pagination/direction.js";
import { toNanoseconds } from "./values.js";

export type { BalanceChangesInRange, ProfilesOfParties, SignaturesOfResource, VotesOfParty, VotesOnProposal };

/** What `scanBalanceChanges` takes; nothing at all reads every change. */
export interface BalanceChangesScanQuery extends Omit<BalanceChangesInRange, "pagination"> {}

/** The query of an operation as it goes over the wire, with dotted names. */
export type WireQuery<Id extends keyof operations> = NonNullable<operations[Id]["parameters"]["query"]>;

/** The body of an operation as it goes over the wire. */
type WireBody<Id extends "checkTransaction"> = operations[Id]["requestBody"]["content"]["application/json"];

/** A list query, split into what stays the same from page to page and what does not. */
export interface ListQuery<Id extends keyof operations> {
  filters: WireQuery<Id>;
  pagination: Forward | Backward;
}

/** Where a value stands, for the error that refuses it. */
interface Place {
  operation: string;
  argument: string;
}

/** Turns one argument into what is sent, or refuses it; `undefined` sends nothing. */
type Reader = (value: unknown, place: Place) => unknown;

/** A reader for each member of an argument, and no other: a parameter that is renamed is a compile error here. */
type Readers<Argument> = { [Name in keyof Required<Argument>]: Reader | Readers<NonNullable<Argument[Name]>> };

interface ReaderTree {
  [name: string]: Reader | ReaderTree;
}

const text: Reader = (value, place) => {
  if (typeof value !== "string" || value === "") return refuse(place, "a non-empty string", value);
  // Half of a surrogate pair has no place in a URL: encodeURIComponent would throw without saying where.
  return /\p{Surrogate}/u.test(value) ? refuse(place, "well-formed Unicode", value) : value;
};

const listOf = (reader: Reader) => (value: unknown, place: Place) =>
  Array.isArray(value)
    ? Array.from(value, (item, index) => reader(item, { ...place, argument: `${place.argument}[${index}]` }))
    : refuse(place, "an array", value);

/** An empty filter is no filter, and is not sent. */
const filterOf = (reader: Reader) => (value: unknown, place: Place) => {
  const list = listOf(reader)(value, place);
  return list.length === 0 ? undefined : list;
};

/** An empty list of parties is refused: a computed one that came out empty must not fetch everybody. */
const parties: Reader = (value, place) => {
  const list = listOf(text)(value, place);
  return list.length > 0 ? list : refuse(place, "left out, for all parties, or to name at least one", value);
};

const accountType: Reader = (value, place) =>
  isAccountType(value) ? value : refuse(place, `a known account type such as "${accountTypes[4]}"`, value);

const flag: Reader = (value, place) => (typeof value === "boolean" ? value : refuse(place, "a boolean", value));

/** The walk that uses it looks at it, as it does for lists that are not ours. */
const pageSize: Reader = (value) => value;

const nanoseconds: Reader = (value, place) => {
  // toNanoseconds would take RFC 3339 text too; a query takes digits alone, as the wire does.
  const time =
    typeof value === "string" && !/^-?\d+$/.test(value) ? undefined : attempt(() => toNanoseconds(value as bigint));
  if (time === undefined || BigInt.asIntN(64, time) !== time) {
    const hint = typeof value === "string" ? " (toNanoseconds() reads RFC 3339 text)" : "";
    refuse(place, `Unix nanoseconds as a bigint or digits, a Date or a Temporal.Instant, within 64 bits${hint}`, value);
  }
  return time.toString();
};

const pagination = {
  first: pageSize,
  after: text,
  last: pageSize,
  before: text,
  newestFirst: flag,
} satisfies Readers<Pagination>;

const votes = {
  partyId: text,
  proposalId: text,
  pagination,
} satisfies Readers<VotesOfParty & VotesOnProposal>;

const profiles = {
  parties,
  pagination,
} satisfies Readers<ProfilesOfParties>;

const balanceChanges = {
  filter: {
    assetId: text,
    partyIds: filterOf(text),
    marketIds: filterOf(text),
    accountTypes: filterOf(accountType),
  } satisfies Readers<BalanceChangesFilter>,
  dateRange: {
    startTimestamp: nanoseconds,
    endTimestamp: nanoseconds,
  } satisfies Readers<BalanceChangesDateRange>,
  pagination,
} satisfies Readers<BalanceChangesInRange>;

const signatures = {
  id: text,
  pagination,
} satisfies Readers<SignaturesOfResource>;

/** A URL parser takes these ids, even percent-encoded, for steps in the path: another resource would be asked for. */
const pathText: Reader = (value, place) =>
  value === "." || value === ".." ? refuse(place, "an id that can stand in a path", value) : text(value, place);

const spamStatistics = {
  partyId: pathText,
} satisfies Readers<GetSpamStatisticsQuery>;

/** Sent as it is; what `JSON.stringify` would change without a word, or fail on without saying where, is refused. */
const transaction: Reader = (value, place) => {
  if (!isObject(value)) return refuse(place, "an object", value);
  checkJson(value, place, []);
  return value;
};

const checkTransaction = {
  tx: transaction,
} satisfies Readers<CheckTransactionRequest>;

export function readVotesQuery(query: VotesOfParty | VotesOnProposal): ListQuery<"listVotes"> {
  const read = readListQuery<"listVotes">("listVotes", votes, query);
  if (read.filters.partyId === undefined && read.filters.proposalId === undefined) {
    throw new ArgumentError("Expected `partyId` or `proposalId` of listVotes, got neither.", {
      operation: "listVotes",
      argument: "partyId",
    });
  }
  return read;
}

export function readProfilesQuery(query: ProfilesOfParties = {}): ListQuery<"listPartiesProfiles"> {
  return readListQuery("listPartiesProfiles", profiles, query);
}

export function readBalanceChangesQuery(query: BalanceChangesInRange = {}): ListQuery<"listBalanceChanges"> {
  const read = readListQuery<"listBalanceChanges">("listBalanceChanges", balanceChanges, query);
  checkDateRange("listBalanceChanges", read.filters);
  return read;
}

/** The query of a scan: the range by itself, and the filters. */
export function readScanQuery(query: BalanceChangesScanQuery = {}) {
  const { pagination: _, ...readers } = balanceChanges;
  const { filters: all } = readListQuery<"listBalanceChanges">("scanBalanceChanges", readers, query);
  checkDateRange("scanBalanceChanges", all);
  const { "dateRange.startTimestamp": start, "dateRange.endTimestamp": end, ...filters } = all;
  const nanoseconds = (time: string | undefined) => (time === undefined ? undefined : BigInt(time));
  return { start: nanoseconds(start), end: nanoseconds(end), filters };
}

function checkDateRange(operation: string, filters: WireQuery<"listBalanceChanges">): void {
  const { "dateRange.startTimestamp": start, "dateRange.endTimestamp": end } = filters;
  if (start === undefined || end === undefined || BigInt(end) >= BigInt(start)) return;
  refuse(
    { operation, argument: "dateRange.endTimestamp" },
    `no earlier than \`dateRange.startTimestamp\`, ${start}`,
    end,
  );
}

export function readSignaturesQuery(query: SignaturesOfResource): ListQuery<"listNodeSignatures"> {
  return readListQuery("listNodeSignatures", signatures, query, ["id"]);
}

export function readSpamStatisticsQuery(query: GetSpamStatisticsQuery): { partyId: string } {
  return readObject("getSpamStatistics", spamStatistics, query, ["partyId"]) as { partyId: string };
}

export function readTransaction(request: CheckTransactionRequest): WireBody<"checkTransaction"> {
  return readObject("checkTransaction", checkTransaction, request, ["tx"]) as WireBody<"checkTransaction">;
}

function readListQuery<Id extends keyof operations>(
  operation: string,
  readers: ReaderTree,
  query: unknown,
  required: string[] = [],
): ListQuery<Id> {
  const { pagination: page = {}, ...filters } = readObject(operation, readers, query, required);
  return { filters: flatten(filters) as WireQuery<Id>, pagination: page as Forward | Backward };
}

function readObject(
  operation: string,
  readers: ReaderTree,
  value: unknown,
  required: string[] = [],
  prefix = "",
): Record<string, unknown> {
  const place = (name: string) => ({ operation, argument: prefix + name });
  const known = Object.keys(readers);
  if (!isObject(value)) {
    const object = { operation, argument: prefix === "" ? "query" : prefix.slice(0, -1) };
    return refuse(object, `an object with ${listNames(known)}`, value);
  }
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const reader = known.includes(name) ? readers[name] : undefined;
    // Nodes ignore unknown names, so that a misspelt filter would be no filter (observed on v0.74 nodes).
    if (reader === undefined) {
      throw new ArgumentError(`${operation} has no \`${prefix}${name}\`. Expected ${listNames(known)}.`, place(name));
    }
    if (member === undefined) continue;
    const read =
      typeof reader === "function"
        ? reader(member, place(name))
        : readObject(operation, reader, member, [], `${prefix}${name}.`);
    if (read !== undefined) result[name] = read;
  }
  for (const name of required) {
    if (!(name in result)) (readers[name] as Reader)(undefined, place(name));
  }
  return result;
}

/** The paging parameters as they go over the wire. */
export function toWirePagination(
  page: Pagination,
): Pick<WireQuery<"listNodeSignatures">, `pagination.${keyof Pagination}`> {
  return flatten({ pagination: page });
}

/** `{ filter: { assetId } }` as `{ "filter.assetId": … }`. */
function flatten(tree: object, prefix = "", into: Record<string, unknown> = {}): Record<string, unknown> {
  for (const [name, value] of Object.entries(tree)) {
    if (isObject(value)) flatten(value, `${prefix}${name}.`, into);
    else into[prefix + name] = value;
  }
  return into;
}

function checkJson(value: unknown, place: Place, parents: unknown[]): void {
  if (typeof value === "bigint") refuse(place, "a string", value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) refuse(place, "a string or a safe integer", value);
  if (typeof value === "function" || typeof value === "symbol") refuse(place, "a JSON value", value);
  if (typeof value !== "object" || value === null) return;
  if (parents.includes(value)) refuse(place, "a JSON value", "an object that contains itself");
  for (const [name, member] of Object.entries(value)) {
    checkJson(member, { ...place, argument: `${place.argument}.${name}` }, [...parents, value]);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
