import { describe, expect, test } from "vitest";
import { operations } from "../../../generated/operations.js";
import { ArgumentError, createClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { type Queries, queries } from "../../../src/query/index.js";
import { createFakeNetwork, createFakeNode } from "../../../src/testing/index.js";

const baseUrl = "https://node.example";

function connect() {
  const node = createFakeNode({ votes: 30, signatures: 30, balances: 30 });
  const client = createClient({ baseUrl: `${baseUrl}/api/v2/`, fetch: node.fetch });
  const [vote] = node.records.votes;
  return { node, client, vega: queries(client), partyId: vote?.partyId ?? "", proposalId: vote?.proposalId ?? "" };
}

test("queries() has every operation of the description", () => {
  expect(Object.keys(connect().vega)).toEqual(Object.keys(operations));
});

describe("the key of a query", () => {
  const { client, vega, proposalId } = connect();
  const keyOf = (operation: string) => ["vegaprotocol-client", baseUrl, operation];

  test("names the package, the scope, the operation and the argument, and begins with the key of its operation", () => {
    expect(vega.listVotes.key()).toEqual(keyOf("listVotes"));
    const key = [...keyOf("listVotes"), { proposalId }];
    expect(vega.listVotes.key({ proposalId })).toEqual(key);
    expect(vega.listVotes({ proposalId }).queryKey).toEqual(key);
    expect(vega.listVotes.infinite({ proposalId }).queryKey).toEqual([...key, "infinite"]);
    expect(vega.listVotes.key({ pagination: { first: 5 } })[3]).toEqual({ pagination: { first: 5 } });
    expect(vega.listPartiesProfiles().queryKey).toEqual([...keyOf("listPartiesProfiles"), {}]);
    expect(vega.checkTransaction.mutation().mutationKey).toEqual(keyOf("checkTransaction"));
  });

  test("is equal for arguments that mean the same, and JSON", () => {
    const time = 1_707_497_689_000_000_000n;
    const equal = [time, `${time}` as const, new Date(Number(time / 1_000_000n)), { epochNanoseconds: time }].map(
      (startTimestamp) => vega.listBalanceChanges({ dateRange: { startTimestamp } }).queryKey,
    );
    for (const key of equal) expect(key).toEqual(equal[0]);
    expect(JSON.parse(JSON.stringify(equal[0]))).toEqual(equal[0]);
  });

  test("differs for arguments that do not mean the same", () => {
    const keys = [
      vega.listPartiesProfiles(),
      // An empty list is rejected: it must not show the profiles of all parties.
      vega.listPartiesProfiles({ parties: [] }),
      vega.listPartiesProfiles({ parties: ["aa"] }),
      vega.listPartiesProfiles({ parties: ["aa", "b"] }),
      vega.listPartiesProfiles({ party: "a" } as object),
    ].map(({ queryKey }) => JSON.stringify(queryKey));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("needs no valid or complete argument, as of a query that is disabled; its request rejects", async () => {
    const wrong = vega.listBalanceChanges({ filter: { partyIds: [5 as never] } });
    const incomplete = vega.getSpamStatistics({ partyId: undefined as never });
    expect(incomplete.queryKey[3]).toEqual({});
    for (const { queryFn } of [wrong, incomplete]) await expect(queryFn()).rejects.toThrow(ArgumentError);
  });

  test.each<[what: string, argument: unknown]>([
    ["a function in place of ids", { filter: { partyIds: () => ["aa"] } }],
    ["a symbol in place of an id", { filter: { assetId: Symbol("aa") } }],
    ["a Map in place of a filter", { filter: new Map([["assetId", "aa"]]) }],
    ["a function in place of an argument", () => ({ filter: { assetId: "aa" } })],
  ])("keeps %s apart from no filter: the request rejects before it is sent", async (_, argument) => {
    const { queryFn, queryKey } = vega.listBalanceChanges(argument as object);
    expect(queryKey).not.toEqual(vega.listBalanceChanges({ filter: {} }).queryKey);
    expect(queryKey).not.toEqual(vega.listBalanceChanges().queryKey);
    await expect(queryFn()).rejects.toThrow(ArgumentError);
  });

  test("is not made of an argument that contains itself", () => {
    const filter = {};
    Object.assign(filter, { assetId: filter });
    const message = "Expected `query` of listBalanceChanges to be a JSON value, which does not contain itself.";
    expect(() => vega.listBalanceChanges({ filter })).toThrow(ArgumentError);
    expect(() => vega.listBalanceChanges.key({ filter })).toThrow(message);
  });

  test("has the scope of the option", () => {
    expect(queries(client, { scope: "mainnet" }).listVotes.key()[1]).toBe("mainnet");
    expect(() => queries(client, { scope: "" })).toThrow('Expected `scope` to be a non-empty string, got "".');
    expect(() => queries(undefined as never)).toThrow("Expected `client` to be a client, got undefined.");
    expect(() => queries(client, { scop: "a" } as object)).toThrow("no option `scop`. Did you mean `scope`?");
  });
});

describe("a query", () => {
  test("resolves to the response of its operation", async () => {
    const { vega, client, partyId } = connect();
    const { queryFn, retry } = vega.getSpamStatistics({ partyId });
    expect(await queryFn()).toEqual(await client.getSpamStatistics({ partyId }));
    expect(retry).toBe(false);
  });

  test("of a list resolves to its first page as JSON", async () => {
    const { vega, client, proposalId } = connect();
    const query = { proposalId, pagination: { first: 3 } };
    const page = await vega.listVotes(query).queryFn();
    expect(page.nodes).toHaveLength(3);
    expect(page).toStrictEqual(JSON.parse(JSON.stringify(await client.listVotes(query))));
    expect((await vega.listVotes({ proposalId, pagination: page.next }).queryFn()).previous).toBeDefined();
  });

  test("of all records of a list resolves to them and to their coverage as JSON", async () => {
    const { vega, client, node } = connect();
    const query = { pagination: { first: 7, newestFirst: false } };
    const { queryKey, queryFn, retry } = vega.listBalanceChanges.all(query);
    const data = await queryFn();
    expect(data.nodes).toEqual(await client.listBalanceChanges(query).toArray());
    expect(data.nodes).toHaveLength(node.records.balances.length);
    const { height, timestamp } = node.block;
    const block = { height: `${height}`, timestamp: `${timestamp}` };
    const coverage = { start: expect.stringMatching(/^\d+$/), end: expect.stringMatching(/^\d+$/), block };
    expect(data.coverage).toEqual(coverage);
    expect([queryKey.at(-1), retry]).toEqual(["all", false]);
  });

  test("of a list says whether its data is stale, because the fresh nodes of a pool are down", async () => {
    const network = createFakeNetwork({ nodes: [{}, {}, { lag: 600 }], balances: 20, profiles: 20 });
    const pool = nodePool(network.nodes.map(({ url }) => url));
    const vega = queries(createClient({ baseUrl: pool, fetch: network.fetch, retry: { baseDelay: 1 } }));
    const isStale = async () => {
      const pages = await Promise.all([
        vega.listPartiesProfiles().queryFn(),
        vega.listPartiesProfiles.infinite().queryFn({ pageParam: null }),
        vega.listBalanceChanges.infinite().queryFn({ pageParam: null }),
      ]);
      return pages.map(({ stale }) => stale);
    };
    expect(await isStale()).toEqual([false, false, false]);
    for (const node of network.nodes.slice(0, 2)) node.configure({ down: true });
    expect(await isStale()).toEqual([true, true, true]);
  });

  type Start = (vega: Queries, context: { signal: AbortSignal; pageParam: null }) => Promise<unknown>;
  test.each<[what: string, start: Start]>([
    ["an object", (vega, context) => vega.getSpamStatistics({ partyId: "aa" }).queryFn(context)],
    ["a page", (vega, context) => vega.listVotes({ partyId: "aa" }).queryFn(context)],
    ["a page of an infinite list", (vega, context) => vega.listVotes.infinite({ partyId: "aa" }).queryFn(context)],
    ["a page of an infinite list by time", (vega, context) => vega.listBalanceChanges.infinite().queryFn(context)],
    ["all records of a list", (vega, context) => vega.listVotes.all({ partyId: "aa" }).queryFn(context)],
  ])("of %s ends with the signal of its context", async (_, start) => {
    const controller = new AbortController();
    const client = createClient({ baseUrl, fetch: () => new Promise(() => {}) });
    const promise = start(queries(client), { signal: controller.signal, pageParam: null });
    controller.abort("unmounted");
    await expect(promise).rejects.toBe("unmounted");
  });
});

test("a mutation sends its argument once", async () => {
  const { vega, node } = connect();
  node.configure({ faults: [{ name: "status", status: 503 }] });
  const { mutationFn, retry } = vega.checkTransaction.mutation();
  await expect(mutationFn({ tx: { pubKey: "a" } })).rejects.toMatchObject({ status: 503, attempts: 1 });
  expect(retry).toBe(false);
  expect(node.requests).toHaveLength(1);
});
