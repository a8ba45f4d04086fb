import type { Clock } from "../async/clock.js";
import type { Block } from "../http/call.js";
import { RateLimiter, readRateLimit } from "../http/rate-limiter.js";
import { type Head, headOf, type Verdict } from "./freshness.js";

/** The shortest and the longest time after which a second node is asked, in milliseconds. */
export const [shortestDelay, longestDelay] = [50, 1000];

/** The first and the longest cool-down, in milliseconds. */
const [shortestCoolDown, longestCoolDown] = [1000, 60_000];

export class PoolNode {
  readonly url: string;
  readonly limiter: RateLimiter;
  block: Block | undefined;
  blockHeardAt = Number.NEGATIVE_INFINITY;
  head: Head | undefined;
  heardAt = Number.NEGATIVE_INFINITY;
  /** The typical time until a response is complete, in milliseconds. */
  latency: number | undefined;
  /** The number of requests in flight, including those that wait for the rate limit of the node. */
  inFlight = 0;
  rateLimit: { limit: number; remaining: number } | undefined;
  /** Why the node cools down, until it responds again: it has failed, was repeatedly late, lags, or is suspect. */
  cause: "failing" | "slow" | Verdict | undefined;
  error: string | undefined;
  /** When the last cool-down began. */
  cooledAt = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;
  readonly #random: () => number;
  #coolUntil = Number.NEGATIVE_INFINITY;
  #coolDownsInRow = 0;
  #lateInRow = 0;

  constructor(url: string, clock: Clock, random: () => number) {
    this.url = url;
    this.limiter = new RateLimiter(clock);
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds until the cool-down ends; 0 without one. */
  get coolDown(): number {
    return Math.max(0, this.#coolUntil - this.#clock.now());
  }

  get recentLatency(): number | undefined {
    return this.#clock.now() - this.heardAt < 30_000 ? this.latency : undefined;
  }

  /** How long a request has to wait for the rate limit of the node. */
  get pause(): number {
    return this.limiter.expectedDelay;
  }

  /** A request begins. After a cool-down, it finds out how the node is: for other calls, the cool-down continues meanwhile. */
  begin(): void {
    this.inFlight++;
    if (this.cause) this.#coolFor(this.#backoff);
  }

  hear(block: Block | undefined, sentAt: number, headers: Headers): void {
    const now = this.#clock.now();
    const { latency = now - sentAt } = this;
    this.latency = latency + 0.2 * (now - sentAt - latency);
    // An earlier block counts unless a later response has overtaken it.
    if (block && (!this.block || block.timestamp >= this.block.timestamp || sentAt >= this.heardAt)) {
      this.block = block;
      this.blockHeardAt = now;
      this.head = headOf(block, now);
    }
    this.heardAt = now;
    const { limit, remaining } = readRateLimit({ status: 200, headers }, this.#clock) ?? {};
    this.rateLimit = limit === undefined || remaining === undefined ? undefined : { limit, remaining };
    this.#lateInRow = 0;
  }

  /** A request was abandoned, late after `patience`. A node that is late twice in a row, or for a second, cools down. */
  abandon(sentAt: number, patience: number): void {
    const elapsed = this.#clock.now() - sentAt;
    if (elapsed < patience || this.heardAt > sentAt) return;
    this.#lateInRow++;
    if (this.#lateInRow > 1 || elapsed >= longestDelay)
      this.fail("slow", sentAt, { error: `No response within ${Math.round(elapsed)} ms.` });
  }

  /** A request that was sent at some time had a response. */
  judge(verdict: Verdict | undefined, sentAt: number): void {
    if (verdict) this.fail(verdict, sentAt);
    if (verdict || sentAt <= this.cooledAt) return;
    this.#coolDownsInRow = 0;
    this.#coolUntil = Number.NEGATIVE_INFINITY;
    this.cause = undefined;
    this.error = undefined;
  }

  /** The node cools down: for up to a second, at least for `least`, and twice as long each time until it responds again. */
  fail(cause: PoolNode["cause"], sentAt: number, { error, least = 0 }: { error?: string; least?: number } = {}): void {
    this.#coolFor(least);
    // A request that was sent before the last cool-down is a part of what that is for.
    if (sentAt <= this.cooledAt) return;
    this.#coolFor(this.#backoff);
    this.error = error;
    this.#coolDownsInRow++;
    this.cooledAt = this.#clock.now();
    this.cause = cause;
  }

  get #backoff(): number {
    return Math.min(longestCoolDown, shortestCoolDown * 2 ** this.#coolDownsInRow) * (0.5 + this.#random() / 2);
  }

  #coolFor(milliseconds: number): void {
    this.#coolUntil = Math.max(this.#coolUntil, this.#clock.now() + milliseconds);
  }
}
