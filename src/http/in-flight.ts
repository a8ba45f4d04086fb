import type { Clock } from "../async/clock.js";
import { longestSilence } from "./waiting-line.js";

interface Sign {
  /** When the request has last shown that it is there. */
  seenAt: number;
  cancelTimer: () => void;
}

const ignore = () => {};

/** The requests in flight. An isolated request that ended without notice does not stay among them. */
export class InFlight<T extends object> {
  readonly #clock: Clock;
  readonly #signs = new Map<T, Sign>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#signs.size;
  }

  add(request: T): void {
    const sign: Sign = { seenAt: this.#clock.now(), cancelTimer: ignore };
    this.#signs.set(request, sign);
    if (this.#clock.isolatesRequests) this.#show(sign);
  }

  /** Returns whether the request was there. */
  remove(request: T): boolean {
    this.#signs.get(request)?.cancelTimer();
    return this.#signs.delete(request);
  }

  /** The requests that have ended without notice. */
  gone(): T[] {
    if (!this.#clock.isolatesRequests) return [];
    const since = this.#clock.now() - 2 * longestSilence;
    return [...this.#signs].filter(([, { seenAt }]) => seenAt < since).map(([request]) => request);
  }

  /** A timer ends together with the request that has set it. */
  #show(sign: Sign): void {
    sign.seenAt = this.#clock.now();
    sign.cancelTimer = this.#clock.after(longestSilence, () => this.#show(sign));
  }
}
