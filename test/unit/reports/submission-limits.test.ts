import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpamStatistics, SpamStatisticsResponse } from "../../../src/index.js";
import { type Submission, submissionLimits } from "../../../src/reports/index.js";
import { runs } from "../../support/runs.js";

type SpamCounter = NonNullable<SpamStatistics["proposals"]>;
type ProofOfWorkBlockState = NonNullable<SpamStatistics["pow"]>["blockStates"][number];

const digits = (value: number): `${bigint}` => `${BigInt(value)}`;

const counter = (count: number, most: number | string, rest: Partial<SpamCounter> = {}): SpamCounter => ({
  countForEpoch: digits(count),
  maxForEpoch: String(most) as `${bigint}`,
  minTokensRequired: "100",
  ...rest,
});

const block = (height: number, rest: Partial<ProofOfWorkBlockState> = {}): ProofOfWorkBlockState => ({
  blockHeight: digits(height),
  blockHash: `hash ${height}`,
  transactionsSeen: "0",
  expectedDifficulty: "15",
  hashFunction: "sha3_24_rounds",
  difficulty: "15",
  txPerBlock: "2",
  increasingDifficulty: false,
  ...rest,
});

const statistics = (rest: Partial<SpamStatistics> = {}): SpamStatisticsResponse => ({
  chainId: "c",
  statistics: {
    epochSeq: "1",
    applyReferralCode: counter(0, 5),
    createReferralSet: counter(0, 5),
    updateReferralSet: counter(0, 5),
    delegations: counter(0, 5),
    issueSignatures: counter(0, 5),
    nodeAnnouncements: counter(0, 5),
    proposals: counter(0, 5),
    transfers: counter(0, 5),
    votes: { statistics: [], maxForEpoch: "3" },
    pow: { blockStates: [block(10)], numberOfPastBlocks: "5" },
    ...rest,
  },
});

const members = {
  proposal: "proposals",
  delegation: "delegations",
  transfer: "transfers",
  nodeAnnouncement: "nodeAnnouncements",
  issueSignatures: "issueSignatures",
  createReferralSet: "createReferralSet",
  updateReferralSet: "updateReferralSet",
  applyReferralCode: "applyReferralCode",
} as const;

