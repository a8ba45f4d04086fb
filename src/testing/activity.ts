import type { FakeBlockData } from "./data.js";
import type { StoredVote } from "./lists/vote-table.js";
import type { RecordGenerator } from "./records.js";
import type { Records } from "./store.js";

/** How many blocks a proposal is open for. */
const blocksOfProposal = 20;

/** The proposals before the first one that opens: those of generated votes. */
const earlierProposals = 3;

/** What happens on a live chain: balances change, parties vote, and proposals open and close. */
export class Activity {
  readonly #generator: RecordGenerator;
  readonly #party: string | undefined;
  #blocks = 0;
  #voters = 0;

  /** @param party - A party that has a balance change in each block, and votes first on each proposal. */
  constructor(generator: RecordGenerator, party: string | undefined) {
    this.#generator = generator;
    this.#party = party;
  }

  /**
   * The records of the next block.
   *
   * @param time - That of the block, in Unix nanoseconds.
   * @param records - What the chain holds.
   */
  next(time: bigint, records: Records): FakeBlockData {
    const proposal = earlierProposals + Math.floor(this.#blocks / blocksOfProposal);
    const isFirst = this.#blocks % blocksOfProposal === 0;
    if (isFirst) this.#voters = 0;
    this.#blocks++;
    const count = 1 + (this.#blocks % 3);
    const votes = Array.from({ length: count }, () => this.#generator.vote(this.#voters++, proposal, time));
    const closed = isFirst ? this.#votesOn(proposal - 1, time, records) : [];
    const balances = this.#generator.balancesInBlock(2 + (this.#blocks % 5), time);
    const own = this.#party === undefined ? [] : [this.#generator.balanceOf(this.#party, this.#blocks, time)];
    return { votes: [...closed, ...votes], balances: [...balances, ...own] };
  }

  /** When a proposal closes, all its votes are rewritten in one block (observed on v0.74 nodes). */
  #votesOn(proposal: number, time: bigint, records: Records): StoredVote[] {
    if (proposal < earlierProposals) return [];
    const id = this.#generator.proposal(proposal);
    const blockTime = `${time}` as const;
    return records.votes.filter(({ proposalId }) => proposalId === id).map((vote) => ({ ...vote, blockTime }));
  }
}
