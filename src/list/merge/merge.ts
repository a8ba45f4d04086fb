import type { Pagination } from "../../../generated/types.js";
import { untilAborted } from "../../async/abort.js";
import { annotate, PaginationError } from "../../errors/index.js";
import { type Direction, directionOf, forward, inWalkOrder } from "../../evidence/direction.js";
import { maximum } from "../../values/integers.js";
import type { Edge, Step } from "../page.js";
import { type FetchedPage, type FetchPage, type OpenTimeRange, RequestPlan, type Source } from "../request-plan.js";
import { firstStep } from "../step.js";
import { readWalkOptions } from "../walk-options.js";
import { type ListedEdge, mergedPage, readPlaces } from "./merged-page.js";
import { readyItems } from "./ready.js";
import { smallestPage } from "./split.js";

export { splitFilters } from "./split.js";

export interface MergeOptions<T, Extra extends object> {
  source: Omit<Source<T, Extra>, "fetchPage"> & { operation: string };
  /** One for each list. */
  fetchPages: readonly FetchPage<T, Extra>[];
  /** What comes first in ascending order, for lists with one order. Default: one list after the other. */
  compare?: ((a: T, b: T) => number) | undefined;
  /** Which of two responses a page that is made of both names. Default: the later one. */
  choose?: ((earlier: Extra, later: Extra) => Extra) | undefined;
  /** Of the walk over each list. */
  range?: OpenTimeRange | undefined;
}

/** Reads one list in the direction of the walk. */
interface Reader<T, Extra extends object> {
  readonly list: number;
  /** The next page; `undefined` after the last one. */
  step: Step<T, Extra> | undefined;
  /** What was read, in the order of the walk. */
  edges: readonly Edge<T>[];
  /** How many of them were taken. */
  index: number;
  /** The cursor of the last record that was taken; `false` if nothing follows the cursor that the walk started from. */
  cursor: string | false | undefined;
}

const isOpen = <T, Extra extends object>({ step, edges, index }: Reader<T, Extra>) =>
  step !== undefined || index < edges.length;

/** How many requests of one listing are in flight at most. */
const mostInFlight = 8;

/** Reads several lists as one: those of a filter that takes several requests. */
export function mergePages<T, Extra extends object>(options: MergeOptions<T, Extra>): FetchPage<T, Extra> {
  /** What the last page left over: a walk continues with it, without another request for what was read. */
  let last: { cursor: string; merge: Merge<T, Extra> } | undefined;
  return async (pagination, signal) => {
    const direction = directionOf(pagination);
    const cursor = pagination[direction.cursor];
    const continued = last?.cursor === cursor && last?.merge.direction === direction ? last.merge : undefined;
    // Another caller who requests the same page must not share these readers.
    last = undefined;
    const merge = continued ?? new Merge(options, pagination);
    const page = await merge.take(pagination[direction.size] ?? 0, signal);
    const end = page.pageInfo?.[direction.nextCursor];
    last = end ? { cursor: end, merge } : undefined;
    return page;
  };
}

class Merge<T, Extra extends object> {
  readonly direction: Direction;
  readonly #readers: readonly Reader<T, Extra>[];
  readonly #fetchFirst: FetchPage<T, Extra> | undefined;
  /** Less than 0 if the first record comes before the second in the order of the walk. */
  readonly #compare: ((a: T, b: T) => number) | undefined;
  #hasEarlier: boolean;
  #completeFrom = 0n;
  /** What the page names of its responses. */
  #response: { extra?: Extra } | undefined;

