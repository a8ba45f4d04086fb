import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ForwardPagination, Pagination } from "../../../src/index.js";
import { ConnectionError, paginate, VegaError } from "../../../src/index.js";
import { collect, type PageBehavior, PageSource, readUntilError } from "../../support/page-source.js";

/** A list, a walk over it, and a source with pages of random sizes. */
const walks = fc.record({
  length: fc.nat(40),
  size: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  backward: fc.boolean(),
  newestFirst: fc.option(fc.boolean(), { nil: undefined }),
  start: fc.option(fc.nat(40), { nil: undefined }),
  maxItems: fc.oneof(fc.constantFrom(undefined, Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 50 })),
  readAhead: fc.option(fc.boolean(), { nil: undefined }),
  sizes: fc.array(fc.nat(5), { maxLength: 30 }),
});

type Walk = typeof walks extends fc.Arbitrary<infer W> ? W : never;

/** The options of a walk, and the records that it has to yield. */
function prepare({ length, size, backward, newestFirst, start, ...rest }: Walk, behavior: PageBehavior = {}) {
  const all = Array.from({ length }, (_, index) => index);
  const source = new PageSource(all, { sizes: rest.sizes, ...behavior });
  const records = source.ordered(newestFirst);
  const at = start === undefined ? undefined : Math.min(start, length);
  const cursor = at === undefined ? undefined : source.cursor(at);
  const following = backward ? records.slice(0, at).reverse() : records.slice(at === undefined ? 0 : at + 1);
  const pagination: Pagination = backward
    ? { last: size ?? (cursor === undefined ? 7 : undefined), before: cursor, newestFirst }
    : { first: size, after: cursor, newestFirst };
  const options = { maxItems: rest.maxItems, readAhead: rest.readAhead };
  return { source, pagination: pagination as Pagination, options, expected: following.slice(0, rest.maxItems) };
}

describe("a walk yields each record of the list once and in order", () => {
  test("as records, edges, pages and an array", async () => {
    const property = fc.asyncProperty(walks, async (walk) => {
      const { expected } = prepare(walk);
      const listing = () => {
        const { source, pagination, options } = prepare(walk);
        return paginate(source.fetchPage, pagination, options);
      };
      expect(await collect(listing())).toEqual(expected);
      expect(await listing().toArray()).toEqual(expected);
      expect((await collect(listing().edges())).map(({ node }) => node)).toEqual(expected);
      const pages = await collect(listing().pages());
      const inWalkingOrder = pages.flatMap(({ nodes }) => (walk.backward ? [...nodes].reverse() : nodes));
      expect(inWalkingOrder).toEqual(expected);
    });
    await fc.assert(property);
  });

  test("if requests fail and the caller continues from each `resume`", async () => {
    const failing = fc.uniqueArray(fc.nat(30), { maxLength: 10 });
    const property = fc.asyncProperty(walks, failing, async (walk, numbers) => {
      const failures = new Map(numbers.map((number) => [number, new ConnectionError("no response")]));
      const { source, pagination, options, expected } = prepare(walk, { failures });
      const seen: number[] = [];
      let from: Pagination | undefined = pagination;
      let { maxItems } = options;
      while (from !== undefined) {
        const walk: AsyncIterable<number> = paginate(source.fetchPage, from, { ...options, maxItems });
        const { records, error } = await readUntilError(walk);
        seen.push(...records);
        if (error !== undefined && !ConnectionError.is(error)) throw error;
        expect(error?.itemsRead ?? records.length).toBe(records.length);
        from = error?.resume?.pagination;
        if (maxItems !== undefined) maxItems -= records.length;
      }
      expect(seen).toEqual(expected);
    });
    await fc.assert(property);
  });

  test("if the caller calls next() many times without awaiting", async () => {
    const property = fc.asyncProperty(walks, fc.nat(20), async (walk, more) => {
      const { source, pagination, options, expected } = prepare(walk);
      const iterator = paginate(source.fetchPage, pagination, options)[Symbol.asyncIterator]();
      const results = await Promise.all(Array.from({ length: expected.length + more }, () => iterator.next()));
      const values = results.map(({ done, value }) => (done ? undefined : value));
      expect(values).toEqual([...expected, ...Array(more).fill(undefined)]);
    });
    await fc.assert(property);
  });

  test("if two loops over one listing run concurrently, in any interleaving", async () => {
    const property = fc.asyncProperty(walks, fc.array(fc.boolean(), { maxLength: 60 }), async (walk, turns) => {
      const { source, pagination, options, expected } = prepare({ ...walk, sizes: [] });
      const listing = paginate(source.fetchPage, pagination, options);
      const [one, other] = [listing[Symbol.asyncIterator](), listing[Symbol.asyncIterator]()];
      const seen: number[] = [];
      for (const turn of turns) {
        const { done, value } = await (turn ? other : one).next();
        if (!turn && !done) seen.push(value);
      }
      expect([...seen, ...(await collect(one))]).toEqual(expected);
    });
    await fc.assert(property);
  });
});

