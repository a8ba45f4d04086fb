import type { PageInfo } from "../../generated/types.js";
import { refuse } from "../arguments/refuse.js";
import { untilAborted } from "../async/abort.js";
import type { PaginationError } from "../errors/index.js";
import { blockTimeOf, nanosecondsOf } from "../evidence/block-cursor.js";
import { type Backward, backward, type Direction, type Forward, forward, inWalkOrder } from "../evidence/direction.js";
import { completeFrom, never } from "../evidence/history.js";
import { timeOf } from "../evidence/node-page.js";
import { behindError, describeTime, prunedError, readingError } from "../evidence/reading-errors.js";
import type { Block } from "../http/block.js";
import { type Demand, NotShown } from "../http/demand.js";
import { maximum } from "../values/integers.js";
import { microsecondOf } from "../values/microseconds.js";
import { show } from "../values/show.js";
import type { Deduplicator } from "./deduplicator.js";
import { type Edge, hasRecord, ListPage, type PageContent, type Step } from "./page.js";
import { type Continuation, continuationFrom, continuationsAfter, largestPage, passes } from "./repair/continuation.js";
import { afterBlock } from "./repair/cursors.js";
import type { FetchPage, RequestPlan, Source } from "./request-plan.js";

/** What is known of the earlier pages of a walk. */
interface Trail<T> {
  readonly direction: Direction;
  /** How many pages there are. */
  readonly length: number;
  /** The last two edges. */
  readonly previous: readonly Edge<T>[];
  /** The places that were continued from, each with the number of the page that followed. */
  readonly places: Map<string, number>;
  readonly deduplicator: Deduplicator<T>;
  /** The last cursor that leaves nothing out. */
  readonly safeCursor: string | undefined;
  /** Whether cursors are completed with account ids. A node may not follow them. */
  readonly completesAccounts: boolean;
  /** The latest block of the pages so far: no later page may be of an earlier one. */
  readonly block?: Block | undefined;
  /** The address of the node that gave the last page, if the client has several. */
  readonly node?: string | undefined;
}

type Content<T, Extra extends object> = Awaited<ReturnType<FetchPage<T, Extra>>>;

/** A list, and the requests of a walk over it. */
interface Walk<T, Extra extends object> {
  readonly plan: RequestPlan<T>;
  readonly source: Source<T, Extra>;
}

const keepAll: Deduplicator<never> = { filter: (edges) => ({ fresh: edges, next: keepAll }) };

function newTrail<T, Extra extends object>({ plan, source }: Walk<T, Extra>, direction: Direction): Trail<T> {
  const deduplicator: Deduplicator<T> = source.deduplicator?.() ?? keepAll;
  const safeCursor = direction === plan.direction ? plan.cursor : undefined;
  return { direction, length: 0, previous: [], places: new Map(), deduplicator, safeCursor, completesAccounts: true };
}

export function firstStep<T, Extra extends object>(plan: RequestPlan<T>, source: Source<T, Extra>): Step<T, Extra> {
  const walk = { plan, source };
  const from = plan.cursor === undefined ? undefined : continuationFrom(plan.cursor, source.cursors);
  return new WalkStep(walk, newTrail(walk, plan.direction), from);
}

/** The later one of the latest block so far and of that of a page. */
function latest(block: Block | undefined, extra: { block?: Block | undefined } | undefined): Block | undefined {
  const next = extra?.block;
  return block && (next === undefined || next.timestamp < block.timestamp) ? block : next;
}

/** What to request for a page, and what is known of the pages before it. */
class WalkStep<T, Extra extends object> implements Step<T, Extra> {
  readonly #walk: Walk<T, Extra>;
  readonly #plan: RequestPlan<T>;
  readonly #trail: Trail<T>;
  readonly #from: Continuation<T> | undefined;

  constructor(walk: Walk<T, Extra>, trail: Trail<T>, from: Continuation<T> | undefined) {
    this.#walk = walk;
    this.#plan = walk.plan;
    this.#trail = trail;
    this.#from = from;
    if (from) trail.places.set(from.id, trail.length);
  }

  get pagination(): Forward | Backward {
    const { resume, cursor } = this.#from ?? {};
    return this.#continuing(resume ?? cursor, this.#trail);
  }

