import { operations } from "../../generated/operations.js";
import type { BalanceChange, Vote } from "../../generated/types.js";
import { type Edge, nanosecondsOf, readCursor } from "../evidence/page.js";
import type { KnownRecord } from "../http/expectation.js";
import { isDigits } from "../values/integers.js";
import { keyBy, toName } from "../values/names.js";
import { sha256Hex } from "../values/sha256.js";

const { cursors, enums, naturalKey } = operations.listBalanceChanges;
const { missingMember } = cursors;

/** Members that the client adds to cursors; nodes ignore them. The last balance change that was read: */
const lastMember = "last_record";
/** The time of the latest block of the pages so far: */
const blockMember = "latest_block";
/** The time of the block of the last vote that was read, and the keys of the votes of that block: */
const [lastBlockMember, knownMember] = ["last_block", "known_votes"];

export interface AccountCursor {
  cursor: string;
  record: KnownRecord;
  /** The record with which the page has to begin: set in cursors of the client's own. */
  last: KnownRecord | undefined;
}

/**
 * Completes the cursor of a balance change. v0.74 nodes compare rows with the account id in it but leave that id `null`,
 * which equals nothing, so that as it comes the cursor loses rows (observed on v0.74 nodes).
 *
 * @param record - The record of the cursor. Default: the one that the cursor names.
 * @returns `undefined` if the cursor has another form, or if the account is not known.
 */
export function withAccountId(cursor: string, record?: KnownRecord): AccountCursor | undefined {
  const fields = readCursor(cursor) ?? {};
  const { [missingMember.name]: id, [lastMember]: last } = fields;
  const time = nanosecondsOf(cursor);
  if (time === undefined || id === undefined) return undefined;
  const named = record ?? { timestamp: String(time), ...accountNamedBy(fields) };
  const accountId = typeof id === "string" ? id : accountIdOf(named);
  if (accountId === undefined) return undefined;
  const completed = id === accountId ? cursor : encode({ ...fields, [missingMember.name]: accountId });
  return { cursor: completed, record: identify(named), last: last as KnownRecord | undefined };
}

/** Cursors have the number of the account type. */
const accountNamedBy = ({ AssetID, PartyID, MarketID, Type }: Record<string, unknown>): Partial<BalanceChange> =>
  ({
    assetId: AssetID,
    partyId: PartyID,
    marketId: MarketID,
    accountType: toName(enums.accountType, Type),
  }) as Partial<BalanceChange>;

/** The account id that a node sorts balance changes of one block by (observed on v0.74 nodes). */
export function accountIdOf(record: object): string | undefined {
  const names = missingMember.sha256Of.map((name) => (record as KnownRecord)[name]);
  return names.every((name) => typeof name === "string") ? sha256Hex(names.join("")) : undefined;
}

/** What identifies a record: a balance change, unless other members are named. */
export const identify = (record: object, names: readonly string[] = naturalKey): KnownRecord =>
  Object.fromEntries(names.map((name) => [name, (record as KnownRecord)[name]]));

/** A cursor that names the record with which its page has to begin, so that it continues exactly there in any process. */
export const continuingAt = (cursor: string, last: KnownRecord): string => withMembers(cursor, { [lastMember]: last });

/** A cursor that names the latest block that was read, so that any process continues on a node that has reached it. */
export const afterBlock = (cursor: string, time: bigint): string =>
  withMembers(cursor, { [blockMember]: String(time) });

/** Votes that were read up to a block, of which others can follow. */
export interface ReadVotes {
  lastBlock: bigint;
  /** The short keys of the votes of that block that were read. */
  known: readonly string[];
}

const keyOf = keyBy<Vote>(operations.listVotes.naturalKey);

/** The natural key of a vote as text. */
export const voteKeyOf = (vote: unknown): string => keyOf(vote as Vote);

export const shortKeyOf = (vote: unknown): string => sha256Hex(voteKeyOf(vote)).slice(0, 16);

/** Whether a vote was read before. */
export function isRead(
  { lastBlock, known }: ReadVotes,
  { cursor, node }: Edge<unknown>,
  isDescending: boolean,
): boolean {
  const time = nanosecondsOf(cursor);
  if (time === undefined || time === lastBlock) return time !== undefined && known.includes(shortKeyOf(node));
  return isDescending ? time > lastBlock : time < lastBlock;
}

/** A cursor that names the votes that were read, so that any process leaves them out. */
export const afterVotes = (cursor: string, { lastBlock, known }: ReadVotes): string =>
  withMembers(cursor, { [lastBlockMember]: String(lastBlock), [knownMember]: known });

/** A cursor as the node wrote it, the time of the block that a node must have reached to continue from it, and the votes that it names. */
export function readMembers(cursor: string): { own: string; after: bigint | undefined; read: ReadVotes | undefined } {
  const fields = readCursor(cursor) ?? {};
  const { [blockMember]: latest, [lastBlockMember]: lastBlock, [knownMember]: known, ...others } = fields;
  const isNamed = isDigits(lastBlock) && Array.isArray(known);
  return {
    own: latest === undefined ? cursor : encode(others),
    after: isDigits(latest) ? BigInt(latest) : nanosecondsOf(cursor),
    read: isNamed ? { lastBlock: BigInt(lastBlock), known } : undefined,
  };
}

function withMembers(cursor: string, members: Record<string, unknown>): string {
  const fields = readCursor(cursor);
  return fields ? encode({ ...fields, ...members }) : cursor;
}

const encode = (fields: Record<string, unknown>) => btoa(JSON.stringify(fields));
