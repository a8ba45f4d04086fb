import { describe, expect, test } from "vitest";
import { continuedLater, readGivenCursor } from "../../../src/list/client-cursors.js";
import { forward } from "../../../src/list/page.js";
import { expectationAt, requestOf } from "../../../src/list/page-request.js";
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
const givenTo = (latest: bigint) => readGivenCursor(continuedLater(cursor, latest, undefined));
const from = (latest: bigint): WalkState => ({ ...none, block, given: givenTo(latest) });

const led = { ...range, lead: start - minute };
test.each<[what: string, walk: WalkPlan, anchor: Anchor, expected: object]>([
  ["begins with the lead", withRange(down, led), begin, { start: led.lead, end }],
  ["behind a cursor before the range begins there", withRange(up, { start: at, end }), next, { start: tenth, end }],
  ["behind a cursor after the lead begins with the lead", withRange(up, led), next, { start: led.lead, end }],
  ["up to a time begins with the lead", withRange(down, led), { ...begin, at }, { start: led.lead, end: at + 1000n }],
])("the request of a page %s", (_, walk, anchor, expected) => {
  const { pagination, ...times } = requestOf(walk, none, anchor, 6);
  expect(times).toEqual(expected);
  const after = anchor.cursor === undefined ? {} : { after: cursor };
  expect(pagination).toEqual({ first: 6, newestFirst: walk.pagination.newestFirst, ...after });
});

describe("the expectation of a page", () => {
  const first = { isFresh: true, prefer: undefined, minBlock: 0n, minBlockAtEnd: undefined, needsBlock: true };
  const ofFirst = { ...first, continuesFrom: undefined, historyFrom: undefined };
  const ofNext = { ...ofFirst, continuesFrom: place };
  const ofLater = { ...ofNext, isFresh: false, prefer: later.node };
  const fixed = (walk: WalkPlan) => ({ ...walk, isFixed: true });
  const atStart = { isFresh: false, minBlock: start + 1000n, minBlockAtEnd: end };

  test.each<[what: string, walk: WalkPlan, state: WalkState, anchor: Anchor, expected: object]>([
    ["a later one, from the node and the block before", up, later, next, { ...ofLater, minBlock: block.timestamp }],
    ["one of the past, from any block: newest first, behind known records", rangeDown, later, next, ofLater],
    ["one behind known records of a list without a range", down, later, next, { minBlock: block.timestamp }],
    ["one without known records, newest first", rangeDown, later, begin, { minBlock: block.timestamp }],
    ["one whose cursor names a block", rangeDown, from(5n), next, { minBlock: 5n }],
    ["one whose cursor names a later block", up, from(end * 2n), next, { minBlock: end * 2n }],
    ["one of a fixed range, oldest first", fixed(rangeUp), later, begin, atStart],
    ["one of a fixed range, newest first", fixed(rangeDown), none, begin, { ...atStart, minBlock: end }],
    [
      "the first one of a fixed range without an end",
      fixed(withRange(up, { start, end: undefined })),
      none,
      begin,
      { ...atStart, isFresh: true, minBlockAtEnd: undefined },
    ],
  ])("%s", (_, walk, state, anchor, expected) => {
    expect(expectationAt(walk, state, anchor, false)).toMatchObject(expected);
  });

  test("of a page alone, neither a block nor the history is needed", () => {
    expect(expectationAt(withRange(up, open), none, begin, true)).toEqual({ ...ofFirst, needsBlock: false });
  });
});
