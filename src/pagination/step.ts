import type { PageInfo } from "../../generated/types.js";
import { refuse, show } from "../arguments/refuse.js";
import { PaginationError } from "../errors/index.js";
import { fetchUntilAborted } from "../http/index.js";
import { type Continuation, continuationFrom, continuationsAfter, passes } from "./continuation.js";
import { blockTimeOf, edgesAfter } from "./cursors.js";
import type { Deduplicator } from "./deduplicator.js";
import { type Backward, type Direction, type Forward, inWalkOrder } from "./direction.js";
import { type Edge, hasRecord, ListPage, type Step } from "./page.js";
import type { RequestPlan } from "./request-plan.js";

/** What is known of the earlier pages of a walk. */
interface Trail<T> {
  readonly direction: Direction;
  /** How many pages there are. */
  readonly length: number;
  /** The edges of the last page, and the one before them. */
  readonly previous: readonly Edge<T>[];
  /** The places that were continued from, each with the number of the page that followed. */
  readonly places: Map<string, number>;
  readonly deduplicator: Deduplicator<T>;
  /** The last cursor that leaves nothing out. */
  readonly safeCursor: string | undefined;
  /** Whether cursors are completed with account ids. A node may contradict them. */
  readonly completesAccounts: boolean;
}

const keepAll: Deduplicator<never> = { filter: (edges) => ({ fresh: edges, next: keepAll }) };

function newTrail<T, Extra extends object>(plan: RequestPlan<T, Extra>, direction: Direction): Trail<T> {
  const deduplicator: Deduplicator<T> = plan.source.deduplicator?.() ?? keepAll;
  const safeCursor = direction === plan.direction ? plan.cursor : undefined;
  return { direction, length: 0, previous: [], places: new Map(), deduplicator, safeCursor, completesAccounts: true };
}

export function firstStep<T, Extra extends object>(plan: RequestPlan<T, Extra>): Step<T, Extra> {
  const from = plan.cursor === undefined ? undefined : continuationFrom(plan.cursor, plan.source.cursors);
  return new WalkStep(plan, newTrail(plan, plan.direction), from);
}

/** What to request for a page, and what is known of the pages before it. */
class WalkStep<T, Extra extends object> implements Step<T, Extra> {
  readonly #plan: RequestPlan<T, Extra>;
  readonly #trail: Trail<T>;
  readonly #from: Continuation | undefined;

  constructor(plan: RequestPlan<T, Extra>, trail: Trail<T>, from: Continuation | undefined) {
    this.#plan = plan;
    this.#trail = trail;
    this.#from = from;
    if (from) trail.places.set(from.id, trail.length);
  }

  get pagination(): Forward | Backward {
    return this.#plan.request(this.#trail.direction, this.#from?.cursor);
  }

