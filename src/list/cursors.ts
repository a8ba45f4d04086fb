import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { unlessThrown } from "../errors/index.js";
import type { KnownRecord } from "../http/expectation.js";
import { toName } from "../values/names.js";
import { sha256Hex } from "../values/sha256.js";
import { toNanoseconds } from "../values/times.js";

const { cursors, enums } = operations.listBalanceChanges;
const { missingMember, timeMember } = cursors;

/** The members of a cursor: base64 of JSON (observed on v0.74 nodes). Other cursors are taken to be reliable. */
export function readCursor(cursor: string): Record<string, unknown> | undefined {
  const fields: unknown = unlessThrown(() => JSON.parse(atob(cursor)));
  return typeof fields === "object" && fields !== null ? { ...fields } : undefined;
}

/** The time of the block that a cursor names, in Unix nanoseconds. A node spells it in the time zone of its machine. */
export function nanosecondsOf(cursor: string): bigint | undefined {
  const time = readCursor(cursor)?.[timeMember];
  return typeof time === "string" ? unlessThrown(() => toNanoseconds(time)) : undefined;
}

/** `btoa` takes Latin-1 only: Go escapes U+2028 and U+2029 in JSON. */
export const encodeCursor = (fields: Record<string, unknown>): string =>
  btoa(
    JSON.stringify(fields).replace(/[^\0-\xff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

/**
 * Completes the cursor of a balance change. v0.74 nodes compare rows with the account id in it but leave that id
 * `null`, which equals nothing, so that as it comes the cursor loses rows (observed on v0.74 nodes).
 *
 * @param record - The record of the cursor. Default: the record in the cursor.
 * @returns `undefined` if the cursor has another form. The member `cursor` is `undefined` if the type of the account is
 * not known.
 */
export function withAccountId(
  cursor: string,
  record?: KnownRecord,
): { cursor: string | undefined; record: KnownRecord } | undefined {
  const fields = readCursor(cursor) ?? {};
  const { [missingMember.name]: id } = fields;
  const time = nanosecondsOf(cursor);
  if (time === undefined || id === undefined) return undefined;
  const named = record ?? { timestamp: String(time), ...accountNamedBy(fields) };
  const accountId = typeof id === "string" ? id : accountIdOf(named);
  if (id === accountId) return { cursor, record: named };
  return { cursor: accountId && encodeCursor({ ...fields, [missingMember.name]: accountId }), record: named };
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
function accountIdOf(record: object): string | undefined {
  const names = missingMember.sha256Of.map((name) => (record as KnownRecord)[name]);
  return names.every((name) => typeof name === "string") ? sha256Hex(names.join("")) : undefined;
}
