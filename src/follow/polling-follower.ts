import { callback, checkOptions, deadline } from "../arguments/check-options.js";
import { readArguments, readAtOnce } from "../arguments/read-arguments.js";
import { refuse } from "../arguments/refuse.js";
import { sleep, untilAborted, within } from "../async/abort.js";
import { type Clock, systemClock } from "../async/clock.js";
import { type Batches, ItemIterator, ignore } from "../async/item-iterator.js";
import type { VegaClient } from "../client/client.js";
import { annotate, PaginationError, TimeoutError, VegaError } from "../errors/index.js";
import { createEmit, observedError } from "../http/events.js";
import { backoff, isTransient, requestedDelay } from "../http/retry.js";
import type { Block } from "../values/block.js";
import { unixNanoseconds } from "../values/times.js";
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
  readonly #signal: AbortSignal | undefined;
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
    super(async () => ({ signal: this.#signal, next, end: ignore }));
    this.#kind = kind;
    this.#clock = settings.clock;
    this.#signal = options?.signal;
    // Wrong arguments and options are a rejection when the follower is used.
    const taken = readAtOnce(() => {
      const { operation, spec, checks } = kind;
      if (typeof client?.listVotes !== "function") refuse({ operation, argument: "client" }, "a client", client);
      const checked = readArguments(operation, spec, query) as Query;
      checkOptions(checks, options, { name: operation, operation });
      return this.#start(client, checked, options, settings);
    });
    this.#batches = new ItemIterator<B>(async () => taken());
  }

  batches(): ItemIterator<B> {
    return this.#batches;
  }

  async until(predicate: (value: V) => boolean | Promise<boolean>, options: { timeout?: number | undefined } = {}) {
    const { operation, valuesOf } = this.#kind;
    callback(predicate, { operation, argument: "predicate" });
    checkOptions({ timeout: deadline }, options, { name: "until", operation });
    const { timeout = Number.POSITIVE_INFINITY } = options;
    const message = `No record of ${operation} matched \`until\` within ${timeout} ms`;
    const late = () => new TimeoutError(message, { operation, scope: "total" });
    const search = async () => {
      for await (const batch of this.#batches) {
        for (const value of valuesOf(batch))
          if (await within({ signals: [this.#signal] }, async () => predicate(value))) return value;
      }
      throw new VegaError(`${operation} was ended`, { operation });
    };
    try {
      const limits = { controller: this.#controller, deadline: { clock: this.#clock, milliseconds: timeout, late } };
      return await within(limits, search);
    } finally {
      await this.return();
    }
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
    let newest: Block | undefined;
    /** When the first poll without a new block began; `Infinity` if the last poll found one. */
    let silentSince = Number.POSITIVE_INFINITY;
    // Errors are logged as JSON, which has no `bigint`.
    const start = unixNanoseconds(from)?.toString() ?? from ?? "now";
    let resume: VegaError["resume"] = "from" in checks ? { from: start } : undefined;
    let nextPollAt = Number.NEGATIVE_INFINITY;
    let idlePolls = 0;
    let failures = 0;

    const silenceLeft = () => silentSince + stalledAfter - clock.now();
    const checkSilence = (cause?: VegaError) => {
      if (silenceLeft() <= 0) throw stalledError(operation, newest, Math.round(clock.now() - silentSince), cause);
    };

    /** Waits, and polls once. Returns `undefined` if nothing is new, or after a failure that can pass. */
    const attempt = async (signal: AbortSignal): Promise<B | undefined> => {
      const wait = nextPollAt - clock.now();
      if (wait > 0) {
        await sleep(clock, wait, signal);
        // The timer is late if the machine was suspended, which is not silence.
        silentSince += clock.now() - nextPollAt;
      }
      const startedAt = clock.now();
      silentSince = Math.min(silentSince, startedAt);
      try {
        const found = await poll(state, { client, query, call: { ...call, signal }, pageSize });
        this.lastHeard = new Date(clock.date());
        failures = 0;
        const { block } = found;
        if (newest && block.timestamp < newest.timestamp) emit?.({ type: "behind", operation, block, newest });
        if (!newest || block.timestamp > newest.timestamp) {
          newest = block;
          silentSince = Number.POSITIVE_INFINITY;
        }
        checkSilence();
        state = found.state;
        idlePolls = found.batch?.records.length ? 0 : idlePolls + 1;
        const interval = pollInterval ?? Math.min(longestInterval, firstInterval * 1.5 ** idlePolls);
        nextPollAt = startedAt + (found.hasMore ? 0 : interval);
        return found.batch;
      } catch (error) {
        signal.throwIfAborted();
        if (!canPass(error)) throw error;
        failures++;
        const requested = requestedDelay(error, clock);
        // A server that asks to wait is not silent.
        silentSince += requested;
        checkSilence(error);
        const delay = Math.max(requested, Math.min(silenceLeft(), backoff(failures, { ...retryDelay, random })));
        nextPollAt = clock.now() + delay;
        emit?.({ type: "retry", operation, failures, delay, error: observedError(error) });
        return undefined;
      }
    };

    const next = async (): Promise<{ items: readonly [B] }> => {
      // The time that the caller took is not silence.
      silentSince = Number.POSITIVE_INFINITY;
      try {
        for (;;) {
          const batch = await untilAborted(this.#signal, this.#controller, attempt);
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

function stalledError(operation: string, block: Block | undefined, stalledFor: number, cause?: VegaError) {
  const after = block ? ` after block ${block.height}` : "";
  const message = `${operation} received no new block${after} for ${Number((stalledFor / 1000).toFixed(1))} s`;
  const members = { operation, block, stalledFor, cause };
  return new StalledError(cause ? `${message}: ${cause.message}` : message, members);
}
