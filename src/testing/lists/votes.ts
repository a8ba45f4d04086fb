import { type CursorFields, parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import { toJson } from "../json.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { shuffled } from "../random.js";
import { firstIndex, take } from "../sorted.js";
import { toRfc3339 } from "../time.js";
import type { VersionRules } from "../versions.js";
import { invalidId, parsing } from "./failure.js";
import { inOrder, type VoteRow, type VoteTable } from "./vote-table.js";

export interface VoteListOptions {
  /** Whether cursors are a time alone. */
  tiedCursors: boolean;
  /** What the order of votes of one block depends on; `undefined` for a fixed order. */
  tieSeed: string | undefined;
  version: VersionRules;
}

const failure = { code: 170003, message: "failed to get votes" };

/** @throws {@link NodeError} if the query has neither a party nor a proposal. */
export function listVotes(table: VoteTable, ids: Ids, query: QueryValues, options: VoteListOptions): List<VoteRow> {
  const [partyId, proposalId] = [query.text("partyId"), query.text("proposalId")];
  if (partyId === undefined && proposalId === undefined) {
    throw dataNodeError(3, { code: 10023, message: "missing proposal id and party id" });
  }
  const key = (id: string | undefined) => {
    const key = id === undefined ? undefined : ids.find(id);
    if (id !== undefined && key === undefined) throw invalidId(failure, id);
    return key;
  };
  const rows = (): readonly VoteRow[] => table.find({ party: key(partyId), proposal: key(proposalId) });
  const paging = options.tiedCursors ? tiedPaging(rows, options.tieSeed) : orderedPaging(rows);
  return { node: ({ vote }) => options.version.toVote(vote), ...paging };
}

type Paging = Pick<List<VoteRow>, "cursor" | "read">;

/**
 * How v0.74 nodes page: the cursor is a block time alone, so that all votes of its block are at it. Votes of one block keep
 * their order in both directions.
 */
function tiedPaging(getRows: () => readonly VoteRow[], tieSeed: string | undefined): Paging {
  const fields: CursorFields = { party_id: "text", vega_time: "time" };
  return {
    cursor: ({ vote, time }) => toJson({ party_id: vote.partyId, vega_time: toRfc3339(time) }),
    read(upwards, cursor, limit) {
      const place = cursor === undefined ? undefined : parsing(failure, () => parseCursor(cursor, fields));
      const at = place?.time("vega_time");
      const rows = getRows();
      let from = at === undefined || !upwards ? 0 : firstIndex(rows, ({ time }) => time >= at);
      let to = at === undefined || upwards ? rows.length : firstIndex(rows, ({ time }) => time > at);
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
function orderedPaging(getRows: () => readonly VoteRow[]): Paging {
  const fields: CursorFields = { block_time: "time", proposal_id: "text", party_id: "text" };
  return {
    cursor: ({ time, proposal, party }) =>
      toJson({ block_time: toRfc3339(time), proposal_id: proposal, party_id: party }),
    read(upwards, cursor, limit) {
      const place = cursor === undefined ? undefined : parsing(failure, () => parseCursor(cursor, fields));
      const rows = getRows();
      if (place === undefined) return take(rows, [0, rows.length], upwards, limit);
      const at = {
        time: place.time("block_time"),
        proposal: place.text("proposal_id") ?? "",
        party: place.text("party_id") ?? "",
      };
      const from = firstIndex(rows, (row) => inOrder(row, at) >= 0);
      const to = firstIndex(rows, (row) => inOrder(row, at) > 0);
      return take(rows, upwards ? [from, rows.length] : [0, to], upwards, limit);
    },
  };
}
