import { accountTypes } from "../../generated/enums.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { toNanoseconds } from "../arguments/values.js";
import type { Edge } from "./page.js";
import { sha256Hex } from "./sha256.js";

const { timeMember, missingMember } = operations.listBalanceChanges.cursors;

/**
 * A cursor of v0.74 nodes that names a block: base64 of JSON with the block's time (observed on v0.74
 * nodes). Cursors of other forms are taken to be reliable.
 */
interface BlockCursor {
  /** The block's time as the node spells it. All cursors of one block spell it alike. */
  time: string;
  fields: Record<string, unknown>;
}

function readBlockCursor(cursor: string): BlockCursor | undefined {
  try {
    const fields: unknown = JSON.parse(atob(cursor));
    if (typeof fields !== "object" || fields === null || !(timeMember in fields)) return undefined;
    const { [timeMember]: time } = fields;
    return typeof time === "string" ? { time, fields: { ...fields } } : undefined;
  } catch {
    return undefined;
  }
}

/** The time of the block that a cursor names; `undefined` if it names none. */
export const blockTimeOf = (cursor: string): string | undefined => readBlockCursor(cursor)?.time;

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
  /** Whether the node left the account id out. */
  isRepaired: boolean;
}

/**
 * Completes the cursor of a balance change. v0.74 nodes compare rows with the account id in it but leave that id `null`,
 * which equals nothing, so that as it comes the cursor loses rows (observed on v0.74 nodes).
 *
 * @param record - The record of the cursor. Default: the account that the cursor names.
 * @returns `undefined` if the cursor has another form, or if the account is not known.
 */
export function withAccountId(cursor: string, record?: BalanceChange): AccountCursor | undefined {
  const { time, fields } = readBlockCursor(cursor) ?? {};
  const known = fields?.[missingMember.name];
  if (time === undefined || known === undefined) return undefined;
  const accountId = typeof known === "string" ? known : accountIdOf(record ?? accountNamedBy(fields ?? {}));
  if (accountId === undefined) return undefined;
  const place = { timestamp: String(toNanoseconds(time)), accountId };
  if (known === accountId) return { cursor, place, isRepaired: false };
  return { cursor: btoa(JSON.stringify({ ...fields, [missingMember.name]: accountId })), place, isRepaired: true };
}

function accountNamedBy(fields: Record<string, unknown>): Partial<BalanceChange> {
  const { AssetID: assetId, PartyID: partyId, MarketID: marketId, Type: number } = fields;
  // Account types are numbered in the order of their names. Number 8 was never used.
  const accountType =
    typeof number === "number" && number !== 8 ? accountTypes[number < 8 ? number : number - 1] : undefined;
  return { assetId, partyId, marketId, accountType } as Partial<BalanceChange>;
}

/** The account id that a node sorts balance changes of one block by (observed on v0.74 nodes). */
export function accountIdOf(account: Partial<BalanceChange>): string | undefined {
  const names = missingMember.sha256Of.map((name) => account[name]);
  return names.every((name) => typeof name === "string") ? sha256Hex(names.join("")) : undefined;
}

/**
 * The edges of a page that follow a place; `undefined` if one of them comes before it.
 *
 * @param edges - The page in the order of the walk.
 */
export function edgesAfter<T>(
  edges: readonly Edge<T>[],
  place: AccountPlace,
  isDescending: boolean,
): readonly Edge<T>[] | undefined {
  const sign = isDescending ? -1 : 1;
  const distances = edges.map(({ node }) => sign * compareWithPlace(node as BalanceChange, place));
  if (!distances.every((distance) => distance >= 0)) return undefined;
  // v0.74 nodes begin the last page with the cursor's own record, since they compare cursors as text.
  return distances[0] === 0 ? edges.slice(1) : edges;
}

/** Less than 0 if a balance change comes before a place in ascending order, 0 if it is at the place; NaN without a time. */
function compareWithPlace(record: BalanceChange, { timestamp, accountId }: AccountPlace): number {
  if (!/^-?\d+$/.test(record.timestamp)) return Number.NaN;
  return compareDigits(record.timestamp, timestamp) || compareText(accountIdOf(record) ?? "", accountId);
}

/** Compares integers in digits by their value. */
export function compareDigits(a: string, b: string): number {
  // Times of one era have as many digits, and no sign.
  if (a.length === b.length && a[0] !== "-" && b[0] !== "-") return compareText(a, b);
  const difference = BigInt(a) - BigInt(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
