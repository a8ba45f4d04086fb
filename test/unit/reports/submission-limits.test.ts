import { describe, expect, test } from "vitest";
import type { SpamStatistics, SpamStatisticsResponse } from "../../../src/index.js";
import { type Submission, submissionLimits } from "../../../src/reports/index.js";

type Digits = `${bigint}`;
const counter = (countForEpoch: Digits, more: object = {}) => {
  return { countForEpoch, maxForEpoch: "5", minTokensRequired: "100", ...more } as const;
};
const block = (height: number, more: object = {}) => ({
  blockHeight: `${BigInt(height)}` as const,
  blockHash: `hash ${height}`,
  transactionsSeen: "0" as const,
  expectedDifficulty: "15" as const,
  hashFunction: "sha3_24_rounds",
  difficulty: "15" as const,
  txPerBlock: "2" as const,
  increasingDifficulty: false,
  ...more,
});
const pow = { blockStates: [block(10)], numberOfPastBlocks: "5" } as const;

/** A response with these members; a node sends all of them. */
const statistics = (members: object) =>
  ({ chainId: "c", statistics: { pow, ...members } as unknown as SpamStatistics }) satisfies SpamStatisticsResponse;

describe("submissionLimits", () => {
  const plural = ["proposal", "delegation", "transfer", "nodeAnnouncement"] as const;
  const same = ["issueSignatures", "createReferralSet", "updateReferralSet", "applyReferralCode"] as const;
  test.each([
    ...plural.map((command) => [command, `${command}s`] as const),
    ...same.map((command) => [command, command] as const),
  ])("limits a %s by the counter `%s`, and by what was sent since", (command, member) => {
    const limits = (options?: object) => submissionLimits(statistics({ [member]: counter("3") }), { command }, options);
    expect(limits()).toMatchObject({ isAllowed: true, reason: undefined, left: 2n, minTokens: "100" });
    expect(limits({ sentSince: 1n, tokens: "100" })).toMatchObject({ isAllowed: true, left: 1n });
    expect(JSON.parse(JSON.stringify(limits()))).toMatchObject({ left: "2" });
    expect(limits({ sentSince: 2 })).toMatchObject({ isAllowed: false, reason: "quota", left: 0n });
    expect(limits({ sentSince: 9 })).toMatchObject({ isAllowed: false, reason: "quota", left: 0n });
    expect(limits({ tokens: 99n })).toMatchObject({ isAllowed: false, reason: "tokens", left: 2n });
  });

  test("limits votes on each proposal by the counter of its id, in either case", () => {
    const counted = [{ proposal: "ab", ...counter("3", { minTokensRequired: "7" }) }];
    const votes = { maxForEpoch: "3", statistics: counted.map(({ maxForEpoch: _, ...each }) => each) };
    const limitsOf = (proposalId: string) => submissionLimits(statistics({ votes }), { command: "vote", proposalId });
    expect(limitsOf("AB")).toMatchObject({ isAllowed: false, reason: "quota", left: 0n, minTokens: "7" });
    expect(limitsOf("cd")).toMatchObject({ isAllowed: true, left: 3n, minTokens: "7" });
  });

  test("refuses votes without tokens, also where the minimum is unknown", () => {
    const votes = { maxForEpoch: "3", statistics: [] };
    const limitsWith = (tokens?: bigint) => submissionLimits(statistics({ votes }), vote, { tokens });
    expect(limitsWith(0n)).toMatchObject({ isAllowed: false, reason: "tokens", left: 3n, minTokens: undefined });
    for (const tokens of [1n, undefined]) expect(limitsWith(tokens)).toMatchObject({ isAllowed: true });
    expect(submissionLimits(statistics({}), { command: "other" }, { tokens: 0n }).isAllowed).toBe(true);
  });

  test.each<[Submission["command"], members: object]>([
    ["transfer", { transfers: counter("9", { maxForEpoch: "18446744073709551615" }) }],
    ["delegation", { delegations: null }],
    ["other", { transfers: counter("5") }],
  ])("has no limit for a %s with %j", (command, members) => {
    const limits = submissionLimits(statistics(members), { command } as Submission, { sentSince: 9n, sentByBlock: {} });
    expect(limits).toMatchObject({ isAllowed: true, left: undefined });
  });

  const end = "2024-02-01T00:00:00.000000001Z";
  const transfers = counter("0", { bannedUntil: end });
  test.each([
    ["the counter", { transfers }],
    ["the proof of work", { pow: { ...pow, bannedUntil: end } }],
    ["both, the later one", { transfers, pow: { ...pow, bannedUntil: "2024-01-01T00:00:00Z" } }],
  ])("reads a ban of %s, until it ends", (_, members) => {
    const limitsAt = (now?: string) => submissionLimits(statistics(members), { command: "transfer" }, { now });
    const banned = { isAllowed: false, reason: "banned", bannedUntil: "1706745600000000001" };
    expect(limitsAt()).toMatchObject(banned);
    expect(limitsAt("2024-02-01")).toMatchObject(banned);
    expect(limitsAt(end)).toMatchObject({ isAllowed: true, bannedUntil: undefined });
  });

  test("knows no ban without one in the statistics, whatever the time is", () => {
    const limits = submissionLimits(statistics({}), { command: "transfer" }, { now: "1969-07-20" });
    expect(limits).toMatchObject({ isAllowed: true, bannedUntil: undefined });
  });

  const [one, full] = [{ transactionsSeen: "1" }, { transactionsSeen: "2" }];
  const harder = { ...full, increasingDifficulty: true, expectedDifficulty: "17" };
  const [last, lost] = [block(6, { difficulty: "16", expectedDifficulty: undefined }), block(5)];
  const requiring = (expectedDifficulty: Digits) => block(10, { ...harder, expectedDifficulty });
  const rising = { increasingDifficulty: true };
  const twice = new Map<number | string, number>(["10", 10].map((height) => [height, 1]));
  type Sent = Parameters<typeof submissionLimits>[2];
  type Proof = [height: Digits, difficulty: Digits, lastHeight: Digits];
  test.each<[name: string, blocks: object[], sent?: Sent, proof?: Proof]>([
    ["the newest one", [block(9), block(10), block(8)], {}, ["10", "15", "14"]],
    ["one of more difficulty, if it increases", [block(10, harder), block(9)], {}, ["10", "17", "14"]],
    ["an older one, if the newest one is full", [lost, last, block(10, full)], {}, ["6", "16", "10"]],
    ["no block that is too old", [block(10, full), lost]],
    ["the newest one that own sends leave", [block(9), block(10)], { sentByBlock: { 10: 2 } }, ["9", "15", "13"]],
    ["the newest one that all own sends leave", [block(9), block(10)], { sentByBlock: twice }, ["9", "15", "13"]],
    ["a block with one own send", [block(10)], { sentByBlock: new Map([[10n, 1n]]) }, ["10", "15", "14"]],
    ["no block that own sends fill", [block(9), block(10)], { sentByBlock: new Map(Object.entries({ 10: 2, 9: 9 })) }],
    ["the larger of own and seen sends", [block(10, one)], { sentByBlock: { 10: 1 } }, ["10", "15", "14"]],
    ["no block if those of any block were sent since", [block(9), block(10)], { sentSince: 2 }],
    ["a block that others leave", [block(10)], { sentSince: 9, sentByBlock: {} }, ["10", "15", "14"]],
    ["the difficulty of the third send", [block(10, rising)], { sentByBlock: { 10: 2 } }, ["10", "16", "14"]],
    ["the difficulty of the sixth send", [block(10, harder)], { sentByBlock: { 10: 5 } }, ["10", "17", "14"]],
    ["the difficulty after 9 sends", [requiring("30")], { sentSince: 7 }, ["10", "19", "14"]],
    ["what the block requires at least", [requiring("15")], {}, ["10", "16", "14"]],
    ["what a hash can have", [requiring("18446744073709551613")], {}, ["10", "16", "14"]],
  ])("proves work with %s", (_, blockStates, sent, [blockHeight, difficulty, lastHeight] = ["", "", ""] as never) => {
    const response = statistics({ pow: { ...pow, blockStates: Object.freeze(blockStates) } });
    const { isAllowed, reason, proofOfWork } = submissionLimits(response, { command: "other" }, sent);
    expect([isAllowed, reason]).toEqual(blockHeight ? [true, undefined] : [false, "proof-of-work"]);
    const hash = { blockHash: `hash ${blockHeight}`, hashFunction: "sha3_24_rounds" };
    expect(proofOfWork).toEqual(blockHeight ? { blockHeight, difficulty, lastHeight, ...hash } : undefined);
  });

  const vote = { command: "vote", proposalId: "aa" } as const;
  test("is not allowed if the proof of work is unknown", () => {
    const without = { pow: { ...pow, blockStates: [] } };
    for (const response of [statistics({ pow: null }), statistics(without), { chainId: "c", statistics: null }]) {
      for (const submission of [{ command: "other" } as const, vote])
        expect(submissionLimits(response, submission)).toMatchObject({ isAllowed: false, reason: "proof-of-work" });
    }
  });

  test.each<[argument: string, call: () => unknown]>([
    ["statistics", () => submissionLimits(statistics({ votes: { statistics: [], maxForEpoch: "" } }), vote)],
    ["command", () => submissionLimits(statistics({}), { command: "order" as never })],
    ["submission", () => submissionLimits(statistics({}), undefined as never)],
    ["submission", () => submissionLimits(statistics({}), "vote" as never)],
    ["proposalId", () => submissionLimits(statistics({}), { command: "vote" } as never)],
    ["proposalId", () => submissionLimits(statistics({}), { command: "vote", proposalId: "" })],
    ["proposalId", () => submissionLimits(statistics({}), { command: "vote", proposalId: "my proposal" })],
    ["sentSince", () => submissionLimits(statistics({}), vote, { sentSince: -1 })],
    ["sentByBlock", () => submissionLimits(statistics({}), vote, { sentByBlock: 5 as never })],
    ...[null, 0, "", [1], new Date(0)].map((wrong): [string, () => unknown] => {
      return ["sentByBlock", () => submissionLimits(statistics({}), vote, { sentByBlock: wrong as never })];
    }),
    ["sentSince", () => submissionLimits(statistics({}), vote, { sentSince: null as never })],
    ["statistics", () => submissionLimits({ statistics: [] } as never, vote)],
    ["statistics", () => submissionLimits(statistics({ votes: {} as never }), vote)],
    ["statistics", () => submissionLimits(statistics({ pow: {} as never }), vote)],
    ["statistics", () => submissionLimits(statistics({ pow: { ...pow, blockStates: [null] as never } }), vote)],
    ...["blockHeight", "transactionsSeen", "txPerBlock", "difficulty", "expectedDifficulty"].map(
      (name): [string, () => unknown] => {
        const blockStates = [{ ...requiring("9"), [name]: "0x2" }];
        return ["statistics", () => submissionLimits(statistics({ pow: { ...pow, blockStates } }), vote)];
      },
    ),
    ["statistics", () => submissionLimits(statistics({ votes: { statistics: [null] } as never }), vote)],
    ["statistics", () => submissionLimits(statistics({ votes: { statistics: [{}] } as never }), vote)],
    ["statistics", () => submissionLimits(statistics({ pow: { ...pow, numberOfPastBlocks: "x" as never } }), vote)],
    ["sentByBlock", () => submissionLimits(statistics({}), vote, { sentByBlock: { "block 9": 1 } })],
    ["sentByBlock", () => submissionLimits(statistics({}), vote, { sentByBlock: new Map([[9, -1]]) })],
    ["statistics", () => submissionLimits(statistics({ pow: { ...pow, bannedUntil: "long" } }), vote)],
    ["now", () => submissionLimits(statistics({}), vote, { now: "today" })],
    ["sent", () => submissionLimits(statistics({}), vote, { sent: 1 } as never)],
  ])("refuses a wrong `%s` by its name", (argument, call) => {
    expect(call).toThrow(expect.objectContaining({ name: "ArgumentError", argument }));
  });
});