const numbers = Array.from({ length: 10 }, (_, index) => index);

describe("the requests of a walk", () => {
  test("are not sent until the listing is used, and one if it is awaited several times, of at most maxItems records", async () => {
    const source = new PageSource(numbers);
    const listing = paginate(source.fetchPage, { first: 3 }, { maxItems: 2 });
    listing.pages();
    listing.edges();
    listing[Symbol.asyncIterator]();
    expect(source.requests).toEqual([]);
    const [one, two] = await Promise.all([listing, listing]);
    expect(await listing).toBe(one);
    expect(two).toBe(one);
    expect(one.nodes).toEqual([9, 8]);
    expect(source.requests).toEqual([{ first: 2 }]);
  });

  test("always have a size, and the last one has the number of records that are left", async () => {
    const source = new PageSource(numbers);
    await paginate(source.fetchPage, { newestFirst: false, first: 4 }, { maxItems: 6 }).toArray();
    expect(source.requests).toEqual([
      { newestFirst: false, first: 4 },
      { newestFirst: false, first: 2, after: "3/5" },
    ]);
    const unsized = new PageSource(numbers);
    await paginate(unsized.fetchPage);
    expect(unsized.requests).toEqual([{ first: 1000 }]);
  });

  test("begin with the cursor of the caller as it is, whatever it contains", async () => {
    const cursor = btoa(JSON.stringify({ skip: 3, last_record: "d", latest_block: "4" }));
    const sent: Pagination[] = [];
    const fetchPage = async (pagination: Pagination) => {
      sent.push(pagination);
      return { edges: [], pageInfo: null };
    };
    await paginate(fetchPage, { first: 2, after: cursor });
    expect(sent).toEqual([{ first: 2, after: cursor }]);
  });

  test("yield at most maxItems records if the source returns more than requested", async () => {
    const source = new PageSource(numbers);
    const generous = (request: Pagination) => source.fetchPage({ ...request, first: 10 } as Pagination);
    expect(await paginate(generous, { first: 2 }, { maxItems: 3 }).toArray()).toEqual([9, 8, 7]);
  });
});

