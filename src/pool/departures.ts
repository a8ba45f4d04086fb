import type { Clock } from "../async/clock.js";

/** A runtime can end a call without notice: an attempt that began before so many milliseconds is not counted. */
const longestFlight = 60_000;

/** An attempt on a node. */
export interface Departure {
  readonly startedAt: number;
  readonly sentAt: number | undefined;
  /** Whether it finds out if a node that rested is well again. */
  readonly isTrial: boolean;
}

/** The attempts on a node that have not ended. */
export class Departures {
  readonly #clock: Clock;
  readonly #departures = new Set<Departure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    if (this.#departures.size === 0) return 0;
    const now = this.#clock.now();
    for (const departure of this.#departures) {
      if (now - departure.startedAt < longestFlight) break;
      this.#departures.delete(departure);
    }
    return this.#departures.size;
  }

  /** How many of them were sent. */
  get sent(): number {
    let sent = 0;
    for (const { sentAt } of this.#departures) if (sentAt !== undefined) sent++;
    return sent;
  }

  add(departure: Departure): void {
    this.#departures.add(departure);
  }

  delete(departure: Departure): void {
    this.#departures.delete(departure);
  }
}
