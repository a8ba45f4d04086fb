import type { Vote } from "../../../generated/types.js";
import type { Ids } from "../ids.js";
import { type List, type ListNode, parseCursor } from "../page.js";
import type { QueryValues } from "../query.js";
import { shuffled } from "../random.js";
import { compare, createTable, firstIndex, rangeFrom, take } from "../sorted.js";
import {
  dataNodeError,
  type Microseconds,
  toJson,
  toMicroseconds,
  toNanosecondDigits,
  toRfc3339,
  zeroTime,
} from "../wire.js";

/** A vote that a fake node holds. */
export interface FakeVote extends Vote {
  /**
   * The time of the block in which the vote was last written, in Unix nanoseconds: v0.74 nodes sort votes by it and do
   * not show it. A closing proposal writes all its votes anew. Default: the vote's `timestamp`; in `nextBlock` the time
   * of the block, if that is later.
   */
  blockTime?: `${bigint}` | undefined;
}

/** The time of the block in which a vote was last written. */
export const writtenAt = ({ blockTime, timestamp }: FakeVote): Microseconds => toMicroseconds(blockTime ?? timestamp);

export interface VoteRow {
  vote: Vote;
  time: Microseconds;
  party: string;
  proposal: string;
}

/** The order of votes by block time; those of one block by proposal and party. */
const inOrder = (a: Omit<VoteRow, "vote">, b: Omit<VoteRow, "vote">) =>
  compare(a.time, b.time) || compare(a.proposal, b.proposal) || compare(a.party, b.party);

/** The last vote of each party on each proposal, grouped by proposal and by party. */
export const voteTable = (ids: Ids) =>
  createTable<FakeVote, VoteRow>({
    toRow: ({ blockTime, ...vote }) => ({
      vote: { ...vote, timestamp: toNanosecondDigits(toMicroseconds(vote.timestamp)) },
      time: writtenAt({ ...vote, blockTime }),
      party: ids.add(vote.partyId),
      proposal: ids.add(vote.proposalId),
    }),
    keyOf: ({ proposal, party }) => `${proposal} ${party}`,
    groupsOf: ({ proposal, party }) => [`proposal ${proposal}`, `party ${party}`],
    order: inOrder,
  });

const failure = { code: 170003, message: "failed to get votes" };

export function listVotes(
  query: QueryValues,
  node: ListNode & { store: { ids: Ids; votes: ReturnType<typeof voteTable> } },
): List<VoteRow> {
  const { ids, votes } = node.store;
  const [partyId, proposalId] = [query.text("partyId"), query.text("proposalId")];
  if (partyId === undefined && proposalId === undefined) {
    throw dataNodeError(3, { code: 10023, message: "missing proposal id and party id" });
  }
  const rows = () => {
    const [party, proposal] = [partyId, proposalId].map((id) => (id === undefined ? undefined : ids.read(id, failure)));
    const found = votes.group(proposal === undefined ? `party ${party}` : `proposal ${proposal}`);
    return party === undefined || proposal === undefined ? found : found.filter((row) => row.party === party);
  };
  const paging = node.defects.includes("tied-vote-cursors") ? tiedPaging(rows, node.tieSeed) : orderedPaging(rows);
  return { node: ({ vote }) => node.version.toVote(vote), ...paging };
}

type Paging = Pick<List<VoteRow>, "cursor" | "read">;

/**
 * How v0.74 nodes page: the cursor is a block time alone, so that all votes of its block are at it. Votes of one block keep
 * their order in both directions.
 */
function tiedPaging(getRows: () => readonly VoteRow[], tieSeed: string | undefined): Paging {
  return {
    cursor: ({ vote, time }) => toJson({ party_id: vote.partyId, vega_time: toRfc3339(time) }),
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { party_id: "text", vega_time: "time" }, failure);
      const rows = getRows();
      let [from, to] = rangeFrom(rows, upwards, place && (({ time }) => compare(time, place.vega_time ?? zeroTime)));
      const read: VoteRow[] = [];
      while (from < to && read.length < limit) {
        const { time } = rows[upwards ? from : to - 1] as VoteRow;
        const start = firstIndex(rows, (row) => row.time >= time);
        const end = firstIndex(rows, (row) => row.time > time);
        const block = rows.slice(start, end);
        for (const row of tieSeed === undefined ? block : shuffled(block, `${tieSeed}/${time}`)) read.push(row);
        if (upwards) from = end;
        else to = start;
      }
      return read.slice(0, limit);
    },
  };
}

/** Reliable paging: the cursor names the vote, and the order is total. Its form is not that of v0.74 nodes. */
const orderedPaging = (getRows: () => readonly VoteRow[]): Paging => ({
  cursor: ({ time, proposal, party }) =>
    toJson({ block_time: toRfc3339(time), proposal_id: proposal, party_id: party }),
  read(upwards, cursor, limit) {
    const place = parseCursor(cursor, { block_time: "time", proposal_id: "text", party_id: "text" }, failure);
    const { block_time: time = zeroTime, proposal_id: proposal = "", party_id: party = "" } = place ?? {};
    const rows = getRows();
    const range = rangeFrom(rows, upwards, place && ((row) => inOrder(row, { time, proposal, party })));
    return take(rows, range, upwards, limit);
  },
});
