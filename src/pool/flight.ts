import { Cancellation } from "../async/cancellation.js";
import type { NodeState } from "./node-state.js";

/** Why an attempt ends that is not needed any more, or that another node serves sooner. */
export const left = Symbol("left");

/** One attempt of a call on a node, from its start to its end. */
export class Flight extends Cancellation {
  readonly node: NodeState;
  readonly startedAt: number;
  /** Whether it finds out if a node that rested is well again, beside the attempt that serves the call. */
  readonly isTrial: boolean;
  /** When the request was sent; `undefined` while it waits for the rate limit. */
  sentAt: number | undefined;
  /** Whether nothing waits for its outcome. */
  isDropped = false;
  /** Once its call has left it to itself: clears the timer that ends it. */
  clearTimer: (() => void) | undefined;
  readonly #rests: number;
  readonly #canLeave: () => boolean;

  /** @param canLeave - Whether another node can be asked instead. */
  constructor(node: NodeState, { now, isTrial, canLeave }: { now: number; isTrial: boolean; canLeave: () => boolean }) {
    super();
    this.node = node;
    this.startedAt = now;
    this.isTrial = isTrial;
    this.#rests = node.rests;
    this.#canLeave = canLeave;
  }

  /** Whether another node is the better choice by now: this one was set aside while the attempt waited for the rate limit. */
  get isOutdated(): boolean {
    return this.node.rests !== this.#rests && this.#canLeave();
  }
}
