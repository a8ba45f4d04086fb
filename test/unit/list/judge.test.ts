import { describe, expect, test } from "vitest";
import type { Expectation, KnownRecord, Lack, PlaceInList } from "../../../src/http/expectation.js";
import { completeFrom, edgesAfter, judge, never } from "../../../src/list/judge.js";
import type { PageRequest, ReceivedPage } from "../../../src/list/page.js";

/** A record of a block, whose cursor names the block alone, as those of votes do. */
const at = (time: number, id = "a") => ({
  cursor: btoa(JSON.stringify({ vega_time: `1970-01-01T00:00:00.${String(time).padStart(9, "0")}Z` })),
  node: { timestamp: `${time}`, id },
});
const block = (time: number) => ({ height: 1n, timestamp: BigInt(time) });
const named = (...ids: string[]): KnownRecord[] => ids.map((id) => ({ id }));

const info = { startCursor: "", endCursor: "", hasNextPage: false, hasPreviousPage: false };
const oldestFirst = { first: 9, newestFirst: false };

/** A page, oldest first unless the request says otherwise, of which no other page follows. */
const page = (
  edges: ReceivedPage<unknown>["edges"],
  pageInfo: Partial<typeof info> | null = {},
  pagination: PageRequest["pagination"] = oldestFirst,
): ReceivedPage<unknown> => ({ edges, pageInfo: pageInfo && { ...info, ...pageInfo }, request: { pagination } });

const more = { hasNextPage: true };
const one = page([at(5000)]);
const none = { height: 0n, timestamp: 0n };

interface Case {
  expectation: Expectation;
  data?: ReceivedPage<unknown>;
  block?: { height: bigint; timestamp: bigint } | undefined;
  namesBlocks?: boolean;
}

describe("a response", () => {
  test.each<[what: string, given: Case, lack: Lack | undefined]>([
    ["with the block", { expectation: { minBlock: 9000n } }, undefined],
    ["of an earlier block", { expectation: { minBlock: 9001n } }, "block"],
    ["of a node that has no block yet", { expectation: { needsBlock: true }, block: none }, "block"],
    ["of a node that has no block yet, which does not matter", { expectation: {}, block: none }, undefined],
    ["without a block", { expectation: { needsBlock: true }, block: undefined }, "block"],
    ["without a block, which does not matter", { expectation: {}, block: undefined }, undefined],
    [
      "without a block, as all others are",
      { expectation: { needsBlock: true }, block: undefined, namesBlocks: false },
      undefined,
    ],
    ["whose last page has the block", { expectation: { minBlockAtEnd: 9000n } }, undefined],
    ["whose last page has an earlier block", { expectation: { minBlockAtEnd: 9001n } }, "block"],
    ["of a page in between", { expectation: { minBlockAtEnd: 9001n }, data: page([at(5000)], more) }, undefined],
    [
      "of a page that ends just before its block",
      { expectation: { minBlockAtEnd: 9001n }, data: page([at(8999)], more) },
      undefined,
    ],
    [
      "of a page that ends in its block, of which records can be missing",
      { expectation: { minBlockAtEnd: 9001n }, data: page([at(4000), at(5000), at(9000)], more) },
      "block",
    ],
    [
      "of a page without records in between",
      { expectation: { minBlockAtEnd: 9001n }, data: page([], more) },
      undefined,
    ],
    ["without `pageInfo`", { expectation: { minBlockAtEnd: 9001n }, data: page([], null) }, "block"],
    ["with the record", { expectation: { includes: { id: "a" } } }, undefined],
    [
      "with the record among others",
      { expectation: { includes: { id: "a" } }, data: page([at(1, "b"), at(2, "a")]) },
      undefined,
    ],
    ["without the record", { expectation: { includes: { id: "b" } } }, "place"],
    [
      "whose next page can have the record",
      { expectation: { includes: { id: "b" } }, data: page([], more) },
      undefined,
    ],
    ["that continues", { expectation: { continuesFrom: { records: named("a") } } }, undefined],
    ["that does not continue", { expectation: { continuesFrom: { records: named("b") } } }, "place"],
    [
      "that is read backward and continues",
      {
        expectation: { continuesFrom: { records: named("b"), most: 0 } },
        data: page([at(1, "a"), at(2, "b")], {}, { last: 9, newestFirst: false }),
      },
      undefined,
    ],
    ["with the history", { expectation: { historyFrom: 5000n } }, undefined],
    ["with a shorter history", { expectation: { historyFrom: 4999n } }, "history"],
    ["with no block and a shorter history", { expectation: { minBlock: 9001n, historyFrom: 0n } }, "block"],
    ["with no place and a shorter history", { expectation: { includes: { id: "b" }, historyFrom: 0n } }, "place"],
  ])("%s", (_, given, lack) => {
    const { expectation, data = one, namesBlocks = true } = given;
    const shown = { data, block: "block" in given ? given.block : block(9000) };
    expect(judge(expectation, shown, namesBlocks)).toBe(lack);
  });
});

