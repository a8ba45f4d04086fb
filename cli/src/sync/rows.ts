/** The rows that are stored for records. What a destination cannot hold is refused, with the record that has it. */
import type { BalanceChange } from "vegaprotocol-client";
import { ExitError } from "../errors.js";
import { canonicalJson, type SyncList, type SyncRecords } from "./destination.js";

/** How a column is stored: Unix nanoseconds, an integer in the smallest unit, a decimal number, JSON or text. */
export type RowKind = "time" | "amount" | "decimal" | "json" | "text";

interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, RowKind>>;
}

const party = "text";
const vote = { time: "time", value: "text", balance: "amount", weight: "decimal", record: "json" } as const;

/** The table of each list. */
export const tables: Readonly<Record<SyncList, Table>> = {
  balances: {
    name: "balance_changes",
    columns: { time: "time", party, asset: "text", market: "text", account_type: "text", balance: "amount" },
  },
  votes: { name: "votes", columns: { proposal: "text", party, ...vote } },
  signatures: { name: "node_signatures", columns: { resource: "text", kind: "text", signature: "text" } },
  profiles: { name: "party_profiles", columns: { party, alias: "text", metadata: "json", derived_keys: "json" } },
};

/** Texts, with times and amounts as digits. */
export type Row = readonly (string | null)[];

/** The row of a record. */
export const rowOf: { readonly [List in SyncList]: (record: SyncRecords[List]) => Row } = {
  balances: (record) => [timeOf(record), ...accountOf(record), balanceOf(record)],
  votes: (vote) => [
    textOf(vote.proposalId),
    textOf(vote.partyId),
    timeOf(vote),
    ...[vote.value, vote.totalGovernanceTokenBalance, vote.totalGovernanceTokenWeight].map(textOf),
    canonicalJson(vote),
  ],
  signatures: ({ id, kind, sig }) => [id, kind, sig].map(textOf),
  profiles: ({ partyId, alias, metadata, derivedKeys }) => [
    textOf(partyId),
    textOf(alias),
    JSON.stringify(metadata ?? []),
    derivedKeys ? JSON.stringify(derivedKeys) : null,
  ],
};

/** The record of a row. */
export const recordOf: { readonly [List in SyncList]: (row: Row) => SyncRecords[List] } = {
  balances: ([time, partyId, assetId, marketId, accountType, balance]) => ({
    timestamp: time as `${bigint}`,
    balance: balance ?? "",
    partyId: partyId ?? "",
    assetId: assetId ?? "",
    marketId: marketId ?? "",
    accountType: accountType ?? "",
  }),
  votes: (row) => JSON.parse(row[6] ?? "{}"),
  signatures: ([id, kind, sig]) => ({ id: id ?? "", kind: kind ?? "", sig: sig ?? "" }),
  profiles: ([partyId, alias, metadata, keys]) => ({
    partyId: partyId ?? "",
    alias: alias ?? "",
    metadata: JSON.parse(metadata ?? "[]"),
    ...(keys && { derivedKeys: JSON.parse(keys) }),
  }),
};

/** A member of a record as text. Nodes leave out what is empty, or send `null`. */
export const textOf = (member: unknown): string => String(member ?? "");

export const accountOf = ({ partyId, assetId, marketId, accountType }: BalanceChange): string[] => [
  textOf(partyId),
  textOf(assetId),
  textOf(marketId),
  textOf(accountType),
];

/** The time of a record in digits. */
export const timeOf = (record: { readonly timestamp: string }): string =>
  checkTime(record.timestamp, () => describe(record));

/** Amounts of a Vega network have 256 bits. */
const longestAmount = 78;

/** The balance of a record in digits. */
export function balanceOf(record: BalanceChange): string {
  const { balance } = record;
  if (typeof balance === "string" && /^\d+$/.test(balance) && balance.length <= longestAmount) return balance;
  return refuse(describe(record), `a balance of at most ${longestAmount} digits`, balance);
}

/** Checks a time in Unix nanoseconds, which must not exceed 64 bits. */
export function checkTime(time: unknown, what: () => string): string {
  if (typeof time === "string" && /^-?\d+$/.test(time)) {
    if (time.length < 19 || BigInt.asIntN(64, BigInt(time)) === BigInt(time)) return time;
  }
  return refuse(what(), "a time in digits, within 64 bits", time);
}

export function refuse(what: string, expected: string, value: unknown): never {
  const text = JSON.stringify(typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}…` : value);
  throw new ExitError(`Expected ${what} to have ${expected}, got ${text}. Use another node.`);
}

/** Names a record by its ids. */
export function describe(record: object): string {
  const ids = Object.entries(record).filter(([name, value]) => name.endsWith("Id") && value);
  return `the record of ${ids.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ")}`;
}

/** The order of a scan: by time, then by account. */
export function compareRecords(a: BalanceChange, b: BalanceChange): number {
  if (a.timestamp !== b.timestamp) return BigInt(a.timestamp) < BigInt(b.timestamp) ? -1 : 1;
  for (const name of ["assetId", "partyId", "marketId", "accountType"] as const) {
    const [own, other] = [textOf(a[name]), textOf(b[name])];
    if (own !== other) return own < other ? -1 : 1;
  }
  return 0;
}
