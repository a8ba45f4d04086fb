import type { Clock } from "../async/clock.js";
import type { Block } from "../http/block.js";
import { newLimits } from "../http/node-limits.js";
import { readRateLimit } from "../http/rate-limit-headers.js";
import type { NodeLoad } from "./choice.js";
import { type Departure, Departures } from "./departures.js";
import type { Sighting } from "./freshness.js";
import { longestSilence } from "./hedging.js";
import { Latency } from "./latency.js";

/** Why a node is set aside. */
export type RestCause = "slow" | "lagging" | "suspect" | "failing" | "limited";

/** The first and the longest rest, in milliseconds. */
const [shortestRest, longestRest] = [1000, 60_000];

/** For so many milliseconds, a measurement says how fast a node is. */
const recent = 30_000;

/** What a pool knows of one node. */
export class NodeState implements NodeLoad {
  readonly url: string;
  readonly limits = newLimits();
  readonly latency = new Latency();
  sighting: Sighting | undefined;
  /** When the node responded last. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** Why the node is set aside; `undefined` if it is not. */
  cause: RestCause | undefined;
  error: string | undefined;
  restUntil = Number.NEGATIVE_INFINITY;
  /** How often the node was set aside. */
  rests = 0;
  /** How often another node was asked because this one was late. */
  hedges = 0;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #departures: Departures;
  /** Of the last response. */
  #headers: Headers | undefined;
  /** Rests, and requests without a response, since the last response. */
  #vain = 0;
  #silences = 0;
  #restedAt = Number.NEGATIVE_INFINITY;
  #sightingSentAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, clock: Clock, random: () => number) {
    this.url = url;
    this.#departures = new Departures(clock);
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds until the node is asked again. */
  get rest(): number {
    return Math.max(0, this.restUntil - this.#clock.now());
  }

  /** Whether the node can serve calls. */
  get isAvailable(): boolean {
    return this.cause === undefined;
  }

  /** Whether the node has rested for long enough to be tried. */
  get isDue(): boolean {
    return this.cause !== undefined && this.rest === 0;
  }

  get recentLatency(): number | undefined {
    return this.#clock.now() - this.heardAt < recent ? this.latency.typical : undefined;
  }

  get inFlight(): number {
    return this.#departures.count;
  }

  get sent(): number {
    return this.#departures.sent;
  }

  get pause(): number {
    return this.limits.limiter?.expectedDelay ?? 0;
  }

  /** The rate limit that the last response named. */
  get rateLimit(): { limit: number; remaining: number } | undefined {
    const { limit, remaining } = (this.#headers && readRateLimit(200, this.#headers, this.#clock)) ?? {};
    return limit === undefined || remaining === undefined ? undefined : { limit, remaining };
  }

  /** An attempt begins. A node that is tried after a rest rests on, unless it responds. */
  depart(departure: Departure): void {
    this.#departures.add(departure);
    if (departure.isTrial) this.#restFor(this.#backoff);
  }

  /** An attempt has ended. */
  land(departure: Departure): void {
    this.#departures.delete(departure);
  }

  /** A response has come, with a block or at least with a success status. */
  hear(block: Block | undefined, sentAt: number, headers?: Headers): void {
    const now = this.#clock.now();
    this.heardAt = now;
    this.#headers = headers;
    this.#silences = 0;
    if (this.cause === "slow") this.latency.forget();
    this.latency.observe(now - sentAt);
    if (block === undefined) return;
    // A response that was overtaken by a later one says nothing new.
    if (this.sighting && sentAt < this.#sightingSentAt && block.height <= this.sighting.block.height) return;
    this.sighting = { block, time: now };
    this.#sightingSentAt = sentAt;
  }

  /**
   * A request was abandoned. A node that is silent repeatedly rests.
   *
   * @param bound - When its response would have been late, in milliseconds.
   */
  abandon(sentAt: number, bound: number): void {
    const elapsed = this.#clock.now() - sentAt;
    this.latency.atLeast(elapsed);
    if (elapsed < bound || this.heardAt > sentAt) return;
    this.#silences++;
    if (this.#silences > 1 || elapsed >= longestSilence) this.setAside("slow", sentAt);
  }

  /**
   * Sets the node aside: for a second, and twice as long each time that it was tried in vain.
   *
   * @param sentAt - When the request was sent. One from before the last rest is a part of what that rest is for.
   * @param least - The least time, in milliseconds.
   */
  setAside(cause: RestCause, sentAt: number, least = 0): void {
    if (sentAt > this.#restedAt) {
      this.#restedAt = this.#clock.now();
      this.restUntil = Number.NEGATIVE_INFINITY;
      this.#restFor(this.#backoff);
      this.#vain++;
      this.rests++;
      this.cause = cause;
    }
    this.#restFor(least);
  }

  /** A request that was sent at some time has succeeded. */
  recover(sentAt: number): void {
    if (sentAt <= this.#restedAt) return;
    this.#vain = 0;
    this.cause = undefined;
    this.error = undefined;
    this.restUntil = Number.NEGATIVE_INFINITY;
  }

  get #backoff(): number {
    return Math.min(longestRest, shortestRest * 2 ** this.#vain) * (0.5 + this.#random() / 2);
  }

  #restFor(milliseconds: number): void {
    this.restUntil = Math.max(this.restUntil, this.#clock.now() + milliseconds);
  }
}
