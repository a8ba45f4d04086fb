import type { PageInfo } from "../../generated/types.js";
import { refuse } from "../arguments/refuse.js";
import { untilAborted } from "../async/abort.js";
import type { PaginationError } from "../errors/index.js";
import { edgesAfter, never } from "../evidence/judge.js";
import {
  type Backward,
  type Direction,
  type Edge,
  edgesOf,
  type Forward,
  inWalkOrder,
  largestPage,
  nanosecondsOf,
  opposite,
  timeOf,
} from "../evidence/page.js";
import { behindError, describeTime, prunedError, readingError } from "../evidence/reading-errors.js";
import type { Block } from "../http/call.js";
import { type Expectation, NotShown } from "../http/expectation.js";
import { maximum } from "../values/integers.js";
import { show } from "../values/show.js";
import { microsecondOf } from "../values/times.js";
import { afterBlock, readMembers, shortKey } from "./cursors.js";
import { ListPage, type Step } from "./page.js";
import { type FetchedPage, goesDown, pageAfter, type Source, type WalkPlan } from "./plan.js";
import {
  type Continuation,
  continuationAfter,
  continuationFrom,
  type Deduplicator,
  fromNeighbor,
  keepAll,
  remember,
} from "./repair.js";

/** What is known of the earlier pages of a walk. */
interface Trail<T> {
  readonly direction: Direction;
  readonly length: number;
  /** How many records were read, if the walk began at the start of the list. */
  readonly count: number | undefined;
  readonly previous: readonly Edge<T>[];
  /** The place that the next page continues from, and those before. */
  readonly places?: Places | undefined;
  readonly deduplicator: Deduplicator<T>;
  /** The last cursor that leaves nothing out. */
  readonly safeCursor: string | undefined;
  /** The latest block of the pages so far: no later page may be of an earlier one. */
  readonly block?: Block | undefined;
  /** The address of the node that gave the last page, if the client has several. */
  readonly node?: string | undefined;
}

interface Places {
  readonly id: string;
  readonly earlier: Places | undefined;
}

/** Whether a walk has continued from a place before. */
function includes(places: Places | undefined, id: string): boolean {
  for (let place = places; place; place = place.earlier) if (place.id === id) return true;
  return false;
}

interface Walk<T, Extra extends object> {
  readonly plan: WalkPlan;
  readonly source: Source<T, Extra>;
}

function newTrail<T, Extra extends object>({ plan, source }: Walk<T, Extra>, direction: Direction): Trail<T> {
  const cursor = direction === plan.direction ? plan.cursor : undefined;
  const { read } = readMembers(cursor ?? "");
  const isDescending = goesDown(plan, direction);
  const isKnown = ({ cursor, node }: Edge<T>) => {
    const time = nanosecondsOf(cursor);
    if (read === undefined || time === undefined) return false;
    const isBefore = isDescending ? time > read.lastBlock : time < read.lastBlock;
    return isBefore || (time === read.lastBlock && read.known.includes(shortKey(source.cursors?.keyOf(node) ?? "")));
  };
  return {
    direction,
    length: 0,
    count: direction === plan.direction && (cursor === undefined || read) ? 0 : undefined,
    previous: [],
    deduplicator: source.deduplicator?.(read && isKnown) ?? keepAll,
    safeCursor: cursor,
  };
}

export function firstStep<T, Extra extends object>(plan: WalkPlan, source: Source<T, Extra>): Step<T, Extra> {
  const walk = { plan, source };
  const from = plan.cursor === undefined ? undefined : continuationFrom(plan.cursor, source.cursors);
  return new WalkStep(walk, newTrail(walk, plan.direction), from);
}

/** The later one of the latest block so far and that of a page. */
function latest(block: Block | undefined, extra: { block?: Block | undefined } | undefined): Block | undefined {
  const next = extra?.block;
  return block && (next === undefined || next.timestamp < block.timestamp) ? block : next;
}

