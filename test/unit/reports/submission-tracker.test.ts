import { describe, expect, test } from "vitest";
import type { SpamStatistics, SpamStatisticsResponse } from "../../../src/index.js";
import { type Submission, submissionTracker } from "../../../src/reports/index.js";
import { randomNumbers } from "../../../src/testing/random.js";
import { keyOf, SpamNode, type SpamRules } from "../../support/spam-node.js";

const [other, transfer] = [{ command: "other" }, { command: "transfer" }] as const;
const vote = (proposalId: string) => ({ command: "vote", proposalId }) as const;
const submissions: Submission[] = [other, other, transfer, { command: "proposal" }, vote("ab"), vote("cd")];

/** How long a transaction can wait for a block here: a program leaves out blocks that are too old by then. */
const margin = 4;

/**
 * Sends of three programs of one party, which share a tracker or have one each, over the blocks and epochs of a node. The program reads
 * statistics before most sends.
 */
function simulate(rules: SpamRules, trackerCount: number, seed: string, sends: number) {
  const node = new SpamNode(rules, seed);
  const random = randomNumbers(`${seed} programs`);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const programs = Array.from({ length: trackerCount }, () => ({
    tracker: submissionTracker(node.statistics()),
    /** The heights in its statistics that are not too old. */
    known: [node.height],
  }));
  const found = { sent: 0, refusedByNode: 0, refusedByTracker: 0, doubtful: 0, needless: [] as string[] };
  while (found.sent < sends) {
    while (random() < 0.4) node.nextBlock();
    const program = pick(programs);
    const { tracker } = program;
    const isFresh = random() < 0.8;
    if (isFresh) {
      const statistics = random() < 0.2 ? node.statisticsOfBeginning() : node.statistics();
      tracker.update(statistics);
      const heights = statistics.statistics?.pow?.blockStates.map(({ blockHeight }) => Number(blockHeight)) ?? [];
      program.known = [...program.known, ...heights].filter((block) => !node.isTooOld(block));
    }
    const submission = pick(submissions);
    const key = keyOf(submission);
    const { isAllowed, reason, proofOfWork } = tracker.next(submission);
    if (isAllowed && proofOfWork) {
      if (Number(proofOfWork.lastHeight) < node.height + margin) continue;
      const [block, difficulty] = [Number(proofOfWork.blockHeight), Number(proofOfWork.difficulty)];
      found.sent++;
      if (!node.submit({ key, command: submission.command, block, difficulty })) {
        found.refusedByNode++;
        continue;
      }
      tracker.sent({ ...submission, blockHeight: block });
    } else if (isFresh) {
      found.refusedByTracker++;
      const waiting = node.mempool.filter((each) => each.key === key).length;
      const isFull = node.isFull(submission.command, node.countOf(key) + waiting);
      const isUsed = (block: number) =>
        node.countOn(block) + node.mempool.filter((each) => each.block === block).length >= rules.txPerBlock;
      if (reason === "quota" ? isFull : program.known.every(isUsed)) continue;
      // Counts do not show which of several transactions on a block were in a block of the epoch before.
      if (reason === "quota" && node.height % rules.blocksPerEpoch < rules.pastBlocks) found.doubtful++;
      else found.needless.push(`${reason} ${key}`);
    }
  }
  return { ...found, refusedByNode: found.refusedByNode + node.refused.size };
}

const rules: SpamRules = {
  ...{ isIncreasing: false, txPerBlock: 2, pastBlocks: 12, difficulty: 15, blocksPerEpoch: 40 },
  limits: { proposal: 8, transfer: 12, vote: 5 },
};

describe("three programs of one party", () => {
  test.each<[name: string, rules: SpamRules, sends: number]>([
    ["two transactions a block", rules, 10_000],
    ["a difficulty that increases", { ...rules, isIncreasing: true }, 1000],
    ["one transaction a block", { ...rules, txPerBlock: 1, pastBlocks: 30 }, 1000],
  ])("with one tracker are never refused, and send all that they can: %s", (name, rules, sends) => {
    const { needless, refusedByNode, refusedByTracker, doubtful } = simulate(rules, 1, name, sends);
    expect([refusedByNode, needless]).toEqual([0, []]);
    expect(refusedByTracker).toBeGreaterThan(sends / 10);
    expect(doubtful).toBeLessThan(refusedByTracker / 100);
  });

  test("with a tracker each send all that they can", () => {
    const { needless, refusedByNode, refusedByTracker } = simulate(rules, 3, "three", 2000);
    expect(needless).toEqual([]);
    // Without a common tracker, none knows what the others have sent since the last block.
    expect(Math.min(refusedByNode, refusedByTracker)).toBeGreaterThan(100);
  });
});

