import { formatUnits, toDate } from "vegaprotocol-client";

/** Governance tokens and the assets of the fake node have 18 decimal places. The interface does not name those of an asset. */
export const decimals = 18;

const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const shortTimes = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });
const compact = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4, notation: "compact" });
const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

export const formatTime = (time: string | number) => times.format(typeof time === "number" ? time : toDate(time));
export const formatShortTime = (time: string) => shortTimes.format(toDate(time));
export const toNumber = (digits: string) => Number(formatUnits(digits, decimals));
export const formatAmount = (value: number) => exact.format(value);
export const formatShort = (value: number) => compact.format(value);
export const shorten = (id: string) => (id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);

/** "applyReferralCode" as "Apply referral code". */
export const toWords = (name: string) => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
