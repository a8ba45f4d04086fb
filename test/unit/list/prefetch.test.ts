import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  ConnectionError,
  type ForwardPagination,
  type Pagination,
  paginate,
  type WalkOptions,
} from "../../../src/index.js";
import { collect, PageSource } from "../../support/page-source.js";

const over = { done: true, value: undefined };

/** A source whose responses the test releases. Records are 0 to 9, oldest first, two to a page. */
class ManualSource {
  readonly log: string[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #source = new PageSource(Array.from({ length: 10 }, (_, index) => index));
  readonly #pending: { resolve(): void; reject(error: unknown): void }[] = [];

  readonly fetchPage = (request: Pagination, signal: AbortSignal) => {
    const number = this.signals.push(signal);
    this.log.push(`request ${number}`);
    return new Promise<Awaited<ReturnType<PageSource<number>["fetchPage"]>>>((resolve, reject) => {
      this.#pending.push({ resolve: () => resolve(this.#source.fetchPage(request)), reject });
    });
  };

  listing(options: WalkOptions = {}, pagination: ForwardPagination = { first: 2 }) {
    return paginate(this.fetchPage, { newestFirst: false, ...pagination }, options);
  }

  /** Releases a response, and waits for everything that follows from it. */
  async respond(number: number, error?: unknown): Promise<void> {
    await settle();
    this.log.push(`response ${number}`);
    const pending = this.#pending[number - 1];
    if (error === undefined) pending?.resolve();
    else pending?.reject(error);
    await settle();
  }
}

/** Waits for enough turns of the event loop for everything that is due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

/** Asks for the next page, logs when it is yielded, and waits for what follows at once. */
async function nextPage(source: ManualSource, pages: AsyncIterator<unknown>, number: number): Promise<void> {
  source.log.push(`next ${number}`);
  const log = (what: string) => () => source.log.push(what);
  pages.next().then(log(`page ${number}`), log("error"));
  await settle();
}

describe("prefetch", () => {
  test("starts before the second page is yielded, and never exceeds one page", async () => {
    const source = new ManualSource();
    const pages = source.listing().pages();
    await nextPage(source, pages, 1);
    await source.respond(1);
    await nextPage(source, pages, 2);
    await source.respond(2);
    await source.respond(3);
    await nextPage(source, pages, 3);
    expect(source.log).toEqual([
      ...["next 1", "request 1", "response 1", "page 1"],
      ...["next 2", "request 2", "response 2", "request 3", "page 2", "response 3"],
      ...["next 3", "request 4", "page 3"],
    ]);
    await pages.return(undefined);
  });

  test("is off with `readAhead: false`", async () => {
    const source = new ManualSource();
    const pages = source.listing({ readAhead: false }).pages();
    for (const number of [1, 2]) {
      await nextPage(source, pages, number);
      await source.respond(number);
    }
    const logOf = (number: number) => ["next", "request", "response", "page"].map((what) => `${what} ${number}`);
    expect(source.log).toEqual([...logOf(1), ...logOf(2)]);
  });

  test("reports its failure with `resume` when the caller reaches that page, and not before", async () => {
    const source = new ManualSource();
    const pages = source.listing().pages();
    for (const number of [1, 2]) {
      await nextPage(source, pages, number);
      await source.respond(number);
    }
    const failure = new ConnectionError("no response");
    // An unhandled rejection would fail the run.
    await source.respond(3, failure);
    expect(source.log.at(-1)).toBe("response 3");
    await expect(pages.next()).rejects.toBe(failure);
    const resume = { pagination: { first: 2, after: expect.stringMatching(/^3\//) } };
    expect(failure).toMatchObject({ pagesRead: 2, itemsRead: 4, resume });
    expect(await pages.next()).toEqual(over);
  });
});

describe("the request in flight is cancelled by", () => {
  /** Walks to the second page, while the third is in flight, and calls the body of a loop with the walk. */
  async function loop(source: ManualSource, body: (node: number) => unknown, options: WalkOptions = {}) {
    const walking = (async () => {
      for await (const node of source.listing(options)) if (body(node)) break;
    })();
    walking.catch(() => {});
    await settle();
    await source.respond(1);
    await source.respond(2);
    return walking;
  }

  const reason = new Error("enough");
  const fail = (error: Error): never => {
    throw error;
  };
  test.each<[what: string, act: (controller: AbortController) => unknown, outcome: Error | undefined]>([
    ["break in the loop", () => true, undefined],
    ["a throw in the loop body", () => fail(reason), reason],
    ["an abort while the caller works, and no further record is yielded", (each) => each.abort(reason), reason],
  ])("%s", async (_, act, outcome) => {
    const source = new ManualSource();
    const controller = new AbortController();
    const seen: number[] = [];
    const body = (node: number) => {
      seen.push(node);
      return node === 2 && act(controller);
    };
    const walking = loop(source, body, { signal: controller.signal });
    if (outcome) await expect(walking).rejects.toBe(outcome);
    else await walking;
    expect(seen).toEqual([0, 1, 2]);
    expect(source.signals.at(-1)?.aborted).toBe(true);
    expect(source.log).toEqual(["request 1", "response 1", "request 2", "response 2", "request 3"]);
  });

  type Ending = AsyncGenerator<unknown> & AsyncDisposable;
  test.each<[what: string, end: (iterator: Ending) => PromiseLike<unknown>]>([
    ["return()", (iterator) => iterator.return(undefined)],
    ["throw()", (iterator) => expect(iterator.throw(reason)).rejects.toBe(reason)],
    ["await using", (iterator) => iterator[Symbol.asyncDispose]()],
  ])("%s, and a pending next() resolves at once", async (_, end) => {
    for (const items of ["pages", "edges", "nodes"] as const) {
      const source = new ManualSource();
      const listing = source.listing();
      const iterator = (items === "nodes" ? listing[Symbol.asyncIterator]() : listing[items]()) as unknown as Ending;
      const waiting = [iterator.next(), iterator.next()];
      await settle();
      await end(iterator);
      expect(await Promise.all([...waiting, iterator.next()])).toEqual([over, over, over]);
      expect(source.signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect(source.log).toEqual(["request 1"]);
    }
  });

  test("an abort while a page is in flight, also if the source ignores its signal", async () => {
    const source = new ManualSource();
    const controller = new AbortController();
    const walking = source.listing({ signal: controller.signal }).toArray();
    await settle();
    controller.abort(reason);
    await expect(walking).rejects.toBe(reason);
    expect(source.signals).toMatchObject([{ aborted: true, reason }]);
  });

  test("return() while a page arrives: no record comes after it", async () => {
    for (let turns = 0; turns < 30; turns++) {
      const iterator = paginate(async () => ({
        edges: [1, 2, 3].map((node) => ({ cursor: `${node}`, node })),
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: "1", endCursor: "3" },
      }))[Symbol.asyncIterator]();
      const first = iterator.next();
      for (let turn = 0; turn < turns; turn++) await undefined;
      const end = iterator.return?.(undefined);
      await Promise.all([first, end]);
      expect(await iterator.next()).toEqual(over);
    }
  });

  test("an abort before the first request, which is not sent", async () => {
    const source = new ManualSource();
    const listing = source.listing({ signal: AbortSignal.abort("never mind") });
    for (const use of [() => listing.toArray(), () => Promise.resolve(listing), () => listing.pages().next()])
      await expect(use()).rejects.toBe("never mind");
    expect(source.log).toEqual([]);
  });

  test("any end of the walk, and no listener is left on the signal", async () => {
    const { signal } = new AbortController();
    const count = () => getEventListeners(signal, "abort").length;
    const whole = new PageSource(Array.from({ length: 50 }, (_, index) => index));
    const failing = new PageSource([1, 2, 3], { failures: new Map([[1, reason]]) });
    const walk = (source: PageSource<number>) => paginate(source.fetchPage, { first: 2 }, { signal });
    await walk(whole).toArray();
    expect(count()).toBe(0);
    await expect(walk(failing).toArray()).rejects.toBe(reason);
    expect(count()).toBe(0);
    const pages = new ManualSource().listing({ signal }).pages();
    pages.next();
    await settle();
    expect(count()).toBe(1);
    await pages.return(undefined);
    expect(count()).toBe(0);
    // A walk that is left lying in the middle of a page.
    await walk(whole)[Symbol.asyncIterator]().next();
    expect(count()).toBe(0);
  });
});

describe("a listing works with idioms of the language:", () => {
  const listing = () => paginate(new PageSource(["a", "b", "c", "d", "e"]).fetchPage, { first: 2, newestFirst: false });

  test("Readable.from streams the records", async () => {
    expect(await collect(Readable.from(listing()))).toEqual(["a", "b", "c", "d", "e"]);
    const stream = Readable.from(listing());
    for await (const record of stream) if (record === "c") break;
    expect(stream.destroyed).toBe(true);
  });

  test("then, catch and finally are those of a promise of the first page", async () => {
    const reason = new Error("no");
    const failing = () => paginate(new PageSource([1], { failures: new Map([[0, reason]]) }).fetchPage);
    expect(await listing().then(({ nodes }) => nodes.length)).toBe(2);
    expect(await failing().catch((error: unknown) => error)).toBe(reason);
    const ended: string[] = [];
    await expect(failing().finally(() => ended.push("done"))).rejects.toBe(reason);
    expect(ended).toEqual(["done"]);
  });
});
