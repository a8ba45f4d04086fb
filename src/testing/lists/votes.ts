import { type DataNode, makePage } from "../page.js";
import { randomNumbers } from "../random.js";
import { compare, orderAt } from "../sorted.js";
import { dataNodeError, readId, toRfc3339, zeroTime } from "../wire.js";

const failure = { code: 170003, message: "failed to get votes" };

export function listVotes(query: URLSearchParams, { store, defects, rules, tieSeed }: DataNode) {
  const [partyId, proposalId] = [query.get("partyId"), query.get("proposalId")];
  if (partyId === null && proposalId === null)
    throw dataNodeError(3, { code: 10023, message: "missing proposal id and party id" });
  const rows = () => {
    const party = partyId === null ? undefined : readId(partyId, failure);
    const proposal = proposalId === null ? undefined : readId(proposalId, failure);
    return store.votes.sorted.filter(
      (row) => (party ?? row.party) === row.party && (proposal ?? row.proposal) === row.proposal,
    );
  };
  type VoteRow = ReturnType<typeof rows>[number];
  const node = ({ vote }: VoteRow) => rules.toVote(vote);
  if (!defects.includes("tied-vote-cursors")) {
    // Reliable: the cursor identifies the vote, and the order is total. v0.74 nodes have another form.
    return makePage(query, {
      ...{ failure, rows, node },
      fields: { block_time: "time", vote: "text" },
      cursor: ({ time, key }) => ({ block_time: toRfc3339(time), vote: key }),
      order: ({ block_time = zeroTime, vote = "" }, upwards) => orderAt(block_time, vote, upwards),
    });
  }
  // The cursor is a block time alone, so that all votes of its block are at it. They keep their order in both directions.
  return makePage(query, {
    ...{ failure, node },
    rows: (upwards) => {
      const ties = rows().map((row, index) => {
        const tie = tieSeed === undefined ? index : randomNumbers(`${tieSeed}/${row.time}/${row.party}`)();
        return { row, tie: upwards ? tie : -tie };
      });
      return ties.sort((a, b) => a.row.time - b.row.time || a.tie - b.tie).map(({ row }) => row);
    },
    fields: { vega_time: "time" },
    cursor: ({ vote, time }) => ({ party_id: vote.partyId, vega_time: toRfc3339(time) }),
    order: ({ vega_time = zeroTime }) => {
      return ({ time }) => compare(time, vega_time);
    },
  });
}
