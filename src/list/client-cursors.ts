import { operations } from "../../generated/operations.js";
import type { Vote } from "../../generated/types.js";
import type { KnownRecord } from "../http/expectation.js";
import { isDigits } from "../values/integers.js";
import { keyBy } from "../values/names.js";
import { encodeCursor, nanosecondsOf, readCursor } from "./cursors.js";

const { naturalKey } = operations.listBalanceChanges;

/** Members that the client adds to cursors; nodes ignore them. Times are digits. */
interface AddedMembers {
  /** The last balance change or signature that was read. */
  last_record?: KnownRecord;
  /** The time of the latest block of the pages so far. */
  latest_block?: string;
  /** The time of the block of the first page. */
  first_block?: string;
  /** The members of `ReadVotes`. */
  last_block?: string;
  known_votes?: readonly string[];
  skip?: number;
}

/** The members that identify a record: a balance change by default. */
export const identify = (record: object, names: readonly string[] = naturalKey): KnownRecord =>
  Object.fromEntries(names.map((name) => [name, (record as KnownRecord)[name]]));

const keyOf = keyBy<Vote>([
  ...operations.listVotes.naturalKey,
  "value",
  "totalGovernanceTokenBalance",
  "totalGovernanceTokenWeight",
  "totalEquityLikeShareWeight",
]);

/**
 * A vote as text: its natural key, its value, which a second vote in the same block changes, and its tokens and shares,
 * which nodes write anew when its proposal closes. v0.74.5 and later nodes send the shares of markets as an array.
 */
export function voteKeyOf(record: unknown): string {
  const vote = record as Vote;
  const { perMarketEquityLikeShareWeight: byMarket, elsPerMarket } = vote;
  // Nodes can send anything: only `validateAnswers` refuses it.
  const shares = Array.isArray(elsPerMarket)
    ? elsPerMarket.map((share) => [share?.marketId, share?.els])
    : Object.entries(byMarket ?? {});
  return keyOf(vote) + JSON.stringify(shares.sort());
}

/** A cursor with the record that its page has to begin with, so that it continues exactly there in any process. */
export const continuingAt = (cursor: string, last: KnownRecord): string => withMembers(cursor, { last_record: last });

/**
 * A cursor with the latest block that was read, so that any process continues on a node that has reached it, and
 * the first one, so that it reads newer records again.
 */
export const continuedLater = (cursor: string, latest: bigint, first: bigint | undefined): string =>
  withMembers(cursor, { latest_block: String(latest), ...(first !== undefined && { first_block: String(first) }) });

/** Votes that were read up to a block, of which others can follow. */
export interface ReadVotes {
  lastBlock: bigint;
  /** The short keys of the votes of that block that were read; empty if a node's own cursor does not tell. */
  known: readonly string[];
  /** How many votes follow the cursor that were read. */
  skip: number;
}

/** A cursor that contains the votes that were read, so that any process leaves them out. */
export const afterVotes = (cursor: string, { lastBlock, known, skip }: ReadVotes): string =>
  withMembers(cursor, { last_block: String(lastBlock), known_votes: known, skip });

/** A cursor as the caller gave it, and the members that the client has added to it. */
export interface GivenCursor {
  readonly cursor: string;
  /** The cursor as the node wrote it. */
  readonly own: string;
  /** The time of the block that a node must have reached to continue from it. */
  readonly minBlock: bigint | undefined;
  /** The block time that the client added; `undefined` in a node's own cursor, whose `minBlock` is its record's time. */
  readonly latest: bigint | undefined;
  /** The time of the block of the first page, if the walk was of signatures, or began with the newest votes. */
  readonly firstBlock: bigint | undefined;
  readonly votes: ReadVotes | undefined;
  readonly last: KnownRecord | undefined;
}

export function readGivenCursor(cursor: string): GivenCursor {
  const fields = readCursor(cursor) ?? {};
  const { last_record: last, latest_block: latest, first_block: first, ...others } = fields;
  const { last_block: lastBlock, known_votes: known, skip = 0, ...own } = others;
  const isNamed = isDigits(lastBlock) && Array.isArray(known);
  const isOfNode = Object.keys(own).length === Object.keys(fields).length;
  const latestBlock = isDigits(latest) ? BigInt(latest) : undefined;
  return {
    cursor,
    own: isOfNode ? cursor : encodeCursor(own),
    minBlock: latestBlock ?? nanosecondsOf(cursor),
    latest: latestBlock,
    firstBlock: isDigits(first) ? BigInt(first) : undefined,
    votes: isNamed ? { lastBlock: BigInt(lastBlock), known, skip: Number(skip) } : undefined,
    last: last as KnownRecord | undefined,
  };
}

function withMembers(cursor: string, members: AddedMembers): string {
  const fields = readCursor(cursor);
  return fields ? encodeCursor({ ...fields, ...members }) : cursor;
}