/** What to request for a page, and what is known of the pages before it. */
class WalkStep<T, Extra extends object> implements Step<T, Extra> {
  readonly #walk: Walk<T, Extra>;
  readonly #plan: WalkPlan;
  readonly #trail: Trail<T>;
  readonly #from: Continuation | undefined;

  constructor(walk: Walk<T, Extra>, trail: Trail<T>, from: Continuation | undefined) {
    this.#walk = walk;
    this.#plan = walk.plan;
    this.#trail = from ? { ...trail, places: { id: from.id, earlier: trail.places } } : trail;
    this.#from = from;
  }

  get pagination(): Forward | Backward {
    const { resume, cursor } = this.#from ?? {};
    return this.#resumeAt(resume ?? cursor, this.#trail);
  }

  fetchAlone(): Promise<ListPage<T, Extra> & Extra> {
    return untilAborted(this.#plan.signal, new AbortController(), (signal) => this.fetch(signal));
  }

  async fetch(
    signal: AbortSignal,
    left = Number.POSITIVE_INFINITY,
    isAlone = false,
  ): Promise<ListPage<T, Extra> & Extra> {
    const { direction } = this.#trail;
    const { overlap = 0, continuesFrom, only } = this.#from ?? {};
    const size = this.#walk.source.isWanted ? this.#plan.size : Math.min(this.#plan.size, left);
    let content: FetchedPage<T, Extra>;
    try {
      if (only) return (await this.#fromNeighbor(signal)).fetch(signal, left, isAlone);
      const requested = Math.min(size + overlap, Math.max(size, largestPage));
      content = await this.#request(direction, requested, this.#expect(isAlone), signal);
    } catch (error) {
      if (!NotShown.is(error)) throw error;
      return (await this.#withoutProof(error, signal)).fetch(signal, left, isAlone);
    }
    const received = edgesOf(content, direction);
    const edges = continuesFrom ? edgesAfter(received, continuesFrom) : received;
    if (edges === undefined) return (await this.#withoutPlace(signal)).fetch(signal, left);
    const trail = { ...this.#trail, block: latest(this.#trail.block, content.extra), node: content.node };
    const page = this.#pageOf(edges, content.pageInfo, trail, {
      // Of a page that was requested as it is, all records are shown.
      most: edges === received && overlap === 0 ? undefined : size,
      isContinued: edges !== received,
      completeFrom: this.#decidesStart(isAlone) ? content.completeFrom : 0n,
    });
    return Object.assign(page, content.extra);
  }

  /** Whether the page decides how far back the walk is complete: the first one in ascending order, any one in descending order. */
  #decidesStart(isAlone: boolean): boolean {
    const { range } = this.#plan;
    return range !== undefined && !isAlone && (goesDown(this.#plan, this.#trail.direction) || this.#from === undefined);
  }

  /** What the page has to show, so that nothing before it and in it is missing. */
  #expect(isAlone: boolean): Expectation {
    const { direction, length, block, node } = this.#trail;
    const { after = 0n, continuesFrom } = this.#from ?? {};
    const { range } = this.#plan;
    // Before a record of a time, all records of the past are final.
    const isPast = continuesFrom !== undefined && range !== undefined && goesDown(this.#plan, direction);
    return {
      isFresh: length === 0,
      prefer: node,
      minBlock: isPast ? after : maximum(after, block?.timestamp ?? 0n),
      needsBlock: !isAlone,
      continuesFrom,
      historyFrom: this.#decidesStart(isAlone) ? (range?.start ?? 0n) : undefined,
    };
  }

  async #request(
    direction: Direction,
    size: number,
    expectation: Expectation,
    signal: AbortSignal,
  ): Promise<FetchedPage<T, Extra>> {
    const { operation = "paginate", fetchPage } = this.#walk.source;
    const pagination = pageAfter(this.#plan, direction, this.#from?.cursor, size);
    const decidesStart = expectation.historyFrom !== undefined && direction === this.#trail.direction;
    const content = await fetchPage(pagination, expectation, signal, decidesStart);
    if (!Array.isArray(content?.edges)) {
      const place = { operation: this.#walk.source.operation, argument: "fetchPage" };
      return refuse(place, "a function that returns `{ edges, pageInfo }`", content);
    }
    const { availableFrom } = content;
    if (availableFrom === undefined) return content;
    const start = this.#plan.range?.start ?? 0n;
    throw prunedError(operation, start, availableFrom, "narrow the range", this.pagination);
  }

  /** The step from the record before a cursor that the caller brings: its page begins with the record of the cursor. */
  async #fromNeighbor(signal: AbortSignal): Promise<WalkStep<T, Extra>> {
    const { direction } = this.#trail;
    const back = opposite(direction);
    const from = this.#from as Continuation;
    // A node that has dropped the records at the cursor shows none, or another one.
    const before = await this.#request(back, 2, { ...this.#expect(true), historyFrom: from.after ?? 0n }, signal);
    return new WalkStep(this.#walk, this.#trail, fromNeighbor(edgesOf(before, direction), from));
  }

  /** What to do if no response shows what is expected: another step, or an error. */
  async #withoutProof({ lack, shown }: NotShown, signal: AbortSignal): Promise<WalkStep<T, Extra>> {
    const { operation = "paginate" } = this.#walk.source;
    if (lack === "place") return this.#withoutPlace(signal);
    const { block } = this.#trail;
    const needed = block ? `block ${block.height}` : `the time ${describeTime(this.#from?.after ?? 0n)}`;
    throw behindError(operation, needed, shown?.block, this.pagination);
  }

  async #withoutPlace(signal: AbortSignal): Promise<WalkStep<T, Extra>> {
    const { cursor, resume = cursor, fallbacks = [] } = this.#from ?? {};
    const [next, ...others] = fallbacks;
    if (next) return new WalkStep(this.#walk, this.#trail, { resume, ...next, fallbacks: others });
    const { operation, findHistory } = this.#walk.source;
    const place = timeOf(this.#trail.previous.at(-1)) ?? this.#from?.after ?? nanosecondsOf(cursor ?? "");
    // Records of whole days are dropped at once, also while they are read.
    const availableFrom = place === undefined ? undefined : await findHistory?.(place, signal);
    if (operation !== undefined && place !== undefined && availableFrom !== undefined) {
      throw prunedError(operation, place, availableFrom, "narrow the range", this.pagination);
    }
    throw this.#gap(this.pagination);
  }

  /** The page of edges: at most so many that are fresh and within the range of the walk. */
  #pageOf(
    edges: readonly Edge<T>[],
    pageInfo: PageInfo | null,
    here: Trail<T>,
    {
      most,
      isContinued,
      completeFrom,
    }: { most: number | undefined; isContinued: boolean; completeFrom: bigint | undefined },
  ): ListPage<T, Extra> {
    const { direction, length, count, block, node } = here;
    const { cursors, isWanted } = this.#walk.source;
    const part = this.#partInRange(edges);
    const inRange = edges.slice(part.from, part.to);
    const limit = part.from > 0 ? (most ?? this.#plan.size) : most;
    const { taken, fresh, next: deduplicator } = here.deduplicator.filter(inRange, pageInfo ? limit : undefined);
    const isCut = taken < inRange.length;
    const isLast = part.isLast && !isCut;
    const read = isCut ? edges.slice(0, part.from + taken) : edges;
    const last = inRange[taken - 1]?.cursor ?? "";
    const isWhole = !isContinued && !isCut && inRange.length === edges.length;
    const info = pageInfo && {
      ...pageInfo,
      ...(!isWhole && { [opposite(direction).nextCursor]: inRange[0]?.cursor ?? "" }),
      // v0.74 nodes deny it on the last page.
      ...(isContinued && { [opposite(direction).more]: true }),
      ...((isCut || isLast) && { [direction.nextCursor]: last, [direction.more]: isCut }),
    };
    const step = (towards: Direction): Step<T, Extra> | undefined => {
      if (towards === direction) {
        const total = count === undefined ? undefined : count + fresh.length;
        // In a block without an order of its own, a page with fresh votes can end with a known one.
        const places = cursors?.lack === "record" && fresh.length > 0 ? undefined : here.places;
        return this.#stepAfter(read, info, { ...here, length: length + 1, count: total, places, deduplicator });
      }
      const back = { ...newTrail(this.#walk, towards), count: undefined, block, node };
      const turned = [...read].reverse();
      const { next } = back.deduplicator.filter(turned);
      return this.#stepAfter(turned, info, { ...back, length: 1, deduplicator: next });
    };
    const wanted = isWanted ? fresh.filter(({ node }) => isWanted(node)) : fresh;
    return new ListPage(inWalkOrder(wanted, direction), info, step, completeFrom);
  }

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
    const isLast = goesDown(this.#plan, this.#trail.direction) ? last < start : last >= end;
    return { from, to, isLast };
  }

  #stepAfter(edges: readonly Edge<T>[], pageInfo: PageInfo | null, trail: Trail<T>): Step<T, Extra> | undefined {
    const { more, nextCursor } = trail.direction;
    if (!pageInfo?.[more]) return undefined;
    const cursor = pageInfo[nextCursor];
    const { cursors } = this.#walk.source;
    const known = remember(trail.previous, edges, cursors, goesDown(this.#plan, trail.direction));
    // The record that is yielded last has a cursor of its own in most responses.
    const endCursor = cursor || edges.at(-1)?.cursor;
    let from = endCursor ? continuationAfter({ edges: known, count: trail.count }, endCursor, cursors) : undefined;
    const here = { ...trail, safeCursor: from?.resume ?? from?.cursor ?? trail.safeCursor };
    if (!cursor) {
      const what = `${this.#sender} reports \`${more}\` but returned no \`${nextCursor}\`. `;
      throw this.#error("missing-cursor", `${what}Request a page that holds everything, or narrow the filter.`, here);
    }
    if (from === undefined) throw this.#gap(this.#resumeAt(here.safeCursor, here));
    if (includes(trail.places, from.id)) {
      // Each node sorts the votes of a block in its own way, so a page can have only known votes. The largest page has all of the block.
      from = { ...from, id: `${from.id} whole`, overlap: largestPage };
      if (cursors?.lack !== "record" || includes(trail.places, from.id)) throw this.#repeats(cursor, here);
    }
    return new WalkStep(this.#walk, { ...here, previous: known }, from);
  }

  /** The `pagination` to continue with in another walk. What a node at an earlier block has not written yet would be lost. */
  #resumeAt(cursor: string | undefined, { direction, block }: Trail<T>): Forward | Backward {
    const { operation, cursors } = this.#walk.source;
    const isProved = operation === undefined || cursors?.lack === "account";
    const isBare = isProved || block === undefined || cursor === undefined;
    return pageAfter(this.#plan, direction, isBare ? cursor : afterBlock(cursor, block.timestamp));
  }

  #repeats(cursor: string, trail: Trail<T>): PaginationError {
    const { advice = "A larger page may pass the records that this one does not." } = this.#walk.source;
    const what = `${this.#sender} returned cursor ${show(cursor)} twice; stopped to avoid an infinite loop.`;
    return this.#error("repeated-cursor", `${what} ${advice}`, trail);
  }

  #error(reason: PaginationError["reason"], message: string, trail: Trail<T>): PaginationError {
    const { operation } = this.#walk.source;
    return readingError(message, { operation, reason }, this.#resumeAt(trail.safeCursor, trail));
  }

  #gap(resume: Forward | Backward): PaginationError {
    return readingError(
      `${this.#sender} does not begin with the last record of the page before, so it is unknown which records follow it. ` +
        "Continue with `resume` on another node, or request larger pages.",
      { operation: this.#walk.source.operation, reason: "gap" },
      resume,
    );
  }

  get #sender(): string {
    const { operation } = this.#walk.source;
    return operation === undefined ? "The source" : `The node's response to ${operation}`;
  }
}