  constructor(
    { source, fetchPages, compare, choose = (_, later) => later, range }: MergeOptions<T, Extra>,
    pagination: Pagination,
  ) {
    this.direction = directionOf(pagination);
    const { size: sizeName, cursor: cursorName } = this.direction;
    const { [sizeName]: size = 0, [cursorName]: cursor } = pagination;
    // With one order, a page of each list is in memory at once.
    const pageSize = compare ? Math.min(size, Math.max(smallestPage, Math.ceil((4 * size) / fetchPages.length))) : size;
    const places = readPlaces(source.operation, this.direction, cursor, fetchPages.length);
    this.#readers = fetchPages.map((fetch, list) => {
      const place = places[list]?.[cursorName];
      const fetchPage: typeof fetch = async (request, signal, demand, decidesStart) => {
        const content = await fetch(request, signal, demand, decidesStart);
        this.#completeFrom = maximum(this.#completeFrom, content.completeFrom ?? 0n);
        const { extra = content.extra } = this.#response ?? {};
        this.#response = extra && content.extra ? { extra: choose(extra, content.extra) } : content;
        return content;
      };
      const start = { ...pagination, [sizeName]: pageSize, [cursorName]: place || undefined };
      const own = { ...source, fetchPage };
      const walk = { pagination: start, pageSize, range, ...readWalkOptions() };
      const step = place === false ? undefined : firstStep(new RequestPlan<T>(walk), own);
      return { list, step, edges: [], index: 0, cursor: place };
    });
    this.#fetchFirst = fetchPages[0];
    const sign = (pagination.newestFirst ?? true) === (this.direction === forward) ? -1 : 1;
    this.#compare = compare && ((a, b) => sign * compare(a, b));
    this.#hasEarlier = cursor !== undefined;
  }

  /** The next records of the list, at most `size`. */
  async take(size: number, signal: AbortSignal): Promise<FetchedPage<T, Extra>> {
    const starts = this.#readers.map(({ cursor }) => cursor);
    const taken: ListedEdge<T>[] = [];
    const inOrder = inWalkOrder(this.#readers, this.direction);
    while (taken.length < size) {
      const open = inOrder.filter(isOpen).slice(0, this.#compare ? undefined : 1);
      const empty = open.filter(({ edges, index }) => index === edges.length);
      if (open.length === 0) break;
      if (empty.length > 0) await this.#fill(empty, signal);
      else taken.push(...this.#takeReady(open, size - taken.length));
    }
    // A list without records has a response, too.
    this.#response ??= await this.#fetchFirst?.({ [this.direction.size]: 1 }, signal, {});
    const spans = this.#readers.map((reader, list) => ({
      start: starts[list],
      next: reader.edges[reader.index]?.cursor,
      isOpen: isOpen(reader),
    }));
    const page = mergedPage(taken, spans, this.direction, this.#hasEarlier);
    this.#hasEarlier = true;
    const extra = this.#response?.extra;
    const whole = { ...page, completeFrom: this.#completeFrom };
    return extra === undefined ? whole : { ...whole, extra };
  }

  async #fill(readers: readonly Reader<T, Extra>[], signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const fill = async (reader: Reader<T, Extra>) => {
      const page = await reader.step?.fetch(controller.signal);
      if (page === undefined) return;
      reader.edges = inWalkOrder(page.edges, this.direction);
      reader.index = 0;
      reader.step = page.step(this.direction);
    };
    const waiting = readers.values();
    const fillInTurn = async () => {
      for (const reader of waiting) await fill(reader);
    };
    try {
      await untilAborted(signal, controller, () => Promise.all(Array.from({ length: mostInFlight }, fillInTurn)));
    } catch (error) {
      // A list that fails ends the requests of the others.
      controller.abort(error);
      // The place to continue from is one of the merged list.
      throw PaginationError.is(error) ? annotate(error, { resume: undefined }) : error;
    }
  }

  /** Takes records that are ready. Of one time, they come list by list. */
  #takeReady(readers: readonly Reader<T, Extra>[], size: number): ListedEdge<T>[] {
    const sign = this.direction === forward ? 1 : -1;
    const compare = (a: ListedEdge<T>, b: ListedEdge<T>) =>
      this.#compare?.(a.edge.node, b.edge.node) || sign * (a.list - b.list);
    const lists = readers.map(({ list, edges, index }) => edges.slice(index).map((edge) => ({ list, edge })));
    const ends = lists.flatMap((edges, index) => (readers[index]?.step ? edges.slice(-1) : []));
    const taken = readyItems(lists, ends, compare).slice(0, size);
    for (const { list, edge } of taken) {
      const reader = this.#readers[list] as Reader<T, Extra>;
      reader.index++;
      reader.cursor = edge.cursor;
    }
    return taken;
  }
}
