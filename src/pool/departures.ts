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
  /** In the order in which they began. Not a set: the old tables of one keep what was deleted from it until a full garbage collection. */
  readonly #departures: Departure[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    if (this.#departures.length === 0) return 0;
    const gone = this.#clock.now() - longestFlight;
    while (this.#departures[0] && this.#departures[0].startedAt <= gone) this.#departures.shift();
    return this.#departures.length;
  }

  /** How many of them were sent. */
  get sent(): number {
    return this.#departures.filter(({ sentAt }) => sentAt !== undefined).length;
  }

  add(departure: Departure): void {
    this.#departures.push(departure);
  }

  delete(departure: Departure): void {
    const index = this.#departures.indexOf(departure);
    if (index >= 0) this.#departures.splice(index, 1);
  }
}
