import type { VotesOfParty, VotesOnProposal } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { Vote } from "../../generated/types.js";
import { systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import type { Listing, Page } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import { nanosecondsOf } from "../evidence/page.js";
import type { Block } from "../http/call.js";
import { compareText } from "../values/integers.js";
import { finalTime } from "../values/times.js";
import {
  type Batch,
  blockOf,
  earlier,
  type Follower,
  type FollowSettings,
  firstPageOf,
  follower,
  type Poll,
  unusable,
} from "./follower.js";
import { type Checkpoint, type FollowFromOptions, followFromChecks, readCheckpoint } from "./options.js";

/** The argument of {@link followVotes}. */
export type FollowVotesArguments = Omit<VotesOfParty, "pagination"> | Omit<VotesOnProposal, "pagination">;

const operation = "followVotes";
const { pagination: _, ...votesArguments } = operations.listVotes.arguments;
const { atLeastOneOf } = operations.listVotes;

/** Most polls find few votes. If a page of this size does not reach back to the checkpoint, larger ones are read. */
const smallPage = 100;

/**
 * Follows the votes on a proposal, or those of a party: each vote when its block is final, in order of the blocks in which they
 * were last written. A vote of which several versions are written between two polls comes in the last one.
 *
 * A closing proposal rewrites all its votes (observed on v0.74 nodes). A rewritten vote is yielded again only if a field changed.
 * A follower that continues from a `resume` does not know the votes before it: it also yields rewritten votes without a change.
 *
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
  query: FollowVotesArguments,
  options: FollowFromOptions = {},
): Follower<Vote> {
  return followVotesWith({ clock: systemClock, pageSize: 5000 }, client, query, options);
}

/** @internal */
export const followVotesWith = (
  { clock, pageSize }: FollowSettings,
  client: VegaClient,
  query: FollowVotesArguments,
  options: FollowFromOptions,
): Follower<Vote> =>
  follower<Vote, Batch<Vote>>({
    operation,
    clock,
    client,
    query,
    spec: { arguments: votesArguments, atLeastOneOf },
    options,
    checks: followFromChecks,
    open: (call) => {
      const list = (first: number, signal: AbortSignal) =>
        client.listVotes({ ...query, pagination: { first, newestFirst: true } }, { ...call, signal });
      const source = new VotesSource(list, pageSize, readCheckpoint(operation, options.from));
      return (signal) => source.poll(signal);
    },
  });

/** A vote and the time of the block in which it was last written. */
interface WrittenVote {
  vote: Vote;
  time: bigint;
}

/** The votes of one page or of several, newest first. */
interface VotesReading {
  votes: readonly WrittenVote[];
  /** The earliest of the current blocks. */
  block: Block;
  /** The last page. */
  page: Page<Vote>;
}

/** Reads the votes that were written since a checkpoint. */
class VotesSource {
  readonly #list: (first: number, signal: AbortSignal) => Listing<Vote>;
  readonly #pageSize: number;
  /** The votes that were yielded, by their natural key: nodes rewrite votes that have not changed. */
  readonly #seen = new Map<string, string>();
  /** Every vote that was written before it was in a batch. */
  #checkpoint: Checkpoint;

  constructor(list: (first: number, signal: AbortSignal) => Listing<Vote>, pageSize: number, start: Checkpoint) {
    this.#list = list;
    this.#pageSize = pageSize;
    this.#checkpoint = start;
  }

  async poll(signal: AbortSignal): Promise<Poll<Batch<Vote>>> {
    const checkpoint = this.#checkpoint;
    const { votes, block } = await (checkpoint === "now" ? this.#readPage(1, signal) : this.#read(checkpoint, signal));
    const upTo = finalTime(block.timestamp);
    if (checkpoint !== "now" && upTo <= checkpoint) return { block };
    this.#checkpoint = upTo;
    const isNew = ({ vote, time }: WrittenVote) =>
      checkpoint !== "now" && time >= checkpoint && time < upTo && this.#isChanged(vote);
    const records = [...votes].sort(inOrder).filter(isNew);
    const batch = {
      records: records.map(({ vote }) => vote),
      from: checkpoint === "now" ? upTo : checkpoint,
      upTo,
      resume: `${upTo}` as const,
    };
    return { block, batch };
  }

  #isChanged(vote: Vote): boolean {
    const [key, text] = [keyOf(vote), canonical(vote)];
    if (this.#seen.get(key) === text) return false;
    this.#seen.set(key, text);
    return true;
  }

  /** Reads back to the checkpoint: a small page first, then large ones. */
  async #read(checkpoint: bigint, signal: AbortSignal): Promise<VotesReading> {
    const isEnough = ({ page, votes, block }: VotesReading) =>
      !page.pageInfo?.hasNextPage ||
      finalTime(block.timestamp) <= checkpoint ||
      (votes.at(-1)?.time ?? checkpoint) < checkpoint;
    let reading = await this.#readPage(checkpoint > 0n ? Math.min(smallPage, this.#pageSize) : this.#pageSize, signal);
    if (isEnough(reading)) return reading;
    if (checkpoint > 0n) reading = await this.#readPage(this.#pageSize, signal);
    while (!isEnough(reading)) {
      const { votes, block } = reading;
      // Loses no vote at the border between two pages, or rejects.
      const page = await reading.page.nextPage().catch((error: unknown) => {
        throw PaginationError.is(error) ? gapAfter(votes, error) : error;
      });
      if (page === undefined) break;
      reading = { page, votes: [...votes, ...readVotes(page)], block: earlier(block, blockOf(operation, page)) };
    }
    return reading;
  }

  async #readPage(size: number, signal: AbortSignal): Promise<VotesReading> {
    const page = await firstPageOf(this.#list(size, signal));
    return { page, votes: readVotes(page), block: blockOf(operation, page) };
  }
}

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

/** JSON with the members of objects in order of their names: the order on the wire means nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort())
      : member,
  );
}
