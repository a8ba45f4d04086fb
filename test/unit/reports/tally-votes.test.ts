import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Vote } from "../../../src/index.js";
import { type TallyOptions, tallyVotes } from "../../../src/reports/index.js";
import { amounts, waysToPass } from "../../support/report-worlds.js";
import { runs } from "../../support/runs.js";

const vote = (partyId: string, value: string, tokens: bigint | string, rest: Partial<Vote> = {}): Vote => ({
  partyId,
  proposalId: "p",
  timestamp: "1",
  value,
  totalGovernanceTokenBalance: String(tokens),
  totalGovernanceTokenWeight: "0",
  totalEquityLikeShareWeight: "0",
  ...rest,
});

/** A fraction: exact, and not how the tally computes. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}
const isAtLeast = (a: Fraction, b: Fraction): boolean => a.over * b.under >= b.over * a.under;
const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under });
const whole = (over: bigint): Fraction => ({ over, under: 1n });

/** Shares from 0 to 1 with some decimal places, as text and as a fraction. */
const shares = fc
  .integer({ min: 0, max: 20 })
  .chain((places) =>
    fc.bigInt(0n, 10n ** BigInt(places)).map((over) => ({ over, under: 10n ** BigInt(places), places })),
  )
  .map(({ over, under, places }) => {
    const digits = String(over).padStart(places + 1, "0");
    const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
    return { text, share: { over, under } };
  });

const markets = ["m", "n"] as const;
const voteWorlds = fc.record({
  votes: fc.uniqueArray(
    fc.record({
      party: fc.constantFrom("a", "b", "c", "d", "e"),
      time: fc.integer({ min: 1, max: 9 }),
      value: fc.constantFrom("VALUE_YES", "VALUE_NO", "VALUE_UNSPECIFIED", "VALUE_LATER"),
      tokens: amounts,
      share: shares,
      market: fc.constantFrom(...markets),
      isOld: fc.boolean(),
    }),
    { selector: ({ party, time }) => `${party} ${time}`, maxLength: 12 },
  ),
  majority: shares,
  participation: shares,
  supply: fc.oneof(amounts, fc.constant(0n)),
  liquidity: fc.option(
    fc.record({ majority: shares, participation: shares, marketId: fc.constantFrom(undefined, ...markets) }),
    { nil: undefined },
  ),
});

