import { describe, expect, test } from "vitest";
import { never } from "../../../src/list/judge.js";
import { backward, forward } from "../../../src/list/page.js";
import { expectationAt, requestOf, shownFrom } from "../../../src/list/page-request.js";
import { planWalk, type WalkPlan } from "../../../src/list/plan.js";
import { type Anchor, emptyState, type WalkState } from "../../../src/list/state.js";
import { readWalkOptions } from "../../../src/list/walk-options.js";

const minute = 60_000_000_000n;
const [start, end] = [1_707_486_400_000_000_000n, 1_707_486_400_000_000_000n + 60n * minute];
const walkOf = (newestFirst: boolean): WalkPlan =>
  planWalk({ ...readWalkOptions(), pagination: { newestFirst }, pageSize: 5, fetchPage: () => Promise.reject() });
const withRange = (walk: WalkPlan, range: WalkPlan["range"]): WalkPlan => ({ ...walk, range });
const [up, down] = [walkOf(false), walkOf(true)];
const range = { start, end };
const [rangeUp, rangeDown] = [withRange(up, range), withRange(down, range)];
const open = { start: undefined, end: undefined };
const none = emptyState(forward);
const place = { records: [{ timestamp: "1" }] };
const begin: Anchor = { skip: 0 };
/** The cursor of a record at the 10th minute of the range. */
const tenth = start + 10n * minute;
const cursor = btoa(JSON.stringify({ vega_time: new Date(Number(tenth / 1_000_000n)).toISOString() }));
const next: Anchor = { skip: 1, cursor, continuesFrom: place };
const at = start + 20n * minute;
const block = { height: 7n, timestamp: end + minute };
const later: WalkState = { ...none, pages: 2, block, node: "https://a.example" };

const led = { ...range, lead: start - minute };
test.each<[what: string, walk: WalkPlan, anchor: Anchor, expected: object]>([
  ["of a list without a range has none", up, begin, { start: undefined, end: undefined }],
  ["has the range of the walk", rangeUp, begin, range],
  ["begins with the lead", withRange(down, led), begin, { start: led.lead, end }],
  ["behind a cursor has the range of the walk", rangeDown, next, range],
  ["behind a cursor after the lead begins with the lead", withRange(up, led), next, { start: led.lead, end }],
  ["behind a cursor before the range begins there", withRange(up, { start: at, end }), next, { start: tenth, end }],
  ["behind a cursor has no start if the walk has none", withRange(up, open), next, open],
  ["from a time on begins there, oldest first", rangeUp, { ...begin, at }, { start: at, end }],
  ["up to a time ends with its microsecond", rangeDown, { ...begin, at }, { start, end: at + 1000n }],
])("the request of a page %s", (_, walk, anchor, expected) => {
  const { pagination, ...times } = requestOf(walk, none, anchor, 6);
  expect(times).toEqual(expected);
  const after = anchor.cursor === undefined ? {} : { after: cursor };
  expect(pagination).toEqual({ first: 6, newestFirst: walk.pagination.newestFirst, ...after });
});

const window = { pagination: {}, start: at + minute };

test.each<[what: string, bigint, WalkPlan, WalkState, Anchor, window?: typeof window]>([
  ["a list without a range has no bound", never, up, none, begin],
  ["the first one, oldest first, from the start", start, rangeUp, none, begin],
  ["one of an empty range has no bound", never, withRange(up, { start, end: start }), none, begin],
  ["the first one of an open range, oldest first, from 0", 0n, withRange(up, open), none, begin],
  ["one behind a cursor, oldest first, has no bound", never, rangeUp, none, next],
  ["one from a time on, oldest first, has no bound", never, rangeUp, none, { ...begin, at }],
  ["one of a later window from that time on", at + 1000n, rangeUp, none, { ...begin, at }, window],
  ["any one, newest first, from the start", start, rangeDown, none, next],
  ["any one, oldest first and backward, from the start", start, rangeUp, emptyState(backward), next],
])("a page has to show every record: %s", (_, expected, walk, state, anchor, foundIn) => {
  expect(shownFrom(walk, state, anchor, foundIn)).toBe(expected);
});

describe("the expectation of a page", () => {
  const first = { isFresh: true, prefer: undefined, minBlock: 0n, minBlockAtEnd: undefined, needsBlock: true };
  const ofFirst = { ...first, continuesFrom: undefined, historyFrom: undefined };
  const ofNext = { ...ofFirst, continuesFrom: place };
  const ofLater = { ...ofNext, isFresh: false, prefer: later.node };
  const [openUp, openDown] = [withRange(up, open), withRange(down, open)];
  const fixed = (walk: WalkPlan) => ({ ...walk, isFixed: true });
  const atStart = { isFresh: false, minBlock: start + 1000n, minBlockAtEnd: end };

  test.each<[what: string, walk: WalkPlan, state: WalkState, anchor: Anchor, expected: object]>([
    ["the first one of a list", up, none, begin, ofFirst],
    ["the first one of a range", rangeUp, none, begin, ofFirst],
    ["the first one of an open range", openUp, none, begin, { ...ofFirst, historyFrom: 0n }],
    ["the next one of an open range, oldest first", openUp, none, next, ofNext],
    ["the next one of an open range, newest first", openDown, none, next, { ...ofNext, historyFrom: 0n }],
    ["a later one, from the node and the block before", up, later, next, { ...ofLater, minBlock: block.timestamp }],
    ["one of the past, from any block: newest first, behind known records", rangeDown, later, next, ofLater],
    ["one behind known records of a list without a range", down, later, next, { minBlock: block.timestamp }],
    ["one without known records, newest first", rangeDown, later, begin, { minBlock: block.timestamp }],
    ["one whose cursor names a block", rangeDown, later, { ...next, minBlock: 5n }, { minBlock: 5n }],
    ["one whose cursor names a later block", up, later, { ...next, minBlock: end * 2n }, { minBlock: end * 2n }],
    ["one of a fixed range, oldest first", fixed(rangeUp), later, begin, atStart],
    ["one of a fixed range, newest first", fixed(rangeDown), none, begin, { ...atStart, minBlock: end }],
    [
      "the first one of a fixed range without an end",
      fixed(withRange(up, { start, end: undefined })),
      none,
      begin,
      { ...atStart, isFresh: true, minBlockAtEnd: undefined },
    ],
    ["the first one of a fixed range that is open", fixed(openUp), none, begin, { ...ofFirst, historyFrom: 0n }],
  ])("%s", (_, walk, state, anchor, expected) => {
    expect(expectationAt(walk, state, anchor, false)).toMatchObject(expected);
  });

  test("of a page alone, neither a block nor the history is needed", () => {
    expect(expectationAt(openUp, none, begin, true)).toEqual({ ...ofFirst, needsBlock: false });
  });
});
