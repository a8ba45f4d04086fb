import { checkOptions, type OptionCheck } from "../arguments/check-options.js";
import { type ArgumentsSpec, readArguments } from "../arguments/read-arguments.js";
import { refuse } from "../arguments/refuse.js";
import { sleep, untilAborted } from "../async/abort.js";
import { backoff } from "../async/backoff.js";
import type { Clock } from "../async/clock.js";
import { type Batches, ItemIterator } from "../async/item-iterator.js";
import type { VegaClient } from "../client/client.js";
import type { Listing, ListingOptions, Page } from "../client/listing.js";
import { ApiError, annotate, RateLimitError, ResponseError, TimeoutError, VegaError } from "../errors/index.js";
import type { Block } from "../http/call.js";
import { createEmit, observedError } from "../http/events.js";
import { isTransient, retryAfter } from "../http/retry.js";
import { type FollowEvent, type FollowOptions, StalledError } from "./options.js";

/** New records, and how far they are complete. */
export interface Batch<T> {
  /** The records of one or several blocks, oldest first; empty if these blocks have none. */
  records: readonly T[];
  /**
   * Unix nanoseconds: every record of a block from this time on, and before `upTo`, is in this batch. It is where the batch before
   * ends, or in the first batch, where the history of the node begins.
   */
  from: bigint;
  /** Unix nanoseconds: every record of a block before this time was in this batch or in an earlier one. */
  upTo: bigint;
  /** The checkpoint after this batch for the option `from`, which is `upTo` in digits. It is valid on any node, at any time. */
  resume: `${bigint}`;
}

/**
 * New records as they come. Nothing is sent before it is used, and it polls only while the caller waits.
 *
 * A follower is one loop, over records or over batches. `break`, `return()`, the option `signal` and `await using` end it at
 * once, also in a wait; a follower that has ended yields nothing more. A `VegaError` that ends it has `resume` with the
 * option `from` that continues after what was yielded.
 */
export interface Follower<T, B = Batch<T>> extends AsyncGenerator<T, undefined, undefined> {
  /**
   * The records in batches, each with the checkpoint after it. A batch that is stored together with its checkpoint, in one
   * transaction, is processed exactly once.
   *
   * @example
   * ```ts no-run
   * const follower = followVotes(client, { proposalId }, { from: "start" });
   * for await (const { records, resume } of follower.batches()) await save(records, resume);
   * ```
   */
  batches(): AsyncGenerator<B, undefined, undefined>;
}

/** What tests replace. */
export interface FollowSettings {
  clock: Clock;
  /** Returns a number from 0 up to, but not including, 1. */
  random: () => number;
  /** How many records to request at once. */
  pageSize: number;
}

/** What one poll found. */
export interface Poll<B> {
  /** The current block: of several responses, the earliest. */
  block: Block;
  /** Left out if the block is not later than that of the last batch. */
  batch?: B;
  /** Whether more records can be read at once. */
  hasMore?: boolean;
}

export interface FollowerSettings<B> extends Pick<FollowSettings, "clock" | "random"> {
  operation: string;
  client: VegaClient;
  /** The caller's query, and what it can have. */
  query: unknown;
  spec: ArgumentsSpec;
  /** The caller's options, and their checks. */
  options: FollowOptions;
  checks: Readonly<Record<string, OptionCheck>>;
  /** Called once, when the follower is used: wrong arguments and options are a rejection then. Finds what is new since its last poll. */
  open(): (call: ListingOptions) => Promise<Poll<B>>;
}

/** The wait after a failed poll, in milliseconds. */
const retryDelay = { baseDelay: 1000, maxDelay: 30_000 };
/** The wait between two polls, in milliseconds, if the caller does not name an interval. It grows while no records come. */
const firstInterval = 1000;
const longestInterval = 15_000;

