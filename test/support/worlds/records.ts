import { createHash } from "node:crypto";
import type { BalanceChange } from "../../../src/index.js";
import { minimum } from "../../../src/values/integers.js";
import type { Reader } from "./readers.js";

/** A range of time in Unix nanoseconds. */
export interface Range {
  start?: bigint | undefined;
  end?: bigint | undefined;
}

/** Whether a range has this bound. Nothing is before 0: such a start is open. */
export const isSomeTime = (time: unknown): time is bigint | string => time !== undefined && BigInt(String(time)) > 0n;

export const show = (time: bigint | undefined) =>
  time === undefined ? "nothing" : `${time} (${new Date(Number(time / 1_000_000n)).toISOString()})`;
export const some = (changes: readonly BalanceChange[]) => {
  const first = changes.slice(0, 3).map((change) => `#${change.balance} at ${show(timeOf(change))}`);
  return [...first, ...(changes.length > 3 ? ["…"] : [])].join(", ");
};

export const timeOf = ({ timestamp }: BalanceChange): bigint => BigInt(timestamp);
export const textOf = ({ timestamp, partyId, assetId, marketId, accountType, balance }: BalanceChange): string =>
  [timestamp, assetId, partyId, marketId, accountType, balance].join(" ");

/** The time of the oldest of these records; `undefined` if there are none. */
export const oldestOf = (changes: readonly BalanceChange[]): bigint | undefined =>
  changes.length === 0 ? undefined : changes.map(timeOf).reduce(minimum);

/** The order of a scan: by time, then by asset, party, market and type. */
export const inScanOrder = (a: BalanceChange, b: BalanceChange): number =>
  Number(timeOf(a) - timeOf(b)) || (textOf(a) < textOf(b) ? -1 : 1);

const accountIds = new Map<string, string>();

/** The id by which nodes sort the accounts of a block. */
function accountIdOf({ assetId, partyId, marketId, accountType }: BalanceChange): string {
  const names = [assetId, partyId, marketId, accountType].join("");
  const id = accountIds.get(names) ?? createHash("sha256").update(names).digest("hex");
  accountIds.set(names, id);
  return id;
}

/** The order of a list of nodes: by time, then by account id. */
export const inListOrder = (a: BalanceChange, b: BalanceChange): number =>
  Number(timeOf(a) - timeOf(b)) || (accountIdOf(a) < accountIdOf(b) ? -1 : 1);

/** Whether a record belongs to what is read. */
export function isWanted({ filter }: Reader): (change: BalanceChange) => boolean {
  const parties = filter.partyIds?.map((id) => id.toLowerCase());
  return ({ partyId = "", assetId, marketId = "", accountType }) =>
    (parties?.includes(partyId) ?? true) &&
    (filter.assetId === undefined || filter.assetId === assetId) &&
    (filter.marketIds?.includes(marketId) ?? true) &&
    (filter.accountTypes?.some((type) => type === accountType) ?? true);
}

export const between =
  ({ start = 0n, end }: Range) =>
  (change: BalanceChange): boolean =>
    timeOf(change) >= start && (end === undefined || timeOf(change) < end);
