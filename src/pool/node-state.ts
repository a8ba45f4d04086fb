import type { Clock } from "../http/clock.js";
import type { Block } from "../http/index.js";
import { NodeLimits, readRateLimit } from "../http/pacing.js";
import { Semaphore } from "../scan/semaphore.js";
import type { Load } from "./choice.js";
import type { Sighting } from "./freshness.js";

/** Why a node is set aside. */
export type RestCause = "slow" | "lagging" | "suspect" | "failing" | "limited";

/** The first and the longest rest, in milliseconds. */
const [shortestRest, longestRest] = [1000, 60_000];

/** The share of a new measurement in the latency. */
const weight = 0.2;

/** What a pool knows of one node. */
export class NodeState implements Load {
  readonly url: string;
  readonly limits: NodeLimits;
  inFlight = 0;
  sighting: Sighting | undefined;
  /** When the node responded last. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** Why the node is set aside; `undefined` if it is not. */
  cause: RestCause | undefined;
  error: unknown;
  restUntil = Number.NEGATIVE_INFINITY;
  /** The oldest balance change that the node keeps, in Unix nanoseconds, and when it was asked. */
  history: { oldest: bigint | undefined; time: number } | undefined;
  readonly historyLock = new Semaphore(1);
  /** Called when the node is set aside, by requests that wait for its rate limit. */
  readonly onRest = new Set<() => void>();
  readonly #clock: Clock;
  readonly #random: () => number;
  #latency: number | undefined;
  /** Of the last response. */
  #headers: Headers | undefined;
  #rests = 0;
  #restedAt = Number.NEGATIVE_INFINITY;
  #sightingSentAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, clock: Clock, random: () => number) {
    this.url = url;
    this.limits = new NodeLimits(clock);
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds until the node is asked again. */
  get rest(): number {
    return Math.max(0, this.restUntil - this.#clock.now());
  }

  /** A slow node is measured anew after its rest. */
  get latency(): number | undefined {
    return this.cause === "slow" && this.rest === 0 ? undefined : this.#latency;
  }

  /** The rate limit that the last response named. */
  get rateLimit(): { limit: number; remaining: number } | undefined {
    const { limit, remaining } = (this.#headers && readRateLimit(200, this.#headers, this.#clock)) ?? {};
    return limit === undefined || remaining === undefined ? undefined : { limit, remaining };
  }

  get pause(): number {
    return this.limits.limiter.expectedDelay;
  }

  /** Whether the node can be asked. After a rest, one request tries it. */
  get isAvailable(): boolean {
    return this.cause === undefined || (this.rest === 0 && this.inFlight === 0);
  }

  /** A response has come, with a block or at least with a success status. */
  hear(block: Block | undefined, sentAt: number, headers?: Headers): void {
    const now = this.#clock.now();
    this.heardAt = now;
    this.#headers = headers;
    const elapsed = now - sentAt;
    const known = this.cause === "slow" ? undefined : this.#latency;
    this.#latency = known === undefined ? elapsed : known + weight * (elapsed - known);
    if (block === undefined) return;
    // A response that was overtaken by a later one says nothing new.
    if (this.sighting && sentAt < this.#sightingSentAt && block.height <= this.sighting.block.height) return;
    this.sighting = { block, time: now };
    this.#sightingSentAt = sentAt;
  }

  /**
   * Sets the node aside: for a second, and twice as long each time that it was tried in vain.
   *
   * @param sentAt - When the request was sent. One from before the last rest is a part of what that rest is for.
   * @param least - The least time, in milliseconds.
   */
  setAside(cause: RestCause, sentAt: number, least = 0): void {
    const now = this.#clock.now();
    if (sentAt > this.#restedAt) {
      const backoff = Math.min(longestRest, shortestRest * 2 ** this.#rests++);
      this.#restedAt = now;
      this.restUntil = now + backoff * (0.5 + this.#random() / 2);
      this.cause = cause;
    }
    this.restUntil = Math.max(this.restUntil, now + least);
    // An isolated request must not cancel another one.
    if (this.#clock.isolatesRequests) return;
    for (const leave of [...this.onRest]) leave();
  }

  /** The node has not responded for so many milliseconds. */
  slowDown(elapsed: number, sentAt: number): void {
    this.#latency = Math.max(elapsed, this.#latency ?? 0);
    this.setAside("slow", sentAt);
  }

  /** A request that was sent at some time has succeeded. */
  recover(sentAt: number): void {
    if (sentAt <= this.#restedAt) return;
    this.#rests = 0;
    this.cause = undefined;
    this.error = undefined;
    this.restUntil = Number.NEGATIVE_INFINITY;
  }
}
