import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listRecords } from "../../../src/testing/lists/other-lists.js";
import { makePage } from "../../../src/testing/page.js";
import type { Operation } from "../../../src/testing/query.js";
import { readQuery } from "../../../src/testing/query.js";
import { NodeError } from "../../../src/testing/wire.js";

interface Trade {
  id: string;
  marketId?: string;
  side: string;
  parties: string[];
  large: boolean;
}

const trades: Operation = {
  method: "GET",
  path: "/api/v2/markets/{venue}/trades",
  envelope: "trades",
  arguments: {
    venue: { kind: "string", in: "path", name: "venue", required: true },
    parties: { kind: "array", items: { kind: "string" }, in: "query", name: "parties" },
    large: { kind: "boolean", in: "query", name: "large" },
    conflated: { kind: "boolean", in: "query", name: "conflated" },
    filter: {
      kind: "object",
      members: {
        marketIds: { kind: "array", items: { kind: "string" }, in: "query", name: "filter.marketIds" },
        sides: {
          kind: "array",
          items: { kind: "enum", values: ["SIDE_UNSPECIFIED", "SIDE_BUY", "SIDE_SELL"], numbers: [0, 1, 2] },
          in: "query",
          name: "filter.sides",
        },
      },
    },
    pagination: {
      kind: "object",
      members: {
        first: { kind: "int32", in: "query", name: "pagination.first" },
        after: { kind: "string", in: "query", name: "pagination.after" },
        last: { kind: "int32", in: "query", name: "pagination.last" },
        before: { kind: "string", in: "query", name: "pagination.before" },
        newestFirst: { kind: "boolean", in: "query", name: "pagination.newestFirst" },
      },
    },
  },
};

const records: Trade[] = [
  { id: "1", marketId: "a", side: "SIDE_BUY", parties: ["ann", "ben"], large: false },
  { id: "2", marketId: "b", side: "SIDE_SELL", parties: ["ann", "cem"], large: true },
  { id: "3", side: "SIDE_BUY", parties: ["ben", "cem"], large: true },
  { id: "4", marketId: "a", side: "SIDE_SELL", parties: ["dan"], large: false },
];

/** The page of a request. */
function page(parameters: string[], stored: readonly object[] = records, operation = trades) {
  const query = readQuery(`?${parameters.join("&")}`, operation, { venue: "v" }, []);
  const { edges, pageInfo } = makePage(listRecords(stored, operation, query), query);
  return { ids: edges.map(({ node }) => (node as { id: string }).id), pageInfo };
}

function thrownBy(call: () => unknown): NodeError {
  try {
    call();
  } catch (error) {
    if (error instanceof NodeError) return error;
  }
  throw new Error("Expected an error response of the node.");
}

describe("a list of the fake node without a table of its own", () => {
  test("begins with the last record, and with the first one if newestFirst is false", () => {
    expect(page([]).ids).toEqual(["4", "3", "2", "1"]);
    expect(page(["pagination.newestFirst=false"]).ids).toEqual(["1", "2", "3", "4"]);
  });

  test.each([
    ["a singular member of an array parameter in a group", ["filter.marketIds=a", "filter.marketIds=c"], ["1", "4"]],
    ["an enumeration by its names", ["filter.sides=SIDE_SELL"], ["2", "4"]],
    ["an enumeration by its numbers", ["filter.sides=1"], ["1", "3"]],
    ["an array member that has one of the values", ["parties=ann", "parties=dan"], ["1", "2", "4"]],
    ["a boolean", ["large=true"], ["2", "3"]],
    ["several members, all of which have to match", ["large=true", "filter.marketIds=b"], ["2"]],
    ["no member of the records, which is ignored", ["conflated=true"], ["1", "2", "3", "4"]],
    ["a value that no record has", ["filter.marketIds=d"], []],
  ])("filters by %s", (_, parameters, ids) => {
    expect(page([...parameters, "pagination.newestFirst=false"]).ids).toEqual(ids);
  });

  test("filters by a parameter of the path", () => {
    const stored = records.map((record) => ({ ...record, venue: record.large ? "v" : "w" }));
    expect(page([], stored).ids).toEqual(["3", "2"]);
  });

  test.each([
    ["pagination.first=5001", "invalid pagination"],
    ["pagination.first=0", "invalid pagination"],
    ["pagination.after=!", "invalid pagination"],
    ["pagination.after=e30=&pagination.before=e30=", "invalid pagination"],
    ["filter.sides=SIDE_OTHER", 'parsing field "filter.sides": "SIDE_OTHER" is not a valid value'],
  ])("rejects %s as the other lists do", (parameters, message) => {
    const error = thrownBy(() => page([parameters]));
    expect(error).toMatchObject({ status: 400, body: { code: 3 } });
    const { message: own, details } = error.body;
    expect([own, ...details.map((detail) => new Map(Object.entries(detail)).get("message"))]).toContain(message);
  });

  test("rejects a request that lacks a required parameter, or all parameters of which it needs one", () => {
    const required = (parameters: string[], more: Partial<Operation>) => () =>
      page(parameters, records, { ...trades, ...more });
    const withId = { ...trades.arguments, id: { kind: "string", in: "query", name: "id", required: true } } as const;
    const missing = (what: string) => ({ status: 400, body: { details: [{ message: `missing ${what}` }] } });
    expect(thrownBy(required([], { arguments: withId }))).toMatchObject(missing("id"));
    expect(required(["id=1"], { arguments: withId })()).toMatchObject({ ids: ["1"] });
    const either = { atLeastOneOf: ["large", "parties"] };
    expect(thrownBy(required([], either))).toMatchObject(missing("large or parties"));
    expect(required(["large=false"], either)()).toMatchObject({ ids: ["4", "1"] });
  });

  test("yields every record that fits exactly once, for any page size, order, direction and filter", () => {
    const list = fc.array(fc.record({ large: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 8 }), fc.boolean(), fc.boolean(), (flags, size, backward, newest) => {
        const stored = flags.map((flag, index) => ({ id: String(index), ...flag }));
        const fixed = [
          `pagination.${backward ? "last" : "first"}=${size}`,
          `pagination.newestFirst=${newest}`,
          "large=true",
        ];
        const pages: string[][] = [];
        let cursor: string | undefined;
        for (;;) {
          const at = cursor === undefined ? [] : [`pagination.${backward ? "before" : "after"}=${cursor}`];
          const { ids, pageInfo } = page([...fixed, ...at.map(encodeURI)], stored);
          pages.push(ids);
          if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
          cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
        }
        const wanted = stored.filter(({ large }) => large).map(({ id }) => id);
        expect((backward ? pages.reverse() : pages).flat()).toEqual(newest ? wanted.reverse() : wanted);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(wanted.length / size)));
      }),
    );
  });
});
