import type { VotesOfParty, VotesOnProposal } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { Vote } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { PaginationError, VegaError } from "../errors/index.js";
import { voteKeyOf } from "../list/client-cursors.js";
import { nanosecondsOf } from "../list/cursors.js";
import { largestPage } from "../list/page.js";
import { type Block, finalTime } from "../values/block.js";
import { compare } from "../values/integers.js";
import { type Batch, batchOf, type Follower, type FollowerKind, missingBlock, type PollContext } from "./follower.js";
import { type Checkpoint, type FollowOptions, followChecks, readCheckpoint } from "./options.js";
import { PollingFollower } from "./polling-follower.js";

type Query = Parameters<typeof followVotes>[1];

/**
 * Follows the votes on a proposal, or of a party: each vote when its block is final, in order of the blocks in which
 * they were last written. If a vote is written several times between two polls, only its last version is yielded.
 *
 * A closing proposal rewrites all its votes (observed on v0.74 nodes). A rewritten vote is yielded again only if a
 * field changed. A follower that continues from a `resume` does not know the votes before it: it also yields rewritten
 * votes without a change.
 *
 * @param client - The client to poll with.
 * @param query - The proposal or the party to follow.
 * @param options - Where to begin, how often to poll, and the options of each request.
 * @throws The next call rejects with a {@link StalledError}; with a `PaginationError`, `reason: "gap"`, if not all
 * votes since the checkpoint can be reached; with an `ApiError` or a `ResponseError` that is not transient; with an
 * `ArgumentError`.
 * @example
 * ```ts no-run
 * for await (const { partyId, value } of followVotes(client, { proposalId }, { from: "start" })) {
 *   console.log(partyId, value);
 * }
 * ```
 */
export function followVotes(
  client: VegaClient,
  query: Omit<VotesOfParty, "pagination"> | Omit<VotesOnProposal, "pagination">,
  options: FollowOptions = {},
): Follower<Vote> {
  return new PollingFollower(votes, client, query, options);
}

const operation = "followVotes";
const { pagination: _, ...votesArguments } = operations.listVotes.arguments;
const { atLeastOneOf } = operations.listVotes;

const unsorted =
  `${operation} expected votes sorted by block, newest first, with block times in their cursors. ` +
  "Use another node.";
const unreachable =
  `${operation} cannot reach all votes: more share a block than fit on a page. ` +
  "Request them by party, and follow from `availableFrom`.";

const emptied = `${operation} received no votes, although it has received some before. Another node may have them.`;

/** Most polls find few votes. */
const smallPage = 100;

interface State {
  /** Every vote that was written before it was in a batch. */
  readonly upTo: Checkpoint;
  /** The votes that were yielded last, by their natural key: nodes rewrite votes that have not changed. */
  readonly seen: ReadonlyMap<string, string>;
}

/** A vote and the time of the block in which it was last written. */
type WrittenVote = { readonly vote: Vote; readonly time: bigint };

/** Votes are sorted by the block in which they were last written: a poll reads from the newest to the checkpoint. */
export const votes: FollowerKind<Query, State, Batch<Vote>, Vote> = {
  operation,
  spec: { arguments: votesArguments, atLeastOneOf },
  checks: followChecks,
  pageSize: largestPage,
  begin: (from) => ({ upTo: readCheckpoint(operation, from), seen: new Map() }),
  async poll({ upTo, seen }, context) {
    if (upTo === "now") {
      const { end, block } = await readBack(0n, context, 1);
      return { state: { upTo: end, seen }, block, batch: batchOf([], end, end) };
    }
    const size = Math.min(smallPage, context.pageSize);
    const few = upTo > 0n ? await readBack(upTo, context, size) : undefined;
    const { written, count, end, block } = few?.isWhole ? few : await readBack(upTo, context);
    // Votes never leave a list. The poll is repeated: another node may respond.
    if (count === 0 && seen.size > 0) throw new PaginationError(emptied, { operation, reason: "behind" });
    if (end <= upTo) return { state: { upTo, seen }, block };
    const isNew = ({ vote }: WrittenVote) => seen.get(keyOf(vote)) !== voteKeyOf(vote);
    const records = written
      .filter(isNew)
      .sort(inOrder)
      .map(({ vote }) => vote);
    const batch = batchOf(records, upTo, end);
    // Most blocks have no votes.
    if (records.length === 0) return { state: { upTo: end, seen }, block, batch };
    const changed = new Map(records.map((vote) => [keyOf(vote), voteKeyOf(vote)]));
    const all = [...seen].filter(([key]) => !changed.has(key)).concat([...changed]);
    // As many as two pages have: a proposal with more cannot be followed to its close.
    const state = { upTo: end, seen: new Map(all.slice(-2 * context.pageSize)) };
    return { state, block, batch };
  },
  valuesOf: ({ records }) => records,
};

/** Reads the votes that were written from a time on, newest first; at most `maxItems`. */
async function readBack(start: bigint, context: PollContext<Query>, maxItems?: number) {
  const { client, query, call, pageSize } = context;
  const pagination = { first: maxItems ?? pageSize, newestFirst: true };
  const listing = client.listVotes({ ...query, pagination }, { ...call, maxItems, readAhead: false });
  const written: WrittenVote[] = [];
  let block: Block | undefined;
  let count = 0;
  try {
    for await (const { edges, block: own } of listing.pages()) {
      if (own === undefined) throw missingBlock(operation);
      // No later page is of an earlier block.
      block ??= own;
      count += edges.length;
      for (const { cursor, node: vote } of edges) {
        const time = nanosecondsOf(cursor);
        // A vote that is written meanwhile comes with the next batch.
        if (time !== undefined && time >= finalTime(block.timestamp)) continue;
        const isInOrder = time !== undefined && time <= (written.at(-1)?.time ?? time);
        if (!isInOrder) throw new VegaError(unsorted, { operation });
        written.push({ vote, time });
      }
      if ((written.at(-1)?.time ?? start) < start) break;
    }
  } catch (error) {
    if (!PaginationError.is(error) || error.reason === "behind" || written.length === 0) throw error;
    const availableFrom = (written.at(-1)?.time ?? 0n) + 1000n;
    throw new PaginationError(unreachable, { operation, reason: "gap", availableFrom, cause: error });
  }
  if (block === undefined) throw missingBlock(operation);
  const isNew = ({ time }: WrittenVote) => time >= start;
  // Votes after the block count as well: earlier ones can follow them.
  const isWhole = maxItems === undefined || count < maxItems || written.some((each) => !isNew(each));
  return { written: written.filter(isNew), count, block, end: finalTime(block.timestamp), isWhole };
}

/** By block; within a block by proposal and party, because the order of a node varies. */
const inOrder = (a: WrittenVote, b: WrittenVote) => Number(a.time - b.time) || compare(keyOf(a.vote), keyOf(b.vote));

/** The natural key of a vote, whenever it was cast. */
const keyOf = ({ partyId, proposalId }: Vote): string => `${proposalId} ${partyId}`;
