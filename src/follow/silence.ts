import type { Clock } from "../async/clock.js";
import type { VegaError } from "../errors/index.js";
import type { Block } from "../values/block.js";
import { StalledError } from "./options.js";

/** Measures how long polls have found no new block, and ends the follower if that is too long. */
export class Silence {
  /** The newest block so far. */
  newest: Block | undefined;
  readonly #operation: string;
  readonly #stalledAfter: number;
  readonly #clock: Clock;
  /** When the first poll without a new block began; `Infinity` if the last poll found one. */
  #since = Number.POSITIVE_INFINITY;

  constructor(operation: string, stalledAfter: number, clock: Clock) {
    this.#operation = operation;
    this.#stalledAfter = stalledAfter;
    this.#clock = clock;
  }

  /** The milliseconds that are left until then. */
  get left(): number {
    return this.#since + this.#stalledAfter - this.#clock.now();
  }

  /** Starts with the poll that begins now, unless it started earlier. */
  begin(): void {
    this.#since = Math.min(this.#since, this.#clock.now());
  }

  end(): void {
    this.#since = Number.POSITIVE_INFINITY;
  }

  /**
   * Ends the silence if the block is new.
   *
   * @throws {@link StalledError} if it is not new, and the silence has lasted too long.
   */
  note(block: Block): void {
    if (this.newest === undefined || block.timestamp > this.newest.timestamp) {
      this.newest = block;
      this.end();
    }
    this.#check();
  }

  /**
   * Notes a failed poll. A server that asks to wait is not silent.
   *
   * @throws {@link StalledError} if the silence has lasted too long.
   */
  noteFailure(error: VegaError, requestedDelay: number): void {
    if (requestedDelay > 0) this.#since = this.#clock.now() + requestedDelay;
    this.#check(error);
  }

  #check(cause?: VegaError): void {
    if (this.left > 0) return;
    const stalledFor = this.#clock.now() - this.#since;
    const after = this.newest ? ` after block ${this.newest.height}` : "";
    const message = `${this.#operation} received no new block${after} for ${Number((stalledFor / 1000).toFixed(1))} s`;
    const members = { operation: this.#operation, block: this.newest, stalledFor, cause };
    throw new StalledError(cause ? `${message}: ${cause.message}` : message, members);
  }
}
