import type { SpamStatistics, SpamStatisticsResponse } from "../../generated/types.js";
import { isPlainObject, oneOf } from "../arguments/check-options.js";
import { readId, readTime } from "../arguments/read-value.js";
import { type Place, refuse } from "../arguments/refuse.js";
import { unlessThrown } from "../errors/index.js";
import { compare, maximum } from "../values/integers.js";
import { withDigits } from "../values/show.js";
import { type NanosecondTime, toNanoseconds } from "../values/times.js";
import { checkOptionNames, digitsOf, readCount } from "./records.js";

/**
 * The transaction to submit. `delegation` is also its withdrawal, `transfer` also its cancellation, and `proposal` also
 * a batch. `other` has no counter: for orders, withdrawals of assets and the like, the statistics have no limit but
 * proof of work.
 */
export type Submission =
  | {
      command:
        | "proposal"
        | "delegation"
        | "transfer"
        | "nodeAnnouncement"
        | "issueSignatures"
        | "createReferralSet"
        | "updateReferralSet"
        | "applyReferralCode"
        | "other";
    }
  | { command: "vote"; proposalId: string };

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
} as const satisfies Record<Exclude<Submission["command"], "vote" | "other">, keyof SpamStatistics>;

/** Whether a transaction can be submitted: if it can, there is a `proofOfWork`, and if not, a `reason`. */
export type SubmissionLimits = {
  isAllowed: boolean;
  /** Why it is not allowed. */
  reason: "banned" | "quota" | "tokens" | "proof-of-work" | undefined;
  /** How many transactions of this command are left in the epoch. `undefined` if the statistics have no limit. */
  left: bigint | undefined;
  /**
   * The tokens that the party needs, in the smallest unit. `undefined` if the statistics do not say. For votes, they do
   * once the party has voted in the epoch.
   */
  minTokens: string | undefined;
  /** When the ban ends, in Unix nanoseconds. `undefined` if the party is not banned. */
  bannedUntil: string | undefined;
  /** The newest block with proof of work left. `undefined` if there is none. */
  proofOfWork:
    | {
        blockHeight: string;
        blockHash: string;
        /** A difficulty that is enough for the next transaction. */
        difficulty: string;
        hashFunction: string;
        /** The last height of the chain at which the block can be used. */
        lastHeight: string;
      }
    | undefined;
} & ({ isAllowed: true; reason: undefined; proofOfWork: object } | { isAllowed: false; reason: string });

/** @inline */
type Count = bigint | number | `${bigint}` | (string & {});

/** Options of `submissionLimits`. */
export interface SubmissionLimitsOptions {
  /** Own submissions of this command that the statistics do not count yet: those since the last block. Default: 0. */
  sentSince?: bigint | number | undefined;
  /**
   * All of your submissions, of any command, by the height of the block that their proof of work used. The larger of
   * this count and `transactionsSeen` is used. Default: those in `sentSince` count for every block.
   */
  sentByBlock?: ReadonlyMap<Count, Count> | Readonly<Record<string, Count>> | undefined;
  /** The governance tokens of the party, in the smallest unit. Default: they are not compared with `minTokens`. */
  tokens?: bigint | `${bigint}` | (string & {}) | undefined;
  /** A ban that has ended by this time is ignored. Default: every ban in the statistics counts. */
  now?: NanosecondTime | undefined;
}

/** The `maxForEpoch` of nodes without a limit (observed on v0.74 nodes). */
const unlimited = 2n ** 64n - 1n;

