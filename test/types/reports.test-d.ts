import { describe, expectTypeOf, test } from "vitest";
import {
  type BalanceChange,
  createClient,
  type NodeSignature,
  type SpamStatisticsResponse,
  type Vote,
} from "../../src/index.js";
import {
  type Account,
  balanceSeries,
  balancesAt,
  signatureBundle,
  statement,
  submissionLimits,
  type Tally,
  tallyVotes,
} from "../../src/reports/index.js";

const client = createClient({ baseUrl: "https://node.example", fetch: globalThis.fetch });
const range = { from: 1n, to: "2024-01-01T00:00:00Z" };
declare const changes: Iterable<BalanceChange>;
declare const votes: Vote[];
declare const statistics: SpamStatisticsResponse;

describe("the reports accept", () => {
  test("listings, scans, arrays and iterables", async () => {
    await balancesAt(client.listBalanceChanges(), 1n);
    await statement(changes, range);
    await tallyVotes(votes, {});
    await tallyVotes(client.listVotes({ proposalId: "p" }));
    await signatureBundle([] as readonly NodeSignature[]);
    // @ts-expect-error: records of another list
    await balancesAt(votes, 1n);
    // @ts-expect-error: a page is no iterable; its nodes are
    await tallyVotes(await client.listVotes({ proposalId: "p" }));
  });

  test("times and shares that are exact", async () => {
    // @ts-expect-error: a number cannot hold nanoseconds
    await balancesAt(changes, 1707497689123456000);
    // @ts-expect-error: 0.66 is not exact
    await tallyVotes(votes, { requiredMajority: 0.66 });
  });

  test("whole options", async () => {
    // @ts-expect-error: the end is missing
    await statement(changes, { from: 1n });
    // @ts-expect-error: no such period
    await balanceSeries(changes, { ...range, every: "year" });
    // @ts-expect-error: no member of an account
    await balanceSeries(changes, { ...range, every: "day", groupBy: ["party"] });
    submissionLimits(statistics, { command: "vote", proposalId: "p" }, { sentSince: 1, tokens: 5n });
    // @ts-expect-error: the proposal is missing
    submissionLimits(statistics, { command: "vote" });
    // @ts-expect-error: only votes have a proposal
    submissionLimits(statistics, { command: "transfer", proposalId: "p" });
  });
});

describe("the reports return", () => {
  test("accounts with balances that can be unknown", async () => {
    const [balance] = await balancesAt(changes, 1n);
    expectTypeOf(balance?.balance).toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<typeof balance>>().toExtend<Account>();
    const [account] = await statement(changes, range);
    expectTypeOf(account?.closing).toEqualTypeOf<string | undefined>();
    expectTypeOf(account?.lines[0]?.change).toEqualTypeOf<string | undefined>();
  });

  test("rows of a series with the members of their group, always with the asset", async () => {
    const [row] = await balanceSeries(changes, { ...range, every: "day", groupBy: ["partyId"] });
    expectTypeOf(row?.partyId).toEqualTypeOf<string | undefined>();
    expectTypeOf(row?.assetId).toEqualTypeOf<string | undefined>();
    // @ts-expect-error: the group has no market
    row?.marketId;
  });

  test("a tally, limits and a bundle", async () => {
    expectTypeOf(await tallyVotes(votes)).toEqualTypeOf<Tally>();
    expectTypeOf<Tally["passes"]>().toEqualTypeOf<boolean | undefined>();
    const { left, proofOfWork } = submissionLimits(statistics, { command: "other" });
    expectTypeOf(left).toEqualTypeOf<bigint | undefined>();
    expectTypeOf(proofOfWork?.lastHeight).toEqualTypeOf<string | undefined>();
    expectTypeOf(await signatureBundle([])).toEqualTypeOf<`0x${string}`>();
  });
});
