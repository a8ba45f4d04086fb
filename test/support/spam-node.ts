import type { SpamStatisticsResponse } from "../../src/index.js";
import type { Submission } from "../../src/reports/index.js";
import { randomNumbers } from "../../src/testing/random.js";

/** What the network demands. Each limit is for an epoch; a vote's is for each proposal. */
export interface SpamRules {
  readonly isIncreasing: boolean;
  readonly txPerBlock: number;
  readonly pastBlocks: number;
  readonly difficulty: number;
  readonly blocksPerEpoch: number;
  readonly limits: { readonly proposal: number; readonly transfer: number; readonly vote: number };
}

/** A transaction of the party. */
export interface SentTransaction {
  readonly key: string;
  readonly command: Submission["command"];
  /** The height of the block that its proof of work uses. */
  readonly block: number;
  readonly difficulty: number;
}

export const keyOf = (submission: Submission): string =>
  submission.command === "vote" ? `vote ${submission.proposalId}` : submission.command;

const digits = (value: number): `${bigint}` => `${BigInt(value)}`;

/**
 * A node as one party sees it. It counts and refuses as core does (core/pow/engine.go, core/spam): a check before the mempool by what
 * blocks have counted, and one by what the proposed block already has. What that refuses stays in the mempool until it is too old.
 */
export class SpamNode {
  height = 1000;
  epoch = 1;
  /** The transactions that no block has yet. */
  mempool: SentTransaction[] = [];
  /** Those that a proposed block was refused with, at least once. */
  readonly refused = new Set<SentTransaction>();
  #onBlock = new Map<number, { count: number; work: number }>();
  #counted = new Map<string, number>();
  readonly #rules: SpamRules;
  readonly #random: () => number;

  constructor(rules: SpamRules, seed: string) {
    this.#rules = rules;
    this.#random = randomNumbers(seed);
  }

  isTooOld = (block: number): boolean => block + this.#rules.pastBlocks <= this.height;

  countOf = (key: string): number => this.#counted.get(key) ?? 0;

  countOn = (block: number): number => this.#onBlock.get(block)?.count ?? 0;

  /** Whether a limit leaves no further transaction of a command, if `count` are counted. */
  isFull(command: Submission["command"], counted: number): boolean {
    const limits: Readonly<Record<string, number>> = this.#rules.limits;
    return counted >= (limits[command] ?? Number.POSITIVE_INFINITY);
  }

  /** The least work that a number of transactions on a block have to prove together. */
  #workOf(count: number): number {
    const { txPerBlock, difficulty } = this.#rules;
    let work = 0;
    for (let index = 0; index < count; index++) work += difficulty + Math.floor(index / txPerBlock);
    return work;
  }

  /** Takes a transaction into the mempool; `false` if it is refused. */
  submit(sent: SentTransaction): boolean {
    const isKnown =
      sent.block <= this.height && !this.isTooOld(sent.block) && sent.difficulty >= this.#rules.difficulty;
    if (!isKnown || this.isFull(sent.command, this.countOf(sent.key))) return false;
    this.mempool.push(sent);
    return true;
  }

  /** Makes a block with most of what the mempool has. */
  nextBlock(): void {
    const { txPerBlock, isIncreasing } = this.#rules;
    this.mempool = this.mempool.filter(({ block }) => !this.isTooOld(block));
    const proposed = new Map([...this.#onBlock].map(([block, state]) => [block, { ...state }]));
    const counted = new Map(this.#counted);
    const included = new Set<SentTransaction>();
    // Proposals and votes come first.
    const order = [true, false].flatMap((isFirst) =>
      this.mempool.filter(({ command }) => /^(proposal|vote)$/.test(command) === isFirst),
    );
    for (const sent of order) {
      if (this.#random() < 0.3) continue;
      const state = proposed.get(sent.block) ?? { count: 0, work: 0 };
      const least = this.#workOf(state.count + 1);
      const isEnough = state.count < txPerBlock || (isIncreasing && state.work + sent.difficulty >= least);
      if (isEnough) proposed.set(sent.block, { count: state.count + 1, work: state.work + sent.difficulty });
      const count = counted.get(sent.key) ?? 0;
      if (!isEnough || this.isFull(sent.command, count)) {
        this.refused.add(sent);
        continue;
      }
      counted.set(sent.key, count + 1);
      included.add(sent);
    }
    for (const { block, difficulty } of included) {
      const { count, work } = this.#onBlock.get(block) ?? { count: 0, work: 0 };
      this.#onBlock.set(block, { count: count + 1, work: work + difficulty });
    }
    this.mempool = this.mempool.filter((sent) => !included.has(sent));
    this.#counted = counted;
    this.height++;
    this.#onBlock = new Map([...this.#onBlock].filter(([block]) => !this.isTooOld(block)));
    if (this.height % this.#rules.blocksPerEpoch > 0) return;
    this.epoch++;
    this.#counted.clear();
  }

  /** Makes a block, and returns statistics read while it began: they count it for blocks, and not for the epoch. */
  statisticsOfBeginning(): SpamStatisticsResponse {
    const { chainId, statistics: before } = this.statistics();
    this.nextBlock();
    return { chainId, statistics: before && { ...before, pow: this.statistics().statistics?.pow ?? null } };
  }

  statistics(): SpamStatisticsResponse {
    const { txPerBlock, difficulty, isIncreasing, limits, pastBlocks } = this.#rules;
    const counter = (command: "proposal" | "transfer") => ({
      countForEpoch: digits(this.countOf(keyOf({ command }))),
      maxForEpoch: digits(limits[command]),
      minTokensRequired: "0",
    });
    const blockStates = [...new Set([...this.#onBlock.keys(), this.height])].map((height) => {
      const { count, work } = this.#onBlock.get(height) ?? { count: 0, work: 0 };
      const next = isIncreasing ? Math.max(this.#workOf(count + 1) - work, difficulty) : difficulty;
      return {
        blockHeight: digits(height),
        blockHash: `hash ${height}`,
        transactionsSeen: digits(count),
        ...((isIncreasing || count < txPerBlock) && { expectedDifficulty: digits(next) }),
        hashFunction: "sha3_24_rounds",
        difficulty: digits(difficulty),
        txPerBlock: digits(txPerBlock),
        increasingDifficulty: isIncreasing,
      };
    });
    const votes = [...this.#counted].filter(([key]) => key.startsWith("vote "));
    return {
      chainId: "chain",
      statistics: {
        epochSeq: digits(this.epoch),
        proposals: counter("proposal"),
        transfers: counter("transfer"),
        votes: {
          maxForEpoch: digits(limits.vote),
          statistics: votes.map(([key, count]) => {
            return { proposal: key.slice("vote ".length), countForEpoch: digits(count), minTokensRequired: "0" };
          }),
        },
        pow: { blockStates: shuffled(blockStates, `${this.height}`), numberOfPastBlocks: digits(pastBlocks) },
        ...{ applyReferralCode: null, createReferralSet: null, updateReferralSet: null },
        ...{ delegations: null, issueSignatures: null, nodeAnnouncements: null },
      },
    };
  }
}

/** A copy in an order that depends on a text alone. */
function shuffled<T>(elements: readonly T[], seed: string): T[] {
  const random = randomNumbers(seed);
  const placed = elements.map((element) => ({ element, place: random() }));
  return placed.sort((a, b) => a.place - b.place).map(({ element }) => element);
}