/**
 * Returns whether a party can submit another transaction, by its spam statistics. These are of the last block. The
 * counters start again with each epoch, when `epochSeq` of the statistics changes. `submissionTracker` counts your
 * submissions for you.
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
  options: SubmissionLimitsOptions = {},
): SubmissionLimits {
  const operation = "submissionLimits";
  checkOptionNames(operation, options, "sentSince", "sentByBlock", "tokens", "now");
  checkSubmission(operation, submission);
  const known = readStatistics({ operation, argument: "statistics" }, statistics);
  return limitsOf(operation, known, submission, options);
}

/** The same, for a caller that has checked the statistics, the submission and the names of the options. */
export function limitsOf(
  operation: string,
  known: SpamStatistics | null,
  submission: Submission,
  options: SubmissionLimitsOptions & { pastBlocksOf?: (height: bigint) => bigint | undefined },
): SubmissionLimits {
  const { sentSince = 0, sentByBlock, pastBlocksOf, tokens, now } = options;
  const at = (argument: string) => ({ operation, argument });
  const sent = readCount(at("sentSince"), sentSince);
  const own = sentByBlock === undefined ? undefined : readCounts(at("sentByBlock"), sentByBlock);
  const owned = tokens === undefined ? undefined : readCount(at("tokens"), tokens);
  const time = now === undefined ? undefined : readTime(at("now"), now);
  const place = at("statistics");
  const counter = counterOf(known, submission);
  const pow = known?.pow ?? undefined;
  const bans = [counter?.bannedUntil, pow?.bannedUntil].flatMap((until) => (until ? readBan(place, until) : []));
  const lasting = bans.filter((until) => time === undefined || until > time);
  const bannedUntil = lasting.length > 0 ? String(lasting.reduce(maximum)) : undefined;
  const left = counter && leftOf(place, counter, sent);
  const minTokens =
    counter?.minTokensRequired === undefined ? undefined : digitsOf(place, counter, "minTokensRequired");
  // Votes need at least one: nodes accept no lower minimum.
  const lacksTokens = owned !== undefined && owned < BigInt(minTokens ?? (submission.command === "vote" ? 1 : 0));
  const usedOf = (height: bigint, seen: bigint) => (own ? maximum(own.get(height) ?? 0n, seen) : seen + sent);
  const proofOfWork = pow && usableBlock(pow, usedOf, pastBlocksOf);
  const obstacles = {
    banned: bannedUntil !== undefined,
    quota: left === 0n,
    tokens: lacksTokens,
    "proof-of-work": proofOfWork === undefined,
  };
  const reason = (Object.keys(obstacles) as (keyof typeof obstacles)[]).find((name) => obstacles[name]);
  const limits = { isAllowed: reason === undefined, reason, left, minTokens, bannedUntil, proofOfWork };
  return withDigits(limits as SubmissionLimits);
}

export function checkSubmission(operation: string, submission: Submission, ...otherNames: string[]): void {
  if (!isPlainObject(submission))
    refuse({ operation, argument: "submission" }, "an object with a `command`", submission);
  oneOf(...Object.keys(counters), "vote", "other")(submission.command, { operation, argument: "command" });
  checkOptionNames(operation, submission, "command", "proposalId", ...otherNames);
  if (submission.command === "vote") readId(submission.proposalId, { operation, argument: "proposalId" });
}

/** Returns the statistics in a response; `null` if the node has none. */
export function readStatistics(place: Place, response: SpamStatisticsResponse): SpamStatistics | null {
  const known: SpamStatistics | null | undefined = response?.statistics;
  const { votes, pow } = (known ?? {}) as Partial<SpamStatistics>;
  const areAll = (list: unknown, isRight: (each: { proposal?: unknown } | null) => boolean) =>
    Array.isArray(list) && list.every(isRight);
  const isWhole =
    (!votes || areAll(votes.statistics, (each) => typeof each?.proposal === "string")) &&
    (!pow || areAll(pow.blockStates, isPlainObject));
  if (!isWhole || !(known === null || isPlainObject(known)))
    return refuse(place, "the response of getSpamStatistics", response);
  if (pow) digitsOf(place, pow, "numberOfPastBlocks");
  for (const state of pow?.blockStates ?? []) {
    const numbers = ["blockHeight", "transactionsSeen", "txPerBlock", "difficulty"] as const;
    for (const name of numbers) digitsOf(place, state, name);
    if (state.expectedDifficulty !== undefined) digitsOf(place, state, "expectedDifficulty");
  }
  return known;
}

