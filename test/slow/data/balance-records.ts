const day = 86_400_000_000_000n;
/** The time of the first one. */
export const first = 1_707_300_000_000_001_000n;

/** The balance change of an account, with the time that belongs to its number. */
export const balanceRecord = (index: number, { perDay, parties }: { perDay: number; parties: number }) => ({
  timestamp: `${first + ((BigInt(index) * day) / BigInt(perDay) / 1000n) * 1000n}` as const,
  // Beyond 64 bits, and not a multiple of a power of two.
  balance: `${index}00000000000000000000${index % 10}`,
  partyId: `party ${index % parties}`,
  assetId: `asset ${index % 3}`,
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
});
