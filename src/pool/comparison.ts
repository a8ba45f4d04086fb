import type { Demand } from "../http/demand.js";
import type { Flight } from "./flight.js";
import { isCompared } from "./judge.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** The least patience in milliseconds, and how many times the duration of a response it is. */
const [shortest, factor] = [1000, 4];

/** With a response that took so long, that of another node is waited for so long, and the trial of a node that rested. */
export const patienceFor = (elapsed: number, least = shortest): number => Math.max(least, factor * elapsed);

/** Whether the response of a node can be returned without that of another one. */
export class Comparison {
  readonly #link: Link;
  readonly #isNeeded: boolean;
  readonly #least: number;
  #until = Number.POSITIVE_INFINITY;

  constructor(link: Link, { isFresh = false }: Demand<never>) {
    this.#link = link;
    this.#isNeeded = isFresh;
    this.#least = shortest;
  }

  /** Milliseconds until a response is returned without that of another node. */
  get rest(): number {
    return this.#until - this.#link.clock.now();
  }

  /** Whether the other node was waited for long enough. */
  get isOver(): boolean {
    return this.rest <= 0;
  }

  isEnough(node: NodeState): boolean {
    return !this.#isNeeded || isCompared(this.#link, node);
  }

  /** Whether another node is asked at once. If other calls are about to hear of one, there will be something to compare with. */
  needsOther(first: NodeState): boolean {
    const { nodes } = this.#link;
    return !this.isEnough(first) && !nodes.some((node) => node !== first && node.isAvailable && node.inFlight > 0);
  }

  /**
   * There is a response, and another one is waited for.
   *
   * @param sentAt - When the request for the first one was sent.
   * @param flights - The attempts in flight.
   */
  begin(sentAt: number, flights: readonly Flight[]): void {
    const startedAt = flights.at(-1)?.startedAt ?? sentAt;
    this.#until = Math.min(this.#until, startedAt + patienceFor(this.#link.clock.now() - sentAt, this.#least));
  }
}
