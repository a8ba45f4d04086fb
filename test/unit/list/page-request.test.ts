import { describe, expect, test } from "vitest";
import type { Anchor } from "../../../src/list/anchors.js";
import { never } from "../../../src/list/judge.js";
import { backward, forward } from "../../../src/list/page.js";
import { expectationAt, requestOf, shownFrom } from "../../../src/list/page-request.js";
import { planWalk, type WalkPlan } from "../../../src/list/plan.js";
import { emptyState, type WalkState } from "../../../src/list/state.js";
import { readWalkOptions } from "../../../src/list/walk-options.js";

const minute = 60_000_000_000n;
const [start, end] = [1_707_486_400_000_000_000n, 1_707_486_400_000_000_000n + 60n * minute];
const walkOf = (newestFirst: boolean, members: Partial<WalkPlan> = {}): WalkPlan => ({
  ...planWalk({ ...readWalkOptions(), pagination: { newestFirst }, pageSize: 5, fetchPage: () => Promise.reject() }),
  ...members,
});
const [up, down] = [walkOf(false), walkOf(true)];
const range = { start, end };
const open = { start: undefined, end: undefined };
const first = emptyState(forward);
const place = { records: [{ timestamp: "1" }] };
const begin: Anchor = { skip: 0 };
/** The cursor of a record at the 10th minute of the range. */
const cursor = btoa(JSON.stringify({ vega_time: new Date(Number((start + 10n * minute) / 1_000_000n)).toISOString() }));
const next: Anchor = { skip: 1, cursor, continuesFrom: place };
const at = start + 20n * minute;
const block = { height: 7n, timestamp: end + minute };
const later: WalkState = { ...first, pages: 2, block, node: "https://a.example" };

describe("the request of a page", () => {
  const lead = start - minute;
  test.each<[what: string, walk: WalkPlan, anchor: Anchor, expected: object]>([
    ["of a list without a range has none", up, begin, { start: undefined, end: undefined }],
    ["has the range of the walk", { ...up, range }, begin, range],
    ["begins with the lead", { ...down, range: { ...range, lead } }, begin, { start: lead, end }],
    ["behind a cursor has the range of the walk", { ...down, range }, next, range],
    [
      "behind a cursor that is after the lead begins with the lead",
      { ...up, range: { ...range, lead } },
      next,
      { start: lead, end },
    ],
    [
      "behind a cursor from before the range begins there",
      { ...up, range: { start: at, end } },
      next,
      { start: start + 10n * minute, end },
    ],
    ["behind a cursor has no start if the walk has none", { ...up, range: open }, next, open],
    ["from a time on begins there, oldest first", { ...up, range }, { ...begin, at }, { start: at, end }],
    [
      "from a time on ends with its microsecond, newest first",
      { ...down, range },
      { ...begin, at },
      { start, end: at + 1000n },
    ],
  ])("%s", (_, walk, anchor, expected) => {
    const { pagination, ...times } = requestOf(walk, first, anchor, 6);
    expect(times).toEqual(expected);
    const after = anchor.cursor === undefined ? {} : { after: cursor };
    expect(pagination).toEqual({
      first: 6,
      newestFirst: walk.pagination.newestFirst,
      ...after,
    });
  });
});

const window = { pagination: {}, start: at + minute };

test.each<[what: string, bigint, WalkPlan, WalkState, Anchor, window?: typeof window]>([
  ["a list without a range has no bound", never, up, first, begin],
  ["the first one, oldest first, from the start", start, { ...up, range }, first, begin],
  ["one of an empty range has no bound", never, { ...up, range: { start, end: start } }, first, begin],
  ["the first one of an open range, oldest first, from 0", 0n, { ...up, range: open }, first, begin],
  ["one behind a cursor, oldest first, has no bound", never, { ...up, range }, first, next],
  ["one from a time on, oldest first, has no bound", never, { ...up, range }, first, { ...begin, at }],
  ["one of a later window from that time on", at + 1000n, { ...up, range }, first, { ...begin, at }, window],
  ["any one, newest first, from the start", start, { ...down, range }, first, next],
  ["any one, oldest first and backward, from the start", start, { ...up, range }, emptyState(backward), next],
])("a page has to show every record: %s", (_, expected, walk, state, anchor, foundIn) => {
  expect(shownFrom(walk, state, anchor, foundIn)).toBe(expected);
});

describe("the expectation of a page", () => {
  const fixed = { isFixed: true, range };
  const ofFirst = { isFresh: true, prefer: undefined, minBlock: 0n, minBlockAtEnd: undefined, needsBlock: true };
  const none = { continuesFrom: undefined, historyFrom: undefined };

  test.each<[what: string, walk: WalkPlan, state: WalkState, anchor: Anchor, expected: object]>([
    ["the first one of a list", up, first, begin, { ...ofFirst, ...none }],
    ["the first one of a range", { ...up, range }, first, begin, { ...ofFirst, ...none }],
    ["the first one of an open range", { ...up, range: open }, first, begin, { ...ofFirst, ...none, historyFrom: 0n }],
    [
      "the next one of an open range, oldest first",
      { ...up, range: open },
      first,
      next,
      { ...ofFirst, ...none, continuesFrom: place },
    ],
    [
      "the next one of an open range, newest first",
      { ...down, range: open },
      first,
      next,
      { ...ofFirst, continuesFrom: place, historyFrom: 0n },
    ],
    [
      "a later one, from the node and the block of the one before",
      up,
      later,
      next,
      {
        ...ofFirst,
        isFresh: false,
        prefer: "https://a.example",
        minBlock: block.timestamp,
        continuesFrom: place,
        historyFrom: undefined,
      },
    ],
    [
      "one of the past, from any block: newest first, behind known records",
      { ...down, range },
      later,
      next,
      { ...ofFirst, isFresh: false, prefer: "https://a.example", continuesFrom: place, historyFrom: undefined },
    ],
    ["one behind known records of a list without a range", down, later, next, { minBlock: block.timestamp }],
    ["one without known records, newest first", { ...down, range }, later, begin, { minBlock: block.timestamp }],
    ["one whose cursor names a block", { ...down, range }, later, { ...next, after: 5n }, { minBlock: 5n }],
    [
      "one whose cursor names a later block",
      up,
      later,
      { ...next, after: end + 2n * minute },
      { minBlock: end + 2n * minute },
    ],
    [
      "one of a fixed range, oldest first",
      { ...up, ...fixed },
      later,
      begin,
      { isFresh: false, minBlock: start + 1000n, minBlockAtEnd: end },
    ],
    [
      "one of a fixed range, newest first",
      { ...down, ...fixed },
      first,
      begin,
      { isFresh: false, minBlock: end, minBlockAtEnd: end },
    ],
    [
      "the first one of a fixed range without an end",
      { ...up, isFixed: true, range: { start, end: undefined } },
      first,
      begin,
      { isFresh: true, minBlock: start + 1000n, minBlockAtEnd: undefined },
    ],
    [
      "the first one of a fixed range that is open",
      { ...up, isFixed: true, range: open },
      first,
      begin,
      { isFresh: true, minBlock: 0n, historyFrom: 0n },
    ],
  ])("%s", (_, walk, state, anchor, expected) => {
    expect(expectationAt(walk, state, anchor, false)).toMatchObject(expected);
  });

  test("of a page alone, neither a block nor the history is needed", () => {
    expect(expectationAt({ ...up, range: open }, first, begin, true)).toEqual({
      ...ofFirst,
      ...none,
      needsBlock: false,
    });
  });
});
