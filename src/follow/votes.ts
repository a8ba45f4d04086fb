import type { VotesOfParty, VotesOnProposal } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { Vote } from "../../generated/types.js";
import { systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import type { ListingOptions, Page } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import { nanosecondsOf } from "../evidence/cursors.js";
import type { Block } from "../http/call.js";
import { compareText } from "../values/integers.js";
import { finalTime } from "../values/times.js";
import { type Batch, type Follower, type FollowSettings, PollingFollower, readPages, unusable } from "./follower.js";
import { type FollowOptions, followChecks, readCheckpoint } from "./options.js";

const operation = "followVotes";
const { pagination: _, ...votesArguments } = operations.listVotes.arguments;
const { atLeastOneOf } = operations.listVotes;

const smallPage = 100;

/**
 * Follows the votes on a proposal, or those of a party: each vote when its block is final, in order of the blocks in which they
 * were last written. A vote of which several versions are written between two polls comes in the last one.
 *
 * A closing proposal rewrites all its votes (observed on v0.74 nodes). A rewritten vote is yielded again only if a field changed.
 * A follower that continues from a `resume` does not know the votes before it: it also yields rewritten votes without a change.
 *
 * @param client - The client to poll with.
 * @param query - The proposal or the party whose votes to follow.
 * @param options - Where to begin, how often to poll, and the options of each request.
 * @throws The next call rejects with a {@link StalledError}; with a `PaginationError`, `reason: "gap"`, if not all votes since the
 * checkpoint can be reached; with an `ApiError` or a `ResponseError` that is not transient; with an `ArgumentError`.
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
  return followVotesWith({ clock: systemClock, random: Math.random, pageSize: 5000 }, client, query, options);
}

/** @internal */
export const followVotesWith = (
  { clock, random, pageSize }: FollowSettings,
  client: VegaClient,
  query: Parameters<typeof followVotes>[1],
  options: FollowOptions,
): Follower<Vote> =>
  new PollingFollower<Vote, Batch<Vote>>({
    operation,
    clock,
    random,
    client,
    query,
    spec: { arguments: votesArguments, atLeastOneOf },
    options,
    checks: followChecks,
    open: () => {
      /** Reads pages back to a vote that was written before a checkpoint; without one, a single page. */
      const read = async (first: number, start: bigint | undefined, call: ListingOptions): Promise<VotesReading> => {
        const listing = client.listVotes({ ...query, pagination: { first, newestFirst: true } }, call);
        const votes: WrittenVote[] = [];
        const isEnough = (page: Page<Vote>, block: Block) => {
          votes.push(...readVotes(page));
          return start === undefined || reachesBack({ votes, block }, start);
        };
        // Loses no vote at the border between two pages, or rejects.
        const { block, hasMore } = await readPages(operation, listing, isEnough).catch((error: unknown) => {
          throw PaginationError.is(error) && votes.length > 0 ? gapAfter(votes, error) : error;
        });
        return { votes, block, hasMore };
      };
      /** The votes that were yielded, by their natural key: nodes rewrite votes that have not changed. */
      const seen = new Map<string, string>();
      const isChanged = (vote: Vote) => {
        const [key, text] = [keyOf(vote), JSON.stringify(vote)];
        const isKnown = seen.get(key) === text;
        seen.set(key, text);
        return !isKnown;
      };
      /** Every vote that was written before it was in a batch. */
      let checkpoint = readCheckpoint(operation, options.from);
      return async (call) => {
        const start = checkpoint === "now" ? undefined : checkpoint;
        // Most polls find few votes: a small page first, unless all of them are wanted.
        const size = start === undefined ? 1 : start > 0n ? Math.min(smallPage, pageSize) : pageSize;
        let reading = await read(size, size < pageSize ? undefined : start, call);
        const isShort = start !== undefined && size < pageSize && reading.hasMore;
        if (isShort && !reachesBack(reading, start)) reading = await read(pageSize, start, call);
        const { votes, block } = reading;
        const upTo = finalTime(block.timestamp);
        if (start !== undefined && upTo <= start) return { block };
        checkpoint = upTo;
        const isNew = ({ vote, time }: WrittenVote) =>
          start !== undefined && time >= start && time < upTo && isChanged(vote);
        const records = votes
          .sort(inOrder)
          .filter(isNew)
          .map(({ vote }) => vote);
        return { block, batch: { records, from: start ?? upTo, upTo, resume: `${upTo}` } };
      };
    },
  });

/** A vote and the time of the block in which it was last written. */
interface WrittenVote {
  vote: Vote;
  time: bigint;
}

interface VotesReading {
  /** Newest first. */
  votes: WrittenVote[];
  block: Block;
  hasMore: boolean;
}

/** Whether a reading has a vote that was written before a checkpoint, or is of no later block. */
const reachesBack = ({ votes, block }: Pick<VotesReading, "votes" | "block">, checkpoint: bigint): boolean =>
  finalTime(block.timestamp) <= checkpoint || (votes.at(-1)?.time ?? checkpoint) < checkpoint;

/** By block; within a block by proposal and party, because the order of a node varies. */
const inOrder = (a: WrittenVote, b: WrittenVote) =>
  Number(a.time - b.time) || compareText(keyOf(a.vote), keyOf(b.vote));

/** The votes of a page, newest first, each with the time of its block, which only the cursor names. */
function readVotes({ edges, response }: Page<Vote>): WrittenVote[] {
  let previous: bigint | undefined;
  return edges.map(({ cursor, node: vote }) => {
    const time = nanosecondsOf(cursor);
    if (time === undefined) throw unusable(operation, "a vote with a cursor that names no block", response, cursor);
    if (previous !== undefined && time > previous) {
      throw unusable(operation, "votes that are out of order", response, vote);
    }
    previous = time;
    return { vote, time };
  });
}

function gapAfter(votes: readonly WrittenVote[], cause: PaginationError): PaginationError {
  return new PaginationError(
    `${operation} cannot reach all votes: more share a block than fit on a page. Request them by party, and follow from ` +
      "`availableFrom`.",
    { operation, reason: "gap", availableFrom: (votes.at(-1)?.time ?? 0n) + 1000n, cause },
  );
}

/** The natural key of a vote, whenever it was cast. */
const keyOf = ({ partyId, proposalId }: Vote): string => `${proposalId} ${partyId}`;
