import { operations } from "../../generated/operations.js";
import type { Vote } from "../../generated/types.js";
import type { KnownRecord } from "../http/expectation.js";
import { isDigits } from "../values/integers.js";
import { keyBy } from "../values/names.js";
import { encodeCursor, nanosecondsOf, readCursor } from "./cursors.js";

const { naturalKey } = operations.listBalanceChanges;

/** Members that the client adds to cursors; nodes ignore them. The last balance change that was read: */
const lastMember = "last_record";
/** The time of the latest block of the pages so far: */
const blockMember = "latest_block";
/** The time of the block of the first page: */
const firstMember = "first_block";
/**
 * The time of the block of the last vote that was read, the keys of the votes of that block, and how many known votes a
 * page after the cursor begins with:
 */
const [lastBlockMember, knownMember, skipMember] = ["last_block", "known_votes", "skip"];

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
  const shares = elsPerMarket?.map(({ marketId, els }) => [marketId, els]) ?? Object.entries(byMarket ?? {});
  return keyOf(vote) + JSON.stringify(shares.sort());
}

/** A cursor with the record that its page has to begin with, so that it continues exactly there in any process. */
export const continuingAt = (cursor: string, last: KnownRecord): string => withMembers(cursor, { [lastMember]: last });

/**
 * A cursor with the latest block that was read, so that any process continues on a node that has reached it, and
 * the first one, so that it reads newer records again.
 */
export const continuedLater = (cursor: string, latest: bigint, first: bigint | undefined): string =>
  withMembers(cursor, { [blockMember]: String(latest), ...(first !== undefined && { [firstMember]: String(first) }) });

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
  withMembers(cursor, { [lastBlockMember]: String(lastBlock), [knownMember]: known, [skipMember]: skip });

/** A cursor as the caller gave it, and the members that the client has added to it. */
export interface GivenCursor {
  readonly cursor: string;
  /** The cursor as the node wrote it. */
  readonly own: string;
  /** The time of the block that a node must have reached to continue from it. */
  readonly minBlock: bigint | undefined;
  /** The block time that the client has added; `undefined` in a node's own cursor, where `minBlock` is the record's time. */
  readonly latest: bigint | undefined;
  /** The time of the block of the first page, if the walk was of signatures, or began with the newest votes. */
  readonly firstBlock: bigint | undefined;
  readonly votes: ReadVotes | undefined;
  readonly last: KnownRecord | undefined;
}

export function readGivenCursor(cursor: string): GivenCursor {
  const fields = readCursor(cursor) ?? {};
  const { [blockMember]: latest, [firstMember]: first, [lastMember]: last, ...others } = fields;
  const { [lastBlockMember]: lastBlock, [knownMember]: known, [skipMember]: skip = 0, ...own } = others;
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

function withMembers(cursor: string, members: Record<string, unknown>): string {
  const fields = readCursor(cursor);
  return fields ? encodeCursor({ ...fields, ...members }) : cursor;
}
