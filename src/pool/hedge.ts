import type { Context } from "../http/context.js";
import type { Candidates } from "./candidates.js";
import type { Flight } from "./flight.js";
import { boundOf, hedgeDelay, longestSilence } from "./hedging.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";
import type { Race } from "./race.js";

/** How often a call looks while nothing is known of a node, in milliseconds. */
const firstLook = 100;

/** How often all nodes are asked once more. They are waited for for a second, and for one more each time. */
const mostRounds = 3;

/** Asks another node if the one that a call has asked last is late. */
export class Hedge<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #candidates: Candidates;
  readonly #race: Race<T>;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #dropped: NodeState[] = [];
  #rounds = 0;
  /** The last attempt, if there is no further node. */
  #last: Flight | undefined;

  constructor(link: Link, context: Context<T>, candidates: Candidates, race: Race<T>) {
    this.#link = link;
    this.#context = context;
    this.#candidates = candidates;
    this.#race = race;
  }

  /** Milliseconds until the call looks for a node to ask as well. What is late for a node that was not heard yet, others may show soon. */
  get patience(): number {
    const delay = this.#delay;
    const isKnown = this.#latest?.node.latency.bound !== undefined || delay === Number.POSITIVE_INFINITY;
    return isKnown ? delay : Math.min(firstLook, delay);
  }

  /** Milliseconds until the node that was asked last is late. */
  get #delay(): number {
    const flight = this.#latest;
    if (flight === undefined || flight === this.#last || this.#context.once) return Number.POSITIVE_INFINITY;
    const { sentAt = flight.startedAt } = flight;
    return Math.max(0, Math.max(sentAt, this.#lookedAt) + this.#delayOf(flight) - this.#link.clock.now());
  }

  /**
   * The node to ask as well, or instead of one that has been set aside while the attempt waits for its rate limit; `undefined` if the
   * nodes that were asked are waited for.
   *
   * @param canRest - Whether a node that is set aside is asked as well, if no other is left.
   */
  next(canRest: boolean): NodeState | undefined {
    const { clock, settings, nodes } = this.#link;
    const flight = this.#latest;
    if (flight === undefined || this.#delay > 0) return undefined;
    this.#lookedAt = clock.now();
    if (flight.sentAt === undefined) {
      // A wait for the rate limit says nothing about the node, unless that was set aside already: it may be silent.
      const other = flight.isOutdated ? this.#candidates.next() : this.#insteadOf(flight, canRest);
      if (other === undefined && !flight.isOutdated) return undefined;
      this.#race.drop(flight);
      this.#candidates.remove(flight.node);
      return other;
    }
    if (settings.hedgeAfter === false) this.#last = flight;
    const node = canRest ? this.#candidates.any() : this.#candidates.next();
    if (node === undefined) this.#beginRound(flight);
    if (node === undefined || flight === this.#last || node.pause > 0) return undefined;
    const ended = this.#race.flights.length < 2 ? undefined : this.#dispensableFor(node);
    if (this.#race.flights.length > 1 && ended === undefined) return undefined;
    const elapsed = clock.now() - flight.sentAt;
    const isSilent = elapsed >= Math.max(longestSilence, boundOf(flight.node, nodes));
    // A node that rests is known to be silent.
    if (flight.node.isAvailable && !this.#link.budget.take(isSilent)) return undefined;
    if (ended) {
      this.#race.drop(ended);
      this.#dropped.push(ended.node);
    }
    this.#report(flight.node, node, elapsed);
    return node;
  }

  /** If the node of an attempt is set aside: one that is asked at once, even if it is set aside as well. */
  #insteadOf({ node }: Flight, canRest: boolean): NodeState | undefined {
    const other = node.isAvailable || !canRest ? undefined : this.#candidates.any();
    return other?.pause === 0 ? other : undefined;
  }

  /** The attempt that serves the call, if there is one. */
  get #latest(): Flight | undefined {
    const { flights } = this.#race;
    const last = flights.at(-1);
    return last?.isTrial ? (flights.filter(({ isTrial }) => !isTrial).at(-1) ?? last) : last;
  }

  #delayOf({ node }: Flight): number {
    return this.#rounds > 0 ? this.#rounds * longestSilence : hedgeDelay(node, this.#link);
  }

  /** Asks the nodes once more that were not waited for, and waits for longer: all of them may be slower than usual. */
  #beginRound(flight: Flight): void {
    if (this.#dropped.length === 0 || this.#rounds === mostRounds) this.#last = flight;
    else this.#rounds++;
    for (const node of this.#dropped) this.#candidates.remove(node);
    this.#dropped = [];
  }

  /** The attempt that makes room for another one, if two are in flight: a trial, or one that is silent. */
  #dispensableFor(other: NodeState): Flight | undefined {
    const { nodes, clock } = this.#link;
    const { flights } = this.#race;
    const isSilent = ({ node, sentAt }: Flight) => {
      // A node that rests is probably worse.
      const least = longestSilence * (this.#rounds || Number(node.isAvailable && !other.isAvailable));
      return sentAt !== undefined && clock.now() - sentAt >= Math.max(least, boundOf(node, nodes));
    };
    return flights.find(({ isTrial }) => isTrial) ?? flights.find(isSilent);
  }

  #report(from: NodeState, to: NodeState, delay: number): void {
    const { operation, attempts: attempt } = this.#context;
    from.hedges++;
    this.#link.emit?.({ type: "hedge", operation, attempt, node: from.url, from: from.url, to: to.url, delay });
  }
}
