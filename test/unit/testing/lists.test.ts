import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listRecords } from "../../../src/testing/lists/other-lists.js";
import { makePage } from "../../../src/testing/page.js";
import { type Operation, readQuery } from "../../../src/testing/query.js";

const strings = { kind: "array", items: { kind: "string" }, in: "query" } as const;
const trades: Operation = {
  method: "GET",
  path: "/api/v2/markets/{venue}/trades",
  envelope: "trades",
  arguments: {
    venue: { kind: "string", in: "path", name: "venue", required: true },
    parties: { ...strings, name: "parties" },
    large: { kind: "boolean", in: "query", name: "large" },
    conflated: { kind: "boolean", in: "query", name: "conflated" },
    marketIds: { ...strings, name: "filter.marketIds" },
    side: { kind: "enum", values: ["SIDE_BUY", "SIDE_SELL"], numbers: [1, 2], in: "query", name: "filter.side" },
    first: { kind: "int32", in: "query", name: "pagination.first" },
    after: { kind: "string", in: "query", name: "pagination.after" },
    last: { kind: "int32", in: "query", name: "pagination.last" },
    before: { kind: "string", in: "query", name: "pagination.before" },
    newestFirst: { kind: "boolean", in: "query", name: "pagination.newestFirst" },
  },
};

const records = [
  { id: "1", venue: "v", marketId: "a", side: "SIDE_BUY", parties: ["ann", "ben"], large: false },
  { id: "2", venue: "v", marketId: "b", side: "SIDE_SELL", parties: ["ann", "cem"], large: true },
  { id: "3", venue: "v", side: "SIDE_BUY", parties: ["ben", "cem"], large: true },
  { id: "4", venue: "v", marketId: "a", side: "SIDE_SELL", parties: ["dan"], large: false },
  { id: "5", venue: "w", marketId: "a", side: "SIDE_SELL", parties: ["dan"], large: false },
];

/** The page of a request at venue v. */
function page(parameters: string[], stored: readonly object[] = records) {
  const query = readQuery(`?${parameters.join("&")}`, trades, { venue: "v" }, []);
  const { edges, pageInfo } = makePage(listRecords(stored, trades, query), query);
  return { ids: edges.map(({ node }) => (node as { id: string }).id), pageInfo };
}

describe("a list of the fake node without a table of its own", () => {
  test.each([
    ["a singular member of an array parameter in a group", ["filter.marketIds=a", "filter.marketIds=c"], ["1", "4"]],
    ["an enumeration by its names", ["filter.side=SIDE_SELL"], ["2", "4"]],
    ["an enumeration by its numbers", ["filter.side=1"], ["1", "3"]],
    ["an array member that has one of the values", ["parties=ann", "parties=dan"], ["1", "2", "4"]],
    ["several members, all of which have to match", ["large=true", "filter.marketIds=b"], ["2"]],
    ["no member of the records, which is ignored", ["conflated=true"], ["1", "2", "3", "4"]],
  ])("filters by %s", (_, parameters, ids) => {
    expect(page([...parameters, "pagination.newestFirst=false"]).ids).toEqual(ids);
  });

  test("yields every record that fits exactly once, for any page size, order, direction and filter", () => {
    const list = fc.array(fc.record({ large: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 8 }), fc.boolean(), fc.boolean(), (flags, size, backward, newest) => {
        const stored = flags.map((flag, index) => ({ id: String(index), ...flag }));
        const [sizeName, cursorName] = backward ? ["last", "before"] : ["first", "after"];
        const fixed = [`pagination.${sizeName}=${size}`, `pagination.newestFirst=${newest}`, "large=true"];
        const pages: string[][] = [];
        for (let at: string[] = []; ; ) {
          const { ids, pageInfo } = page([...fixed, ...at], stored);
          pages.push(ids);
          if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
          at = [encodeURI(`pagination.${cursorName}=${backward ? pageInfo.startCursor : pageInfo.endCursor}`)];
        }
        const wanted = stored.filter(({ large }) => large).map(({ id }) => id);
        expect((backward ? pages.reverse() : pages).flat()).toEqual(newest ? wanted.reverse() : wanted);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(wanted.length / size)));
      }),
    );
  });
});
