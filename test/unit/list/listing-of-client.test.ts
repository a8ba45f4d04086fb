import { describe, expect, test } from "vitest";
import { ConnectionError, createClient, PaginationError } from "../../../src/index.js";
import { json, recorder } from "../../support/recorder.js";

/** A node with these records, newest first, whose cursor is the index of a record. */
function node(ids: string[]) {
  return recorder(async ({ url }) => {
    const { searchParams } = new URL(url);
    const number = (name: string) => (searchParams.has(name) ? Number(searchParams.get(name)) : undefined);
    const [first, after, last, before] = ["first", "after", "last", "before"].map((name) =>
      number(`pagination.${name}`),
    );
    const from = first === undefined ? Math.max(0, (before ?? ids.length) - (last ?? 0)) : (after ?? -1) + 1;
    const to = first === undefined ? (before ?? ids.length) : Math.min(ids.length, from + first);
    const edges = ids
      .slice(from, to)
      .map((id, index) => ({ cursor: String(from + index), node: { id, sig: null, kind: 42 } }));
    const pageInfo = {
      startCursor: edges.at(0)?.cursor ?? "",
      endCursor: edges.at(-1)?.cursor ?? "",
      hasNextPage: to < ids.length,
      hasPreviousPage: from > 0,
    };
    return json({ signatures: { edges, pageInfo } }, { headers: { "x-block-height": "7", "x-block-timestamp": "8" } });
  });
}

const ids = ["a", "b", "c", "d", "e", "f", "g"];

function list(source: ReturnType<typeof recorder>, pagination = {}, options = {}) {
  return createClient({ baseUrl: "https://node.example", fetch: source.fetch }).listNodeSignatures(
    { id: "x", pagination },
    options,
  );
}

const paging = ({ sent }: ReturnType<typeof recorder>) =>
  sent.map(({ url }) => new URL(url).search.replace("?id=x&", "").replaceAll("pagination.", ""));

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("a listing of a client", () => {
  test("sends nothing until it is used, and one request if it is awaited several times", async () => {
    const source = node(ids);
    const listing = list(source, { first: 3 });
    expect(source.sent).toEqual([]);
    const [one, two] = await Promise.all([listing, listing]);
    expect(await listing).toBe(one);
    expect(two).toBe(one);
    expect(one.nodes.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(source.sent).toHaveLength(1);
  });

  test("yields every record page by page, and every loop is a separate walk", async () => {
    const source = node(ids);
    const listing = list(source, { first: 3 });
    for (let loop = 0; loop < 2; loop++) expect((await collect(listing)).map(({ id }) => id)).toEqual(ids);
    const walk = ["first=3", "first=3&after=2", "first=3&after=5"];
    expect(paging(source)).toEqual([...walk, ...walk]);
  });

  test("walks backward from the end and yields records in walking order", async () => {
    const source = node(ids);
    const listing = list(source, { last: 3 });
    expect((await collect(listing)).map(({ id }) => id)).toEqual([...ids].reverse());
    expect(paging(source)).toEqual(["last=3", "last=3&before=4", "last=3&before=1"]);
    expect((await listing).nodes.map(({ id }) => id)).toEqual(["e", "f", "g"]);
  });

  test("yields pages and edges", async () => {
    const pages = await collect(list(node(ids), { first: 3 }).pages());
    expect(pages.map(({ nodes }) => nodes.map(({ id }) => id).join(""))).toEqual(["abc", "def", "g"]);
    const edges = await collect(list(node(ids), { first: 3, after: "1" }).edges());
    expect(edges.map(({ cursor, node }) => cursor + node.id)).toEqual(["2c", "3d", "4e", "5f", "6g"]);
  });

  test("requests no more records than maxItems leaves", async () => {
    const source = node(ids);
    expect(await list(source, { first: 3 }, { maxItems: 5 }).toArray()).toHaveLength(5);
    expect(paging(source)).toEqual(["first=3", "first=2&after=2"]);
  });

  test("ends with break: the prefetch is cancelled and nothing more is sent", async () => {
    const source = node(ids);
    for await (const { id } of list(source, { first: 3 })) if (id === "b") break;
    expect(source.sent).toHaveLength(1);

    const signals: AbortSignal[] = [];
    const hanging = recorder((request) => {
      signals.push(request.signal);
      return signals.length < 3 ? source.fetch(request) : new Promise(() => {});
    });
    for await (const { id } of list(hanging, { first: 2 })) if (id === "c") break;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true]);
  });

  test("continues after an error from its `resume`", async () => {
    const source = node(ids);
    let requests = 0;
    const failing = recorder((request) =>
      ++requests === 3 ? Promise.reject(new TypeError("reset")) : source.fetch(request),
    );
    const seen: string[] = [];
    const error = await (async () => {
      for await (const { id } of list(failing, { first: 2 }, { retry: false })) seen.push(id);
    })().catch((reason: unknown) => reason);
    expect(ConnectionError.is(error)).toBe(true);
    expect(error).toMatchObject({ pagesRead: 2, itemsRead: 4, resume: { first: 2, after: "3" } });
    for await (const { id } of list(failing, (error as ConnectionError).resume)) seen.push(id);
    expect(seen).toEqual(ids);
  });
});