  /** The `pagination` to continue with in another walk. A vote that moves meanwhile is lost on a node that is at an earlier block. */
  #continuing(cursor: string | undefined, { direction, block }: Trail<T>): Forward | Backward {
    const isMoving = this.#walk.source.cursors?.lack === "record" && block !== undefined && cursor !== undefined;
    return this.#plan.request(direction, isMoving ? afterBlock(cursor, block.timestamp) : cursor);
  }

  fetchAlone(left?: number): Promise<ListPage<T, Extra> & Extra> {
    return untilAborted(this.#plan.signal, new AbortController(), (signal) => this.fetch(signal, left));
  }

  async fetch(
    signal: AbortSignal,
    left = Number.POSITIVE_INFINITY,
    isAlone = false,
  ): Promise<ListPage<T, Extra> & Extra> {
    const { direction } = this.#trail;
    const { overlap = 0 } = this.#from ?? {};
    const isWhole = overlap === "all" || this.#walk.source.isWanted !== undefined;
    const size = isWhole ? this.#plan.size : Math.min(this.#plan.size, left);
    const requested = overlap === "all" ? size : Math.min(size + overlap, Math.max(size, largestPage));
    let content: Content<T, Extra>;
    try {
      if (this.#from?.locate) return (await this.#located(signal)).fetch(signal, left, isAlone);
      content = await this.#request(direction, requested, signal, this.#demand(isAlone), isAlone);
    } catch (error) {
      return (await this.#withoutProof(error, signal)).fetch(signal, left, isAlone);
    }
    const received = edgesOf(content, direction);
    const edges = this.#from?.accept ? this.#from.accept(received) : received;
    if (edges === undefined) return (await this.#fallback(signal)).fetch(signal, left);
    const { from } = this.#partInRange(edges);
    const page =
      edges === received && from === 0
        ? { edges, pageInfo: content.pageInfo }
        : cut(edges, content.pageInfo, { size: from + size, direction, isContinued: edges !== received });
    const trail = { ...this.#trail, block: latest(this.#trail.block, content.extra), node: content.node };
    return Object.assign(this.#pageOf(page.edges, page.pageInfo, trail, content.completeFrom), content.extra);
  }

  async #request(
    direction: Direction,
    size: number,
    signal: AbortSignal,
    demand: Demand<PageContent<T>>,
    isAlone: boolean,
  ): Promise<Content<T, Extra>> {
    const { operation = "paginate", fetchPage } = this.#walk.source;
    const { request, range } = this.#plan;
    const isContinued = this.#from !== undefined;
    const decidesStart = this.#plan.decidesStart(direction, { isAlone, isContinued });
    const content = await fetchPage(request(direction, this.#from?.cursor, size), signal, demand, decidesStart);
    if (!Array.isArray(content?.edges)) {
      const place = { operation: this.#walk.source.operation, argument: "fetchPage" };
      return refuse(place, "a function that returns `{ edges, pageInfo }`", content);
    }
    const { availableFrom } = content;
    if (availableFrom === undefined) return content;
    throw prunedError(operation, range?.start ?? 0n, availableFrom, "narrow the range", this.pagination);
  }

  /** The step from the record before a cursor that the caller brings: its page begins with the record of the cursor. */
  async #located(signal: AbortSignal): Promise<WalkStep<T, Extra>> {
    const { direction } = this.#trail;
    const back = opposite(direction);
    const pagination = this.#plan.request(back, undefined);
    const demand: Demand<PageContent<T>> = {
      ...this.#demand(true),
      holdsPlace: () => true,
      // A node that has dropped the records before the cursor shows none.
      ...(this.#plan.isDescending(back) && {
        historyFrom: this.#from?.after ?? 0n,
        completeFrom: (shown) => completeFrom(shown, pagination),
      }),
    };
    const before = await this.#request(back, 2, signal, demand, true);
    return new WalkStep(this.#walk, this.#trail, this.#from?.locate?.(edgesOf(before, direction)));
  }

  /** What the page has to show, so that nothing before it and in it is missing. */
  #demand(isAlone: boolean): Demand<PageContent<T>> {
    const { direction, length, block, node } = this.#trail;
    const { after = 0n, accept } = this.#from ?? {};
    const isContinued = this.#from !== undefined;
    // Before a record of a time, all records of the past are final.
    const isPast = accept !== undefined && this.#plan.range !== undefined && this.#plan.isDescending(direction);
    const needed = isPast ? after : maximum(after, block?.timestamp ?? 0n);
    return {
      ...this.#plan.demand(direction, { isAlone, isFirst: length === 0, isContinued }),
      prefer: node,
      lacksBlock: ({ block: shown }, namesBlocks) =>
        shown === undefined ? namesBlocks && !isAlone : shown.timestamp < needed,
      ...(accept && { holdsPlace: (content) => accept(edgesOf(content, direction)) !== undefined }),
    };
  }

  /** What to do if no response shows what is demanded: another step, or an error. */
  async #withoutProof(error: unknown, signal: AbortSignal): Promise<WalkStep<T, Extra>> {
    if (!NotShown.is(error)) throw error;
    const { operation = "paginate" } = this.#walk.source;
    if (error.lack === "place") return this.#fallback(signal);
    const { block } = this.#trail;
    const needed = block ? `block ${block.height}` : `the time ${describeTime(this.#from?.after ?? 0n)}`;
    throw behindError(operation, needed, error.shown?.block, this.pagination);
  }

  async #fallback(signal: AbortSignal): Promise<WalkStep<T, Extra>> {
    const from = this.#from?.fallback?.();
    if (from !== undefined) {
      const { cursor, resume = cursor } = this.#from ?? {};
      return new WalkStep(this.#walk, { ...this.#trail, completesAccounts: false }, { resume, ...from });
    }
    const { operation, findHistory } = this.#walk.source;
    const place = timeOf(this.#trail.previous.at(-1)) ?? this.#from?.after ?? nanosecondsOf(this.#from?.cursor ?? "");
    // Records of whole days are dropped at once, also while they are read.
    const availableFrom = place === undefined ? undefined : await findHistory?.(place, signal);
    if (operation !== undefined && place !== undefined && availableFrom !== undefined) {
      throw prunedError(operation, place, availableFrom, "narrow the range", this.pagination);
    }
    throw readingError(
      `${this.#sender} does not begin with the last record of the page before, so it is unknown which records follow it. ` +
        "Continue with `resume` on another node, or request larger pages.",
      { operation, reason: "gap" },
      this.pagination,
    );
  }

  #pageOf(
    edges: readonly Edge<T>[],
    pageInfo: PageInfo | null,
    here: Trail<T>,
    completeFrom: bigint | undefined,
  ): ListPage<T, Extra> {
    const { direction, length, block, node } = here;
    const passing = this.#from?.passing;
    const { cursors, isWanted } = this.#walk.source;
    const keyOf = cursors?.keyOf;
    const isStuck = passing !== undefined && keyOf !== undefined && !passes(edges, passing, keyOf);
    // What follows a block that cannot be passed is left for a walk that can.
    const reached = isStuck ? edges.filter(({ cursor }) => blockTimeOf(cursor) === passing.time) : edges;
    const { from, to, isLast } = this.#partInRange(reached);
    const wanted = to - from === reached.length ? reached : reached.slice(from, to);
    const { fresh, next: deduplicator } = here.deduplicator.filter(wanted);
    const step = (towards: Direction): Step<T, Extra> | undefined => {
      if (towards === direction) {
        if (isStuck) throw this.#repeats(this.#from?.cursor ?? "", here.safeCursor, here);
        return isLast ? undefined : this.#stepAfter(edges, pageInfo, { ...here, length: length + 1, deduplicator });
      }
      const back = { ...newTrail(this.#walk, towards), block, node };
      const turned = [...edges].reverse();
      const { next } = back.deduplicator.filter(turned);
      return this.#stepAfter(turned, pageInfo, { ...back, length: 1, deduplicator: next });
    };
    const info = wanted === reached ? pageInfo : ofPart(wanted, pageInfo, direction, isLast);
    const selected = isWanted ? fresh.filter(({ node }) => isWanted(node)) : fresh;
    return new ListPage(inWalkOrder(selected, direction), info, step, completeFrom);
  }

  /** Which edges of a page are within the range of the walk, and whether the page reaches beyond its end. */
  #partInRange(edges: readonly Edge<T>[]): { from: number; to: number; isLast: boolean } {
    const { range } = this.#plan;
    if (range === undefined) return { from: 0, to: edges.length, isLast: false };
    // Nodes compare microseconds.
    const [start, end] = [microsecondOf(range.start ?? 0n), microsecondOf(range.end ?? never)];
    const microsecondAt = (edge: Edge<T> | undefined) => {
      const time = timeOf(edge);
      return time === undefined ? start : microsecondOf(time);
    };
    const isInside = (edge: Edge<T> | undefined) => microsecondAt(edge) >= start && microsecondAt(edge) < end;
    let [from, to] = [0, edges.length];
    while (to > 0 && !isInside(edges[to - 1])) to--;
    while (from < to && !isInside(edges[from])) from++;
    const last = microsecondAt(edges.at(-1));
    const isLast = this.#plan.isDescending(this.#trail.direction) ? last < start : last >= end;
    return { from, to, isLast };
  }

  #stepAfter(edges: readonly Edge<T>[], pageInfo: PageInfo | null, trail: Trail<T>): Step<T, Extra> | undefined {
    const { direction, places, length, safeCursor, completesAccounts } = trail;
    if (!pageInfo?.[direction.more]) return undefined;
    const cursor = pageInfo[direction.nextCursor];
    const { cursors } = this.#walk.source;
    // The record that is yielded last has a cursor of its own in most responses.
    const endCursor = cursor || edges.at(-1)?.cursor;
    const isFirstPage = length === 1 && direction === this.#plan.direction && this.#plan.cursor === undefined;
    const rules = { completesAccounts, isFirstPage };
    const { ways = [], resume: safe = safeCursor } = endCursor
      ? continuationsAfter(edges, trail.previous, endCursor, cursors, rules)
      : {};
    if (!cursor) throw this.#missesCursor(trail, safe);
    const way = ways.find(({ id }) => (places.get(id) ?? length) >= length);
    if (way === undefined) throw this.#repeats(cursor, safe, trail);
    const previous = edges.length > 1 ? edges.slice(-2) : [...trail.previous, ...edges].slice(-2);
    return new WalkStep(this.#walk, { ...trail, previous, safeCursor: safe }, way);
  }

  #missesCursor(trail: Trail<T>, safeCursor: string | undefined): PaginationError {
    const { more, nextCursor } = trail.direction;
    return this.#error(
      "missing-cursor",
      `${this.#sender} reports \`${more}\` but returned no \`${nextCursor}\`. Request a page that holds everything, or narrow the filter.`,
      safeCursor,
      trail,
    );
  }

  #repeats(cursor: string, safeCursor: string | undefined, trail: Trail<T>): PaginationError {
    const { advice = "A larger page may pass the records that this one does not." } = this.#walk.source;
    return this.#error(
      "repeated-cursor",
      `${this.#sender} returned cursor ${show(cursor)} twice; stopped to avoid an infinite loop. ${advice}`,
      safeCursor,
      trail,
    );
  }

  #error(
    reason: PaginationError["reason"],
    message: string,
    safeCursor: string | undefined,
    trail: Trail<T>,
  ): PaginationError {
    const { operation } = this.#walk.source;
    return readingError(message, { operation, reason }, this.#continuing(safeCursor, trail));
  }

  get #sender(): string {
    const { operation } = this.#walk.source;
    return operation === undefined ? "The source" : `The node's response to ${operation}`;
  }
}

