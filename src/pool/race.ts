import type { Cancellation } from "../async/cancellation.js";
import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { type Block, readBlock } from "../http/block.js";
import type { Attempt, Context, Reply } from "../http/context.js";
import { newAttempt } from "../http/retry.js";
import { Flight, left } from "./flight.js";
import { boundOf } from "./hedging.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** How an attempt on a node has ended. */
export interface AttemptOutcome<T> {
  node: NodeState;
  /** When the request was sent. Without a request: when the attempt began. */
  sentAt: number;
  /** The response; `undefined` if there was none. */
  response: Response | undefined;
  /** The block that the response names. */
  block: Block | undefined;
  isTrial: boolean;
  result: { reply: Reply<T> } | { error: unknown };
}

export interface StartOptions {
  isTrial?: boolean;
  canLeave: () => boolean;
}

/** The attempts of one call that are in flight, on one node each. */
export class Race<T> {
  readonly #cancellation: Cancellation;
  readonly #nodes: readonly NodeState[];
  readonly #clock: Clock;
  readonly #flights: Flight[] = [];
  readonly #released = new Map<Flight, (outcome: AttemptOutcome<T>) => void>();
  readonly #outcomes: AttemptOutcome<T>[] = [];
  #count = 0;
  #wake: () => void = ignore;

  constructor({ cancellation }: Context<T>, { nodes, clock }: Pick<Link, "nodes" | "clock">) {
    this.#cancellation = cancellation;
    this.#nodes = nodes;
    this.#clock = clock;
  }

  /** The attempts in flight, in the order in which they were started. */
  get flights(): readonly Flight[] {
    return this.#flights;
  }

  /**
   * Whether an attempt on a node that is not set aside is in flight, or one that is more than a trial has ended at the same time as the
   * last one.
   */
  get isServed(): boolean {
    return (
      this.#flights.some(({ node, isTrial }) => !isTrial && node.isAvailable) ||
      this.#outcomes.some(({ isTrial }) => !isTrial)
    );
  }

  start(
    node: NodeState,
    send: (attempt: Attempt) => Promise<Reply<T>>,
    { isTrial = false, canLeave }: StartOptions,
  ): void {
    const flight = new Flight(node, { now: this.#clock.now(), isTrial, canLeave });
    const attempt = newAttempt(flight, ++this.#count, node.url);
    const end = (result: AttemptOutcome<T>["result"]) => {
      node.land(flight);
      if (flight.isDropped) return;
      const { response } = attempt;
      const sentAt = flight.sentAt ?? flight.startedAt;
      const block = response && ("reply" in result ? result.reply.block : readBlock(response));
      if (response && (block || response.ok)) node.hear(block, sentAt, response.headers);
      const outcome = { node, sentAt, response, block, isTrial, result };
      const onEnd = this.#released.get(flight);
      if (onEnd) return onEnd(outcome);
      this.#remove(flight);
      this.#outcomes.push(outcome);
      this.#wake();
    };
    node.depart(flight);
    this.#flights.push(flight);
    send(attempt).then(
      (reply) => end({ reply }),
      (error: unknown) => end({ error }),
    );
  }

  /** The next attempt that ends; `undefined` if none does for so many milliseconds. */
  next(patience: number): Promise<AttemptOutcome<T> | undefined> {
    return this.#cancellation.run<AttemptOutcome<T> | undefined>((resolve) => {
      this.#wake = () => {
        this.#wake = ignore;
        cancelTimer?.();
        resolve(this.#outcomes.shift());
      };
      const cancelTimer = patience < Number.POSITIVE_INFINITY ? this.#clock.after(patience, this.#wake) : undefined;
      if (this.#outcomes.length > 0) this.#wake();
      return (reason) => {
        cancelTimer?.();
        this.cancel(reason);
      };
    });
  }

  /** Ends an attempt. How long its node was silent shows how long it takes at least. */
  drop(flight: Flight, reason: unknown = left): void {
    const { node, sentAt } = flight;
    this.#remove(flight);
    node.land(flight);
    flight.isDropped = true;
    if (sentAt !== undefined) node.abandon(sentAt, boundOf(node, this.#nodes));
    flight.cancel(reason);
  }

  /** Ends the attempts in flight. */
  cancel(reason: unknown): void {
    for (const flight of [...this.#flights]) this.drop(flight, reason);
  }

  /**
   * Leaves an attempt to itself: the call does not wait for it, and is not concerned with its outcome.
   *
   * @param patience - After so many milliseconds it ends without a response.
   */
  release(flight: Flight, patience: number, onEnd: (outcome: AttemptOutcome<T>) => void): void {
    this.#remove(flight);
    const cancelTimer = this.#clock.after(patience, () => this.drop(flight));
    this.#released.set(flight, (outcome) => {
      cancelTimer();
      onEnd(outcome);
    });
  }

  #remove(flight: Flight): void {
    const index = this.#flights.indexOf(flight);
    if (index >= 0) this.#flights.splice(index, 1);
  }
}
