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

const fewest = 10;

interface Waiting {
  /** Whether the request may leave; `false` asks to look again. */
  wake(leave: boolean): void;
}

/**
 * Keeps the requests of one client within what the node allows, by a model of the node's token bucket that is never
 * more hopeful than the node.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #queue: Waiting[] = [];
  #inFlight = 0;
  /**
   * How many may be unanswered at once. All that leave before the first answer, and all that leave while somebody else
   * empties the bucket, can be refused: few enough of them are no reason for a ban.
   */
  #most = fewest;
  /** Tokens at the time `#counted`; without limit until the node tells of one. */
  #tokens = Number.POSITIVE_INFINITY;
  #counted = 0;
  /** Tokens that come in a millisecond. */
  #rate = 0;
  /** The most tokens the bucket was seen to hold. */
  #burst = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #bannedUntil = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until a ban ends; 0 where there is none. */
  get banned(): number {
    return Math.max(0, this.#bannedUntil - this.#clock.now());
  }

  /** Milliseconds until the node takes requests again, as it said when it refused one; 0 where it did not. */
  get paused(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** Milliseconds that a request which queues now is held back, as far as is known. */
  get expectedDelay(): number {
    const missing = Math.max(0, this.#queue.length + 1 - this.#refill());
    return this.paused + (missing > 0 && this.#rate > 0 ? missing / this.#rate : 0);
  }

  /** Takes a place, if a request may leave now. */
  enter(): boolean {
    if (this.#queue.length > 0 || !this.#open()) return false;
    this.#leave();
    return true;
  }

  /** Waits for a place. What it returns gives the wait up. */
  wait(wake: (leave: boolean) => void): () => void {
    const waiting = { wake };
    this.#queue.push(waiting);
    this.#pump();
    return () => {
      const index = this.#queue.indexOf(waiting);
      if (index >= 0) this.#queue.splice(index, 1);
      this.#pump();
    };
  }

  /** A request is no longer under way: what the node said of its limits, or `undefined` where it did not answer. */
  left(limits: Limits | undefined): void {
    this.#inFlight--;
    const { limit, remaining, reset } = limits ?? {};
    if (remaining === undefined) {
      if (limits !== undefined && this.#burst === 0) this.#most = Number.POSITIVE_INFINITY;
    } else {
      const before = this.#refill();
      this.#rate = (limit ?? 1) / (Math.max(reset ?? 1, 1) * 1000);
      this.#burst = Math.max(this.#burst, remaining + 1);
      this.#most = Math.max(fewest, this.#burst / 10);
      // The node may not have counted yet what is still under way. Alone, its word is exact; else the lower one holds.
      const left = remaining - this.#inFlight;
      this.#tokens = this.#inFlight === 0 ? left : Math.min(before, left);
      this.#counted = Math.max(this.#clock.now(), this.#counted);
    }
    this.#pump();
  }

  /** The node has refused a request: nothing leaves for a while, since going on ends in a ban. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
    if (this.#rate > 0) {
      this.#tokens = 0;
      this.#counted = this.#pausedUntil;
    }
    this.#pump();
  }

  /** The node has banned the client: nothing leaves, and whoever waits is told. */
  ban(milliseconds: number): void {
    this.#bannedUntil = Math.max(this.#bannedUntil, this.#clock.now() + milliseconds);
    for (const { wake } of this.#queue.splice(0)) wake(false);
    this.#pump();
  }

  #open(): boolean {
    return this.paused === 0 && this.#inFlight < this.#most && this.#refill() >= 1;
  }

  #leave(): void {
    this.#inFlight++;
    this.#tokens = this.#refill() - 1;
    this.#counted = Math.max(this.#clock.now(), this.#counted);
  }

  #refill(): number {
    if (this.#tokens === Number.POSITIVE_INFINITY) return this.#tokens;
    const grown = Math.max(0, this.#clock.now() - this.#counted) * this.#rate;
    return Math.min(this.#burst, this.#tokens + grown);
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#queue.length > 0 && this.#open()) {
      this.#leave();
      this.#queue.shift()?.wake(true);
    }
    if (this.#queue.length === 0) return;
    const missing = 1 - this.#refill();
    const delay = Math.max(this.paused, missing > 0 ? missing / this.#rate : 0);
    // Without a delay it is the requests under way that are waited for: their answers come here.
    if (delay > 0) this.#cancelTimer = this.#clock.after(Math.ceil(delay), () => this.#pump());
  }
}
