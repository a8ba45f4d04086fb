import { checkOptions, type OptionCheck } from "../arguments/check-options.js";
import { type ArgumentsSpec, readArguments } from "../arguments/read-arguments.js";
import { refuse } from "../arguments/refuse.js";
import { onAbort, untilAborted } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { ignore, WalkIterator } from "../async/item-iterator.js";
import { sleep } from "../async/sleep.js";
import type { VegaClient } from "../client/client.js";
import { ApiError, annotate, RateLimitError, TimeoutError, VegaError } from "../errors/index.js";
import type { Block } from "../http/block.js";
import type { CallOptions } from "../http/call-options.js";
import { createEmit, type Emit, observedError, type WithoutTime } from "../http/events.js";
import { isTransient } from "../http/retry.js";
import { retryAfter } from "../http/retry-after.js";
import type { FollowEvent } from "./follow-events.js";
import type { FollowFromOptions } from "./follow-options.js";
import { Pace } from "./pace.js";
import { StalledError } from "./stalled-error.js";

/** What one poll found. */
export interface Poll<B> {
  /** The current block: of several responses, the earliest. */
  block: Block;
  /** Left out if the block is not later than that of the last batch. */
  batch?: B;
  /** Whether more records can be read at once. */
  hasMore?: boolean;
}

/** Finds what is new since its last poll. */
export type PollOnce<B> = (signal: AbortSignal) => Promise<Poll<B>>;

export interface PollingOptions<B> {
  operation: string;
  clock: Clock;
  client: VegaClient;
  /** The caller's query, and what it can have. */
  query: unknown;
  spec: ArgumentsSpec;
  /** The caller's options, and their checks. */
  options: FollowFromOptions;
  checks: Readonly<Record<string, OptionCheck>>;
  /** Called once, when the follower is used: wrong arguments and options are a rejection then. */
  open(call: CallOptions): PollOnce<B>;
}

/** A batch as far as the loop is concerned. */
interface AnyBatch {
  records: readonly unknown[];
  resume?: `${bigint}`;
}

/** The wait after a failed poll, in milliseconds. It doubles with each further failure. */
const firstDelay = 1000;
const longestDelay = 30_000;
/** A poll that takes longer has failed, whatever deadlines its requests have: a follower must not hang forever. */
const longestPoll = 300_000;

/** The loop of a follower: it waits, polls, repeats polls that failed, and detects a chain without new blocks. */
export class Polling<B extends AnyBatch> extends WalkIterator<B> {
  readonly #settings: PollingOptions<B>;
  /** Cancels the wait or the poll in flight. */
  readonly #controller = new AbortController();
  #poll: PollOnce<B> | undefined;
  #pace = new Pace();
  #emit: Emit<FollowEvent> = ignore;
  #nextPollAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #newest: { block: Block; seenAt: number } | undefined;
  #resume: FollowFromOptions["from"];

  constructor(settings: PollingOptions<B>) {
    super();
    this.#settings = settings;
  }

  protected override async advance(): Promise<IteratorResult<B, undefined>> {
    const poll = this.#poll ?? this.#open();
    try {
      for (;;) {
        await this.#wait();
        const batch = await this.#attempt(poll);
        if (batch === undefined) continue;
        this.#resume = batch.resume;
        return { done: false, value: batch };
      }
    } catch (error) {
      if (!VegaError.is(error)) throw error;
      // What the listing inside of a poll would continue from is of no use to the caller.
      throw annotate(error, { resume: this.#resume === undefined ? undefined : { from: this.#resume } });
    }
  }

  protected override cancel(): void {
    this.#controller.abort();
  }

  #open(): PollOnce<B> {
    const { operation, clock, client, query, spec, options, checks, open } = this.#settings;
    if (typeof client?.listVotes !== "function") {
      refuse({ operation, argument: "client" }, "a client", client);
    }
    readArguments(operation, spec, query);
    checkOptions(checks, options, { name: operation, operation });
    const { from = "now", pollInterval, stalledAfter: _, observe, signal: __, ...call } = options;
    this.#pace = new Pace(pollInterval);
    if (observe) this.#emit = createEmit<WithoutTime<FollowEvent>>(observe, clock);
    if ("from" in checks) this.#resume = from;
    this.#poll = open(call);
    return this.#poll;
  }

  async #wait(): Promise<void> {
    const { clock, options } = this.#settings;
    const milliseconds = this.#nextPollAt - clock.now();
    if (milliseconds <= 0) return;
    await untilAborted(options.signal, this.#controller, (signal) => sleep(clock, milliseconds, signal));
  }

  /** Polls once. Returns `undefined` if nothing is new, or after a transient failure. */
  async #attempt(poll: PollOnce<B>): Promise<B | undefined> {
    const { clock, options } = this.#settings;
    const startedAt = clock.now();
    try {
      const { block, batch, hasMore } = await this.#run(poll);
      this.#failures = 0;
      this.#pace.observe(block, batch !== undefined && batch.records.length > 0);
      this.#nextPollAt = hasMore ? startedAt : startedAt + this.#pace.interval;
      this.#observe(block, batch !== undefined);
      return batch;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isTransient(error) && !TimeoutError.is(error)) throw error;
      this.#repeatLater(error);
      return undefined;
    }
  }

  async #run(poll: PollOnce<B>): Promise<Poll<B>> {
    const { operation, clock, options } = this.#settings;
    this.#controller.signal.throwIfAborted();
    // Of this poll alone: its deadline must not end the follower.
    const controller = new AbortController();
    const removeListener = onAbort(this.#controller.signal, () => controller.abort(this.#controller.signal.reason));
    const cancelTimer = clock.after(longestPoll, () => {
      const message = `${operation} took longer than ${longestPoll} ms in total`;
      controller.abort(new TimeoutError(message, { scope: "total", operation }));
    });
    try {
      return await untilAborted(options.signal, controller, poll);
    } finally {
      cancelTimer();
      removeListener();
    }
  }

  #repeatLater(error: unknown): void {
    const { operation, clock } = this.#settings;
    const backoff = Math.min(longestDelay, firstDelay * 2 ** this.#failures++);
    const delay = Math.max(backoff, namedDelay(error, clock));
    this.#nextPollAt = clock.now() + delay;
    this.#emit({ type: "retry", operation, failures: this.#failures, delay, error: observedError(error) });
  }

  #observe(block: Block, hasBatch: boolean): void {
    const { operation, clock, options } = this.#settings;
    const { stalledAfter = 60_000 } = options;
    const now = clock.now();
    const newest = this.#newest;
    if (newest === undefined || block.timestamp > newest.block.timestamp) {
      this.#newest = { block, seenAt: now };
      return;
    }
    if (block.timestamp < newest.block.timestamp)
      this.#emit({ type: "behind", operation, block, newest: newest.block });
    const stalledFor = now - newest.seenAt;
    if (hasBatch || stalledFor < stalledAfter) return;
    throw new StalledError(
      `${operation} has seen no block after ${newest.block.height} for ${Math.round(stalledFor)} ms`,
      {
        operation,
        block: newest.block,
        stalledFor,
      },
    );
  }
}

/** The milliseconds that a server asks to wait for. A client that is banned sends nothing until they have passed. */
function namedDelay(error: unknown, clock: Clock): number {
  if (RateLimitError.is(error)) return (error.retryAfter ?? 0) * 1000;
  return ApiError.is(error) ? (retryAfter(error.status, error.headers, clock) ?? 0) : 0;
}