describe("a page is complete from", () => {
  const records = [at(3), at(5)];
  const newestFirst = [at(5), at(4), at(3)];
  test.each<[what: string, page: ReceivedPage<unknown>, time: bigint]>([
    ["its first record, oldest first", page(records), 3n],
    ["its first record, also if newer ones follow", page(records, more), 3n],
    ["its first record, although older ones come before", page(records, { hasPreviousPage: true }), 3n],
    ["its last record, newest first", page(newestFirst, {}, { first: 9 }), 3n],
    ["the start, newest first, if older ones follow, which decide it", page(newestFirst, more, { first: 9 }), 0n],
    ["its last record, newest first, read backward", page(newestFirst, more, { last: 9 }), 3n],
    [
      "the start, oldest first, read backward, if older ones follow",
      page(records, { hasPreviousPage: true }, { last: 9, newestFirst: false }),
      0n,
    ],
    ["never on without records", page([]), never],
    ["its last record without `pageInfo`", page(newestFirst, null, { first: 9 }), 3n],
    ["its first record without `pageInfo`", page(records, null, { last: 9, newestFirst: false }), 3n],
  ])("%s", (_, given, time) => expect(completeFrom(given)).toBe(time));
});

describe("the records after", () => {
  const edges = [at(2, "a"), at(3, "b"), at(3, "c")];
  test.each<[what: string, place: PlaceInList, ids: string | undefined]>([
    ["a known one", { records: named("a") }, "bc"],
    ["the first known one of several", { records: named("c", "b") }, "c"],
    ["an unknown one", { records: named("d") }, undefined],
    ["one that differs in a member", { records: [{ id: "a", timestamp: "3" }] }, undefined],
    ["a known one behind as many as are allowed", { records: named("b"), most: 1 }, "c"],
    ["a known one behind more than are allowed", { records: named("c"), most: 1 }, undefined],
    ["an earlier block", { from: 1n, to: 3n }, "abc"],
    ["the block that they begin in", { from: 2n, to: 3n }, "abc"],
    ["a later block", { from: 3n, to: 4n }, undefined],
    ["an earlier block, if they begin at its end", { from: 1n, to: 2n }, undefined],
    ["a later block, in descending order", { from: 3n, to: 1n }, "abc"],
    ["the block that they begin in, in descending order", { from: 2n, to: 1n }, "abc"],
    ["an earlier block, in descending order", { from: 1n, to: 0n }, undefined],
    ["a later block, if they begin at its end, in descending order", { from: 3n, to: 2n }, undefined],
    ["no block between", { from: 2n, to: 2n }, undefined],
    ["known ones, of which one has moved", { without: named("a", "d") }, "abc"],
    ["known ones that are all there", { without: named("a", "c") }, undefined],
  ])("%s", (_, place, ids) => {
    expect(
      edgesAfter(edges, place)
        ?.map(({ node }) => node.id)
        .join(""),
    ).toBe(ids);
  });

  test("none, or a cursor without a time, begin in no block", () => {
    for (const edges of [[], [{ cursor: "?", node: {} }]])
      expect(edgesAfter(edges, { from: 1n, to: 3n })).toBeUndefined();
  });
});
