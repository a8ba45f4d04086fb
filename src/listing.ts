import type { PageInfo, Pagination } from "../generated/types.js";
import { ArgumentError, PaginationError, show, VegaError } from "./errors.js";
import type { Backward, Forward } from "./pagination.js";

/** A record and its place in the list. */
export interface Edge<T> {
  /** The record's place in the list, to page from. Opaque. */
  cursor: string;
  /** The record. */
  node: T;
}

/** A page as it is fetched. An edge without a record holds nothing and is passed over. */
export interface PageContent<T> {
  edges: readonly ({ cursor: string; node: T | null } | null)[];
  pageInfo: PageInfo | null;
}

/** Fetches one page. The signal says that the page is no longer wanted. */
export type FetchPage<T, Extra extends object = object> = (
  pagination: Pagination,
  signal: AbortSignal,
) => PromiseLike<PageContent<T> & Extra>;

/** A page of a list, as it came: in the order that was asked for, whichever way the walk goes. */
export interface WalkPage<T> {
  /** The records. */
  readonly nodes: T[];
  /** The records with their cursors. */
  readonly edges: Edge<T>[];
  /** Where the page stands in its list. `null`, as the source sent it, is an end. */
  readonly pageInfo: PageInfo | null;
  /**
   * Fetches the page behind this one's end cursor, whichever way the walk went; `undefined` where there is none.
   *
   * @throws {@link PaginationError} where there is one, but no cursor to get it with.
   */
  nextPage(): Promise<this | undefined>;
  /**
   * Fetches the page ahead of this one's start cursor, whichever way the walk went; `undefined` where there is none.
   *
   * @throws {@link PaginationError} where there is one, but no cursor to get it with.
   */
  previousPage(): Promise<this | undefined>;
}