describe("submissionLimits", () => {
  test("foresees what a model of the counters accepts, over 1000 submissions", () => {
    const commands = [...Object.keys(members), "vote", "other"] as (keyof typeof members | "vote" | "other")[];
    const step = fc.record({
      begun: fc.constantFrom("epoch", ...Array<string>(8).fill("block"), ...Array<string>(40).fill("nothing")),
      command: fc.constantFrom(...commands),
      proposalId: fc.constantFrom("f0", "f1"),
      tokens: fc.bigInt(90n, 110n),
    });
    let [sent, accepted] = [0, 0];
    fc.assert(
      fc.property(fc.array(step, { minLength: 1000, maxLength: 1000, size: "max" }), (all) => {
        // The counters of the network, and those of the last block, which the statistics show.
        let counts: Record<string, number> = {};
        let shown: Record<string, number> = {};
        const countOf = (name: string) => counts[name] ?? 0;
        for (const { begun, command, proposalId, tokens } of all) {
          if (begun === "epoch") counts = {};
          if (begun !== "nothing") shown = { ...counts };
          const name = command === "vote" ? `vote ${proposalId}` : command;
          const response = statistics({
            ...Object.fromEntries(
              Object.entries(members).map(([each, member]) => [member, counter(shown[each] ?? 0, 5)]),
            ),
            votes: {
              maxForEpoch: "3",
              statistics: ["f0", "f1"].flatMap((proposal) => {
                const count = shown[`vote ${proposal}`];
                return count ? [{ proposal, countForEpoch: digits(count), minTokensRequired: "100" }] : [];
              }),
            },
          });
          const submission = (command === "vote" ? { command, proposalId } : { command }) as Submission;
          const sentSince = countOf(name) - (shown[name] ?? 0);
          const { isAllowed, left, minTokens } = submissionLimits(response, submission, { sentSince, tokens });
          const most = command === "vote" ? 3 : command === "other" ? Number.POSITIVE_INFINITY : 5;
          const needsTokens = command !== "other" && !(command === "vote" && !shown[name]);
          expect(isAllowed).toBe(countOf(name) < most && !(needsTokens && tokens < 100n));
          expect(minTokens).toBe(needsTokens ? "100" : undefined);
          expect(left).toBe(command === "other" ? undefined : BigInt(most - countOf(name)));
          sent++;
          if (!isAllowed) continue;
          accepted++;
          counts = { ...counts, [name]: countOf(name) + 1 };
        }
      }),
      runs(3),
    );
    expect(sent).toBeGreaterThan(500);
    expect(accepted).toBeGreaterThan(100);
    expect(accepted).toBeLessThan(sent);
  });

  test("chooses a block that a model of the proof of work accepts, and none if it accepts none", () => {
    const worlds = fc.record({
      current: fc.integer({ min: 1, max: 1000 }),
      past: fc.integer({ min: 1, max: 10 }),
      isIncreasing: fc.boolean(),
      seen: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 15 }),
      shuffle: fc.array(fc.nat()),
    });
    fc.assert(
      fc.property(worlds, ({ current, past, isIncreasing, seen, shuffle }) => {
        const states = seen.map((count, index) =>
          block(current - index, {
            transactionsSeen: digits(count),
            increasingDifficulty: isIncreasing,
            expectedDifficulty: count < 2 ? "15" : isIncreasing ? digits(15 + count) : undefined,
          }),
        );
        const order = (state: ProofOfWorkBlockState) =>
          shuffle[Number(state.blockHeight) % Math.max(shuffle.length, 1)] ?? 0;
        const blockStates = Object.freeze([...states].sort((a, b) => order(a) - order(b))) as ProofOfWorkBlockState[];
        const response = statistics({ pow: { blockStates, numberOfPastBlocks: digits(past) } });
        const { isAllowed, reason, proofOfWork } = submissionLimits(response, { command: "other" });
        const isUsable = (height: number, count: number) => current < height + past && (isIncreasing || count < 2);
        const expected = seen.findIndex((count, index) => isUsable(current - index, count));
        expect([isAllowed, reason]).toEqual(expected < 0 ? [false, "proof-of-work"] : [true, undefined]);
        expect(proofOfWork).toEqual(
          expected < 0
            ? undefined
            : {
                blockHeight: digits(current - expected),
                blockHash: `hash ${current - expected}`,
                difficulty: states[expected]?.expectedDifficulty,
                hashFunction: "sha3_24_rounds",
                lastHeight: digits(current - expected + past - 1),
              },
        );
      }),
      runs(2000),
    );
  });

  test("has no limit if the network has none, or no counter of the command", () => {
    const response = statistics({ transfers: counter(9, "18446744073709551615"), delegations: null });
    for (const command of ["transfer", "delegation", "other"] as const) {
      const limits = submissionLimits(response, { command }, { sentSince: 9n });
      expect(limits).toMatchObject({ isAllowed: true, left: undefined });
    }
  });

  test("knows a proposal by its id in either case", () => {
    const statisticsOfVotes = [{ proposal: "ab", countForEpoch: "3", minTokensRequired: "1" }] as const;
    const response = statistics({ votes: { maxForEpoch: "3", statistics: [...statisticsOfVotes] } });
    const limits = submissionLimits(response, { command: "vote", proposalId: "AB" });
    expect(limits).toMatchObject({ reason: "quota", left: 0n, minTokens: "1" });
  });

  test("reads bans of the counter and of the proof of work, until they end", () => {
    const bannedUntil = "2024-02-01T00:00:00.000000001Z";
    const banned = [
      statistics({ transfers: counter(0, 5, { bannedUntil }) }),
      statistics({ pow: { blockStates: [block(1)], numberOfPastBlocks: "5", bannedUntil } }),
    ];
    for (const response of banned) {
      const reasonAt = (now?: string) => submissionLimits(response, { command: "transfer" }, { now }).reason;
      expect(reasonAt()).toBe("banned");
      expect(reasonAt("2024-02-01T00:00:00Z")).toBe("banned");
      expect(reasonAt(bannedUntil)).toBeUndefined();
    }
    expect(submissionLimits(banned[0] as SpamStatisticsResponse, { command: "other" }).reason).toBeUndefined();
  });

  test("is not allowed if the proof of work is unknown", () => {
    const unknown = [statistics({ pow: null }), { chainId: "c", statistics: null }];
    for (const response of unknown) {
      const limits = submissionLimits(response, { command: "other" });
      expect(limits).toMatchObject({ isAllowed: false, reason: "proof-of-work" });
    }
  });

  const vote = { command: "vote", proposalId: "p" } as const;
  test.each([
    ["statistics", () => submissionLimits(statistics({ votes: { statistics: [], maxForEpoch: "" as never } }), vote)],
    ["command", () => submissionLimits(statistics(), { command: "order" as never })],
    ["proposalId", () => submissionLimits(statistics(), { command: "vote" } as never)],
    ["sentSince", () => submissionLimits(statistics(), vote, { sentSince: -1 })],
    ["now", () => submissionLimits(statistics(), vote, { now: "today" })],
    ["sent", () => submissionLimits(statistics(), vote, { sent: 1 } as never)],
  ])("refuses a wrong `%s` by its name", (argument, call) => {
    expect(call).toThrow(expect.objectContaining({ name: "ArgumentError", argument }));
  });
});
