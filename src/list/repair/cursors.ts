import { operations } from "../../../generated/operations.js";
import type { BalanceChange } from "../../../generated/types.js";
import { nanosecondsOf, readBlockCursor } from "../../evidence/block-cursor.js";
import { isDigits } from "../../values/digits.js";
import { toName } from "../../values/enumeration.js";
import { toNanoseconds } from "../../values/times.js";
import { sha256Hex } from "./sha256.js";

const { cursors, enums } = operations.listBalanceChanges;
const { missingMember } = cursors;

/** A member that the client adds to cursors: the last record that was read. Nodes ignore it (observed on v0.74 nodes). */
const lastMember = "last_record";

/** A place in the order of balance changes: by time, then by account id. */
export interface AccountPlace {
  /** Unix nanoseconds in digits. */
  timestamp: string;
  accountId: string;
}

/** The cursor of a balance change with its account id. */
export interface AccountCursor {
  cursor: string;
  place: AccountPlace;
  /** Where a page has to begin that is requested with it: set in cursors of the client's own. */
  last: AccountPlace | undefined;
}

/**
 * Completes the cursor of a balance change. v0.74 nodes compare rows with the account id in it but leave that id `null`,
 * which equals nothing, so that as it comes the cursor loses rows (observed on v0.74 nodes).
 *
 * @param record - The record of the cursor. Default: the account that the cursor names.
 * @returns `undefined` if the cursor has another form, or if the account is not known.
 */
export function withAccountId(cursor: string, record?: BalanceChange): AccountCursor | undefined {
  const { time, fields = {} } = readBlockCursor(cursor) ?? {};
  const known = fields[missingMember.name];
  if (time === undefined || known === undefined) return undefined;
  const accountId = typeof known === "string" ? known : accountIdOf(record ?? accountNamedBy(fields));
  if (accountId === undefined) return undefined;
  const place = { timestamp: String(toNanoseconds(time)), accountId };
  const last = fields[lastMember] as AccountPlace | undefined;
  if (known === accountId) return { cursor, place, last };
  return { cursor: encode({ ...fields, [missingMember.name]: accountId }), place, last };
}

/** A member that the client adds to cursors of votes: the time of the latest block of the pages so far. */
const blockMember = "latest_block";

/** A cursor that also has the time of the latest block that was read, so that any process continues on a node that has reached it. */
export function afterBlock(cursor: string, time: bigint): string {
  const { fields } = readBlockCursor(cursor) ?? {};
  return fields ? encode({ ...fields, [blockMember]: String(time) }) : cursor;
}

/** The time of the block that a node must have reached to continue from a cursor, in Unix nanoseconds. */
export function blockNeededFor(cursor: string): bigint | undefined {
  const { [blockMember]: latest } = readBlockCursor(cursor)?.fields ?? {};
  return isDigits(latest) ? BigInt(latest) : nanosecondsOf(cursor);
}

const encode = (fields: Record<string, unknown>) => btoa(JSON.stringify(fields));

/** A cursor that names the record with which its page has to begin, so that it continues exactly there in any process. */
export function continuingAt(cursor: string, last: AccountPlace): string {
  const { fields } = readBlockCursor(cursor) ?? {};
  return fields ? encode({ ...fields, [lastMember]: last }) : cursor;
}

/** Cursors have the number of the account type. */
function accountNamedBy(fields: Record<string, unknown>): Partial<BalanceChange> {
  const { AssetID: assetId, PartyID: partyId, MarketID: marketId, Type: type } = fields;
  return { assetId, partyId, marketId, accountType: toName(enums.accountType, type) } as Partial<BalanceChange>;
}

/** The account id that a node sorts balance changes of one block by (observed on v0.74 nodes). */
export function accountIdOf(account: Partial<BalanceChange>): string | undefined {
  const names = missingMember.sha256Of.map((name) => account[name]);
  return names.every((name) => typeof name === "string") ? sha256Hex(names.join("")) : undefined;
}

/** The place of a balance change; `undefined` if its account id is not known. */
export function placeOf(record: BalanceChange): AccountPlace | undefined {
  const accountId = accountIdOf(record);
  return accountId === undefined ? undefined : { timestamp: record.timestamp, accountId };
}

export const isAt = (record: BalanceChange, { timestamp, accountId }: AccountPlace): boolean =>
  record.timestamp === timestamp && accountIdOf(record) === accountId;