/** The `pageInfo` of the records of a page that are within the range of the walk. */
function ofPart<T>(
  edges: readonly Edge<T>[],
  pageInfo: PageInfo | null,
  direction: Direction,
  isLast: boolean,
): PageInfo | null {
  if (pageInfo === null) return null;
  return {
    ...pageInfo,
    [opposite(direction).nextCursor]: edges[0]?.cursor ?? "",
    ...(isLast && { [direction.nextCursor]: edges.at(-1)?.cursor ?? "", [direction.more]: false }),
  };
}

const opposite = (direction: Direction) => (direction === forward ? backward : forward);

/** The records of a page with their cursors, in the order of the walk. */
function edgesOf<T>({ edges }: PageContent<T>, direction: Direction): readonly Edge<T>[] {
  return inWalkOrder(edges.every(hasRecord<T>) ? edges : edges.filter(hasRecord<T>), direction);
}

/** The page without the edges that were known, at most of the size that was wanted. */
function cut<T>(
  edges: readonly Edge<T>[],
  pageInfo: PageInfo | null,
  { size, direction, isContinued }: { size: number; direction: Direction; isContinued: boolean },
) {
  if (pageInfo === null) return { edges, pageInfo };
  const page = edges.slice(0, size);
  const end = edges.length > size ? page.at(-1)?.cursor : undefined;
  return {
    edges: page,
    pageInfo: {
      ...pageInfo,
      [opposite(direction).nextCursor]: page[0]?.cursor ?? "",
      // v0.74 nodes deny it on the last page.
      ...(isContinued && { [opposite(direction).more]: true }),
      ...(end !== undefined && { [direction.nextCursor]: end, [direction.more]: true }),
    },
  };
}
