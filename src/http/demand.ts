import { isBranded } from "../errors/vega-error.js";
import type { Block } from "./block.js";

/**
 * What a response lacks: the block that it has to be of, the place that it has to continue from, or the history that it has to reach
 * back to.
 */
export type Lack = "block" | "place" | "history";

/** A response, as far as it is judged. */
export interface Shown<T> {
  data: T;
  block: Block | undefined;
}

/** What a response has to show, so that it is used. Behind one address, any request can reach another node. */
export interface Demand<T = unknown> {
  /**
   * Whether it decides what is newest: a client of several nodes compares it with another node, and with what it has returned.
   * Default: it has no demand at all, or not.
   */
  isFresh?: boolean;
  /** The address of the node that is asked first. */
  prefer?: string | undefined;
  /**
   * The time from which on the response should be complete, in Unix nanoseconds; 0 for as early as any node can. A pool returns a
   * response that is complete from a later time on only after all other nodes that are not cooling down have failed to give a
   * better one, and then returns the one that reaches back furthest.
   */
  historyFrom?: bigint | undefined;
  /** Returns the time from which on a response is complete, in Unix nanoseconds. Set together with `historyFrom`. */
  completeFrom?(shown: Shown<T>): bigint;
  /** Returns whether a response continues what was read before. Default: it does. */
  holdsPlace?(data: T): boolean;
  /**
   * Returns whether the block of a response is too early, or missing.
   *
   * @param namesBlocks - Whether blocks were named before, by this node or by another one of the pool.
   */
  lacksBlock?(shown: Shown<T>, namesBlocks: boolean): boolean;
}

/** What a response lacks; `undefined` if it can be used. */
export function lackOf<T>(demand: Demand<T>, shown: Shown<T>, namesBlocks: boolean): Lack | undefined {
  const lacksBlock = demand.lacksBlock?.(shown, namesBlocks);
  if (lacksBlock && shown.block) return "block";
  if (demand.holdsPlace?.(shown.data) === false) return "place";
  if (lacksBlock) return "block";
  const { historyFrom, completeFrom } = demand;
  return historyFrom !== undefined && completeFrom && completeFrom(shown) > historyFrom ? "history" : undefined;
}

/** No node gave a response that showed what was demanded. A reader turns it into an error for its caller. */
export class NotShown extends Error {
  protected static readonly brand = "vegaprotocol-client.NotShown";
  readonly lack: Lack;
  /** The response with the newest block, if there was one. */
  readonly shown: Shown<unknown> | undefined;

  /** Returns whether a value is a {@link NotShown}, also that of a pool from another copy of the package. */
  static is(error: unknown): error is NotShown {
    return isBranded(error, NotShown.brand);
  }

  constructor(lack: Lack, { shown }: { shown?: Shown<unknown> } = {}) {
    super(`The response does not show the ${lack} that it is used for.`);
    this.lack = lack;
    this.shown = shown;
  }
}
