import { createHash } from "node:crypto";
import type { BalanceChange } from "../../../src/index.js";
import type { BalancesReader, FollowReader, Range } from "./readers.js";

export const show = (time: bigint | undefined) =>
  time === undefined ? "nothing" : `${time} (${new Date(Number(time / 1_000_000n)).toISOString()})`;
export const some = (changes: readonly BalanceChange[]) =>
  `${changes
    .slice(0, 3)
    .map(({ timestamp, balance }) => `#${balance} at ${show(BigInt(timestamp))}`)
    .join(", ")}${changes.length > 3 ? ", …" : ""}`;

export const timeOf = ({ timestamp }: BalanceChange): bigint => BigInt(timestamp);
const nameOfType = (type: unknown) => (type === 24 ? "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" : String(type));
export const textOf = ({ timestamp, partyId, assetId, marketId, accountType, balance }: BalanceChange): string =>
  [timestamp, assetId, partyId, marketId, nameOfType(accountType), balance].join(" ");

/** The order of a scan: by time, then by asset, party, market and type. */
export function inScanOrder(a: BalanceChange, b: BalanceChange): number {
  const [one, other] = [textOf(a), textOf(b)];
  return Number(timeOf(a) - timeOf(b)) || (one < other ? -1 : 1);
}

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

export function isWanted({ filter }: BalancesReader | FollowReader): (change: BalanceChange) => boolean {
  const parties = filter.partyIds?.map((id) => id.toLowerCase());
  return ({ partyId = "", accountType }) =>
    (parties?.includes(partyId) ?? true) && (filter.accountTypes?.some((type) => type === accountType) ?? true);
}

export const between =
  ({ start = 0n, end }: Range) =>
  (change: BalanceChange): boolean =>
    timeOf(change) >= start && (end === undefined || timeOf(change) < end);

export const isLater = (time: bigint) => (change: BalanceChange) => timeOf(change) >= time;

/** The earlier of two times, of which each can be unknown. */
export const earlier = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a;
export const later = (a: bigint, b: bigint) => (a > b ? a : b);

export const earlierThan = (time: bigint | undefined, end: bigint) =>
  time !== undefined && time < end ? time : undefined;
