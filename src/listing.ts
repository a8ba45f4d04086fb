import type { PageInfo, Pagination } from "../generated/types.js";
import { refuse, show } from "./arguments/refuse.js";
import { PaginationError, VegaError } from "./errors/index.js";
import { type Batch, ItemIterator, ignore, WalkIterator } from "./iterator.js";
import { type Backward, backward, type Direction, type Forward, forward } from "./pagination.js";

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

/** What makes two records of one time the same. */
export interface Identity {
  time: string;
  key: string;
}

/** What a walk goes over. It is opened when the walk is used: what is wrong with its arguments is a rejection then. */
export interface Source<T, Extra extends object> {
  operation?: string;
  /** What to do about a cursor that comes again. */
  advice?: string | undefined;
  /** For a list whose pages can overlap where records share a time: a walk hands none of them out twice. */
  identify?: ((record: T) => Identity) | undefined;
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
 *   const answer = await fetch(`https://shop.example/orders?first=${first}&after=${after ?? ""}`, { signal });
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

/** Where a walk starts and what it is bound by, once its arguments are found right. */
class Plan<T, Extra extends object> {
  readonly direction: Direction;
  readonly maxItems: number;
  readonly readAhead: boolean;
  readonly start: Pagination;
  readonly size: number;
  readonly fetchPage: FetchPage<T, Extra>;
  readonly signal: AbortSignal | undefined;
  readonly source: Source<T, Extra>;
  readonly #operation: string | undefined;

  constructor(source: Source<T, Extra>, { maxItems, readAhead = true, signal }: WalkOptions) {
    this.source = source;
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
    if (!right) refuse({ operation: this.#operation, argument }, expected, value);
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
    const { advice = "A larger page may hold what this one cannot get past." } = this.source;
    return new PaginationError(
      `${this.#who} gave the cursor ${show(cursor)} before: going on would be a walk in circles. ${advice}`,
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

/** Page after page, the next one on its way while the caller works on the one at hand. */
class PageIterator<T, Extra extends object> extends WalkIterator<WalkPage<T> & Extra> {
  readonly #makePlan: () => Plan<T, Extra>;
  #fetcher: Fetcher<T, Extra> | undefined;
  /** What comes next: a page, an error to report, or nothing. */
  #upcoming: Pagination | PaginationError | undefined;
  /** The page that comes next, once it is on its way. */
  #ahead: Promise<WalkPage<T> & Extra> | undefined;
  readonly #seen = new Set<string | undefined>();
  #ties: Ties<T> | undefined;
  /** The records of the last page that were not in one before. */
  fresh: readonly Edge<T>[] = [];
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
    this.fresh = this.#ties?.fresh(page.edges, this.backward) ?? page.edges;
    this.#itemsRead += this.fresh.length;
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
    this.#ties = plan.source.identify && new Ties(plan.source.identify);
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
    if (this.#seen.has(cursor)) {
      // A page for the few records that are left can have no room for more than what it repeats: a whole one may.
      const isSmall = (request[direction.size] ?? 0) < plan.size;
      if (this.#ties && isSmall) return plan.request(cursor);
      return this.#resumable(plan.repeatedCursor(cursor), plan, cursor);
    }
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

/** The records at the newest time of a walk: a page can begin with some of them again. */
class Ties<T> {
  readonly #identify: (record: T) => Identity;
  #time: string | undefined;
  readonly #keys = new Set<string>();

  constructor(identify: (record: T) => Identity) {
    this.#identify = identify;
  }

  /** The edges that did not come before, in the order of the page. */
  fresh(edges: readonly Edge<T>[], backward: boolean): readonly Edge<T>[] {
    const walking = backward ? [...edges].reverse() : edges;
    const fresh = walking.filter(({ node }) => this.#isNew(this.#identify(node)));
    return backward ? fresh.reverse() : fresh;
  }

  #isNew({ time, key }: Identity): boolean {
    if (time !== this.#time) {
      this.#time = time;
      this.#keys.clear();
    }
    const { size } = this.#keys;
    return this.#keys.add(key).size > size;
  }
}

/** The records of the pages, or their edges, in walking order. */
class RecordIterator<T, Item> extends ItemIterator<Edge<T>, Item> {
  readonly #pages: PageIterator<T, object>;

  constructor(pages: PageIterator<T, object>, options: WalkOptions, pick: (edge: Edge<T>) => Item) {
    super(options, pick);
    this.#pages = pages;
  }

  protected override async more(): Promise<Batch<Edge<T>> | undefined> {
    const { done } = await this.#pages.next();
    return done ? undefined : { items: this.#pages.fresh, backward: this.#pages.backward };
  }

  protected override stop(): void {
    super.stop();
    this.#pages.return();
  }
}

const isRequest = (upcoming: Pagination | PaginationError | undefined): upcoming is Pagination =>
  upcoming !== undefined && !(upcoming instanceof PaginationError);

/** One turn of the event loop. Node.js has `setImmediate`, browsers have messages, workerd has neither. */
function turn(): Promise<void> {
  const { setImmediate, MessageChannel } = globalThis as {
    setImmediate?: (callback: () => void) => void;
    MessageChannel?: typeof globalThis.MessageChannel;
  };
  return new Promise((resolve) => {
    if (setImmediate) return setImmediate(resolve);
    if (!MessageChannel) return setTimeout(resolve, 0);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
