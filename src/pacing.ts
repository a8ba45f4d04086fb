import type { Clock } from "./clock.js";

/** What a node tells of its limits in the headers of an answer (observed on v0.74 nodes). */
export interface Limits {
  /** Requests a second. */
  limit: number | undefined;
  /** Requests that are left of the burst. */
  remaining: number | undefined;
  /** Seconds until the allowance grows again. */
  reset: number | undefined;
}

/** A request under way. */
export interface Ticket {
  /** When it left. */
  readonly left: number;
  /** How many had left when it did. */
  readonly number: number;
}

interface Waiting {
  /** Milliseconds that it will wait for at the most. */
  patience: number;
  /** Gives the request its ticket; `undefined` asks it to look again. */
  wake(ticket: Ticket | undefined): void;
}

/**
 * How many requests may be unanswered at once, at the least. All that leave before the first answer, and all that leave
 * while somebody else empties the bucket, can be refused: few enough of them are no reason for a ban.
 */
const fewest = 10;

/** Keeps the requests of one client within what the node allows, by a model of the node's token bucket. */
export class Pacer {
  readonly #clock: Clock;
  #queue: Waiting[] = [];
  #underWay = 0;
  #most = fewest;
  /** Tokens at the time `#counted`; without limit until the node tells of one. */
  #tokens = Number.POSITIVE_INFINITY;
  #counted = 0;
  /** How many requests have left. */
  #departures = 0;
  /** The newest of those that the tokens were counted by. */
  #newest = 0;
  /** Tokens that come in a millisecond. */
  #rate = 0;
  /** The most tokens that the bucket was seen to hold. */
  #burst = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #bannedUntil = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until a ban ends; 0 where there is none. */
  get banned(): number {
    // In whole milliseconds: a timer of Node.js that waits for the end can fire a fraction of one early.
    return Math.max(0, Math.floor(this.#bannedUntil - this.#clock.now()));
  }

  /** Milliseconds until the node takes requests again, as it said when it refused one; 0 where it did not. */
  get paused(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** Milliseconds that a request which queues now is held back, as far as is known. */
  get expectedDelay(): number {
    return this.#untilTokens(this.#queue.length + 1, this.#clock.now());
  }

  /** Lets a request leave, or not yet. */
  enter(): Ticket | undefined {
    if (this.#queue.length > 0 || this.#underWay >= this.#most) return undefined;
    const now = this.#clock.now();
    return this.#untilTokens(1, now) === 0 ? this.#leave(now) : undefined;
  }

  /** Waits for a ticket, but for no pause that takes longer than its patience. What it returns gives the wait up. */
  wait(patience: number, wake: (ticket: Ticket | undefined) => void): () => void {
    const waiting = { patience, wake };
    this.#queue.push(waiting);
    this.#pump();
    return () => {
      this.#queue = this.#queue.filter((each) => each !== waiting);
      this.#pump();
    };
  }

  /** A request is no longer under way: what the node said of its limits, or `undefined` where it did not answer. */
  back(ticket: Ticket, limits: Limits | undefined): void {
    this.#underWay--;
    if (limits?.remaining !== undefined) this.#learn(ticket, limits.remaining, limits);
    else if (limits !== undefined && this.#burst === 0) this.#most = Number.POSITIVE_INFINITY;
    this.#pump();
  }

  /** The node has refused a request: nothing leaves for a while, since going on ends in a ban. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
    if (this.#rate > 0) {
      this.#tokens = 0;
      this.#counted = this.#pausedUntil;
    }
    this.#dismiss(this.paused);
  }

  /** The node has banned the client: nothing leaves, and whoever waits is told. */
  ban(milliseconds: number): void {
    this.#bannedUntil = Math.max(this.#bannedUntil, this.#clock.now() + milliseconds);
    this.#dismiss(Number.POSITIVE_INFINITY);
  }

  /** Tells those who wait and will not wait that long. */
  #dismiss(wait: number): void {
    const waiting = this.#queue;
    this.#queue = waiting.filter(({ patience }) => patience >= wait);
    for (const { patience, wake } of waiting) if (patience < wait) wake(undefined);
    this.#pump();
  }

  #learn({ left, number }: Ticket, remaining: number, { limit, reset }: Limits): void {
    this.#rate = (limit ?? 1) / (Math.max(reset ?? 1, 1) * 1000);
    this.#burst = Math.max(this.#burst, remaining + 1);
    // As many as are needed to use the rate in full, however long an answer takes.
    const now = this.#clock.now();
    this.#most = Math.max(fewest, 1.5 * this.#rate * (now - left));
    // An answer that a newer request has overtaken tells what was.
    if (number < this.#newest) return;
    this.#newest = number;
    // The node may not have counted yet what is still under way.
    this.#count(remaining - this.#underWay, now);
  }

  #leave(now: number): Ticket {
    this.#underWay++;
    this.#count(this.#refill(now) - 1, now);
    return { left: now, number: ++this.#departures };
  }

  #count(tokens: number, now: number): void {
    this.#tokens = tokens;
    // After a refusal it lies ahead: until the pause is over, nothing grows.
    this.#counted = Math.max(now, this.#counted);
  }

  #refill(now: number): number {
    if (this.#tokens === Number.POSITIVE_INFINITY) return this.#tokens;
    const grown = Math.max(0, now - this.#counted) * this.#rate;
    return Math.min(this.#burst, this.#tokens + grown);
  }

  /** Milliseconds until there are so many tokens. */
  #untilTokens(tokens: number, now: number): number {
    const missing = tokens - this.#refill(now);
    return Math.max(0, this.#pausedUntil - now) + (missing > 0 ? missing / this.#rate : 0);
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    // At the most, it is requests under way that are waited for: their answers come here.
    while (this.#queue.length > 0 && this.#underWay < this.#most) {
      // One look at the clock decides: by the next, the time may have come, and nobody would be called.
      const now = this.#clock.now();
      const delay = this.#untilTokens(1, now);
      if (delay > 0) {
        this.#cancelTimer = this.#clock.after(Math.ceil(delay), () => this.#pump());
        return;
      }
      this.#queue.shift()?.wake(this.#leave(now));
    }
  }
}
