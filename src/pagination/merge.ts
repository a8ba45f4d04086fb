import type { Pagination } from "../../generated/types.js";
import { refuse } from "../arguments/refuse.js";
import { PaginationError } from "../errors/index.js";
import { onAbort } from "../http/cancellation.js";
import { backward, type Direction, directionOf, forward, inWalkOrder } from "./direction.js";
import type { Edge, PageContent } from "./page.js";
import { RequestPlan, type Source } from "./request-plan.js";
import { firstStep, type Step } from "./step.js";

/** What a page has beside its content. */
type MergedExtra = { stale?: boolean };

type FetchPage<T, Extra extends MergedExtra> = ReturnType<Source<T, Extra>["open"]>["fetchPage"];

export interface MergeOptions<T, Extra extends MergedExtra> {
  source: Pick<Source<T, Extra>, "operation" | "cursors" | "advice"> & { operation: string };
  /** One for each request that the list takes. */
  fetchPages: readonly FetchPage<T, Extra>[];
  /** What comes first in the order of the walk, for lists with one order. Default: one part after the other. */
  compare?: ((a: T, b: T) => number) | undefined;
}

/** Where a page stands in one part: the cursors to continue from in both directions. */
interface Place {
  /** `undefined`: from the start of the part; `false`: nothing follows. */
  after?: string | false;
  /** `undefined`: from the end of the part; `false`: nothing comes before. */
  before?: string | false;
}

/** Reads one part in the direction of the walk. */
interface Reader<T, Extra extends MergedExtra> {
  /** The next page; `undefined` after the last one. */
  step: Step<T, Extra> | undefined;
  /** What was read, in the order of the walk. */
  edges: readonly Edge<T>[];
  /** How many of them were taken. */
  index: number;
  /** The cursor of the last record that was taken, as in {@link Place}. */
  cursor: string | false | undefined;
}

interface Taken<T, Extra extends MergedExtra> {
  reader: Reader<T, Extra>;
  edge: Edge<T>;
}

const isOpen = <T, Extra extends MergedExtra>({ step, edges, index }: Reader<T, Extra>) =>
  step !== undefined || index < edges.length;

/** The smallest page of one part: a list that was split often must not take a request for each record. */
const smallestPage = 100;

/**
 * Reads a list that takes several requests as one. Its cursors hold a place in each part, so that they are valid
 * for the same filters only.
 */