/** Options of a walk. */
export interface WalkOptions {
  /**
   * How many records to walk over at the most; all, unless given. The last request asks for no more than is left.
   *
   * @example
   * ```ts
   * const votes = await client.listVotes({ partyId }, { maxItems: 500 }).toArray();
   * ```
   */
  maxItems?: number | undefined;
  /**
   * Whether the next page is fetched while the caller works on the one at hand, from the second page on and never more
   * than one page ahead.
   *
   * @default true
   */
  readAhead?: boolean | undefined;
  /** Ends the walk and the request under way: whoever waits for a record gets the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * A list that is fetched page by page as it is used. Nothing is sent before.
 *
 * `await` gives the first page, however often, with one request. Every loop is a walk of its own, from the start.
 * With `pagination.last` or `pagination.before` a walk goes backward: the records come from the end of each page to its
 * start.
 *
 * What a walk promises: every record of every page once and in order; an empty or short page is no end, only the
 * source's word is; a cursor that was seen before, or that is missing although there is more, ends the walk with a
 * {@link PaginationError} after the page at hand was handed out. A {@link VegaError} that ends a walk carries `resume`, the
 * `pagination` to go on with, `pagesRead` and `itemsRead`.
 */
export interface Walk<T, P extends WalkPage<T> = WalkPage<T>> extends AsyncIterable<T>, PromiseLike<P> {
  /** Every record, page after page. Called again before the last one came, `next()` waits its turn. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every page, each as it came. */
  pages(): AsyncGenerator<P, undefined, undefined>;
  /**
   * Every record with its cursor.
   *
   * @example
   * ```ts
   * for await (const { cursor, node } of client.listNodeSignatures({ id }).edges()) await save(node, cursor);
   * // Later, from where it was left:
   * const rest = client.listNodeSignatures({ id, pagination: { after: lastCursor } });
   * ```
   */
  edges(): AsyncGenerator<Edge<T>, undefined, undefined>;
  /** Every record in an array, in walking order. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
  /** As of the promise of the first page. */
  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<P | R>;
  /** As of the promise of the first page. */
  finally(onFinally?: (() => void) | null): Promise<P>;
}

/** What a walk goes over. It is opened when the walk is used: what is wrong with its arguments is a rejection then. */
export interface Source<T, Extra extends object> {
  operation?: string;
  open(): {
    pagination: Pagination;
    /** Size of a page where `pagination` names none. */
    pageSize: number;
    fetchPage: FetchPage<T, Extra>;
  };
}

/**
 * Walks over any list that answers in Relay's form, page by page: the same walk that the client's listings are.
 *
 * @param fetchPage - Fetches one page; the signal it gets says that the page is no longer wanted.
 * @param pagination - Where to start, in which direction, and how large pages are; 1000 unless given.
 * @throws {@link ArgumentError} when it is used, where an argument is not what it has to be.
 * @example
 * ```ts
 * const orders = paginate(async ({ first, after }, signal) => {
 *   const answer = await fetch(`/orders?first=${first}&after=${after ?? ""}`, { signal });
 *   return await answer.json(); // { edges: [{ cursor, node }], pageInfo: { endCursor, hasNextPage, … } }
 * });
 * for await (const order of orders) console.log(order);
 * ```
 */
export function paginate<T>(
  fetchPage: FetchPage<T>,
  pagination: Forward | Backward = {},
  options: WalkOptions = {},
): Walk<T> {
  return walk<T, object>({ open: () => ({ pagination, pageSize: 1000, fetchPage }) }, options);
}

/** A list over a source of pages. */
export function walk<T, Extra extends object>(
  source: Source<T, Extra>,
  options: WalkOptions = {},
): Walk<T, WalkPage<T> & Extra> {
  const plan = () => new Plan(source, options);
  const pages = () => new PageIterator<T, Extra>(plan);
  const records = () => new RecordIterator(pages(), options, (edge: Edge<T>) => edge.node);
  let first: Promise<WalkPage<T> & Extra> | undefined;
  const firstPage = () => {
    first ??= (async () => {
      const first = plan();
      return new Fetcher(first).fetch(first.request(undefined, first.maxItems));
    })();
    return first;
  };
  return {
    [Symbol.asyncIterator]: records,
    pages,
    edges: () => new RecordIterator(pages(), options, (edge) => edge),
    toArray: () => records().drain(),
    // biome-ignore lint/suspicious/noThenProperty: awaiting a listing for its first page is what it offers.
    then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
    catch: (onRejected) => firstPage().catch(onRejected),
    finally: (onFinally) => firstPage().finally(onFinally),
  };
}

/** What a direction calls things. */
interface Direction {
  size: "first" | "last";
  cursor: "after" | "before";
  nextCursor: "endCursor" | "startCursor";
  more: "hasNextPage" | "hasPreviousPage";
}

const forward: Direction = { size: "first", cursor: "after", nextCursor: "endCursor", more: "hasNextPage" };
const backward: Direction = { size: "last", cursor: "before", nextCursor: "startCursor", more: "hasPreviousPage" };

/** Where a walk starts and what it is bound by, once its arguments are found right. */
class Plan<T, Extra extends object> {
  readonly direction: Direction;
  readonly maxItems: number;
  readonly readAhead: boolean;
  readonly start: Pagination;
  readonly size: number;
  readonly fetchPage: FetchPage<T, Extra>;
  readonly signal: AbortSignal | undefined;
  readonly #operation: string | undefined;

  constructor(source: Source<T, Extra>, { maxItems, readAhead = true, signal }: WalkOptions) {
    this.#operation = source.operation;
    if (maxItems !== undefined) this.#check("maxItems", "a positive integer", maxItems, isPositiveInteger(maxItems));
    this.#check("readAhead", "a boolean", readAhead, typeof readAhead === "boolean");
    if (signal !== undefined) this.#check("signal", "an AbortSignal", signal, typeof signal.aborted === "boolean");
    const { pagination, pageSize, fetchPage } = source.open();
    this.#checkPagination(pagination);
    this.maxItems = maxItems ?? Number.POSITIVE_INFINITY;
    this.readAhead = readAhead;
    this.direction = pagination.last !== undefined || pagination.before !== undefined ? backward : forward;
    this.size = pagination[this.direction.size] ?? pageSize;
    this.start = { ...pagination, [this.direction.size]: this.size };
    this.fetchPage = fetchPage;
    this.signal = signal;
  }