describe("tallyVotes", () => {
  test("equals the rule of the network, in fractions", async () => {
    await fc.assert(
      fc.asyncProperty(voteWorlds, fc.constantFrom(...waysToPass), async (world, pass) => {
        const records = world.votes.map(({ party, time, value, tokens, share, market, isOld }) =>
          vote(party, value, tokens, {
            timestamp: `${BigInt(time)}`,
            totalEquityLikeShareWeight: share.text,
            ...(isOld
              ? { perMarketEquityLikeShareWeight: { [market]: share.text } }
              : { elsPerMarket: [{ marketId: market, els: share.text }] }),
          }),
        );
        const { liquidity } = world;
        const tally = await tallyVotes(pass(records), {
          requiredMajority: world.majority.text,
          requiredParticipation: world.participation.text,
          totalSupply: world.supply,
          liquidity: liquidity && {
            requiredMajority: liquidity.majority.text,
            requiredParticipation: liquidity.participation.text,
            marketId: liquidity.marketId,
          },
        });

        const last = new Map<string, (typeof world.votes)[number]>();
        for (const each of world.votes) if (each.time > (last.get(each.party)?.time ?? 0)) last.set(each.party, each);
        const count = (value: string) => {
          let [parties, tokens, share] = [0, 0n, { over: 0n, under: 1n }];
          for (const each of last.values()) {
            if (each.value !== value) continue;
            parties++;
            tokens += each.tokens;
            const { over, under } = each.share.share;
            if (liquidity?.marketId !== undefined && liquidity.marketId !== each.market) continue;
            share = { over: share.over * under + over * share.under, under: share.under * under };
          }
          return { parties, tokens, share };
        };
        const [yes, no] = [count("VALUE_YES"), count("VALUE_NO")];
        const total = whole(yes.tokens + no.tokens);
        let reason =
          total.over === 0n || !isAtLeast(total, times(world.participation.share, whole(world.supply)))
            ? "participation"
            : isAtLeast(whole(yes.tokens), times(world.majority.share, total))
              ? undefined
              : "majority";
        let decidedBy = "tokens";
        if (reason === "participation" && liquidity) {
          decidedBy = "liquidity";
          const share = {
            over: yes.share.over * no.share.under + no.share.over * yes.share.under,
            under: yes.share.under * no.share.under,
          };
          reason = !isAtLeast(share, liquidity.participation.share)
            ? "participation"
            : isAtLeast(yes.share, times(liquidity.majority.share, share))
              ? undefined
              : "majority";
        }
        expect(tally).toMatchObject({
          yes: { parties: yes.parties, tokens: String(yes.tokens) },
          no: { parties: no.parties, tokens: String(no.tokens) },
          passes: reason === undefined,
          reason,
          decidedBy,
        });
        expect(tally.majority === undefined).toBe(total.over === 0n);
        expect(tally.participation === undefined).toBe(world.supply === 0n);
      }),
      runs(2000),
    );
  });

  const yesAndNo = (yes: bigint, no: bigint) => [vote("a", "VALUE_YES", yes), vote("b", "VALUE_NO", no)];

  test("shows a share that is missed by less than 18 digits as missed", async () => {
    const tokens = 10n ** 30n;
    const majority = "0.666666666666666666";
    const rules = { requiredMajority: majority, requiredParticipation: "0", totalSupply: 4n * tokens };
    const tally = await tallyVotes(yesAndNo(2n * tokens - 1n, tokens + 1n), rules);
    expect(tally).toMatchObject({ majority, participation: "0.75", passes: true });
    const half = { requiredMajority: "0.5", requiredParticipation: "0.5", totalSupply: 2n * tokens };
    const missed = await tallyVotes(yesAndNo(tokens - 1n, 0n), half);
    expect(missed).toMatchObject({ participation: "0.499999999999999999", passes: false, reason: "participation" });
  });

  const liquidity = { requiredMajority: "0.5", requiredParticipation: "0.3" } as const;

  test("counts a vote as it was rewritten at the close, in either order", async () => {
    const open = vote("a", "VALUE_YES", 5n);
    const closed = vote("a", "VALUE_YES", 3n, { totalGovernanceTokenWeight: "1" });
    const tallies = [await tallyVotes([open, closed]), await tallyVotes([closed, open])];
    for (const { yes } of tallies) expect(yes).toEqual({ parties: 1, tokens: "3" });
  });

  test.each<TallyOptions>([
    { requiredMajority: "0.5", requiredParticipation: "0" },
    { requiredMajority: "0.5", totalSupply: "5" },
    { requiredParticipation: "0", totalSupply: "5", liquidity },
  ])("knows no result with %j alone", async (options) => {
    const unknown = { passes: undefined, reason: undefined, decidedBy: undefined };
    expect(await tallyVotes(yesAndNo(1n, 1n), options)).toMatchObject({ majority: "0.5", ...unknown });
  });

  test("refuses votes on several proposals, and closes the iterator", async () => {
    let isClosed = false;
    const votes = async function* () {
      try {
        yield vote("a", "VALUE_YES", 1n);
        yield vote("a", "VALUE_YES", 1n, { proposalId: "q" });
      } finally {
        isClosed = true;
      }
    };
    await expect(tallyVotes(votes())).rejects.toMatchObject({
      name: "ArgumentError",
      argument: "votes",
      message: 'Expected `proposalId` of each record in `votes` of tallyVotes to be the same proposal, p, got "q".',
    });
    expect(isClosed).toBe(true);
  });

  test.each<[string, TallyOptions]>([
    ["requiredMajority", { requiredMajority: "66" }],
    ["requiredParticipation", { requiredParticipation: "1e-5" }],
    ["totalSupply", { totalSupply: "-1" }],
    ["liquidity.requiredParticipation", { liquidity: { requiredMajority: "0", requiredParticipation: "2" } }],
    ["majority", { majority: "0.5" } as never],
  ])("refuses a wrong `%s` by its name", async (argument, options) => {
    await expect(tallyVotes([], options)).rejects.toMatchObject({ name: "ArgumentError", argument });
  });

  const ofMarket = { liquidity: { ...liquidity, marketId: "m" } };
  test.each<[string, Partial<Vote>, TallyOptions]>([
    ["totalGovernanceTokenBalance", { totalGovernanceTokenBalance: "1.5" }, {}],
    ["totalEquityLikeShareWeight", { totalEquityLikeShareWeight: "" }, { liquidity }],
    ["elsPerMarket", { elsPerMarket: [{ marketId: "m", els: "x" }] }, ofMarket],
  ])("refuses a vote with a wrong `%s`", async (member, wrong, options) => {
    const message = expect.stringContaining(`Expected \`${member}\` of each record in \`votes\``);
    const tally = tallyVotes([vote("a", "VALUE_YES", 1n, wrong)], options);
    await expect(tally).rejects.toMatchObject({ name: "ArgumentError", message });
  });
});
