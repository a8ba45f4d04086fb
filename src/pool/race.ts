import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { type Block, readBlock } from "../http/block.js";
import type { Attempt, Context, Reply } from "../http/context.js";
import { newAttempt } from "../http/retry.js";
import type { Candidates } from "./candidates.js";
import { Flight, left } from "./flight.js";
import { boundOf } from "./hedging.js";
import { applyVerdict, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import { sendToNode } from "./node-attempt.js";
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
  /** The result; `undefined` if there is an error. */
  reply: Reply<T> | undefined;
  error: unknown;
}

/** The attempts of one call that are in flight, on one node each. */
export class Race<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #candidates: Candidates;
  readonly #clock: Clock;
  readonly #flights: Flight[] = [];
  readonly #outcomes: AttemptOutcome<T>[] = [];
  #count = 0;
  /** Passes on to the call that waits; `undefined` while none does. */
  #pass: ((outcome?: AttemptOutcome<T>) => void) | undefined;

  constructor(link: Link, context: Context<T>, candidates: Candidates) {
    this.#link = link;
    this.#context = context;
    this.#candidates = candidates;
    this.#clock = link.clock;
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

  start(node: NodeState, isTrial: boolean): void {
    const canLeave = () => this.#flights.length > 1 || this.#candidates.next() !== undefined;
    const flight = new Flight(node, { now: this.#clock.now(), isTrial, canLeave });
    const attempt = newAttempt(flight, ++this.#count, node.url);
    this.#candidates.add(node);
    node.depart(flight);
    this.#flights.push(flight);
    sendToNode(this.#link, this.#context, node, attempt).then(
      (reply) => this.#end(flight, attempt, reply, undefined),
      (error: unknown) => this.#end(flight, attempt, undefined, error),
    );
  }

  #end(flight: Flight, { response }: Attempt, reply: Reply<T> | undefined, error: unknown): void {
    const { node, isTrial, isDropped, sentAt = flight.startedAt } = flight;
    node.land(flight);
    if (isDropped) return;
    const block = response && (reply ? reply.block : readBlock(response));
    if (response && (block || response.ok)) node.hear(block, sentAt, response.headers);
    if (flight.clearTimer) {
      flight.clearTimer();
      if (reply) applyVerdict({ node, sentAt, verdict: verdictOn(node, block, {}, this.#link) });
      return;
    }
    this.#remove(flight);
    const outcome = { node, sentAt, response, block, isTrial, reply, error };
    if (this.#pass) this.#pass(outcome);
    else this.#outcomes.push(outcome);
  }

  /** The next attempt that ends; `undefined` if none does for so many milliseconds. */
  next(patience: number): Promise<AttemptOutcome<T> | undefined> {
    return new Promise((resolve, reject) => {
      const pass = (outcome?: AttemptOutcome<T>) => {
        this.#pass = undefined;
        clearTimer?.();
        resolve(outcome);
      };
      const clearTimer = patience < Number.POSITIVE_INFINITY ? this.#clock.after(patience, pass) : undefined;
      if (this.#outcomes.length > 0) pass(this.#outcomes.shift());
      else this.#pass = pass;
      this.#context.cancellation.onCancel((reason) => {
        clearTimer?.();
        this.cancel(reason);
        reject(reason);
      });
    });
  }

  /** Ends an attempt. How long its node was silent shows how long it takes at least. */
  drop(flight: Flight, reason: unknown = left): void {
    const { node, sentAt } = flight;
    this.#remove(flight);
    node.land(flight);
    flight.isDropped = true;
    if (sentAt !== undefined) node.abandon(sentAt, boundOf(node, this.#link.nodes));
    flight.cancel(reason);
  }

  /** Ends the attempts in flight. */
  cancel(reason: unknown): void {
    this.#context.cancellation.onCancel(ignore);
    while (this.#flights[0]) this.drop(this.#flights[0], reason);
  }

  /**
   * Leaves an attempt to itself: the call does not wait for it. Its response is judged, and nothing else.
   *
   * @param patience - After so many milliseconds it ends without a response.
   */
  release(flight: Flight, patience: number): void {
    this.#remove(flight);
    flight.clearTimer = this.#clock.after(patience, () => this.drop(flight));
  }

  #remove(flight: Flight): void {
    const index = this.#flights.indexOf(flight);
    if (index >= 0) this.#flights.splice(index, 1);
  }
}
