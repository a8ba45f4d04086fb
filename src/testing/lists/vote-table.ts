import type { Vote } from "../../../generated/types.js";
import type { Ids } from "../ids.js";
import { compare, GroupedRows } from "../sorted.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "../time.js";

/** A vote with the time of the block in which it was last written. */
export interface StoredVote extends Vote {
  blockTime: `${bigint}`;
}

export interface VoteRow {
  vote: Vote;
  time: Microseconds;
  party: string;
  proposal: string;
}

/** The order of votes by block time; those of one block by proposal and party. */
export const inOrder = (a: VoteRank, b: VoteRank) =>
  compare(a.time, b.time) || compare(a.proposal, b.proposal) || compare(a.party, b.party);

type VoteRank = Omit<VoteRow, "vote">;

/** The last vote of each party on each proposal. */
export class VoteTable {
  readonly #ids: Ids;
  readonly #rows = new Map<string, VoteRow>();
  readonly #byProposal = new GroupedRows<VoteRow>(inOrder);
  readonly #byParty = new GroupedRows<VoteRow>(inOrder);
  /** The time of the newest block in which a vote was written. */
  newest: Microseconds = Number.NEGATIVE_INFINITY;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds votes; one replaces an earlier vote of the same party on the same proposal. */
  add(votes: readonly StoredVote[]): void {
    for (const { blockTime, ...vote } of votes) {
      const timestamp = toNanosecondDigits(toMicroseconds(vote.timestamp));
      const [party, proposal] = [this.#ids.add(vote.partyId), this.#ids.add(vote.proposalId)];
      const row = { vote: { ...vote, timestamp }, time: toMicroseconds(blockTime), party, proposal };
      this.newest = Math.max(this.newest, row.time);
      this.#rows.set(`${proposal} ${party}`, row);
      this.#byProposal.set(proposal, party, row);
      this.#byParty.set(party, proposal, row);
    }
  }

  /** All votes, as the wire shows them. */
  get records(): Vote[] {
    return Array.from(this.#rows.values(), ({ vote }) => vote);
  }

  /** Votes by the keys of their ids, sorted by block time, proposal and party. */
  find({ party, proposal }: { party: string | undefined; proposal: string | undefined }): readonly VoteRow[] {
    if (proposal === undefined) return this.#byParty.sorted(party ?? "");
    if (party === undefined) return this.#byProposal.sorted(proposal);
    const row = this.#byProposal.get(proposal, party);
    return row === undefined ? [] : [row];
  }
}
