import type { SpamStatistics, SpamStatisticsResponse } from "../../generated/types.js";
import { oneOf } from "../arguments/check-options.js";
import { type Place, refuse } from "../arguments/refuse.js";
import { compareDigits } from "../values/integers.js";
import type { NanosecondTime } from "../values/times.js";
import { checkOptionNames, digitsOf, readAmount, readTime } from "./records.js";

/** The counter of each command. Votes have one for each proposal, other commands none. */
const counters = {
  proposal: "proposals",
  delegation: "delegations",
  transfer: "transfers",
  nodeAnnouncement: "nodeAnnouncements",
  issueSignatures: "issueSignatures",
  createReferralSet: "createReferralSet",
  updateReferralSet: "updateReferralSet",
  applyReferralCode: "applyReferralCode",
} as const satisfies Record<string, keyof SpamStatistics>;

/**
 * The transaction to submit. `delegation` is also its withdrawal, `transfer` also its cancellation, and `proposal` also a batch. `other` has
 * no counter: orders, withdrawals of assets and the like need proof of work alone.
 */
export type Submission =
  | { command: keyof typeof counters | "other"; proposalId?: undefined }
  | { command: "vote"; proposalId: string };

/** Whether a transaction can be submitted. */
export interface SubmissionLimits {
  isAllowed: boolean;
  /** Why it is not allowed. */
  reason: "banned" | "quota" | "tokens" | "proof-of-work" | undefined;
  /** How many transactions of this command are left in the epoch. `undefined` if there is no limit. */
  left: bigint | undefined;
  /** The tokens that the party needs, in the smallest unit. `undefined` if the statistics do not say. */
  minTokens: string | undefined;
  /** The newest block with proof of work left. `undefined` if there is none. */
  proofOfWork:
    | {
        blockHeight: string;
        blockHash: string;
        /** The difficulty that the next transaction needs. */
        difficulty: string;
        hashFunction: string;
        /** The last height of the chain at which the block can be used. */
        lastHeight: string;
      }
    | undefined;
}

/** What nodes send as `maxForEpoch` if there is no limit (observed on v0.74 nodes). */
const unlimited = 2n ** 64n - 1n;

/**
 * Returns whether a party can submit another transaction, by its spam statistics. These are of the last block. The counters start again with
 * each epoch, when `epochSeq` of the statistics changes.
 *
 * @param statistics - The response of `getSpamStatistics`.
 * @param submission - The command, and the proposal of a vote.
 * @throws `ArgumentError` if an argument or an option is invalid.
 * @example
 * ```ts
 * const statistics = await client.getSpamStatistics({ partyId });
 * const { isAllowed, reason, left } = submissionLimits(statistics, { command: "vote", proposalId }, { sentSince: 1 });
 * console.log(isAllowed ? `${left ?? "any number of"} votes left` : `not allowed: ${reason}`);
 * ```
 */
