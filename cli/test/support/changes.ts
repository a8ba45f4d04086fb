export const hour = 3_600_000_000_000n;
/** 7 February 2024, 10:00. */
export const first = 1_707_300_000_000_000_000n;
export const [party, other] = ["ab".repeat(32), "cd".repeat(32)];
/** As many ids of parties or others. */
export const ids = (count: number) => Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, "0"));
export const account = { assetId: "ef".repeat(32), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };

export const change = (time: bigint, balance = "7", partyId = other) => ({
  timestamp: `${time}` as const,
  balance,
  partyId,
  ...account,
});

/** A change in each hour of some days, of two parties by turns. */
export const changes = Array.from({ length: 200 }, (_, index) =>
  change(first + BigInt(index) * hour, `${index + 1}${"0".repeat(25)}`, index % 2 ? party : other),
);

/** The block after them. */
export const block = { height: 1000n, timestamp: first + 200n * hour };