type Digits = `${bigint}`;
/** Statistics with some blocks, the transactions seen on each, and the transfers that are counted. */
const at = (
  seen: Readonly<Record<number, number>>,
  { past = 100, perBlock = 2, epoch = 1, transfers = 0, chainId = "a" } = {},
): SpamStatisticsResponse => {
  const blockStates = Object.entries(seen).map(([height, count]) => ({
    ...{ blockHeight: height as Digits, blockHash: `hash ${height}`, transactionsSeen: `${count}` as Digits },
    ...{ difficulty: "15" as const, expectedDifficulty: "15" as const, hashFunction: "sha3" },
    ...{ txPerBlock: `${perBlock}` as Digits, increasingDifficulty: false },
  }));
  const counter = { countForEpoch: `${transfers}`, maxForEpoch: "2", minTokensRequired: "7" };
  const pow = { blockStates, numberOfPastBlocks: `${past}` };
  const votes = { maxForEpoch: "1", statistics: [] };
  return { chainId, statistics: { epochSeq: `${epoch}`, transfers: counter, votes, pow } as unknown as SpamStatistics };
};

describe("submissionTracker", () => {
  /** Sends until nothing is allowed: the block and the difficulty of each send. */
  const sendAll = (tracker: ReturnType<typeof submissionTracker>, submission: Submission = other) => {
    const sent: string[] = [];
    while (sent.length < 9) {
      const { isAllowed, proofOfWork: { blockHeight, difficulty } = {} as never } = tracker.next(submission);
      if (!isAllowed) break;
      sent.push(`${blockHeight}/${difficulty}`);
      tracker.sent({ ...submission, blockHeight });
    }
    return sent;
  };

  test("remembers the blocks of earlier statistics until they are too old, each by the rule of its own time", () => {
    const tracker = submissionTracker(at({ 10: 0 }, { past: 3 }));
    tracker.sent({ ...other, blockHeight: 10n });
    tracker.update(at({ 12: 2 }, { past: 3 }));
    expect(tracker.next(other).proofOfWork).toMatchObject({ blockHeight: "10", lastHeight: "12" });
    tracker.update(at({ 12: 2 }, { past: 2 }));
    expect(tracker.next(other).proofOfWork).toMatchObject({ blockHeight: "10", lastHeight: "12" });
    tracker.update(at({ 13: 2 }, { past: 9 }));
    expect(sendAll(tracker)).toEqual([]);
    // The block before a change can still have the rule before it.
    tracker.update(at({ 13: 2, 14: 0 }, { past: 20 }));
    expect(tracker.next(other).proofOfWork).toMatchObject({ blockHeight: "14", lastHeight: "22" });
    tracker.update(at({ 14: 0, 15: 0 }, { past: 20 }));
    expect(tracker.next(other).proofOfWork).toMatchObject({ blockHeight: "15", lastHeight: "34" });
  });

  test("counts commands of an epoch, and votes of each proposal, until statistics do", () => {
    const tracker = submissionTracker(at({ 10: 0 }, { perBlock: 9, transfers: 1 }));
    expect(sendAll(tracker, transfer)).toHaveLength(1);
    expect(["AB", "ab", "cd"].map((id) => sendAll(tracker, vote(id)).length)).toEqual([1, 0, 1]);
    // While block 11 begins, a node counts its transactions for blocks, and not yet for the epoch.
    for (const transfers of [1, 2, 1, 2]) {
      tracker.update(at({ 10: 3, 11: 0 }, { perBlock: 9, transfers }));
      expect(tracker.next(transfer)).toMatchObject({ reason: "quota", left: 0n, minTokens: "7" });
    }
    expect(tracker.next(vote("ef"), { tokens: 6n }).isAllowed).toBe(true);
    tracker.update(at({ 13: 0 }, { perBlock: 9, epoch: 2 }));
    expect(tracker.next(transfer, { tokens: 6n })).toMatchObject({ reason: "tokens", left: 2n });
  });

  test.each<[what: string, ...steps: [statistics: SpamStatisticsResponse, next: object][]]>([
    [
      "waits at the end of an epoch for the next one, until it is in a block",
      [at({ 11: 0 }, { epoch: 2 }), { left: 1n }],
      [at({ 10: 1, 12: 0 }, { epoch: 2, transfers: 1 }), { left: 1n }],
      [at({ 10: 1, 13: 0 }, { epoch: 3 }), { left: 2n }],
    ],
    [
      "waits, until it is too old to be in a block",
      [at({ 14: 0 }, { past: 5, transfers: 1 }), { left: 0n }],
      [at({ 15: 0 }, { past: 5, transfers: 1 }), { left: 1n }],
    ],
    [
      "waits, whatever statistics of an earlier block say, until there is another chain",
      [at({ 9: 0 }), { left: 0n, proofOfWork: { blockHeight: "10" } }],
      [at({ 3: 0 }, { chainId: "b" }), { left: 2n, proofOfWork: { blockHeight: "3" } }],
      [{ chainId: "b", statistics: null }, { isAllowed: true }],
    ],
  ])("counts a transaction that %s", (_, ...steps) => {
    const tracker = submissionTracker(at({ 10: 0 }, { past: 5, transfers: 1 }));
    tracker.sent({ ...transfer, blockHeight: "10" });
    for (const [statistics, next] of steps) {
      tracker.update(statistics);
      expect(tracker.next(transfer)).toMatchObject(next);
    }
  });

  test("counts one command of the epoch before, whatever else waits on another block", () => {
    const tracker = submissionTracker(at({ 10: 0 }, { transfers: 1 }));
    tracker.sent({ ...transfer, blockHeight: 10 });
    tracker.update(at({ 10: 0, 11: 0 }, { transfers: 1 }));
    tracker.sent({ ...other, blockHeight: 11 });
    tracker.update(at({ 10: 1, 11: 0, 12: 0 }, { epoch: 2 }));
    expect(tracker.next(transfer).left).toBe(2n);
  });

  test("counts a transaction on a block that no statistics have", () => {
    const tracker = submissionTracker(at({ 11: 0 }));
    tracker.sent({ ...transfer, blockHeight: 10 });
    expect(tracker.next(transfer)).toMatchObject({ left: 1n, proofOfWork: { blockHeight: "11" } });
    tracker.update(at({ 12: 0 }));
    expect(tracker.next(transfer)).toMatchObject({ left: 1n, proofOfWork: { blockHeight: "12" } });
  });

  test("counts on where a node has no statistics, or no proof of work", () => {
    const none = { chainId: "b", statistics: null };
    const tracker = submissionTracker(none);
    tracker.sent({ ...transfer, blockHeight: 10 });
    tracker.update(none);
    tracker.update({ chainId: "b", statistics: { ...(at({}).statistics as SpamStatistics), pow: null } });
    expect(tracker.next(transfer)).toMatchObject({ isAllowed: false, reason: "proof-of-work" });
  });

  test("allows nothing without statistics, and counts what was sent before the first ones", () => {
    const tracker = submissionTracker();
    expect(tracker.next(transfer)).toMatchObject({ isAllowed: false, reason: "proof-of-work" });
    tracker.sent({ ...transfer, blockHeight: 10 });
    tracker.update({ chainId: "a", statistics: null });
    tracker.update(at({ 10: 1 }, { transfers: 1 }));
    expect(sendAll(tracker, transfer)).toEqual(["10/15"]);
  });

  const tracker = submissionTracker(at({ 10: 0 }));
  test.each([
    ["statistics", () => submissionTracker({} as never)],
    ["statistics", () => tracker.update(undefined as never)],
    ["command", () => tracker.next({ command: "order" } as never)],
    ["proposalId", () => tracker.sent({ command: "vote", blockHeight: 1 } as never)],
    ["blockHeight", () => tracker.sent({ command: "other" } as never)],
    ["submission", () => tracker.sent(null as never)],
    ["sentSince", () => tracker.next(other, { sentSince: 1 } as never)],
    ["tokens", () => tracker.next(other, { tokens: "-1" })],
  ])("refuses a wrong `%s` by its name", (argument, call) => {
    const message = expect.stringContaining("submissionTracker");
    expect(call).toThrow(expect.objectContaining({ name: "ArgumentError", argument, message }));
  });

  test("keeps what it has counted if newer statistics are wrong", () => {
    const tracker = submissionTracker(at({ 10: 0 }, { transfers: 1 }));
    tracker.sent({ ...transfer, blockHeight: 10 });
    const { statistics } = at({ 11: 0 });
    const wrong = { ...statistics, transfers: { ...statistics?.transfers, countForEpoch: "x" } };
    for (const chainId of [at({ 11: 0 }).chainId, "b"]) {
      const update = () => tracker.update({ chainId, statistics: { ...wrong, pow: { blockStates: [{}] } } as never });
      expect(update).toThrow(expect.objectContaining({ argument: "statistics" }));
      expect(tracker.next(transfer).left).toBe(0n);
    }
    expect(() => tracker.update({ ...at({ 11: 0 }), statistics: wrong as never })).toThrow();
    expect(tracker.next(transfer)).toMatchObject({ left: 0n, proofOfWork: { blockHeight: "10" } });
  });
});
