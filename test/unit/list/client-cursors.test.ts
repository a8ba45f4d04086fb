import { expect, test } from "vitest";
import { continuedLater, readGivenCursor, voteKeyOf } from "../../../src/list/client-cursors.js";
import { voteAt } from "../../support/records.js";

// Go escapes U+2028, and sends other characters as UTF-8.
test("what the client adds to a cursor leaves characters beyond Latin-1 as the node wrote them", () => {
  const cursor = btoa('{"alias":"a\\u2028b","id":"a1"}');
  const { own, minBlock } = readGivenCursor(continuedLater(cursor, 5n, undefined));
  expect([JSON.parse(atob(own)), minBlock]).toEqual([{ alias: "a\u2028b", id: "a1" }, 5n]);
});

test("a vote is another one once its shares of markets have changed, however a node sends them", () => {
  const shares = (a: string, b: string) => {
    const of = (marketId: string, els: string) => ({ marketId, els });
    const [inA, inB] = [of("a", a), of("b", b)];
    return [{ elsPerMarket: [inA, inB] }, { elsPerMarket: [inB, inA] }, { perMarketEquityLikeShareWeight: { a, b } }];
  };
  const keysOf = (all: readonly object[]) => new Set(all.map((each) => voteKeyOf({ ...voteAt(1n, "c"), ...each })));
  expect(keysOf(shares("0.1", "0.2")).size).toBe(1);
  expect(keysOf([...shares("0.1", "0.2"), ...shares("0.1", "0.3"), {}]).size).toBe(3);
  // Records are returned as nodes send them: only `validateAnswers` refuses such shares.
  expect(keysOf([{ elsPerMarket: null }, { elsPerMarket: 5 }, {}, { elsPerMarket: [null] }]).size).toBe(2);
});
