import type { Clock } from "../async/clock.js";
import { describe, RateLimitError } from "../errors/index.js";
import { RateLimiter } from "../http/rate-limiter.js";
import { readRateLimit } from "../http/token-bucket.js";
import type { Block } from "../values/block.js";
import type { NodeHealth } from "./decide.js";
import { type Head, headOf, millisecondsOf } from "./freshness.js";
import { historyPatience, longestPatience } from "./latency.js";

/** In milliseconds. */
const [shortestCoolDown, longestCoolDown] = [1000, 60_000];

/** A request to a node, which is sent when the rate limit of the node has room. */
export interface PoolRequest {
  isSent: boolean;
  readonly controller: AbortController;
}

/** The reason with which a request ends that is not sent. */
export const unsent = new Error("unsent");

export class PoolNode implements NodeHealth {
  readonly url: string;
  readonly limiter: RateLimiter;
  block: Block | undefined;
  head: Head | undefined;
  latest: number | undefined;
  respondedAt = Number.NEGATIVE_INFINITY;
  latency: number | undefined;
  rateLimit: { limit: number; remaining: number } | undefined;
  historyStart: bigint | undefined;
  cause: NodeHealth["cause"];
  error: string | undefined;
  coolUntil = Number.NEGATIVE_INFINITY;
  cooledAt = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #requests = new Set<PoolRequest>();
  #coolDownsInRow = 0;
  #lateInRow = 0;

  constructor(url: string, clock: Clock, random: () => number) {
    this.url = url;
    this.limiter = new RateLimiter(clock);
    this.#clock = clock;
    this.#random = random;
  }

  get inFlight(): number {
    return this.#requests.size;
  }

  get pause(): number {
    return this.limiter.expectedDelay();
  }

  /** A request begins. After a cool-down it is a probe: for other calls, the cool-down continues until its end. */
  begin(request: PoolRequest): void {
    this.#requests.add(request);
    if (this.cause) this.#coolFor(this.#nextCoolDown());
  }

  end(request: PoolRequest): void {
    this.#requests.delete(request);
  }

  respond(block: Block | undefined, sentAt: number, headers: Headers): void {
    const now = this.#clock.now();
    const { latency = now - sentAt } = this;
    this.latency = latency + 0.2 * (now - sentAt - latency);
    // An earlier block counts unless a later response has overtaken it.
    if (block && (block.timestamp >= (this.block?.timestamp ?? 0n) || sentAt >= this.respondedAt)) {
      this.block = block;
      this.head = headOf(block, now);
      this.latest = Math.max(this.latest ?? 0, millisecondsOf(block.timestamp));
    }
    this.respondedAt = now;
    this.rateLimit = readRateLimit(headers);
    this.#lateInRow = 0;
  }

  /** A response was compared with other nodes. One that is up to date ends a cool-down from before its request. */
  compared(isLagging: boolean, sentAt: number): void {
    if (isLagging) this.#coolDown("lagging", sentAt);
    if (isLagging || sentAt <= this.cooledAt) return;
    this.#coolDownsInRow = 0;
    this.coolUntil = Number.NEGATIVE_INFINITY;
    this.cause = undefined;
    this.error = undefined;
  }

  fail(error: unknown, sentAt: number): void {
    this.#coolDown("failing", sentAt, describe(error));
    if (RateLimitError.is(error)) this.#coolFor((error.retryAfter ?? 0) * 1000);
  }

  /**
   * Notes an abandoned request. Two late ones in a row, or one after a second, make the node unresponsive; after five
   * seconds it counts as failing.
   */
  abandon(sentAt: number, patience: number): void {
    const elapsed = this.#clock.now() - sentAt;
    if (elapsed < patience || this.respondedAt > sentAt) return;
    this.#lateInRow++;
    const cause = elapsed < historyPatience ? "unresponsive" : "failing";
    if (this.#lateInRow > 1 || elapsed >= longestPatience)
      this.#coolDown(cause, sentAt, `No response within ${Math.round(elapsed)} ms.`);
  }

  /** Cools the node down: for half a second to a second at first, and twice as long each time until it responds. */
  #coolDown(cause: NodeHealth["cause"], sentAt: number, error?: string): void {
    // A request that was sent before the last cool-down belongs to the same failure.
    if (sentAt <= this.cooledAt) return;
    this.#coolFor(this.#nextCoolDown());
    this.#coolDownsInRow++;
    this.cooledAt = this.#clock.now();
    this.cause = cause;
    this.error = error;
    // Other nodes can serve the calls whose requests wait for the rate limit.
    for (const { isSent, controller } of this.#requests) if (!isSent) controller.abort(unsent);
  }

  #nextCoolDown(): number {
    return Math.min(longestCoolDown, shortestCoolDown * 2 ** this.#coolDownsInRow) * (0.5 + this.#random() / 2);
  }

  #coolFor(milliseconds: number): void {
    this.coolUntil = Math.max(this.coolUntil, this.#clock.now() + milliseconds);
  }
}