const readBan = (place: Place, until: string) =>
  unlessThrown(() => toNanoseconds(until)) ?? refuse(place, "statistics with RFC 3339 times in `bannedUntil`", until);

function readCounts(
  place: Place,
  counts: NonNullable<SubmissionLimitsOptions["sentByBlock"]>,
): ReadonlyMap<bigint, bigint> {
  const isMap = Object.prototype.toString.call(counts) === "[object Map]";
  if (!isMap && !isPlainObject(counts)) return refuse(place, "a Map or an object of heights and counts", counts);
  const entries = isMap ? [...(counts as ReadonlyMap<Count, Count>)] : Object.entries(counts);
  const sums = new Map<bigint, bigint>();
  for (const [name, count] of entries) {
    // Two keys can be the same height, such as 5 and "5".
    const height = readCount(place, name);
    sums.set(height, (sums.get(height) ?? 0n) + readCount(place, count));
  }
  return sums;
}

/** How many submissions a counter leaves; `undefined` if there is no limit. */
function leftOf(place: Place, counter: Counter, sent: bigint): bigint | undefined {
  const most = BigInt(digitsOf(place, counter, "maxForEpoch"));
  const left = most - BigInt(digitsOf(place, counter, "countForEpoch")) - sent;
  return most === unlimited ? undefined : maximum(left, 0n);
}

type Counter = Pick<NonNullable<SpamStatistics["transfers"]>, "maxForEpoch" | "countForEpoch" | "bannedUntil"> & {
  minTokensRequired?: string | undefined;
};

/** The counter of a command; `undefined` if there is none. */
export function counterOf(statistics: SpamStatistics | null, submission: Submission): Counter | undefined {
  if (submission.command === "other") return undefined;
  if (submission.command !== "vote") return statistics?.[counters[submission.command]] ?? undefined;
  const votes = statistics?.votes;
  if (!votes) return undefined;
  const id = submission.proposalId.toLowerCase();
  // A proposal without votes of the party in the epoch is not in the list. The minimum is the same for all.
  const minTokensRequired = votes.statistics[0]?.minTokensRequired;
  const found = votes.statistics.find(({ proposal }) => proposal.toLowerCase() === id);
  return { ...votes, ...(found ?? { countForEpoch: "0", minTokensRequired }) };
}

/** After more work than a block requires, nodes send a difficulty below zero as one close to 2^64. */
const hashBits = 256n;

/**
 * The newest block that the next transaction can use. `usedOf` returns how many transactions are on a block, by its
 * height, and `pastBlocksOf` for how many blocks it can be used. Default: `numberOfPastBlocks`.
 */
function usableBlock(
  { blockStates, numberOfPastBlocks }: NonNullable<SpamStatistics["pow"]>,
  usedOf: (height: bigint, seen: bigint) => bigint,
  pastBlocksOf?: (height: bigint) => bigint | undefined,
): SubmissionLimits["proofOfWork"] {
  const states = blockStates
    .map((state) => ({ state, height: BigInt(state.blockHeight) }))
    .sort((a, b) => compare(b.height, a.height));
  const past = BigInt(numberOfPastBlocks);
  // The current block is always in the list.
  const current = states[0]?.height ?? 0n;
  for (const { state, height } of states) {
    const { blockHeight, blockHash, hashFunction, increasingDifficulty, expectedDifficulty } = state;
    const seen = BigInt(state.transactionsSeen);
    const perBlock = BigInt(state.txPerBlock);
    const used = usedOf(height, seen);
    const last = height + (pastBlocksOf?.(height) ?? past) - 1n;
    if (last < current || (used >= perBlock && !increasingDifficulty)) continue;
    const rising = BigInt(state.difficulty) + used / maximum(perBlock, 1n);
    const least = used === seen ? BigInt(expectedDifficulty ?? 0) : 0n;
    const difficulty = String(least > hashBits ? rising : maximum(rising, least));
    return { blockHeight, blockHash, difficulty, hashFunction, lastHeight: String(last) };
  }
  return undefined;
}
