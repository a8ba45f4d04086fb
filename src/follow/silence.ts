import type { Clock } from "../async/clock.js";
import type { VegaError } from "../errors/index.js";
import type { Block } from "../values/block.js";
import { StalledError } from "./options.js";

/** The time in which polls find no new block. If it is too long, the follower ends. */
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

  /** How many milliseconds are left until it is too long. */
  get left(): number {
    return this.#since + this.#stalledAfter - this.#clock.now();
  }

  /** It lasts since the poll that begins, unless it has begun earlier. */
  begin(): void {
    this.#since = Math.min(this.#since, this.#clock.now());
  }

  end(): void {
    this.#since = Number.POSITIVE_INFINITY;
  }

  /** A new block ends it. @throws {@link StalledError} if the block is not new, and it has lasted too long. */
  note(block: Block): void {
    if (this.newest === undefined || block.timestamp > this.newest.timestamp) {
      this.newest = block;
      this.end();
    }
    this.#check();
  }

  /** @throws {@link StalledError} if it has lasted too long. A server that says when to return is not silent. */
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