export function mergePages<T, Extra extends MergedExtra>(options: MergeOptions<T, Extra>): FetchPage<T, Extra> {
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

class Merge<T, Extra extends MergedExtra> {
  readonly direction: Direction;
  readonly #readers: readonly Reader<T, Extra>[];
  readonly #firstPart: FetchPage<T, Extra> | undefined;
  /** Less than 0 if the first record comes before the second in the order of the walk. */
  readonly #compare: ((a: T, b: T) => number) | undefined;
  #hasEarlier: boolean;
  #response: { extra?: Extra } | undefined;

  constructor({ source, fetchPages, compare }: MergeOptions<T, Extra>, pagination: Pagination) {
    this.direction = directionOf(pagination);
    const { size: sizeName, cursor: cursorName } = this.direction;
    const size = pagination[sizeName] ?? 0;
    // With one order, a page of each part is in memory at once.
    const partSize = compare ? Math.min(size, Math.max(smallestPage, Math.ceil((4 * size) / fetchPages.length))) : size;
    const places = readPlaces(source.operation, this.direction, pagination[cursorName], fetchPages.length);
    this.#readers = fetchPages.map((fetchPart, index): Reader<T, Extra> => {
      const place = places[index]?.[cursorName];
      const fetchPage: typeof fetchPart = async (request, signal, previous) => {
        const content = await fetchPart(request, signal, previous);
        // What is read of a stale response can be on any later page.
        if (!this.#response?.extra?.stale) this.#response = content;
        return content;
      };
      const start = { ...pagination, [sizeName]: partSize, [cursorName]: place || undefined };
      const open = () => ({ pagination: start, pageSize: partSize, fetchPage });
      const step = place === false ? undefined : firstStep(new RequestPlan<T, Extra>({ ...source, open }, {}));
      return { step, edges: [], index: 0, cursor: place };
    });
    this.#firstPart = fetchPages[0];
    const sign = (pagination.newestFirst ?? true) === (this.direction === forward) ? -1 : 1;
    this.#compare = compare && ((a, b) => sign * compare(a, b));
    this.#hasEarlier = pagination[cursorName] !== undefined;
  }

  /** The next records of the list, at most `size`. */
  async take(size: number, signal: AbortSignal): Promise<PageContent<T> & { extra?: Extra }> {
    const starts = this.#readers.map(({ cursor }) => cursor);
    const taken: Taken<T, Extra>[] = [];
    const inOrder = inWalkOrder(this.#readers, this.direction);
    while (taken.length < size) {
      const open = inOrder.filter(isOpen).slice(0, this.#compare ? undefined : 1);
      const empty = open.filter(({ edges, index }) => index === edges.length);
      if (open.length === 0) break;
      if (empty.length > 0) await this.#fill(empty, signal);
      else taken.push(...this.#takeReady(open, size - taken.length));
    }
    // A list without records has a response, too.
    this.#response ??= await this.#firstPart?.({ [this.direction.size]: 1 }, signal, []);
    return this.#pageOf(taken, starts);
  }

  async #fill(readers: readonly Reader<T, Extra>[], signal: AbortSignal): Promise<void> {
    // A part that fails ends the requests of the others.
    const controller = new AbortController();
    const removeListener = onAbort(signal, () => controller.abort(signal.reason));
    try {
      await Promise.all(
        readers.map(async (reader) => {
          const page = await reader.step?.fetch(controller.signal);
          if (page === undefined) return;
          reader.edges = inWalkOrder(page.edges, this.direction);
          reader.index = 0;
          reader.step = page.step(this.direction);
        }),
      );
    } catch (error) {
      controller.abort(error);
      // The place to continue from is one of the whole list, not of a part.
      throw PaginationError.is(error) ? Object.assign(error, { resume: undefined }) : error;
    } finally {
      removeListener();
    }
  }

  /** Takes records that no unread record of another part can come before. Of one time, they come part by part. */
  #takeReady(readers: readonly Reader<T, Extra>[], size: number): Taken<T, Extra>[] {
    const compare = this.#compare;
    const ready = readers.flatMap((reader) => reader.edges.slice(reader.index).map((edge) => ({ reader, edge })));
    let count = ready.length;
    if (compare) {
      const byRecord = (a: Taken<T, Extra>, b: Taken<T, Extra>) => compare(a.edge.node, b.edge.node);
      ready.sort(byRecord);
      const [bound] = readers
        .filter(({ step }) => step !== undefined)
        .map((reader) => ({ reader, edge: reader.edges.at(-1) as Edge<T> }))
        .sort(byRecord);
      const isBeyond = (each: Taken<T, Extra>) => {
        const order = bound ? byRecord(each, bound) : -1;
        return (
          order > 0 || (order === 0 && readers.indexOf(each.reader) > readers.indexOf(bound?.reader ?? each.reader))
        );
      };
      const beyond = ready.findIndex(isBeyond);
      if (beyond !== -1) count = beyond;
    }
    const taken = ready.slice(0, Math.min(count, size));
    for (const { reader, edge } of taken) {
      reader.index++;
      reader.cursor = edge.cursor;
    }
    return taken;
  }

  #pageOf(
    taken: readonly Taken<T, Extra>[],
    starts: readonly Reader<T, Extra>["cursor"][],
  ): PageContent<T> & { extra?: Extra } {
    const ends = this.#readers.map((reader) => ({
      reader,
      isOpen: isOpen(reader),
      next: reader.edges[reader.index]?.cursor,
    }));
    /** The cursor after `count` records of the page. It is long for a list that was split often, and rarely needed. */
    const cursorAfter = (count: number): string => {
      const before = taken.slice(0, count).reverse();
      const after = taken.slice(count);
      const places = ends.map(({ reader, isOpen, next }, part): Place => {
        const isOfPart = (each: Taken<T, Extra>) => each.reader === reader;
        const here = before.find(isOfPart)?.edge.cursor ?? starts[part];
        const following = after.find(isOfPart)?.edge.cursor ?? next;
        const isLast = before[0]?.reader === reader;
        const back = isLast ? here : here === undefined ? false : following;
        return {
          [this.direction.cursor]: following === undefined && !isOpen ? false : here,
          [this.direction === forward ? backward.cursor : forward.cursor]: back,
        };
      });
      return JSON.stringify(places);
    };
    const edges = taken.map(({ edge: { node } }, index) => ({
      node,
      get cursor() {
        return cursorAfter(index + 1);
      },
    }));
    const end = cursorAfter(taken.length);
    const start = edges[0]?.cursor ?? end;
    const hasMore = ends.some((each) => each.isOpen);
    const hasEarlier = this.#hasEarlier;
    this.#hasEarlier = true;
    const isForward = this.direction === forward;
    const pageInfo = {
      startCursor: isForward ? start : end,
      endCursor: isForward ? end : start,
      hasNextPage: isForward ? hasMore : hasEarlier,
      hasPreviousPage: isForward ? hasEarlier : hasMore,
    };
    const content = { edges: inWalkOrder(edges, this.direction), pageInfo };
    const extra = this.#response?.extra;
    return extra === undefined ? content : { ...content, extra };
  }
}

function readPlaces(operation: string, direction: Direction, cursor: string | undefined, count: number): Place[] {
  if (cursor === undefined) return [];
  try {
    const places: unknown = JSON.parse(cursor);
    if (Array.isArray(places) && places.length === count) return places as Place[];
  } catch {
    // Refused below.
  }
  const argument = `pagination.${direction.cursor}`;
  return refuse({ operation, argument }, `a cursor of this list, which takes ${count} requests`, cursor);
}
