import { Cancellation } from "../http/cancellation.js";
import type { Clock } from "../http/clock.js";
import type { Attempt, Context, Reply } from "../http/context.js";
import { type Block, readBlock } from "../http/index.js";
import { newAttempt } from "../http/retry.js";
import { ignore } from "../pagination/item-iterator.js";
import { sentAtOf } from "./failures.js";
import type { NodeState } from "./node-state.js";

/** How an attempt on a node has ended. */
export interface Outcome<T> {
  node: NodeState;
  /** When the request was sent. Without a request: when the attempt began. */
  sentAt: number;
  /** The response; `undefined` if there was none. */
  response: Response | undefined;
  /** The block that the response names. */
  block: Block | undefined;
  result: { reply: Reply<T> } | { error: unknown };
}

/** The reason of an attempt that was not sent, because its node was set aside. */
export const left = Symbol("left");

/** The attempts of one call that are in flight, on one node each. */
export class Race<T> {
  readonly #cancellation: Cancellation;
  readonly #clock: Clock;
  readonly #pending = new Map<NodeState, Cancellation>();
  readonly #outcomes: Outcome<T>[] = [];
  #count = 0;
  #wake: () => void = ignore;

  constructor({ cancellation }: Context<T>, clock: Clock) {
    this.#cancellation = cancellation;
    this.#clock = clock;
  }

  /** How many attempts are in flight. */
  get size(): number {
    return this.#pending.size;
  }

  /**
   * Starts an attempt.
   *
   * @param canLeave - Whether another node can be asked instead, if this one is set aside before the request is sent.
   */
  start(node: NodeState, send: (attempt: Attempt) => Promise<Reply<T>>, canLeave: () => boolean): void {
    const cancellation = new Cancellation();
    const attempt = newAttempt(cancellation, ++this.#count, node.url);
    const leave = () => {
      if (attempt.request === undefined && canLeave()) cancellation.cancel(left);
    };
    const startedAt = this.#clock.now();
    const end = (result: Outcome<T>["result"]) => {
      node.inFlight--;
      node.onRest.delete(leave);
      if (!this.#pending.delete(node)) return;
      const { response } = attempt;
      const sentAt = sentAtOf.get(attempt) ?? startedAt;
      const block = response && readBlock(response);
      if (response && (block || response.ok)) node.hear(block, sentAt, response.headers);
      this.#outcomes.push({ node, sentAt, response, block, result });
      this.#wake();
    };
    node.inFlight++;
    node.onRest.add(leave);
    this.#pending.set(node, cancellation);
    send(attempt).then(
      (reply) => end({ reply }),
      (error: unknown) => end({ error }),
    );
  }

  /** The next attempt that ends; `undefined` if none does for so many milliseconds. */
  next(patience: number): Promise<Outcome<T> | undefined> {
    return this.#cancellation.run<Outcome<T> | undefined>((resolve) => {
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

  /** Ends the attempts in flight, and returns their nodes. */
  cancel(reason: unknown): NodeState[] {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [, cancellation] of pending) cancellation.cancel(reason);
    return pending.map(([node]) => node);
  }
}
