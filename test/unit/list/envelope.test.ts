import { expect, test } from "vitest";
import { createClient, ResponseError } from "../../../src/index.js";
import { readEnvelope, refuseOthers } from "../../../src/list/envelope.js";
import type { EdgePage } from "../../../src/list/page.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";
import { rejectionOf } from "../../support/recorder.js";
import { hex, votesAt } from "../../support/records.js";

const cursorAt = (second: number) => btoa(JSON.stringify({ vega_time: `2024-02-09T16:54:0${second}Z` }));
const pageOf = (seconds: readonly number[], cursors: object = {}): EdgePage<object> => {
  const edges = seconds.map((second) => ({ cursor: cursorAt(second), node: {} }));
  const [startCursor, endCursor] = [edges[0], edges.at(-1)].map((edge) => edge?.cursor ?? "");
  const pageInfo = { startCursor, endCursor, hasNextPage: false, hasPreviousPage: false, ...cursors };
  return { edges, pageInfo: pageInfo as never };
};

test.each<[what: string, page: EdgePage<object>, message: string, newestFirst?: boolean]>([
  ["with the cursor of another first record", pageOf([3, 2], { startCursor: cursorAt(4) }), "cursors of `pageInfo`"],
  ["of which the last records are cut off", pageOf([3, 2], { endCursor: cursorAt(1) }), "cursors of `pageInfo`"],
  ["that is empty but for its cursors", pageOf([], { endCursor: cursorAt(1) }), "cursors of `pageInfo`"],
  ["in the other order", pageOf([2, 2, 3]), "another order than requested"],
  ["newest first, although oldest first was requested", pageOf([3, 2]), "another order than requested", false],
])("a page %s is not used", (_, page, message, newestFirst = true) => {
  expect(() => readEnvelope(page, { first: 5, newestFirst })).toThrow(message);
});

test("a page without the cursors of its ends, or whose cursors have no time, is used", () => {
  const cursors = [undefined, ""].map((cursor) => ({ startCursor: cursor, endCursor: cursor }));
  for (const page of [...cursors.map((each) => pageOf([3, 2], each)), pageOf([2, 2]), pageOf([])])
    expect(readEnvelope(page, { first: 5 })).toBe(page);
  expect(readEnvelope(pageOf([2, 3]), { last: 5, newestFirst: false })).toBeDefined();
});

test.each<[what: string, filters: object, record: object, isRefused: boolean]>([
  ["of another party", { partyId: hex(1) }, { partyId: hex(2) }, true],
  ["of one of the parties", { parties: [hex(1), hex(2)] }, { partyId: hex(2) }, false],
  ["of another market", { filter: { marketIds: [hex(1)] } }, { marketId: "" }, true],
  ["of another asset", { filter: { assetId: hex(1) } }, { assetId: hex(2) }, true],
  ["of another type", { filter: { accountTypes: ["ACCOUNT_TYPE_BOND"] } }, { accountType: 9 }, true],
  ["of another resource", { id: hex(1) }, { id: hex(2) }, true],
  ["without the member", { proposalId: hex(1) }, {}, true],
  ["of neither the network nor a party", { filter: { partyIds: ["network", hex(1)] } }, { partyId: hex(3) }, true],
  ["of the network", { filter: { partyIds: ["network", hex(1)] } }, { partyId: "network" }, false],
  ["of an id that nodes know by a name", { filter: { assetId: "VOTE" } }, { assetId: hex(3) }, false],
  ["of anyone, without a filter", { filter: { partyIds: undefined } }, { partyId: hex(3) }, false],
])("a record %s", (_, filters, node, isRefused) => {
  const check = () => refuseOthers([{ node }], filters as never);
  if (isRefused) expect(check).toThrow("records that were not requested");
  else expect(check).not.toThrow();
});

/** Drops the parameters of a filter, as a proxy does that does not know names with a dot. */
const withoutFilter =
  ({ fetch }: FakeNode): FakeNode["fetch"] =>
  (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    for (const name of [...url.searchParams.keys()]) if (name.startsWith("filter.")) url.searchParams.delete(name);
    return fetch(new Request(url, request));
  };

test("a proxy that drops the filter gives an error, and no records of others; a pool uses its other nodes", async () => {
  const node = createFakeNode({ balances: 300 }, { defects: nodeDefects, rateLimit: false });
  const partyIds = [node.records.balances.find(({ partyId }) => partyId !== "network")?.partyId ?? ""];
  const own = node.records.balances.filter(({ partyId }) => partyId === partyIds[0]);
  const [proxied, direct] = ["https://proxied.example", "https://direct.example"];
  const fetch: FakeNode["fetch"] = (input, init) =>
    new Request(input, init).url.startsWith(proxied) ? withoutFilter(node)(input, init) : node.fetch(input, init);
  const alone = createClient({ baseUrl: proxied, fetch, pacing: false });
  const query = { filter: { partyIds } };
  for (const reading of [alone.listBalanceChanges(query), alone.scanBalanceChanges(query)]) {
    const error = await rejectionOf(reading.toArray());
    expect(error).toSatisfy(ResponseError.is);
    expect((error as Error).message).toContain("it has records that were not requested");
  }
  const pool = createClient({ baseUrl: nodePool([proxied, direct], { order: "given" }), fetch, pacing: false });
  expect(await pool.scanBalanceChanges(query).toArray()).toHaveLength(own.length);
});

test("votes of a closed proposal are not complete with an empty page of a node that has none", async () => {
  const proposalId = hex(0xfff);
  const time = 1_707_486_400_000_000_000n;
  const votes = votesAt(Array<bigint>(300).fill(time), proposalId);
  const options = { defects: nodeDefects, rateLimit: false } as const;
  const [node, empty] = [createFakeNode({ votes }, options), createFakeNode({ votes: 0 }, options)];
  empty.configure({ lag: -1 });
  for (const newestFirst of [true, false]) {
    let requests = 0;
    const fetch: FakeNode["fetch"] = (input, init) => (requests++ % 2 === 1 ? empty : node).fetch(input, init);
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
    const pagination = { first: 20, newestFirst };
    expect(await client.listVotes({ proposalId, pagination }).toArray()).toHaveLength(300);
  }
});