describe("a page of a walk", () => {
  test.each<[pagination: Pagination, next: number[] | undefined, previous: number[] | undefined]>([
    [{ first: 3 }, [3, 4, 5], undefined],
    [{ first: 3, after: "2/" }, [6, 7, 8], [0, 1, 2]],
    [{ first: 3, after: "6/" }, undefined, [4, 5, 6]],
    [{ last: 3 }, undefined, [4, 5, 6]],
    [{ last: 3, before: "7/" }, [7, 8, 9], [1, 2, 3]],
  ])(
    "leads to its neighbors, and names them as plain data, which copies have too: %j",
    async (from, next, previous) => {
      const { fetchPage } = new PageSource(numbers);
      const page = await paginate(fetchPage, { newestFirst: false, ...from });
      expect([(await page.nextPage())?.nodes, (await page.previousPage())?.nodes]).toEqual([next, previous]);
      const copy = { ...page };
      const plain = JSON.parse(JSON.stringify({ next: copy.next, previous: copy.previous }));
      expect(plain.next && (await paginate(fetchPage, plain.next)).nodes).toEqual(next);
      expect(plain.previous && (await paginate(fetchPage, plain.previous)).nodes).toEqual(previous);
    },
  );

  test("omits edges without a record", async () => {
    const edges = [null, { cursor: "a", node: null }, { cursor: "b", node: 1 }];
    const listing = paginate<number>(async () => ({ edges, pageInfo: null }));
    expect(await listing).toMatchObject({ nodes: [1], edges: [{ cursor: "b", node: 1 }], pageInfo: null });
    expect(await listing.toArray()).toEqual([1]);
  });
});

const edge = (cursor: string) => ({ cursor, node: cursor });
type Edge = ReturnType<typeof edge>;

describe("a source whose cursors do not lead on", () => {
  /** Pages of one record; after `lead` of them, the same `circle` pages again and again. */
  function circling(lead: number, circle: number, backward: boolean) {
    const follow = (place: number) => (place < lead + circle - 1 ? place + 1 : lead);
    return async ({ after, before }: Pagination) => {
      const from = backward ? before : after;
      const place = from === undefined ? 0 : follow(Number(from));
      const pageInfo = { startCursor: `${place}`, endCursor: `${place}`, hasNextPage: true, hasPreviousPage: true };
      return { edges: [{ cursor: `${place}`, node: place }], pageInfo };
    };
  }

  test("ends the walk after the current page was yielded, for a loop of any length", async () => {
    const circles = fc.integer({ min: 1, max: 20 });
    const property = fc.asyncProperty(fc.nat(20), circles, fc.boolean(), async (lead, circle, backward) => {
      const size = backward ? { last: 5 } : { first: 5 };
      const { records, error } = await readUntilError(paginate(circling(lead, circle, backward), size));
      expect(records).toEqual([...Array.from({ length: lead + circle }, (_, index) => index), lead]);
      const resume = { pagination: { ...size, [backward ? "before" : "after"]: String(lead) } };
      const counts = { pagesRead: records.length, itemsRead: records.length };
      expect(error).toMatchObject({ name: "PaginationError", reason: "repeated-cursor", ...counts, resume });
    });
    await fc.assert(property);
  });

  test("ends the walk if the first page leads back to its start", async () => {
    const pageInfo = { startCursor: "x", endCursor: "x", hasNextPage: true, hasPreviousPage: true };
    const listing = paginate(async () => ({ edges: [], pageInfo }), { after: "x" });
    await expect(listing.toArray()).rejects.toMatchObject({ reason: "repeated-cursor", pagesRead: 1, itemsRead: 0 });
  });

  test.each<[what: string, pagination: Pagination, edges: Edge[], resume: object]>([
    ["with a record that has a cursor", { first: 2, after: "start" }, [edge("a")], { first: 2, after: "a" }],
    ["with a record that has none", { first: 2, after: "start" }, [edge("")], { first: 2, after: "start" }],
    ["without records", { first: 2, after: "start" }, [], { first: 2, after: "start" }],
    ["of a walk backward", { last: 2 }, [edge("a"), edge("b")], { last: 2, before: "a" }],
  ])("ends the walk at a next page without a cursor, after a page %s", async (_, pagination, edges, resume) => {
    const pageInfo = { startCursor: "", endCursor: "", hasNextPage: true, hasPreviousPage: true };
    const { records, error } = await readUntilError(paginate(async () => ({ edges, pageInfo }), pagination));
    expect(records).toHaveLength(edges.length);
    const counts = { pagesRead: 1, itemsRead: edges.length, resume: { pagination: resume } };
    expect(error).toMatchObject({ name: "PaginationError", reason: "missing-cursor", ...counts });
  });
});