/** The loop of a follower: it waits, polls, repeats polls that failed, and detects a chain without new blocks. */
function startPolling<B extends { records: readonly unknown[]; resume?: `${bigint}` }>(
  settings: FollowerSettings<B>,
): Batches<B> {
  const { operation, clock, random, client, query, spec, options, checks, open } = settings;
  if (typeof client?.listVotes !== "function") refuse({ operation, argument: "client" }, "a client", client);
  readArguments(operation, spec, query);
  checkOptions(checks, options, { name: operation, operation });
  const { from = "now", pollInterval, stalledAfter = 60_000, observe, ...call } = options;
  const emit = createEmit<FollowEvent>(observe, clock);
  const poll = open();
  const controller = new AbortController();
  let nextPollAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let idlePolls = 0;
  let newest: { block: Block; seenAt: number } | undefined;
  let resume = "from" in checks ? from : undefined;

  /** Waits, and polls once. Returns `undefined` if nothing is new, or after a transient failure. */
  async function attempt(signal: AbortSignal): Promise<B | undefined> {
    const wait = nextPollAt - clock.now();
    if (wait > 0) await sleep(clock, wait, signal);
    const startedAt = clock.now();
    try {
      const { block, batch, hasMore } = await poll({ ...call, signal, readAhead: false });
      failures = 0;
      idlePolls = batch?.records.length ? 0 : idlePolls + 1;
      checkBlock(block, batch !== undefined);
      const interval = pollInterval ?? Math.min(longestInterval, firstInterval * 1.5 ** idlePolls);
      nextPollAt = startedAt + (hasMore ? 0 : interval);
      return batch;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error) && !TimeoutError.is(error)) throw error;
      failures++;
      const delay = Math.max(backoff(failures, { ...retryDelay, random }), namedDelay(error, clock));
      nextPollAt = clock.now() + delay;
      emit?.({ type: "retry", operation, failures, delay, error: observedError(error) });
      return undefined;
    }
  }

  /** @throws {@link StalledError} if no new block has come for too long. */
  function checkBlock(block: Block, hasBatch: boolean): void {
    if (newest === undefined || block.timestamp > newest.block.timestamp) {
      newest = { block, seenAt: clock.now() };
      return;
    }
    if (block.timestamp < newest.block.timestamp) emit?.({ type: "behind", operation, block, newest: newest.block });
    const stalledFor = clock.now() - newest.seenAt;
    if (hasBatch || stalledFor < stalledAfter) return;
    const message = `${operation} has seen no block after ${newest.block.height} for ${Math.round(stalledFor)} ms`;
    throw new StalledError(message, { operation, block: newest.block, stalledFor });
  }

  return {
    async next() {
      try {
        let batch: B | undefined;
        while (batch === undefined) batch = await untilAborted(options.signal, controller, attempt);
        resume = batch.resume;
        return [batch];
      } catch (error) {
        if (!VegaError.is(error)) throw error;
        // What the listing inside of a poll would continue from is of no use to the caller.
        throw annotate(error, { resume: resume === undefined ? undefined : { from: resume } });
      }
    },
    end: () => controller.abort(),
  };
}

/** The milliseconds that a server asks to wait for. A client that is banned sends nothing until they have passed. */
function namedDelay(error: unknown, clock: Clock): number {
  if (RateLimitError.is(error)) return (error.retryAfter ?? 0) * 1000;
  return ApiError.is(error) ? (retryAfter(error.status, error.headers, clock) ?? 0) : 0;
}

/** Yields the records of the batches that polls find. */
export class PollingFollower<T, B extends { records: readonly T[] }> extends ItemIterator<T> implements Follower<T, B> {
  readonly #batches: ItemIterator<B>;

  constructor(settings: FollowerSettings<B>) {
    const batches = new ItemIterator<B>(async () => startPolling(settings));
    const next = async () => (await batches.next()).value?.records;
    super(async () => ({ signal: settings.options?.signal, next, end: () => void batches.return() }));
    this.#batches = batches;
  }

  batches(): ItemIterator<B> {
    return this.#batches;
  }

  protected override cancel(): void {
    super.cancel();
    this.#batches.return();
  }
}

/** The error of a response that a follower cannot use. */
export const unusable = (operation: string, what: string, response: Response, body?: unknown): ResponseError =>
  new ResponseError(`${operation} got ${what} from ${response.url}`, { operation, attempts: 1, response, body });

/** @throws {@link ResponseError} if the response names no block: nothing shows which records are final. */
function blockOf(operation: string, { block, response }: Page<unknown>): Block {
  if (block !== undefined) return block;
  throw unusable(operation, "a response without X-Block-Height and X-Block-Timestamp", response);
}

/**
 * Reads pages of a list until a function that gets each of them returns that they are enough. The block is the earliest: one response
 * counts up to its own block.
 */
export async function readPages<T>(
  operation: string,
  listing: Listing<T>,
  isEnough: (page: Page<T>, block: Block) => boolean,
): Promise<{ block: Block; hasMore: boolean }> {
  let block: Block | undefined;
  let hasMore = false;
  // A page of a loop has a block if the nodes name any, unlike a page that is awaited alone.
  for await (const page of listing.pages()) {
    const own = blockOf(operation, page);
    if (block === undefined || own.timestamp < block.timestamp) block = own;
    hasMore = page.pageInfo?.hasNextPage ?? false;
    if (isEnough(page, block)) break;
  }
  return { block: block as Block, hasMore };
}
