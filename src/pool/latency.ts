/** The share of a new measurement in the mean, and in the deviation from it. */
const [meanWeight, deviationWeight] = [0.2, 0.25];

/** How long a node takes to respond, in milliseconds. */
export class Latency {
  #mean: number | undefined;
  #deviation = 0;
  #least = 0;

  /** The typical time until a response is complete; `undefined` if nothing is known. */
  get typical(): number | undefined {
    return Math.max(this.#least, this.#mean ?? 0) || this.#mean;
  }

  /** When a response is late: at twice the mean of those that came at least, so that few are. */
  get bound(): number | undefined {
    return this.#mean === undefined ? undefined : Math.max(2 * this.#mean, this.#mean + 4 * this.#deviation);
  }

  /** A response has taken so long. */
  observe(elapsed: number): void {
    this.#least = 0;
    if (this.#mean === undefined) {
      this.#mean = elapsed;
      this.#deviation = elapsed / 2;
      return;
    }
    const difference = elapsed - this.#mean;
    this.#deviation += deviationWeight * (Math.abs(difference) - this.#deviation);
    this.#mean += meanWeight * difference;
  }

  /** A response would have taken longer: the request was abandoned. */
  atLeast(elapsed: number): void {
    this.#least = Math.max(elapsed, this.#least);
  }

  /** What follows is measured anew. */
  forget(): void {
    this.#mean = undefined;
    this.#least = 0;
  }
}