describe("the errors of a walk", () => {
  test("have `resume` if they are of this package, and are unchanged otherwise", async () => {
    const own = new VegaError("own");
    const resume = { pagination: { first: 5, after: "of another list" } };
    const inner = Object.assign(new VegaError("inner", { operation: "listVotes" }), { resume });
    const foreign = new Error("foreign");
    for (const error of [own, inner, foreign]) {
      const source = new PageSource(numbers, { failures: new Map([[1, error]]) });
      await expect(paginate(source.fetchPage, { last: 2 }, { maxItems: 3 }).toArray()).rejects.toBe(error);
    }
    for (const error of [own, inner])
      expect(error).toMatchObject({ resume: { pagination: { last: 2, before: "8/2" } }, pagesRead: 1, itemsRead: 2 });
    expect(Object.keys(foreign)).toEqual([]);
  });

  test("end the walk, and nothing is requested afterwards", async () => {
    const source = new PageSource(numbers, { failures: new Map([[0, new Error("no")]]) });
    const iterator = paginate(source.fetchPage)[Symbol.asyncIterator]();
    const results = await Promise.allSettled([iterator.next(), iterator.next()]);
    expect(results).toMatchObject([{ status: "rejected" }, { value: { done: true } }]);
    expect(source.requests).toHaveLength(1);
  });

  test.each([
    [{ maxItems: 1.5 }, {}, "Expected `maxItems` to be a positive integer, or Infinity, got 1.5."],
    [{ readAhead: 1 }, {}, "Expected `readAhead` to be a boolean, got 1."],
    [{ signal: "x" }, {}, 'Expected `signal` to be an AbortSignal, got "x".'],
    [{ maxItem: 1 }, {}, "paginate has no option `maxItem`. Did you mean `maxItems`?"],
    [null, {}, "Expected the options of paginate to be a plain object, got null."],
    [{}, { first: 0 }, "Expected `pagination.first` of paginate to be an integer from 1 to 2147483647, got 0."],
    [{}, { last: "3" }, 'Expected `pagination.last` of paginate to be an integer from 1 to 2147483647, got "3".'],
    [{}, { after: 3 }, "Expected `pagination.after` of paginate to be a non-empty string, got 3."],
    [{}, { firsts: 3 }, "paginate has no `pagination.firsts`. Did you mean `first`?"],
    [{}, { first: 1, last: 1 }, "`pagination.last` cannot be combined with `pagination.first`."],
    [{}, { after: "a", before: "b" }, "`pagination.before` cannot be combined with `pagination.after`."],
  ])("name an invalid argument when the listing is used: %j %j", async (options, pagination, message) => {
    const source = new PageSource(numbers);
    const listing = paginate(source.fetchPage, pagination as ForwardPagination, options as object);
    for (const use of [() => listing.toArray(), () => Promise.resolve(listing), () => listing.pages().next()]) {
      await expect(use()).rejects.toMatchObject({ name: "ArgumentError", message });
    }
    expect(source.requests).toEqual([]);
  });

  test.each<[page: unknown, got: string, pagination?: Pagination]>([
    [undefined, "undefined."],
    [[], "an empty array."],
    [{ edges: [] }, "an object."],
    [{ edges: [], pageInfo: {} }, "an object."],
    [{ edges: [], pageInfo: { hasNextPage: true } }, "an object.", { last: 5 }],
  ])("say what fetchPage must return if it returns %j", async (page, got, pagination) => {
    const more = pagination ? "hasPreviousPage" : "hasNextPage";
    const message = `Expected \`fetchPage\` to be a function that returns \`{ edges, pageInfo }\`, with \`${more}\` in \`pageInfo\`, got ${got}`;
    await expect(paginate(async () => page as never, pagination)).rejects.toThrow(message);
  });

  test("say that fetchPage is missing", async () => {
    const message = "Expected `fetchPage` of paginate to be a function, got undefined.";
    await expect(paginate(undefined as never)).rejects.toMatchObject({ name: "ArgumentError", message });
  });
});