export function submissionLimits(
  statistics: SpamStatisticsResponse,
  submission: Submission,
  options: {
    /** Own submissions of this command that the statistics do not count yet: those since the last block. Default: 0. */
    sentSince?: bigint | number | undefined;
    /** The governance tokens of the party, in the smallest unit. Default: they are not compared with `minTokens`. */
    tokens?: bigint | `${bigint}` | (string & {}) | undefined;
    /** A ban that has ended by this time is ignored. Default: every ban in the statistics counts. */
    now?: NanosecondTime | undefined;
  } = {},
): SubmissionLimits {
  const operation = "submissionLimits";
  checkOptionNames(operation, options, "sentSince", "tokens", "now");
  oneOf(...Object.keys(counters), "vote", "other")(submission?.command, { operation, argument: "command" });
  checkOptionNames(operation, submission, "command", "proposalId");
  const { sentSince = 0, tokens, now } = options;
  const count = Number.isSafeInteger(sentSince) ? BigInt(sentSince) : sentSince;
  const sent = readAmount({ operation, argument: "sentSince" }, count) ?? 0n;
  const owned = readAmount({ operation, argument: "tokens" }, tokens);
  const time = now === undefined ? undefined : readTime({ operation, argument: "now" }, now);
  const place = { operation, argument: "statistics" };
  const known: SpamStatistics | null | undefined = statistics?.statistics;
  if (typeof known !== "object") refuse(place, "the response of getSpamStatistics", statistics);
  const counter = counterOf(operation, known, submission);
  const pow = known?.pow ?? undefined;
  const isBanned = [counter?.bannedUntil, pow?.bannedUntil].some(
    (until) => until !== undefined && (time === undefined || time < readTime(place, until)),
  );
  const left = counter && leftOf(place, counter, sent);
  const minTokens =
    counter?.minTokensRequired === undefined ? undefined : digitsOf(place, counter, "minTokensRequired");
  const lacksTokens = owned !== undefined && minTokens !== undefined && owned < BigInt(minTokens);
  const proofOfWork = pow && usableBlock(place, pow);
  const obstacles = {
    banned: isBanned,
    quota: left === 0n,
    tokens: lacksTokens,
    "proof-of-work": proofOfWork === undefined,
  };
  const reason = (Object.keys(obstacles) as (keyof typeof obstacles)[]).find((name) => obstacles[name]);
  return { isAllowed: reason === undefined, reason, left, minTokens, proofOfWork };
}

/** How many submissions a counter leaves; `undefined` if there is no limit. */
function leftOf(place: Place, counter: Counter, sent: bigint): bigint | undefined {
  const most = BigInt(digitsOf(place, counter, "maxForEpoch"));
  const left = most - BigInt(digitsOf(place, counter, "countForEpoch")) - sent;
  return most === unlimited ? undefined : left > 0n ? left : 0n;
}

interface Counter {
  readonly countForEpoch: string;
  readonly maxForEpoch: string;
  readonly minTokensRequired?: string | undefined;
  readonly bannedUntil?: string | undefined;
}

/** The counter of a command; `undefined` if there is none. */
function counterOf(
  operation: string,
  statistics: SpamStatistics | null,
  { command, proposalId }: Submission,
): Counter | undefined {
  if (command === "other") return undefined;
  if (command !== "vote") return statistics?.[counters[command]] ?? undefined;
  if (typeof proposalId !== "string" || proposalId === "") {
    refuse({ operation, argument: "proposalId" }, "the id of the proposal", proposalId);
  }
  const votes = statistics?.votes;
  if (!votes) return undefined;
  const id = proposalId.toLowerCase();
  // A proposal without votes of the party in the epoch is not in the list.
  const found = votes.statistics.find(({ proposal }) => proposal.toLowerCase() === id) ?? { countForEpoch: "0" };
  return { ...votes, ...found };
}

/** The newest block that the next transaction can use. */
function usableBlock(
  place: Place,
  { blockStates, numberOfPastBlocks }: NonNullable<SpamStatistics["pow"]>,
): SubmissionLimits["proofOfWork"] {
  const states = [...blockStates].sort((a, b) =>
    compareDigits(digitsOf(place, b, "blockHeight"), digitsOf(place, a, "blockHeight")),
  );
  const past = BigInt(numberOfPastBlocks);
  // The current block is always in the list.
  const current = BigInt(states[0]?.blockHeight ?? 0);
  for (const state of states) {
    const { blockHeight, blockHash, hashFunction, increasingDifficulty, expectedDifficulty } = state;
    const last = BigInt(blockHeight) + past - 1n;
    const isLeft = increasingDifficulty
      ? expectedDifficulty !== undefined
      : BigInt(digitsOf(place, state, "transactionsSeen")) < BigInt(digitsOf(place, state, "txPerBlock"));
    if (last < current || !isLeft) continue;
    const difficulty = expectedDifficulty ?? state.difficulty;
    return { blockHeight, blockHash, difficulty, hashFunction, lastHeight: String(last) };
  }
  return undefined;
}
