import type { SpamStatistics, SpamStatisticsResponse } from "../../generated/types.js";
import { maximum, minimum } from "../values/integers.js";
import { checkOptionNames, digitsOf, readCount } from "./records.js";
import {
  checkSubmission,
  counterOf,
  limitsOf,
  readStatistics,
  type Submission,
  type SubmissionLimits,
  type SubmissionLimitsOptions,
} from "./submission-limits.js";

/** Counts the submissions of a party on top of its spam statistics. */
export interface SubmissionTracker {
  /** Returns whether another transaction can be submitted, and on which block, as `submissionLimits` does. */
  next(submission: Submission, options?: Pick<SubmissionLimitsOptions, "tokens" | "now">): SubmissionLimits;
  /** Counts a transaction that was submitted. `blockHeight` is the block that its proof of work uses. */
  sent(submission: Submission & { blockHeight: bigint | number | `${bigint}` | (string & {}) }): void;
  /** Takes newer statistics. Those of an earlier block change nothing. */
  update(statistics: SpamStatisticsResponse): void;
}

/**
 * Returns a tracker of the submissions of one party. Nodes count a transaction once it is in a block; until then, the
 * tracker does. It also remembers the blocks of earlier statistics that can still be used, and forgets transactions
 * that are too old to be in a block.
 *
 * @param statistics - The response of `getSpamStatistics`. Without it, nothing is allowed before the first `update`.
 * @throws `ArgumentError` if the statistics are invalid. The methods throw it for a wrong argument.
 * @example
 * ```ts
 * const tracker = submissionTracker(await client.getSpamStatistics({ partyId }));
 * const { isAllowed, reason, proofOfWork } = tracker.next({ command: "other" });
 * if (!isAllowed) throw new Error(`Not allowed: ${reason}`);
 * // Prove work for the block, sign, submit. Then:
 * tracker.sent({ command: "other", blockHeight: proofOfWork.blockHeight });
 * ```
 */
export function submissionTracker(statistics?: SpamStatisticsResponse): SubmissionTracker {
  const operation = "submissionTracker";
  const place = { operation, argument: "statistics" };
  let latest: SpamStatisticsResponse | undefined;
  let height = 0n;
  /**
   * The blocks that can be used. `used` is the larger one of the submissions on the block that were sent and seen, and
   * `past` is for how many blocks it can be used: a change of the network's parameter is for later blocks.
   */
  let blocks = new Map<bigint, { used: bigint; past?: bigint; state?: BlockState }>();
  /** The submissions of each counter: how many on each of these blocks, and how many statistics do not count yet. */
  let sends = new Map<string, { submission: Submission; perBlock: Map<bigint, bigint>; uncounted: bigint }>();

  function update(response: SpamStatisticsResponse): void {
    const known = readStatistics(place, response);
    const states = new Map((known?.pow?.blockStates ?? []).map((state) => [BigInt(state.blockHeight), state]));
    // The current block is always in the list.
    const current = [...states.keys()].reduce(maximum, 0n);
    if (latest && latest.chainId !== response.chainId) {
      // A chain that was restarted has none of the transactions.
      [height, blocks, sends] = [0n, new Map(), new Map()];
    }
    if (current < height) return;
    const seenOn = (on: bigint) => BigInt(states.get(on)?.transactionsSeen ?? 0);
    const usable = new Map(blocks);
    const pastNow = pastOf(known) ?? 0n;
    // Which one of two parameters applies to the blocks around a change is unknown.
    const past = minimum(pastNow, pastOf(latest?.statistics) ?? pastNow);
    for (const [on, state] of states) {
      const before = usable.get(on);
      usable.set(on, { state, used: maximum(before?.used ?? 0n, seenOn(on)), past: before?.past ?? past });
    }
    for (const [on, { past = pastNow }] of usable) if (on + past <= current) usable.delete(on);
    const isSameEpoch = latest?.statistics?.epochSeq === known?.epochSeq;
    // Statistics that are read while a block begins can lack its transactions in the counters of the epoch alone.
    const seenBefore = (on: bigint) => (current > height ? BigInt(blocks.get(on)?.state?.transactionsSeen ?? 0) : 0n);
    const countedOn = isSameEpoch ? seenBefore : seenOn;
    const kept = new Map<string, NonNullable<ReturnType<typeof sends.get>>>();
    for (const [key, { submission, uncounted, ...sent }] of sends) {
      // A new epoch counts from 0, also transactions that were sent in the epoch before.
      const before = isSameEpoch ? countOf(latest?.statistics, submission) : 0n;
      const counted = latest ? countOf(known, submission) - before : 0n;
      const perBlock = new Map([...sent.perBlock].filter(([on]) => usable.has(on)));
      // Blocks have all submissions on a block on which as many were seen as sent.
      const most = [...perBlock].reduce(
        (sum, [on, own]) => sum + minimum(own, (usable.get(on)?.used ?? 0n) - countedOn(on)),
        0n,
      );
      if (perBlock.size > 0)
        kept.set(key, { submission, perBlock, uncounted: maximum(minimum(uncounted - counted, most), 0n) });
    }
    [latest, height, blocks, sends] = [response, current, usable, kept];
  }

  const countOf = (known: SpamStatistics | null | undefined, submission: Submission): bigint => {
    const counter = counterOf(known ?? null, submission);
    return counter ? BigInt(digitsOf(place, counter, "countForEpoch")) : 0n;
  };

  if (statistics !== undefined) update(statistics);
  return {
    update,
    next(submission, options = {}) {
      checkSubmission(operation, submission);
      checkOptionNames(operation, options, "tokens", "now");
      const known = latest?.statistics ?? null;
      const pow = known?.pow && { ...known.pow, blockStates: [...blocks.values()].flatMap(({ state }) => state ?? []) };
      return limitsOf(operation, known && { ...known, pow: pow ?? null }, submission, {
        ...options,
        sentSince: sends.get(keyOf(submission))?.uncounted,
        sentByBlock: new Map([...blocks].map(([on, { used }]) => [on, used])),
        pastBlocksOf: (on) => blocks.get(on)?.past,
      });
    },
    sent(sent) {
      checkSubmission(operation, sent, "blockHeight");
      const { blockHeight, ...submission } = sent;
      const on = readCount({ operation, argument: "blockHeight" }, blockHeight);
      const key = keyOf(submission);
      blocks.set(on, { ...blocks.get(on), used: (blocks.get(on)?.used ?? 0n) + 1n });
      const { perBlock = new Map<bigint, bigint>(), uncounted = 0n } = sends.get(key) ?? {};
      perBlock.set(on, (perBlock.get(on) ?? 0n) + 1n);
      sends.set(key, { submission, perBlock, uncounted: uncounted + 1n });
    },
  };
}

const pastOf = (known: SpamStatistics | null | undefined): bigint | undefined =>
  known?.pow ? BigInt(known.pow.numberOfPastBlocks) : undefined;

type BlockState = NonNullable<SpamStatistics["pow"]>["blockStates"][number];

const keyOf = (submission: Submission): string =>
  submission.command === "vote" ? `vote ${submission.proposalId.toLowerCase()}` : submission.command;
