/** How the page shows amounts, times and entries, and random choices. */
import { formatUnits } from "vegaprotocol-client";
import type { statement } from "vegaprotocol-client/reports";
import { decimals } from "./records.js";

export const shown = (amount: string | undefined, assetId: string) => {
  if (amount === undefined) return "unknown";
  const [whole = "", fraction] = formatUnits(amount, decimals.get(assetId) ?? 0).split(".");
  const grouped = BigInt(whole).toLocaleString("en");
  return fraction === undefined ? grouped : `${whole === "-0" ? "-0" : grouped}.${fraction}`;
};
export const time = (digits: string | undefined) =>
  digits ? new Date(Number(BigInt(digits) / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ") : "unknown";

/** A random element, except of an empty array. */
export const anyOf = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T;

/** A random range between two of some records. */
export const rangeIn = (records: readonly { timestamp: string }[]) => {
  const [one, other] = [BigInt(anyOf(records).timestamp), BigInt(anyOf(records).timestamp)];
  return one < other ? ([one, other] as const) : ([other, one] as const);
};

const inUnits = (assetId: string) => (amount: string | undefined) => shown(amount, assetId);

/** The rows of a statement as the page shows them. */
export const entriesOf = (accounts: Awaited<ReturnType<typeof statement>>, from: bigint, to: bigint) =>
  accounts.flatMap(({ opening, closing, lines, assetId }) => [
    [time(`${from}`), "Opening", "", shown(opening, assetId)],
    ...lines.map((line) => [time(line.timestamp), "Change", ...[line.change, line.balance].map(inUnits(assetId))]),
    [time(`${to}`), "Closing", "", shown(closing, assetId)],
  ]);
