import { describe, expect, test } from "vitest";
import type { Vote } from "../../../src/index.js";
import { type TallyOptions, tallyVotes } from "../../../src/reports/index.js";
import { voteAt } from "../../support/records.js";
import { waysToPass } from "../../support/report-worlds.js";

const vote = (partyId: string, value: string, tokens: bigint | string, rest: Partial<Vote> = {}): Vote =>
  voteAt(1n, "p", { partyId, value, totalGovernanceTokenBalance: `${tokens}`, ...rest }) as Vote;
const yesAndNo = (yes: bigint, no: bigint) => [vote("a", "VALUE_YES", yes), vote("b", "VALUE_NO", no)];
const liquidity = { requiredMajority: "0.5", requiredParticipation: "0.3" } as const;
const rules = { requiredMajority: "0.6", requiredParticipation: "0.5", totalSupply: 100n };

describe("tallyVotes", () => {
  test("counts the last YES and NO of each party, in any order and however the votes are passed", async () => {
    const votes = [
      vote("a", "VALUE_NO", 9n, { timestamp: "2" }),
      vote("a", "VALUE_YES", 7n, { timestamp: "10" }),
      vote("a", "VALUE_NO", 5n, { timestamp: "1" }),
      vote("b", "VALUE_YES", 10n ** 77n),
      vote("c", "VALUE_NO", 2n),
      vote("d", "VALUE_UNSPECIFIED", 3n),
      vote("e", "VALUE_LATER", 4n),
    ];
    const yes = { parties: 2, tokens: String(10n ** 77n + 7n) };
    for (const all of [votes, [...votes].reverse()])
      for (const pass of waysToPass)
        expect(await tallyVotes(pass(all))).toMatchObject({ yes, no: { parties: 1, tokens: "2" } });
  });

  test.each<[yes: bigint, no: bigint, reason: string | undefined, options?: TallyOptions]>([
    [30n, 20n, undefined],
    [29n, 21n, "majority"],
    [30n, 19n, "participation"],
    [0n, 0n, "participation", { requiredParticipation: "0" }],
    [0n, 0n, "participation", { totalSupply: 0n }],
    [0n, 0n, "participation", { totalSupply: undefined, requiredMajority: undefined }],
    [29n, 21n, "majority", { totalSupply: undefined }],
    [29n, 21n, "majority", { requiredParticipation: undefined }],
    [29n, 19n, "participation", { requiredMajority: undefined }],
  ])("of %d YES and %d NO misses by the rules of the network: %s", async (yes, no, reason, options) => {
    const tally = await tallyVotes(yesAndNo(yes, no), { ...rules, ...options });
    expect(tally).toMatchObject({ passes: reason === undefined, reason, decidedBy: "tokens" });
    expect(tally.majority === undefined).toBe(yes + no === 0n);
    expect(tally.participation === undefined).toBe(!{ ...rules, ...options }.totalSupply);
    expect(tally.missing).toEqual([]);
  });

  test.each<[yes: string, no: string, tokens: bigint, decidedBy: string, reason?: string]>([
    ["0.15", "0.15", 20n, "liquidity"],
    ["0.14", "0.16", 20n, "liquidity", "majority"],
    ["0.15", "0.149999999999999999", 20n, "liquidity", "participation"],
    ["0.9", "0", 25n, "tokens", "majority"],
    ["0", "0.9", 50n, "tokens"],
  ])(
    "of shares of %s and %s is decided by liquidity if too few tokens vote: %d YES, by %s",
    async (yes, no, ...rest) => {
      const [tokens, decidedBy, reason] = rest;
      const votes = [
        vote("a", "VALUE_YES", tokens, { totalEquityLikeShareWeight: yes }),
        vote("b", "VALUE_NO", 25n, { totalEquityLikeShareWeight: no }),
      ];
      const tally = await tallyVotes(votes, { ...rules, liquidity });
      expect(tally).toMatchObject({ decidedBy, reason, passes: reason === undefined });
    },
  );

  test("is of liquidity providers if no tokens voted, whatever the thresholds for tokens are", async () => {
    const votes = [vote("a", "VALUE_YES", 0n, { totalEquityLikeShareWeight: "0.4" })];
    const tally = await tallyVotes(votes, { liquidity });
    expect(tally).toMatchObject({ passes: true, reason: undefined, decidedBy: "liquidity", missing: [] });
    const missed = { passes: false, reason: "participation", decidedBy: "liquidity", missing: [] };
    expect(await tallyVotes([], { liquidity })).toMatchObject(missed);
  });

  test("does not count the vote of a key that its validator had changed before the close", async () => {
    const weight = (totalGovernanceTokenWeight: string) => ({ totalGovernanceTokenWeight });
    const votes = [
      vote("a", "VALUE_YES", 60n * 10n ** 18n),
      vote("b", "VALUE_YES", 60n * 10n ** 18n, weight("0.5454545454545455")),
      vote("c", "VALUE_NO", 50n * 10n ** 18n, weight("0.4545454545454545")),
      // Nodes store 16 digits.
      vote("d", "VALUE_NO", 1n),
    ];
    const tally = await tallyVotes(votes, { ...rules, requiredMajority: "0.66", totalSupply: 10n ** 21n });
    expect(tally).toMatchObject({ yes: { parties: 1, tokens: String(60n * 10n ** 18n) }, passes: false });
    expect(tally.no).toEqual({ parties: 2, tokens: String(50n * 10n ** 18n + 1n) });
    const open = votes.map((each) => ({ ...each, ...weight("0") }));
    expect((await tallyVotes(open)).yes.parties).toBe(2);
  });

  const weights = (shares: object) => ({ perMarketEquityLikeShareWeight: shares as Record<string, string> });
  const shares = (marketId: string, els: string) => ({ elsPerMarket: [{ marketId, els }] });
  test("refuses votes of which some were read before the close and others after it", async () => {
    const weighted = (partyId: string, value: string, weight: string) =>
      vote(partyId, value, 100n, { totalGovernanceTokenWeight: weight });
    const mixed = [weighted("a", "VALUE_YES", "0.5"), weighted("b", "VALUE_NO", "0"), weighted("c", "VALUE_NO", "0")];
    await expect(tallyVotes(mixed, rules)).rejects.toThrow("were read partly before the close");
  });

  test.each<[version: string, own: Partial<Vote>, other: Partial<Vote>]>([
    ["v0.74", weights({ cc: "0.2", dd: "0" }), weights({ dd: "0.9" })],
    ["later", shares("cc", "0.2"), shares("dd", "0.9")],
  ])("counts the shares of one market as %s nodes send them", async (_, own, other) => {
    const votes = [
      vote("a", "VALUE_YES", 1n, { ...own, totalEquityLikeShareWeight: "0.1" }),
      vote("b", "VALUE_YES", 1n, own),
      vote("c", "VALUE_NO", 1n, other),
    ];
    const tallyOf = (requiredParticipation: string) =>
      tallyVotes(votes, { ...rules, liquidity: { ...liquidity, requiredParticipation, marketId: "CC" } });
    expect(await tallyOf("0.4")).toMatchObject({ decidedBy: "liquidity", passes: true });
    expect(await tallyOf("0.41")).toMatchObject({ decidedBy: "liquidity", reason: "participation" });
  });

  test("refuses a market of which no vote has a share, if liquidity decides", async () => {
    const marketId = "ee";
    const votes = yesAndNo(25n, 10n).map((each) => ({ ...each, ...shares("cc", "0.2") }));
    const tally = (totalSupply: bigint) =>
      tallyVotes(votes, { ...rules, totalSupply, liquidity: { ...liquidity, marketId } });
    const argument = "liquidity.marketId";
    const message = expect.stringContaining("a market of the batch");
    await expect(tally(100n)).rejects.toMatchObject({ name: "ArgumentError", argument, message });
    expect(await tally(40n)).toMatchObject({ decidedBy: "tokens", passes: true });
  });

  test("shows a share that is missed by less than 18 digits as missed", async () => {
    const tokens = 10n ** 30n;
    const majority = "0.666666666666666666";
    const rules = { requiredMajority: majority, requiredParticipation: "0", totalSupply: 4n * tokens };
    const tally = await tallyVotes(yesAndNo(2n * tokens - 1n, tokens + 1n), rules);
    expect(tally).toMatchObject({ majority, participation: "0.75", passes: true });
    const all = { requiredMajority: "1", requiredParticipation: "1", totalSupply: tokens };
    expect(await tallyVotes(yesAndNo(tokens, 0n), all)).toMatchObject({ passes: true });
    const half = { requiredMajority: "0.5", requiredParticipation: "0.5", totalSupply: 2n * tokens };
    const missed = await tallyVotes(yesAndNo(tokens - 1n, 0n), half);
    expect(missed).toMatchObject({ participation: "0.499999999999999999", passes: false, reason: "participation" });
  });

  test.each([
    ["with fewer tokens", 5n, 3n],
    ["without tokens, which have no weight", 5n, 0n],
    ["with the first tokens", 0n, 3n],
  ])("counts a vote as it was rewritten at the close %s, in either order", async (_, before, tokens) => {
    const rewritten = { totalGovernanceTokenWeight: tokens === 0n ? "0" : "1" };
    const open = vote("a", "VALUE_YES", before);
    const closed = vote("a", "VALUE_YES", tokens, rewritten);
    const tallies = [await tallyVotes([open, closed]), await tallyVotes([closed, open])];
    for (const { yes } of tallies) expect(yes).toEqual({ parties: 1, tokens: String(tokens) });
    const later = { ...open, timestamp: `${BigInt(open.timestamp) + 1n}` as const };
    expect((await tallyVotes([later, closed])).yes).toEqual({ parties: 1, tokens: String(before) });
  });

  test.each<[options: TallyOptions, ...missing: string[]]>([
    [{ requiredMajority: "0.5", requiredParticipation: "0" }, "totalSupply"],
    [{ requiredMajority: "0.5", totalSupply: "5" }, "requiredParticipation"],
    [{ requiredMajority: "0.6", requiredParticipation: "0", liquidity }, "totalSupply"],
    [{ requiredParticipation: "0", totalSupply: "5", liquidity }, "requiredMajority"],
    [{ liquidity }, "requiredMajority", "requiredParticipation", "totalSupply"],
  ])("knows no result with %j alone, and names what is missing", async (options, ...missing) => {
    const unknown = { passes: undefined, reason: undefined, decidedBy: undefined, missing };
    expect(await tallyVotes(yesAndNo(1n, 1n), options)).toMatchObject({ majority: "0.5", ...unknown });
    expect((await tallyVotes([], { ...rules, ...options })).missing).toEqual([]);
  });

  test("refuses votes on several proposals", async () => {
    const votes = [vote("a", "VALUE_YES", 1n), vote("a", "VALUE_YES", 1n, { proposalId: "q" })];
    const message =
      'Expected `proposalId` of each record in `votes` of tallyVotes to be the same proposal, p, got "q".';
    await expect(tallyVotes(votes)).rejects.toMatchObject({ name: "ArgumentError", argument: "votes", message });
  });

  test.each([0n, 200_000n])(
    "refuses a supply below the tokens that voted, as in whole tokens: %d",
    async (totalSupply) => {
      const tally = tallyVotes([vote("a", "VALUE_YES", 10n ** 18n)], { ...rules, totalSupply });
      const message = expect.stringContaining("in the smallest unit, and at least 1000000000000000000, ");
      await expect(tally).rejects.toMatchObject({ name: "ArgumentError", argument: "totalSupply", message });
    },
  );

  test.each<[string, TallyOptions]>([
    ["requiredMajority", { requiredMajority: "66" }],
    ["requiredParticipation", { requiredParticipation: "1e-5" }],
    ["totalSupply", { totalSupply: "-1" }],
    ["liquidity.requiredParticipation", { liquidity: { requiredMajority: "0", requiredParticipation: "2" } }],
    ["liquidity.requiredMajority", { liquidity: { requiredParticipation: "1" } as never }],
    ["liquidity.marketId", { liquidity: { ...liquidity, marketId: "market" } }],
    ["majority", { majority: "0.5" } as never],
  ])("refuses a wrong `%s` by its name", async (argument, options) => {
    const message = expect.stringContaining("tallyVotes");
    await expect(tallyVotes([], options)).rejects.toMatchObject({ name: "ArgumentError", argument, message });
  });

  const ofMarket = { liquidity: { ...liquidity, marketId: "cc" } };
  test.each<[string, Partial<Vote>, TallyOptions]>([
    ["totalGovernanceTokenBalance", { totalGovernanceTokenBalance: "1.5" }, {}],
    ["totalEquityLikeShareWeight", { totalEquityLikeShareWeight: "" }, { liquidity }],
    ["elsPerMarket", { elsPerMarket: [{ marketId: "cc", els: "x" }] }, ofMarket],
  ])("refuses a vote with a wrong `%s`", async (member, wrong, options) => {
    const message = expect.stringContaining(`Expected \`${member}\` of each record in \`votes\``);
    const tally = tallyVotes([vote("a", "VALUE_YES", 1n, wrong)], options);
    await expect(tally).rejects.toMatchObject({ name: "ArgumentError", message });
  });
});