describe("a page of a listing", () => {
  test("leads to its neighbors, and has its block and its response", async () => {
    const first = await list(node(ids), { first: 3 });
    expect(first.block).toEqual({ height: 7n, timestamp: 8n });
    expect(first.response.status).toBe(200);
    expect(await first.previousPage()).toBeUndefined();
    const second = await first.nextPage();
    expect(second?.nodes.map(({ id }) => id)).toEqual(["d", "e", "f"]);
    const third = await second?.nextPage();
    expect(third?.nodes.map(({ id }) => id)).toEqual(["g"]);
    expect(await third?.nextPage()).toBeUndefined();
    expect((await second?.previousPage())?.nodes.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  test("omits edges without a record, and is the last one if its pageInfo is null", async () => {
    const record = { id: "x", sig: "+/8=", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" };
    const edges = [
      { cursor: "a", node: record },
      { cursor: "", node: null },
    ];
    const listing = list(recorder(async () => json({ signatures: { edges, pageInfo: null } })));
    expect(await listing.toArray()).toEqual([record]);
    expect(await listing).toMatchObject({ nodes: [record], pageInfo: null, block: undefined });
    expect(await (await listing).nextPage()).toBeUndefined();
  });
});

describe("a walk over a node whose cursors form a loop", () => {
  const page = (id: string, endCursor: string) => ({
    signatures: {
      edges: [{ cursor: endCursor, node: { id, sig: null, kind: 42 } }],
      pageInfo: { startCursor: endCursor, endCursor, hasNextPage: true, hasPreviousPage: false },
    },
  });

  test.each([
    ["repeats a page", ["1"], ["1", "1"]],
    ["repeats several pages", ["1", "2", "3"], ["1", "2", "3", "1"]],
  ])("ends after the current page was yielded if the node %s", async (_, loop, yielded) => {
    let request = 0;
    const cursors = () => loop[request++ % loop.length] ?? "";
    const source = recorder(async () => {
      const cursor = cursors();
      return json(page(cursor, cursor));
    });
    const seen: string[] = [];
    const walk = async () => {
      for await (const { id } of list(source)) seen.push(id);
    };
    await expect(walk()).rejects.toMatchObject({ name: "PaginationError", reason: "repeated-cursor" });
    expect(seen).toEqual(yielded);
  });

  test("ends with an error if the node reports a next page but returns no cursor", async () => {
    const seen: string[] = [];
    const listing = list(recorder(async () => json(page("a", ""))));
    const walk = async () => {
      for await (const { id } of listing) seen.push(id);
    };
    await expect(walk()).rejects.toSatisfy(
      (error) =>
        PaginationError.is(error) && error.reason === "missing-cursor" && error.operation === "listNodeSignatures",
    );
    expect(seen).toEqual(["a"]);
    await expect((await listing).nextPage()).rejects.toMatchObject({ reason: "missing-cursor" });
  });
});
