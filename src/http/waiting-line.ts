import type { Clock } from "../async/clock.js";
import { type Entry, Queue } from "../async/queue.js";

/** What a look at shared state has found: what was waited for, or when the next look may find it. */
export type Look<T> =
  | { readonly value: T }
  /** In milliseconds; `Infinity` if only a change of the state can end the wait. */
  | { readonly delay: number };

interface Waiter<T> {
  look(ahead: number): Look<T>;
  resolve(value: T): void;
  cancelTimer: () => void;
  /** When it looks again. It passes if the request of the waiter is gone. */
  nextLook: number;
}

/** In isolated requests, the first in line looks again after this many milliseconds, each other one after as many more. */
const shortestLook = 5;
const longestLook = 250;

/** An isolated request that is late by this many milliseconds is gone: workerd ends requests without notice. */
export const longestSilence = 1000;

const ignore = () => {};

/**
 * Calls that wait for shared state, first in, first out.
 *
 * If the clock says that requests are isolated, none of them wakes another one: each looks for itself, by a timer of its
 * own. Otherwise each change of the state wakes those whose wait is over.
 */
export class WaitingLine<T> {
  readonly #clock: Clock;
  readonly #queue = new Queue<Waiter<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#queue.size;
  }

  /**
   * Joins the line. The returned function leaves it.
   *
   * @param look - Looks whether the wait is over, if so many others that are ahead come first.
   */
  join(look: (ahead: number) => Look<T>, resolve: (value: T) => void): () => void {
    const waiter: Waiter<T> = { look, resolve, cancelTimer: ignore, nextLook: 0 };
    let entry = this.#queue.add(waiter);
    const lookAlone = () => {
      // It was taken for gone, because the runtime was busy.
      if (!entry.isQueued) entry = this.#queue.add(waiter);
      this.#look(entry, this.#countAhead(entry), lookAlone);
    };
    if (this.#clock.isolatesRequests) lookAlone();
    else this.changed();
    return () => {
      this.#remove(entry);
      this.changed();
    };
  }

  /**
   * The state has changed.
   *
   * @param forAll - Whether the wait of any waiter may be over, not only that of the first ones.
   */
  changed(forAll = false): void {
    if (this.#clock.isolatesRequests) return;
    let ahead = 0;
    for (let entry = this.#queue.first; entry; entry = entry.next) {
      if (this.#look(entry, ahead, () => this.changed())) continue;
      if (!forAll) return;
      ahead++;
    }
  }

  /** Ends the wait, or sets the timer of the next look. */
  #look(entry: Entry<Waiter<T>>, ahead: number, lookAgain: () => void): boolean {
    const { value: waiter } = entry;
    const found = waiter.look(ahead);
    waiter.cancelTimer();
    waiter.cancelTimer = ignore;
    if ("value" in found) {
      this.#remove(entry);
      waiter.resolve(found.value);
      return true;
    }
    const { isolatesRequests } = this.#clock;
    const delay = isolatesRequests ? isolatedDelay(found.delay, ahead) : found.delay;
    if (delay === Number.POSITIVE_INFINITY || (ahead > 0 && !isolatesRequests)) return false;
    waiter.nextLook = this.#clock.now() + delay;
    waiter.cancelTimer = this.#clock.after(Math.ceil(delay), lookAgain);
    return false;
  }

  /** How many wait before another one. Those that are gone are removed. */
  #countAhead(entry: Entry<Waiter<T>>): number {
    const now = this.#clock.now();
    let ahead = 0;
    for (let each = this.#queue.first; each && each !== entry; each = each.next) {
      if (now > each.value.nextLook + longestSilence) this.#queue.remove(each);
      else ahead++;
    }
    return ahead;
  }

  #remove(entry: Entry<Waiter<T>>): void {
    this.#queue.remove(entry);
    entry.value.cancelTimer();
  }
}

function isolatedDelay(delay: number, ahead: number): number {
  const soonest = shortestLook * (ahead + 1);
  return Math.min(longestLook, delay === Number.POSITIVE_INFINITY ? soonest : Math.max(delay, soonest));
}
