import type { BalanceChange } from "vegaprotocol-client";

export const assetId = "fdf6c740e53075e212c6eac7913dc0c252da69fb6f562e973b7e7dea8b646c7b";
const market = "306ee27b932642227f92bf4bc8b90d35a454ff5d76474d5c224d322a51d20b66";

/** The changes of two accounts of a party, which the page on reports shows: a deposit, margin, and what trading brings. */
export const accountChanges = (partyId: string): BalanceChange[] =>
  (
    [
      ["2024-01-03T10:00:00Z", "5000000000"],
      ["2024-01-10T12:00:00Z", "3800000000", "1200000000"],
      ["2024-01-22T09:30:00Z", undefined, "950000000"],
      ["2024-02-02T08:00:00Z", "4100000000", "1100000000"],
      ["2024-02-14T16:00:00Z", "4600000000"],
      ["2024-02-20T11:00:00Z", undefined, "1750000000"],
    ] as const
  ).flatMap(([time, general, margin]) => {
    const change = { timestamp: `${BigInt(Date.parse(time)) * 1_000_000n}` as const, partyId, assetId };
    return [
      ...(general ? [{ ...change, balance: general, marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" }] : []),
      ...(margin ? [{ ...change, balance: margin, marketId: market, accountType: "ACCOUNT_TYPE_MARGIN" }] : []),
    ];
  });