  /** Nodes ignore one of two contradicting parameters without a word (observed on v0.74 nodes). */
  #checkPagination(pagination: Pagination): void {
    for (const name of ["first", "last"] as const) {
      const size = pagination[name];
      if (size !== undefined) this.#check(`pagination.${name}`, "a positive integer", size, isPositiveInteger(size));
    }
    for (const [one, other] of contradictions) {
      const both = pagination[one] !== undefined && pagination[other] !== undefined;
      this.#check(`pagination.${other}`, `left out beside \`pagination.${one}\``, pagination[other], !both);
    }
  }

  #check(argument: string, expected: string, value: unknown, right: boolean): void {
    if (right) return;
    const place = this.#operation === undefined ? `\`${argument}\`` : `\`${argument}\` of ${this.#operation}`;
    throw new ArgumentError(`Expected ${place} to be ${expected}, got ${show(value)}.`, {
      operation: this.#operation,
      argument,
    });
  }

  /** The request for what comes behind a cursor, in the direction of the walk, with `left` records still wanted. */
  request(cursor = this.start[this.direction.cursor], left = Number.POSITIVE_INFINITY): Pagination {
    const size = Math.min(this.size, left);
    return {
      ...this.start,
      [this.direction.size]: size,
      ...(cursor !== undefined && { [this.direction.cursor]: cursor }),
    };
  }

  page(content: PageContent<T> & Extra): WalkPage<T> & Extra {
    if (!Array.isArray(content?.edges)) {
      this.#check("fetchPage", "a function that answers `{ edges, pageInfo }`", content, false);
    }
    const { edges, pageInfo, ...extra } = content;
    const nodes = edges.map((edge) => edge?.node ?? undefined);
    const whole = !nodes.includes(undefined);
    const { newestFirst } = this.start;
    const neighbour = async ({ size, cursor, nextCursor, more }: Direction) => {
      if (!pageInfo?.[more]) return undefined;
      if (!pageInfo[nextCursor]) throw this.missingCursor();
      return new Fetcher(this).fetch({ newestFirst, [size]: this.size, [cursor]: pageInfo[nextCursor] });
    };
    const page: WalkPage<T> = {
      nodes: (whole ? nodes : nodes.filter((node) => node !== undefined)) as T[],
      edges: (whole ? edges : edges.filter((_, index) => nodes[index] !== undefined)) as Edge<T>[],
      pageInfo,
      nextPage: () => neighbour(forward),
      previousPage: () => neighbour(backward),
    };
    return Object.assign(page, extra as object as Extra);
  }

  missingCursor(): PaginationError {
    return new PaginationError(
      `${this.#who} says that there is more, but gives no cursor to get it with. Ask for a page that holds everything, or narrow what is asked for.`,
      { operation: this.#operation, reason: "missing-cursor" },
    );
  }

  repeatedCursor(cursor: string): PaginationError {
    return new PaginationError(
      `${this.#who} gave the cursor ${show(cursor)} before: going on would be a walk in circles. A larger page may hold what this one cannot get past.`,
      { operation: this.#operation, reason: "repeated-cursor" },
    );
  }

  get #who(): string {
    return this.#operation === undefined ? "The source" : `The node's answer to ${this.#operation}`;
  }
}

/** Fetches one page after the other, until it is stopped. */
class Fetcher<T, Extra extends object> {
  readonly plan: Plan<T, Extra>;
  readonly #controller = new AbortController();
  #giveUp: (reason: unknown) => void = ignore;

  constructor(plan: Plan<T, Extra>) {
    this.plan = plan;
  }

