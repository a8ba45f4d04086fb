import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConnectionError, type Forward, type Pagination, paginate, type WalkOptions } from "../../src/index.js";
import { collect, RelaySource } from "../relay.js";

const unheard: unknown[] = [];
const listen = (reason: unknown) => unheard.push(reason);
beforeEach(() => process.on("unhandledRejection", listen));
afterEach(async () => {
  // Node.js tells of them when its queue of microtasks is empty.
  await new Promise(setImmediate);
  process.off("unhandledRejection", listen);
  expect(unheard.splice(0)).toEqual([]);
});

/** A source that answers when it is told to. Records are 0 to 9, oldest first, two to a page. */
class ManualSource {
  readonly log: string[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #source = new RelaySource(Array.from({ length: 10 }, (_, index) => index));
  readonly #answers: { resolve(): void; reject(error: unknown): void }[] = [];

  readonly fetchPage = (request: Pagination, signal: AbortSignal) => {
    const number = this.signals.push(signal);
    this.log.push(`asked ${number}`);
    return new Promise<Awaited<ReturnType<RelaySource<number>["fetchPage"]>>>((resolve, reject) => {
      this.#answers.push({ resolve: () => resolve(this.#source.fetchPage(request)), reject });
    });
  };

  listing(options: WalkOptions = {}, pagination: Forward = { first: 2 }) {
    return paginate(this.fetchPage, { newestFirst: false, ...pagination }, options);
  }

  /** Lets a request answer, and whatever follows from that happen. */
  async answer(number: number, error?: unknown): Promise<void> {
    await settle();
    this.log.push(`answers ${number}`);
    const answer = this.#answers[number - 1];
    if (error === undefined) answer?.resolve();
    else answer?.reject(error);
    await settle();
  }
}

/** Turns of the event loop enough for everything that is due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

/** Asks for the next page, notes when it comes, and lets happen what follows at once. */
async function nextPage(source: ManualSource, pages: AsyncIterator<unknown>, number: number): Promise<void> {
  pages.next().then(
    ({ done }) => source.log.push(done ? "over" : `page ${number}`),
    () => source.log.push("error"),
  );
  await settle();
}

/** A walk whose second page was handed out, so that the third is on its way. */
async function readAhead() {
  const source = new ManualSource();
  const pages = source.listing().pages();
  await nextPage(source, pages, 1);
  await source.answer(1);
  await nextPage(source, pages, 2);
  await source.answer(2);
  return { source, pages };
}

describe("read-ahead", () => {
  test("starts with the second page, before it is handed out, and keeps one page ahead", async () => {
    const source = new ManualSource();
    const pages = source.listing().pages();
    await nextPage(source, pages, 1);
    await source.answer(1);
    await settle();
    expect(source.log).toEqual(["asked 1", "answers 1", "page 1"]);

    await nextPage(source, pages, 2);
    await source.answer(2);
    expect(source.log.slice(3)).toEqual(["asked 2", "answers 2", "asked 3", "page 2"]);

    await source.answer(3);
    expect(source.log.slice(7)).toEqual(["answers 3"]);

    await nextPage(source, pages, 3);
    expect(source.log.slice(8)).toEqual(["asked 4", "page 3"]);
    await pages.return(undefined);
  });

  test("has left when the page is handed out, also where a request leaves with the next turn of the event loop", async () => {
    const log: string[] = [];
    const source = new RelaySource([1, 2, 3, 4]);
    const fetchPage = (request: Pagination) => {
      const number = source.requests.length + 1;
      setImmediate(() => log.push(`request ${number} left`));
      return source.fetchPage(request);
    };
    for await (const _ of paginate(fetchPage, { first: 1 }).pages()) log.push("page");
    expect(log.slice(log.indexOf("request 3 left") - 1)).toEqual([
      "request 2 left",
      "request 3 left",
      "page",
      "request 4 left",
      "page",
      "page",
    ]);
  });

  test("is there for records too: the page after the one at hand is on its way", async () => {
    const source = new ManualSource();
    const records = source.listing()[Symbol.asyncIterator]();
    const seen: number[] = [];
    const take = async () => seen.push((await records.next()).value as number);
    const first = take();
    await source.answer(1);
    await first;
    await take();
    expect(source.log.filter((line) => line.startsWith("asked"))).toHaveLength(1);
    const third = take();
    await settle();
    await source.answer(2);
    await third;
    expect(seen).toEqual([0, 1, 2]);
    expect(source.log.filter((line) => line.startsWith("asked"))).toHaveLength(3);
    await records.return(undefined);
  });

  test("never goes past maxItems, and asks for no more than is left", async () => {
    const asked: Pagination[] = [];
    const source = new RelaySource(Array.from({ length: 10 }, (_, index) => index));
    const fetchPage = (request: Pagination) => {
      asked.push(request);
      return source.fetchPage(request);
    };
    await paginate(fetchPage, { first: 2 }, { maxItems: 5 }).toArray();
    expect(asked.map(({ first }) => first)).toEqual([2, 2, 1]);
    asked.length = 0;
    await paginate(fetchPage, { first: 2 }, { maxItems: 4 }).toArray();
    expect(asked.map(({ first }) => first)).toEqual([2, 2]);
  });

  test("is off with readAhead: false", async () => {
    const source = new ManualSource();
    const pages = source.listing({ readAhead: false }).pages();
    for (const number of [1, 2, 3]) {
      await nextPage(source, pages, number);
      await source.answer(number);
    }
    expect(source.log).toEqual(
      [1, 2, 3].flatMap((number) => [`asked ${number}`, `answers ${number}`, `page ${number}`]),
    );
  });

  test("reports its failure when the caller gets there, with where to go on", async () => {
    const { source, pages } = await readAhead();
    const failure = new ConnectionError("no answer");
    await source.answer(3, failure);
    expect(source.log.at(-1)).toBe("answers 3");
    await expect(pages.next()).rejects.toBe(failure);
    expect(failure).toMatchObject({
      pagesRead: 2,
      itemsRead: 4,
      resume: { first: 2, after: expect.stringMatching(/^3\//) },
    });
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  test("leaves no rejection unheard where the caller never gets there", async () => {
    const { source } = await readAhead();
    await source.answer(3, new ConnectionError("no answer"));
  });
});

describe("what stops a walk stops the request under way", () => {
  /** Walks to the second page, so that the third is on its way, and gives the walk to the body of the loop. */
  async function loop(source: ManualSource, body: (node: number) => unknown, options: WalkOptions = {}) {
    const walking = (async () => {
      for await (const node of source.listing(options)) if (body(node)) break;
    })();
    walking.catch(() => {});
    await settle();
    await source.answer(1);
    await source.answer(2);
    return walking;
  }

  test("break", async () => {
    const source = new ManualSource();
    await loop(source, (node) => node === 2);
    expect(source.signals.at(-1)?.aborted).toBe(true);
    expect(source.log).toEqual(["asked 1", "answers 1", "asked 2", "answers 2", "asked 3"]);
  });

  test("a throw in the body", async () => {
    const source = new ManualSource();
    const failure = new Error("in the body");
    const walking = loop(source, (node) => {
      if (node === 2) throw failure;
    });
    await expect(walking).rejects.toBe(failure);
    expect(source.signals.at(-1)?.aborted).toBe(true);
    expect(source.log).toEqual(["asked 1", "answers 1", "asked 2", "answers 2", "asked 3"]);
  });

  test("return(), also while somebody waits: the wait is over at once", async () => {
    for (const items of ["pages", "edges", "nodes"] as const) {
      const source = new ManualSource();
      const listing = source.listing();
      const iterator = items === "nodes" ? listing[Symbol.asyncIterator]() : listing[items]();
      const waiting = [iterator.next(), iterator.next()];
      await settle();
      expect(await iterator.return(undefined)).toEqual({ done: true, value: undefined });
      expect(await Promise.all(waiting)).toEqual([
        { done: true, value: undefined },
        { done: true, value: undefined },
      ]);
      expect(source.signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
      expect(source.log).toEqual(["asked 1"]);
    }
  });

  test("return() in the middle of a page: no further record comes", async () => {
    const iterator = paginate(new RelaySource([1, 2, 3]).fetchPage)[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 3 });
    await iterator.return(undefined);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("return() while the page read ahead is about to leave", async () => {
    const source = new RelaySource([1, 2, 3]);
    const pages: AsyncGenerator<unknown> = paginate(
      (request: Pagination) => {
        if (source.requests.length === 2) pages.return(undefined);
        return source.fetchPage(request);
      },
      { first: 1 },
    ).pages();
    await pages.next();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  test("throw() on the iterator", async () => {
    const source = new ManualSource();
    const iterator = source.listing().pages();
    const waiting = iterator.next();
    await settle();
    await expect(iterator.throw(new Error("given"))).rejects.toThrow("given");
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(source.signals[0]?.aborted).toBe(true);
  });

  test("await using", async () => {
    const source = new ManualSource();
    {
      await using pages = source.listing().pages() as unknown as AsyncIterator<unknown> & AsyncDisposable;
      pages.next();
      await settle();
    }
    expect(source.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("an abort while a page is on its way, also where the source does not listen", async () => {
    const source = new ManualSource();
    const controller = new AbortController();
    const walking = source.listing({ signal: controller.signal }).toArray();
    await settle();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(walking).rejects.toBe(reason);
    expect(source.signals[0]?.aborted).toBe(true);
    expect(source.signals[0]?.reason).toBe(reason);
  });

  test("an abort while the caller works: the page read ahead is given up, and no further record comes", async () => {
    const source = new ManualSource();
    const controller = new AbortController();
    const reason = new Error("enough");
    const seen: number[] = [];
    const walking = loop(
      source,
      (node) => {
        seen.push(node);
        if (node === 2) controller.abort(reason);
      },
      { signal: controller.signal },
    );
    await expect(walking).rejects.toBe(reason);
    expect(seen).toEqual([0, 1, 2]);
    expect(source.signals.at(-1)?.aborted).toBe(true);
    expect(source.log).toEqual(["asked 1", "answers 1", "asked 2", "answers 2", "asked 3"]);
  });

  test("an abort before anything was asked for", async () => {
    const source = new ManualSource();
    const signal = AbortSignal.abort("never mind");
    for (const use of [
      () => source.listing({ signal }).toArray(),
      () => Promise.resolve(source.listing({ signal })),
      () => source.listing({ signal }).pages().next(),
    ]) {
      await expect(use()).rejects.toBe("never mind");
    }
    expect(source.log).toEqual([]);
  });

  test("no listener is left on a signal, however the walk ends", async () => {
    const { signal } = new AbortController();
    const count = () => getEventListeners(signal, "abort").length;

    const whole = new RelaySource(Array.from({ length: 50 }, (_, index) => index));
    await paginate(whole.fetchPage, { first: 2 }, { signal }).toArray();
    expect(count()).toBe(0);

    const failing = new RelaySource([1, 2, 3], { failures: new Map([[1, new Error("no")]]) });
    await expect(paginate(failing.fetchPage, { first: 2 }, { signal }).toArray()).rejects.toThrow("no");
    expect(count()).toBe(0);

    const left = new ManualSource();
    const pages = left.listing({ signal }).pages();
    pages.next();
    await settle();
    expect(count()).toBe(1);
    await pages.return(undefined);
    expect(count()).toBe(0);

    // A walk that is left lying in the middle of a page.
    const lying = paginate(whole.fetchPage, { first: 2 }, { signal })[Symbol.asyncIterator]();
    await lying.next();
    expect(count()).toBe(0);
  });
});

describe("idioms", () => {
  const source = () => new RelaySource(["a", "b", "c", "d", "e"]);
  const listing = () => paginate(source().fetchPage, { first: 2, newestFirst: false });

  test("Promise.all over several listings gives their first pages", async () => {
    const pages = await Promise.all([listing(), listing()]);
    expect(pages.map(({ nodes }) => nodes.join(""))).toEqual(["ab", "ab"]);
  });

  test("Readable.from streams the records", async () => {
    expect(await collect(Readable.from(listing()))).toEqual(["a", "b", "c", "d", "e"]);
    const stream = Readable.from(listing());
    for await (const record of stream) if (record === "c") break;
    expect(stream.destroyed).toBe(true);
  });

  test.skipIf(!("fromAsync" in Array))("Array.fromAsync collects the records", async () => {
    const { fromAsync } = Array as unknown as { fromAsync<T>(items: AsyncIterable<T>): Promise<T[]> };
    expect(await fromAsync.call(Array, listing())).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("a loop can be left and the iterator of another kind taken up", async () => {
    const each = listing();
    for await (const record of each) if (record === "b") break;
    expect(await collect(each.edges())).toHaveLength(5);
    expect((await collect(each.pages())).map(({ nodes }) => nodes.length)).toEqual([2, 2, 1]);
  });

  test("then, catch and finally are those of a promise of the first page", async () => {
    const failing = () => paginate(new RelaySource([1], { failures: new Map([[0, new Error("no")]]) }).fetchPage);
    expect(await listing().then(({ nodes }) => nodes.length)).toBe(2);
    expect(await failing().catch((error: unknown) => (error as Error).message)).toBe("no");
    let last = "";
    await listing().finally(() => {
      last = "done";
    });
    expect(last).toBe("done");
    await expect(failing().finally()).rejects.toThrow("no");
  });
});
