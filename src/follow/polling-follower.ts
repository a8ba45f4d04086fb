import { callback, checkOptions, deadline } from "../arguments/check-options.js";
import { readArguments } from "../arguments/read-arguments.js";
import { refuse } from "../arguments/refuse.js";
import { sleep, untilAborted } from "../async/abort.js";
import { type Clock, systemClock } from "../async/clock.js";
import { type Batches, ItemIterator, ignore } from "../async/item-iterator.js";
import type { VegaClient } from "../client/client.js";
import { annotate, PaginationError, TimeoutError, VegaError } from "../errors/index.js";
import { createEmit, observedError } from "../http/events.js";
import { backoff, isTransient, namedDelay } from "../http/retry.js";
import type { Block } from "../values/block.js";
import type { Follower, FollowerKind, FollowSettings } from "./follower.js";
import { type FollowEvent, type FollowOptions, StalledError } from "./options.js";

/** The wait after a failed poll, in milliseconds, and the one between two polls while no records come. */
const retryDelay = { baseDelay: 1000, maxDelay: 30_000 };
const [firstInterval, longestInterval] = [1000, 15_000];

/** The loop of every follower. See `index.ts`. */
export class PollingFollower<Query, S, B extends { records: readonly unknown[]; resume?: `${bigint}` }, V>
  extends ItemIterator<B["records"][number]>
  implements Follower<B["records"][number], B, V>
{
  readonly #kind: FollowerKind<Query, S, B, V>;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #batches: ItemIterator<B>;
  lastHeard: Date | undefined;

  constructor(
    kind: FollowerKind<Query, S, B, V>,
    client: VegaClient,
    query: Query,
    options: FollowOptions,
    settings: FollowSettings = { clock: systemClock, random: Math.random },
  ) {
    const next = async () => {
      const { value } = await this.#batches.next();
      return value && { items: value.records };
    };
    super(async () => ({ signal: options?.signal, next, end: ignore }));
    this.#kind = kind;
    this.#clock = settings.clock;
    // Wrong arguments and options are a rejection when the follower is used.
    this.#batches = new ItemIterator<B>(async () => {
      const { operation, spec, checks } = kind;
      if (typeof client?.listVotes !== "function") refuse({ operation, argument: "client" }, "a client", client);
      readArguments(operation, spec, query);
      checkOptions(checks, options, { name: operation, operation });
      return this.#start(client, query, options, settings);
    });
  }

  batches(): ItemIterator<B> {
    return this.#batches;
  }

  async until(predicate: (value: V) => boolean | Promise<boolean>, options: { timeout?: number | undefined } = {}) {
    const { operation, valuesOf } = this.#kind;
    callback(predicate, { operation, argument: "predicate" });
    checkOptions({ timeout: deadline }, options, { name: "until", operation });
    const { timeout = Number.POSITIVE_INFINITY } = options;
    const late = `${operation} has not found within ${timeout} ms what \`until\` waits for`;
    const end = () => this.#controller.abort(new TimeoutError(late, { operation, scope: "total" }));
    const cancel = timeout === Number.POSITIVE_INFINITY ? ignore : this.#clock.after(timeout, end);
    try {
      for await (const batch of this.#batches) {
        for (const value of valuesOf(batch)) if (await predicate(value)) return value;
      }
    } finally {
      cancel();
      await this.return();
    }
    throw new VegaError(`${operation} was ended`, { operation });
  }

  protected override cancel(): void {
    super.cancel();
    this.#batches.return();
  }

  #start(client: VegaClient, query: Query, options: FollowOptions, settings: FollowSettings): Batches<B> {
    const { operation, checks, begin, poll } = this.#kind;
    const { clock, random, pageSize = this.#kind.pageSize } = settings;
    const { from, pollInterval, stalledAfter = 60_000, observe, ...call } = options;
    const emit = createEmit<FollowEvent>(observe, clock);
    let state = begin(from);
    let resume: VegaError["resume"] = "from" in checks ? { from: from ?? "now" } : undefined;
    let nextPollAt = Number.NEGATIVE_INFINITY;
    let idlePolls = 0;
    let failures = 0;
    let newest: Block | undefined;
    /** When the first poll without a new block began; `Infinity` if the last poll found one. */
    let quietSince = Number.POSITIVE_INFINITY;

    /** Waits, and polls once. Returns `undefined` if nothing is new, or after a failure that can pass. */
    const attempt = async (signal: AbortSignal): Promise<B | undefined> => {
      const wait = nextPollAt - clock.now();
      if (wait > 0) await sleep(clock, wait, signal);
      const startedAt = clock.now();
      quietSince = Math.min(quietSince, startedAt);
      try {
        const found = await poll(state, { client, query, call: { ...call, signal }, pageSize });
        hear(found.block);
        state = found.state;
        idlePolls = found.batch?.records.length ? 0 : idlePolls + 1;
        const interval = pollInterval ?? Math.min(longestInterval, firstInterval * 1.5 ** idlePolls);
        nextPollAt = startedAt + (found.hasMore ? 0 : interval);
        return found.batch;
      } catch (error) {
        signal.throwIfAborted();
        if (!canPass(error)) throw error;
        const delay = noteFailure(error);
        nextPollAt = clock.now() + delay;
        emit?.({ type: "retry", operation, failures, delay, error: observedError(error) });
        return undefined;
      }
    };

    const hear = (block: Block): void => {
      this.lastHeard = new Date(clock.date());
      failures = 0;
      if (newest === undefined || block.timestamp > newest.timestamp) {
        newest = block;
        quietSince = Number.POSITIVE_INFINITY;
        return;
      }
      if (block.timestamp < newest.timestamp) emit?.({ type: "behind", operation, block, newest });
      checkQuiet();
    };

    const noteFailure = (error: VegaError): number => {
      failures++;
      const named = namedDelay(error, clock);
      // A server that says when to return is not silent.
      if (named > 0) quietSince = clock.now() + named;
      checkQuiet(error);
      const left = quietSince + stalledAfter - clock.now();
      return Math.max(named, Math.min(left, backoff(failures, { ...retryDelay, random })));
    };

    const checkQuiet = (cause?: VegaError): void => {
      const stalledFor = clock.now() - quietSince;
      if (stalledFor < stalledAfter) return;
      const after = newest ? ` after block ${newest.height}` : "";
      const message = `${operation} received no new block${after} for ${Number((stalledFor / 1000).toFixed(1))} s`;
      const members = { operation, block: newest, stalledFor, cause };
      throw new StalledError(cause ? `${message}: ${cause.message}` : message, members);
    };

    const next = async (): Promise<{ items: readonly [B] }> => {
      quietSince = Number.POSITIVE_INFINITY;
      try {
        for (;;) {
          const batch = await untilAborted(options.signal, this.#controller, attempt);
          if (batch === undefined) continue;
          resume = batch.resume && { from: batch.resume };
          return { items: [batch] };
        }
      } catch (error) {
        // The position of the reading inside of a poll is of no use to the caller.
        throw VegaError.is(error) ? annotate(error, { resume }) : error;
      }
    };
    return { next, end: () => this.#controller.abort() };
  }
}

/** Whether a poll that has failed with an error can succeed later. */
const canPass = (error: unknown): error is VegaError =>
  isTransient(error) || TimeoutError.is(error) || (PaginationError.is(error) && error.reason === "behind");
