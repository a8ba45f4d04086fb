import { describe, expectTypeOf, test } from "vitest";
import type * as vega from "../../src/index.js";
import { createClient } from "../../src/index.js";
import * as reports from "../../src/reports/index.js";

const client = createClient({ baseUrl: "https://node.example", fetch: globalThis.fetch });
const range = { from: 1n, to: "2024-01-01T00:00:00Z" };
declare const changes: Iterable<vega.BalanceChange>;
declare const votes: vega.Vote[];
declare const statistics: vega.SpamStatisticsResponse;

describe("the reports accept", () => {
  test("listings, scans, arrays and iterables", async () => {
    await reports.balancesAt(client.listBalanceChanges(), 1n);
    await reports.statement(changes, range);
    await reports.tallyVotes(votes, {});
    await reports.tallyVotes(client.listVotes({ proposalId: "p" }));
    await reports.signatureBundle([] as readonly vega.NodeSignature[]);
    // @ts-expect-error: records of another list
    await reports.balancesAt(votes, 1n);
    // @ts-expect-error: a page is no iterable; its nodes are
    await reports.tallyVotes(await client.listVotes({ proposalId: "p" }));
  });

  test("times and shares that are exact", async () => {
    // @ts-expect-error: a number cannot hold nanoseconds
    await reports.balancesAt(changes, 1707497689123456000);
    // @ts-expect-error: 0.66 is not exact
    await reports.tallyVotes(votes, { requiredMajority: 0.66 });
  });

  test("whole options", async () => {
    await reports.statement(changes, { from: "2024-01-01" });
    // @ts-expect-error: the start is missing
    await reports.statement(changes, { to: 1n });
    // @ts-expect-error: no such period
    await reports.balanceSeries(changes, { ...range, every: "year" });
    // @ts-expect-error: no member of an account
    await reports.balanceSeries(changes, { ...range, every: "day", groupBy: ["party"] });
    reports.submissionLimits(statistics, { command: "vote", proposalId: "p" }, { sentSince: 1, tokens: 5n });
    // @ts-expect-error: the proposal is missing
    reports.submissionLimits(statistics, { command: "vote" });
    // @ts-expect-error: only votes have a proposal
    reports.submissionLimits(statistics, { command: "transfer", proposalId: "p" });
  });
});

describe("the reports return", () => {
  test("accounts with balances that can be unknown", async () => {
    const [balance] = await reports.balancesAt(changes, 1n);
    expectTypeOf(balance?.balance).toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<typeof balance>>().toExtend<reports.Account>();
    const [account] = await reports.statement(changes, range);
    expectTypeOf(account?.closing).toEqualTypeOf<string | undefined>();
    expectTypeOf(account?.lines[0]?.change).toEqualTypeOf<string | undefined>();
  });

  test("rows of a series with the members of their group, always with the asset", async () => {
    const [row] = await reports.balanceSeries(changes, { ...range, every: "day", groupBy: ["partyId"] });
    expectTypeOf(row?.partyId).toEqualTypeOf<string | undefined>();
    expectTypeOf(row?.assetId).toEqualTypeOf<string | undefined>();
    // @ts-expect-error: the group has no market
    row?.marketId;
  });

  test("a tally, limits and a bundle", async () => {
    expectTypeOf(await reports.tallyVotes(votes)).toEqualTypeOf<reports.Tally>();
    expectTypeOf<reports.Tally["passes"]>().toEqualTypeOf<boolean | undefined>();
    const { isAllowed, left, reason, proofOfWork } = reports.submissionLimits(statistics, { command: "other" });
    expectTypeOf(left).toEqualTypeOf<bigint | undefined>();
    if (isAllowed) expectTypeOf(proofOfWork.lastHeight).toEqualTypeOf<string>();
    else expectTypeOf(reason).toEqualTypeOf<"banned" | "quota" | "tokens" | "proof-of-work">();
    const next = reports.submissionTracker(statistics).next({ command: "other" }, { tokens: "5", now: new Date() });
    if (next.isAllowed) expectTypeOf(next.reason).toEqualTypeOf<undefined>();
    else expectTypeOf(next.reason).toEqualTypeOf<"banned" | "quota" | "tokens" | "proof-of-work">();
    // @ts-expect-error: the tracker counts them itself
    reports.submissionTracker().next({ command: "other" }, { sentSince: 1 });
    expectTypeOf(await reports.signatureBundle([])).toEqualTypeOf<`0x${string}`>();
  });
});