  async fetch(request: Pagination): Promise<WalkPage<T> & Extra> {
    const { fetchPage, signal } = this.plan;
    if (signal?.aborted) throw signal.reason;
    const stop = () => this.stop(signal?.reason);
    // Only while a page is on its way: a walk that is left lying leaves no listener on a signal that lives on.
    signal?.addEventListener("abort", stop);
    try {
      const content = await new Promise<PageContent<T> & Extra>((resolve, reject) => {
        this.#giveUp = reject;
        Promise.resolve(fetchPage(request, this.#controller.signal)).then(resolve, reject);
      });
      return this.plan.page(content);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Gives up the page under way: the fetch rejects at once, also where the one below does not listen to its signal. */
  stop(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#giveUp(this.#controller.signal.reason);
  }
}

const contradictions = [
  ["first", "last"],
  ["first", "before"],
  ["last", "after"],
  ["after", "before"],
] as const;

const isPositiveInteger = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;

type Done = IteratorReturnResult<undefined>;
const done: Done = { done: true, value: undefined };
const ignore = () => {};

/**
 * What the two iterators have in common. They are written by hand because an async generator takes twice as long for
 * each record, and holds a `break` back until the request under way has answered.
 */
abstract class WalkIterator<T> {
  #calls: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  protected ended = false;

  static {
    // Not in every runtime yet; where it is, `await using` ends a walk.
    const dispose = (Symbol as { asyncDispose?: symbol }).asyncDispose;
    if (dispose !== undefined) {
      Object.defineProperty(WalkIterator.prototype, dispose, {
        value(this: WalkIterator<unknown>) {
          return this.return().then(ignore);
        },
      });
    }
  }

  /** Finds the next value, once every earlier call has found its own. */
  protected abstract advance(): Promise<IteratorResult<T, undefined>>;
  /** Gives up whatever is under way. */
  protected abstract stop(): void;

  protected end(): Done {
    this.ended = true;
    return done;
  }

  protected get idle(): boolean {
    return this.#waiting === 0;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.#waiting++;
    const result = this.#calls.then(async () => {
      try {
        const result = this.ended ? done : await this.advance();
        return this.ended ? done : result;
      } catch (error) {
        // Stopped from outside: whoever still waits is told that the walk is over.
        if (this.ended) return done;
        this.ended = true;
        throw error;
      } finally {
        this.#waiting--;
      }
    });
    this.#calls = result.then(ignore, ignore);
    return result;
  }

  async return(): Promise<Done> {
    this.ended = true;
    this.stop();
    return done;
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Page after page, the next one on its way while the caller works on the one at hand. */
class PageIterator<T, Extra extends object> extends WalkIterator<WalkPage<T> & Extra> {
  readonly #makePlan: () => Plan<T, Extra>;
  #fetcher: Fetcher<T, Extra> | undefined;
  /** What comes next: a page, an error to report, or nothing. */
  #upcoming: Pagination | PaginationError | undefined;
  /** The page that comes next, once it is on its way. */
  #ahead: Promise<WalkPage<T> & Extra> | undefined;
  readonly #seen = new Set<string | undefined>();
  #pagesRead = 0;
  #itemsRead = 0;

  constructor(makePlan: () => Plan<T, Extra>) {
    super();
    this.#makePlan = makePlan;
  }

  get backward(): boolean {
    return this.#fetcher?.plan.direction === backward;
  }

  protected override async advance(): Promise<IteratorResult<WalkPage<T> & Extra, undefined>> {
    const fetcher = this.#fetcher ?? this.#begin();
    const request = this.#upcoming;
    if (request === undefined) return this.end();
    if (request instanceof PaginationError) throw request;
    const page = await this.#receive(fetcher, request);
    this.#pagesRead++;
    this.#itemsRead += page.edges.length;
    this.#upcoming = this.#behind(page, request, fetcher.plan);
    // Not behind the first page: most who take one page do not want another.
    if (fetcher.plan.readAhead && this.#pagesRead > 1 && isRequest(this.#upcoming)) {
      this.#ahead = fetcher.fetch(this.#upcoming);
      // Whoever never gets there shall not hear of its failure.
      this.#ahead.catch(ignore);
      // From Node.js 22 on a request leaves when the event loop turns, which a busy caller would hold back.
      await turn();
    }
    return { done: false, value: page };
  }

  protected override stop(): void {
    this.#fetcher?.stop();
  }

  #begin(): Fetcher<T, Extra> {
    const plan = this.#makePlan();
    this.#seen.add(plan.start[plan.direction.cursor]);
    this.#upcoming = plan.request(undefined, plan.maxItems);
    this.#fetcher = new Fetcher(plan);
    return this.#fetcher;
  }

  async #receive(fetcher: Fetcher<T, Extra>, request: Pagination): Promise<WalkPage<T> & Extra> {
    try {
      return await (this.#ahead ?? fetcher.fetch(request));
    } catch (error) {
      throw this.#resumable(error, fetcher.plan, request[fetcher.plan.direction.cursor]);
    }
  }

  /** What comes behind a page, in the direction of the walk. */
  #behind(page: WalkPage<T>, request: Pagination, plan: Plan<T, Extra>): Pagination | PaginationError | undefined {
    const { direction } = plan;
    const left = plan.maxItems - this.#itemsRead;
    if (left <= 0 || !page.pageInfo?.[direction.more]) return undefined;
    const cursor = page.pageInfo[direction.nextCursor];
    if (!cursor) {
      // The record that is handed out last has a cursor of its own, where there is one.
      const last = direction === forward ? page.edges.at(-1) : page.edges.at(0);
      return this.#resumable(plan.missingCursor(), plan, last?.cursor || request[direction.cursor]);
    }
    if (this.#seen.has(cursor)) return this.#resumable(plan.repeatedCursor(cursor), plan, cursor);
    this.#seen.add(cursor);
    return plan.request(cursor, left);
  }

  /** Says where to go on, once the caller has what was read so far. */
  #resumable<E>(error: E, plan: Plan<T, Extra>, cursor: string | undefined): E {
    if (!VegaError.is(error)) return error;
    const resume = plan.request(cursor) as Forward | Backward;
    return Object.assign(error, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
  }
}

/** The records of the pages, or their edges, in walking order. */
class RecordIterator<T, Item> extends WalkIterator<Item> {
  readonly #pages: PageIterator<T, object>;
  readonly #pick: (edge: Edge<T>) => Item;
  readonly #signal: AbortSignal | undefined;
  #left: number;
  #edges: readonly Edge<T>[] = [];
  #index = 0;
  #end = 0;
  #step = 1;

  constructor(
    pages: PageIterator<T, object>,
    { maxItems = Number.POSITIVE_INFINITY, signal }: WalkOptions,
    pick: (edge: Edge<T>) => Item,
  ) {
    super();
    this.#pages = pages;
    this.#pick = pick;
    this.#signal = signal;
    this.#left = maxItems;
  }

  /** Most records are at hand: they are given without a look at the queue. */
  override next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#index === this.#end || !this.idle || this.#signal?.aborted) return super.next();
    return Promise.resolve(this.#take());
  }

  /** All that is left, in an array. */
  async drain(): Promise<Item[]> {
    const all: Item[] = [];
    for (;;) {
      const { done, value } = await this.next();
      if (done) return all;
      all.push(value);
      while (this.#index !== this.#end) all.push(this.#take().value);
    }
  }

  protected override async advance(): Promise<IteratorResult<Item, undefined>> {
    if (this.#signal?.aborted) throw this.#signal.reason;
    while (this.#index === this.#end) {
      const page = await this.#pages.next();
      if (page.done) return this.end();
      this.#load(page.value.edges);
    }
    return this.#take();
  }

  protected override stop(): void {
    this.#end = this.#index;
    this.#pages.return();
  }

  #take(): IteratorYieldResult<Item> {
    const edge = this.#edges[this.#index] as Edge<T>;
    this.#index += this.#step;
    return { done: false, value: this.#pick(edge) };
  }

  #load(edges: readonly Edge<T>[]): void {
    const count = Math.min(edges.length, this.#left);
    this.#left -= count;
    this.#edges = edges;
    this.#step = this.#pages.backward ? -1 : 1;
    this.#index = this.#pages.backward ? edges.length - 1 : 0;
    this.#end = this.#index + this.#step * count;
  }
}

const isRequest = (upcoming: Pagination | PaginationError | undefined): upcoming is Pagination =>
  upcoming !== undefined && !(upcoming instanceof PaginationError);

/** One turn of the event loop. */
function turn(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };
  if (setImmediate) return new Promise((resolve) => setImmediate(resolve));
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
