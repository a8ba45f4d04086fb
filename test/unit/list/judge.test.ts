import { describe, expect, test } from "vitest";
import type { EvidenceKind, Expectation, KnownRecord, PlaceInList } from "../../../src/http/expectation.js";
import { completeFrom, edgesAfter, judge } from "../../../src/list/judge.js";
import { never, type PageRequest, type ReceivedPage } from "../../../src/list/page.js";

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

type Evidence = { data?: ReceivedPage<unknown>; block?: typeof none | undefined; sendsBlocks?: boolean };
const b = { id: "b" };
const first = { records: named("b"), most: 0 };
const [atEnd, ended] = [{ minBlockAtEnd: 9001n }, { minBlockAtEnd: 9000n }];
const backward = page([at(1, "a"), at(2, "b")], {}, { last: 9, newestFirst: false });

test.each<[what: string, expectation: Expectation, lack: EvidenceKind | undefined, shown?: Evidence]>([
  ["with the block", { minBlock: 9000n }, undefined],
  ["of an earlier block", { minBlock: 9001n }, "block"],
  ["of a node that has no block yet", {}, "block", { block: none }],
  ["without a block", { needsBlock: true }, "block", { block: undefined }],
  ["without a block, which does not matter", {}, undefined, { block: undefined }],
  ["without a block, as all others are", { needsBlock: true }, undefined, { block: undefined, sendsBlocks: false }],
  ["whose last page has the block", ended, undefined],
  ["whose last page has an earlier block", atEnd, "block"],
  ["of a page in between", atEnd, undefined, { data: page([at(5000)], more) }],
  ["of a page that ends just before its block", atEnd, undefined, { data: page([at(8999)], more) }],
  ["of a page without records in between", atEnd, undefined, { data: page([], more) }],
  ["without `pageInfo`", atEnd, "block", { data: page([], null) }],
  ["with the record", { includes: { id: "a" } }, undefined],
  ["with the record among others", { includes: { id: "a" } }, undefined, { data: page([at(1, "b"), at(2, "a")]) }],
  ["without the record", { includes: b }, "place"],
  ["whose next page can have the record", { includes: b }, undefined, { data: page([], more) }],
  ["that continues", { continuesFrom: { records: named("a") } }, undefined],
  ["that does not continue", { continuesFrom: { records: named("b") } }, "place"],
  ["that is read backward and continues", { continuesFrom: first }, undefined, { data: backward }],
  ["with the history", { historyFrom: 5000n }, undefined],
  ["with a shorter history", { historyFrom: 4999n }, "history"],
  ["with no block and a shorter history", { minBlock: 9001n, historyFrom: 0n }, "block"],
  ["with no place and a shorter history", { includes: b, historyFrom: 0n }, "place"],
])("a response %s", (_, expectation, lack, shown = {}) => {
  const { sendsBlocks = true, ...given } = shown;
  expect(judge(expectation, { data: one, block: block(9000), ...given }, sendsBlocks)).toBe(lack);
});

const records = [at(3), at(5)];
const newestFirst = [at(5), at(4), at(3)];
const [older, lastOldestFirst] = [{ hasPreviousPage: true }, { last: 9, newestFirst: false }];
test.each<[what: string, page: ReceivedPage<unknown>, time: bigint]>([
  ["its first record, oldest first", page(records), 3n],
  ["its first record, also if newer ones follow", page(records, more), 3n],
  ["its first record, although older ones come before", page(records, older), 3n],
  ["its last record, newest first", page(newestFirst, {}, { first: 9 }), 3n],
  ["the start, newest first, if older ones follow, which decide it", page(newestFirst, more, { first: 9 }), 0n],
  ["its last record, newest first, read backward", page(newestFirst, more, { last: 9 }), 3n],
  ["the start, oldest first, read backward, if older ones follow", page(records, older, lastOldestFirst), 0n],
  ["never on without records", page([]), never],
  ["its last record without `pageInfo`", page(newestFirst, null, { first: 9 }), 3n],
  ["its first record without `pageInfo`", page(records, null, lastOldestFirst), 3n],
])("a page is complete from %s", (_, given, time) => expect(completeFrom(given)).toBe(time));

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
  ])("%s", (_, place, ids) => {
    const after = edgesAfter(edges, place)?.map(({ node }) => node.id);
    expect(after?.join("")).toBe(ids);
  });

  test("none, or a cursor without a time, begin in no block", () => {
    for (const edges of [[], [{ cursor: "?", node: {} }]])
      expect(edgesAfter(edges, { from: 1n, to: 3n })).toBeUndefined();
  });
});
