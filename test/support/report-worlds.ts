import fc from "fast-check";
import type { BalanceChange } from "../../src/index.js";
import type { Account } from "../../src/reports/index.js";

/** Balance changes of some accounts, in any order, and a part of their history that a node does not keep. */
export interface World {
  /** All changes since the first block. */
  readonly all: readonly BalanceChange[];
  /** Those that the node keeps. */
  readonly kept: readonly BalanceChange[];
  /** Whether nothing is missing. */
  readonly isComplete: boolean;
}

const nanoseconds = 1_000_000n;

/** Ends of hours, days, weeks, months and a year, with a leap day. */
const edges = [
  "2023-12-31T23:00:00Z",
  "2024-01-01T00:00:00Z",
  "2024-01-08T00:00:00Z",
  "2024-01-31T00:00:00Z",
  "2024-02-01T00:00:00Z",
  "2024-02-29T00:00:00Z",
  "2024-03-01T00:00:00Z",
  "2024-03-04T00:00:00Z",
].map((text) => BigInt(Date.parse(text)) * nanoseconds);

/** Times at an edge of the calendar, a nanosecond before or after it, and between. */
export const timesOfWorld = fc
  .tuple(fc.constantFrom(...edges), fc.oneof(fc.constantFrom(-1n, 0n, 1n), fc.bigInt(-(10n ** 15n), 10n ** 15n)))
  .map(([edge, offset]) => edge + offset);

export const rangesOfWorld = fc
  .tuple(timesOfWorld, timesOfWorld)
  .map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));

/** Amounts of up to 78 digits. */
const amounts = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 10n ** 78n - 1n));

/** Most records belong to few accounts, so that these have several. */
const mostly = <T>(value: T, ...others: T[]) =>
  fc.oneof({ arbitrary: fc.constant(value), weight: 4 }, fc.constantFrom(...others));

const changes = fc.record({
  timestamp: timesOfWorld.map((time): `${bigint}` => `${time}`),
  balance: amounts.map(String),
  partyId: mostly("a", "b", "network"),
  assetId: mostly("x", "y"),
  marketId: mostly("", "m"),
  accountType: mostly<string | number>("ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN", 24),
});

export const keyOf = ({ partyId, assetId, marketId, accountType }: BalanceChange): string =>
  JSON.stringify([partyId, assetId, marketId, accountType]);

export const worlds: fc.Arbitrary<World> = fc
  .tuple(
    fc.uniqueArray(changes, { maxLength: 40, selector: (change) => `${keyOf(change)} ${change.timestamp}` }),
    fc.option(timesOfWorld, { nil: undefined }),
  )
  .map(([all, cut = 0n]) => {
    return { all, kept: all.filter(({ timestamp }) => BigInt(timestamp) >= cut), isComplete: cut === 0n };
  });

/** The accounts of changes, in order. */
export function accountsOf(changes: readonly BalanceChange[]): Account[] {
  const members = ["partyId", "assetId", "marketId", "accountType"] as const;
  const accounts = [...new Map(changes.map((change) => [keyOf(change), change])).values()];
  const sorted = accounts.sort((a, b) => {
    const member = members.find((name) => a[name] !== b[name]) ?? "partyId";
    return String(a[member]) < String(b[member]) ? -1 : 1;
  });
  return sorted.map(({ timestamp: _, balance: __, ...account }) => account as Account);
}

/** The last change of an account up to a time. */
export function lastOf(changes: readonly BalanceChange[], account: Account, time: bigint): BalanceChange | undefined {
  let last: BalanceChange | undefined;
  for (const change of changes) {
    const isEarlier = BigInt(change.timestamp) <= time;
    if (keyOf(change) !== keyOf({ timestamp: "0", balance: "0", ...account }) || !isEarlier) continue;
    if (last === undefined || BigInt(change.timestamp) > BigInt(last.timestamp)) last = change;
  }
  return last;
}

/** The same records as an array, a generator and an asynchronous generator. */
export const waysToPass: readonly (<T>(records: readonly T[]) => Iterable<T> | AsyncIterable<T>)[] = [
  (records) => records,
  function* (records) {
    yield* records;
  },
  async function* (records) {
    yield* records;
  },
];