  fetchAlone(left?: number): Promise<ListPage<T, Extra> & Extra> {
    return fetchUntilAborted(this.#plan.signal, new AbortController(), (signal) => this.fetch(signal, left));
  }

  async fetch(signal: AbortSignal, left = Number.POSITIVE_INFINITY): Promise<ListPage<T, Extra> & Extra> {
    const plan = this.#plan;
    const { direction } = this.#trail;
    const size = this.#from?.overlaps ? plan.size : Math.min(plan.size, left);
    const content = await plan.fetchPage(
      plan.request(direction, this.#from?.cursor, size),
      signal,
      this.#trail.previous,
    );
    if (!Array.isArray(content?.edges)) {
      refuse(
        { operation: plan.source.operation, argument: "fetchPage" },
        "a function that returns `{ edges, pageInfo }`",
        content,
      );
    }
    const received = content.edges.every(hasRecord<T>) ? content.edges : content.edges.filter(hasRecord<T>);
    const edges = this.#edgesAfterCursor(inWalkOrder(received, direction));
    if (edges === undefined) return this.#fallback().fetch(signal, left);
    return Object.assign(this.#pageOf(edges, content.pageInfo), content.extra);
  }

  /** The edges that follow the cursor, in the order of the walk; `undefined` if the page does not begin where it has to. */
  #edgesAfterCursor(edges: readonly Edge<T>[]): readonly Edge<T>[] | undefined {
    const { place, guard, fallback } = this.#from ?? {};
    // If every known vote of the page has moved away, there is no earlier cursor to continue from.
    if (guard && fallback && !guard.has(blockTimeOf(edges[0]?.cursor ?? "") ?? "")) return undefined;
    return place ? edgesAfter(edges, place, this.#plan.isDescending(this.#trail.direction)) : edges;
  }

  #fallback(): WalkStep<T, Extra> {
    const { fallback, place, cursor = "" } = this.#from ?? {};
    const from = fallback?.();
    if (from === undefined) throw this.#repeats(cursor, this.#trail.safeCursor);
    const completesAccounts = this.#trail.completesAccounts && place === undefined;
    return new WalkStep(this.#plan, { ...this.#trail, completesAccounts }, from);
  }

  #pageOf(edges: readonly Edge<T>[], pageInfo: PageInfo | null): ListPage<T, Extra> {
    const { direction, length } = this.#trail;
    const passing = this.#from?.passing;
    const keyOf = this.#plan.source.cursors?.keyOf;
    const isStuck = passing !== undefined && keyOf !== undefined && !passes(edges, passing, keyOf);
    // What follows a block that cannot be passed is left for a walk that can.
    const reached = isStuck ? edges.filter(({ cursor }) => blockTimeOf(cursor) === passing.time) : edges;
    const { fresh, next: deduplicator } = this.#trail.deduplicator.filter(reached);
    const step = (towards: Direction): Step<T, Extra> | undefined => {
      if (towards === direction) {
        if (isStuck) throw this.#repeats(this.#from?.cursor ?? "", this.#trail.safeCursor);
        return this.#stepAfter(edges, pageInfo, { ...this.#trail, length: length + 1, deduplicator });
      }
      const back = newTrail(this.#plan, towards);
      const turned = [...edges].reverse();
      const { next } = back.deduplicator.filter(turned);
      return this.#stepAfter(turned, pageInfo, { ...back, length: 1, deduplicator: next });
    };
    return new ListPage(inWalkOrder(fresh, direction), pageInfo, step);
  }

  #stepAfter(edges: readonly Edge<T>[], pageInfo: PageInfo | null, trail: Trail<T>): Step<T, Extra> | undefined {
    const { direction, places, length, safeCursor, completesAccounts } = trail;
    if (!pageInfo?.[direction.more]) return undefined;
    const cursor = pageInfo[direction.nextCursor];
    const { cursors } = this.#plan.source;
    // The record that is yielded last has a cursor of its own in most responses.
    const endCursor = cursor || edges.at(-1)?.cursor;
    const ways = endCursor ? continuationsAfter(edges, endCursor, cursors, completesAccounts) : [];
    const safe = ways.find(({ passing }) => passing === undefined)?.cursor ?? safeCursor;
    if (!cursor) throw this.#missesCursor(direction, safe);
    const way = ways.find(({ id }) => (places.get(id) ?? length) >= length);
    if (way === undefined) throw this.#repeats(cursor, safe);
    const previous = [...trail.previous.slice(-1), ...edges];
    return new WalkStep(this.#plan, { ...trail, previous, safeCursor: safe }, way);
  }

  #missesCursor({ more, nextCursor }: Direction, safeCursor: string | undefined): PaginationError {
    return this.#error(
      "missing-cursor",
      `${this.#sender} reports \`${more}\` but returned no \`${nextCursor}\`. Request a page that holds everything, or narrow the filter.`,
      safeCursor,
    );
  }

  #repeats(cursor: string, safeCursor: string | undefined): PaginationError {
    const { advice = "A larger page may pass the records that this one does not." } = this.#plan.source;
    return this.#error(
      "repeated-cursor",
      `${this.#sender} returned cursor ${show(cursor)} twice; stopped to avoid an infinite loop. ${advice}`,
      safeCursor,
    );
  }

  #error(reason: PaginationError["reason"], message: string, safeCursor: string | undefined): PaginationError {
    const { operation } = this.#plan.source;
    const resume = this.#plan.request(this.#trail.direction, safeCursor);
    return Object.assign(new PaginationError(message, { operation, reason }), { resume });
  }

  get #sender(): string {
    const { operation } = this.#plan.source;
    return operation === undefined ? "The source" : `The node's response to ${operation}`;
  }
}
