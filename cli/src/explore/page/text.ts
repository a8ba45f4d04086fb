/** Times, amounts, names and ids as text. */
import { formatUnits, parseUnits } from "vegaprotocol-client";
import type { Tally } from "vegaprotocol-client/reports";

export type Asset = { readonly symbol: string; readonly decimals: string };

/** Whether amounts can be shown with what a node has sent for an asset. */
export const isAsset = <T extends Partial<Asset>>(details: T | null | undefined): details is T & Asset =>
  /^\d{1,3}$/.test(details?.decimals ?? "") && Number(details?.decimals) <= 255;

export const decimalsOf = (asset: Asset | undefined): number | undefined => asset && Number(asset.decimals);

/** The time zone of all times that are shown. */
export const zone = { name: "UTC" };
let clock: Intl.DateTimeFormat | undefined;

const dateOf = (time: string | bigint) => new Date(Number(BigInt(time) / 1_000_000n));
export const isoOf = (time: string | bigint): string => dateOf(time).toISOString();

/** Nanoseconds as `2024-02-09 16:54:55`. */
export function formatTime(time: string | bigint): string {
  if (zone.name === "UTC") return isoOf(time).slice(0, 19).replace("T", " ");
  // Swedish has that form.
  clock ??= new Intl.DateTimeFormat("sv", { timeZone: zone.name, dateStyle: "short", timeStyle: "medium" });
  return clock.format(dateOf(time));
}

export const withTimes = (text: string): string => text.replaceAll(/\b\d{19}\b/g, formatTime);

/** An exact amount. Without decimals, it is in the smallest unit. */
export function formatAmount(amount: string | null | undefined, decimals = 0): string {
  if (amount === null || amount === undefined) return "unknown";
  const [whole = "", fraction] = formatUnits(amount, decimals).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);

/** Such as `Vested rewards` for `ACCOUNT_TYPE_VESTED_REWARDS`. */
export function formatName(name: string | number | undefined): string {
  const words = String(name ?? "")
    .replace(/^(?:ACCOUNT_TYPE|VALUE|STATE)_/, "")
    .replaceAll(/[_-]|(?<=[a-z])(?=[A-Z])/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** A share and the required one, such as `0.66125` as `66.125 %`. Digits are left out, never rounded up. */
export function formatShares(...shares: [share: string | undefined, required: string | undefined]): string {
  const [share, required] = shares.map((each) => {
    const [percent] = each ? (/^\d+(?:\.0*\d{1,3})?/.exec(formatUnits(parseUnits(each, 18), 16)) ?? []) : [];
    return percent === undefined ? "unknown" : `${percent}\u00a0%`;
  });
  return `${share} (required: ${required})`;
}

export const thresholds = {
  requiredMajority: "Required majority",
  requiredParticipation: "Required participation",
  totalSupply: "Total supply of tokens",
};

export function verdictOf({ passes, reason, missing }: Tally): string {
  const names = missing.map((name) => `the ${thresholds[name].toLowerCase()}`);
  if (passes) return "It passes with these votes.";
  if (reason) return `It does not pass with these votes: the ${reason} is too low.`;
  return `Whether it passes is unknown without ${new Intl.ListFormat("en").format(names)}.`;
}

export const formatSide = ({ tokens, parties }: Tally["yes"], decimals?: number): string =>
  `${formatAmount(tokens, decimals)} tokens from ${parties.toLocaleString("en")} ${parties === 1 ? "party" : "parties"}`;
