import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode, type FakeNetworkData, type FakeNode } from "../../../src/testing/index.js";
import { fetchFrom, fetchPage, hex, transaction } from "../../support/raw-requests.js";
import { runs } from "../../support/runs.js";

const second = 1_000_000_000n;
const day = 86_400n * second;
const list = "/api/v2/balance/changes?pagination.first=5000";
const headerOf = async (node: FakeNode) => {
  const { headers } = await fetchFrom(node, list);
  return { height: headers.get("x-block-height"), timestamp: headers.get("x-block-timestamp") };
};
const statusOf = async (node: FakeNode) => (await fetchFrom(node, list)).status;

/** A network of two nodes, as their order is in the data. */
function createPair(data: FakeNetworkData, options = {}) {
  const network = createFakeNetwork(data, options);
  const [one, other] = network.nodes as readonly FakeNode[] as [FakeNode, FakeNode];
  return { network, one, other };
}

const change = (party: number, timestamp: bigint) => ({ partyId: hex(party), timestamp: `${timestamp}` as const });

describe("a fake network", () => {
  test("has three nodes with addresses of their own and the same records, and moves for all of them", async () => {
    const network = createFakeNetwork({ balances: 45, votes: 30 });
    network.nextBlock({ balances: 2 });
    network.nodes[1]?.nextBlock({ balances: 3 });
    expect(network.nodes.map(({ url }) => url)).toEqual([1, 2, 3].map((number) => `https://node-${number}.example`));
    for (const node of network.nodes) {
      const client = createClient({ baseUrl: node.url, fetch: network.fetch });
      expect((await client.listBalanceChanges()).nodes).toHaveLength(50);
      expect(node.requests.map(({ url }) => new URL(url).origin)).toEqual([node.url]);
      expect([node.records, node.block]).toEqual([network.records, network.block]);
    }
    expect(network.block.height).toBe(1_234_570n);
  });

  test("has a rate limit, faults and remembered transactions for each node", async () => {
    const faults = [{ name: "status", status: 503, request: 1 }] as const;
    const { network, one, other } = createPair({ nodes: [{}, { faults }] }, { now: () => 0, rateLimit: { burst: 2 } });
    expect([await statusOf(one), await statusOf(one), await statusOf(one)]).toEqual([200, 200, 429]);
    expect([await statusOf(other), await statusOf(other)]).toEqual([503, 200]);
    for (const node of [one, other]) node.configure({ rateLimit: false });
    const body = JSON.stringify({ tx: transaction });
    const check = async (node: FakeNode) =>
      (await fetchFrom(node, "/transaction/check", { method: "POST", body })).body.code;
    expect([await check(other), await check(other), await check(one)]).toEqual([0, 89, 0]);
    network.nextBlock();
    expect(await check(one)).toBe(0);
  });

  test.each<[argument: string, words: string, data: object, options?: object]>([
    ["data.nodes", "to be the number of nodes, or an array with the options of each, got 0.", { nodes: 0 }],
    ["data.nodes[1].lag", "to be a whole number of blocks, got 0.5.", { nodes: [{}, { lag: 0.5 }] }],
    ["data.nodes[0].log", "data.nodes[0] has no option `log`.", { nodes: [{ log: 1 }] }],
    ["lag", "`lag` belongs in the second argument of createFakeNetwork.", { lag: 1 }],
    ["votes", "`votes` belongs in the first argument of createFakeNetwork.", {}, { votes: 2 }],
    ["nodes", "`nodes` belongs in the first argument of createFakeNetwork.", {}, { nodes: 2 }],
  ])("rejects `%s`: %s", (argument, words, data, options) => {
    const error = expect.objectContaining({ name: "ArgumentError", argument, message: expect.stringContaining(words) });
    expect(() => createFakeNetwork(data, options)).toThrow(error);
  });
});

describe("the address of a fake network", () => {
  test("is served by one node after the other, whose response it is", async () => {
    const { network } = createPair({ nodes: [{ lag: 0 }, { lag: 1 }], balances: 10 });
    const heights = [];
    for (let request = 0; request < 3; request++)
      heights.push((await network.fetch(network.url + list)).headers.get("x-block-height"));
    expect(heights).toEqual([0n, 1n, 0n].map((lag) => `${network.block.height - lag}`));
    expect(network.nodes.map(({ requests }) => requests.length)).toEqual([2, 1]);
  });

  test("is served by the node that `balance` chooses for the number of the request, also if that is down", async () => {
    const asked: number[] = [];
    const balance = (request: number) => asked.push(request) % 2;
    const nodes = [{ down: true }, { rateLimit: { burst: 1 } }];
    const { network, other } = createPair({ nodes, balance }, { now: () => 0 });
    const status = async () => (await network.fetch(network.url + list)).status;
    expect(await status()).toBe(200);
    await expect(status()).rejects.toThrow("the connection was refused");
    // Requests to a node's own address are not counted.
    expect(await statusOf(other)).toBe(429);
    expect(await status()).toBe(429);
    expect(asked).toEqual([1, 2, 3]);
  });

  test.each([
    ["no node has the address", "https://node-3.example", () => 0, "is not one of https://node-1.example, https://no"],
    ["`balance` returns no node", "", () => 2, "`data.balance` to be a function that returns an index from 0 to 1"],
  ])("rejects a request if %s", async (_, address, balance, message) => {
    const network = createFakeNetwork({ nodes: 2, balance });
    await expect(network.fetch((address || network.url) + list)).rejects.toThrow(message);
  });
});

describe("a fake node that lags", () => {
  test("has no block if it lags more than there are blocks, and is ahead with its header alone if its lag is negative", async () => {
    const node = createFakeNode({ block: { height: 2n, timestamp: 90n * second }, profiles: 3 }, { lag: 5 });
    expect(await headerOf(node)).toEqual({ height: "0", timestamp: "0" });
    expect(node.records.profiles).toEqual([]);
    node.configure({ lag: 1 });
    node.nextBlock({ block: { height: 0n, timestamp: 95n * second } });
    expect(await headerOf(node)).toEqual({ height: "2", timestamp: `${90n * second}` });
    const { network, one } = createPair({ nodes: [{ lag: -1_000_000 }, {}], balances: 10 });
    const [height, timestamp] = [network.block.height + 1_000_000n, network.block.timestamp + 1_000_000n * second];
    expect(await headerOf(one)).toEqual({ height: `${height}`, timestamp: `${timestamp}` });
    expect(one.records).toEqual(network.records);
  });

  test("shows the records as they were so many blocks ago, whatever the chain does and however its lag changes", async () => {
    const [partyId, value] = [fc.nat(3).map(hex), fc.constantFrom("VALUE_YES", "VALUE_NO")];
    const records = fc.record({
      votes: fc.array(fc.record({ partyId, proposalId: fc.constant(hex(7)), value }), { maxLength: 3 }),
      profiles: fc.array(fc.record({ partyId, alias: fc.string() }), { maxLength: 2 }),
      balances: fc.nat(3),
    });
    const step = fc.record({ records, ends: fc.boolean(), lag: fc.nat(4) });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { network, one } = createPair({ nodes: 2, balances: 20, votes: [] });
      const begun: FakeNode["records"][] = [];
      for (let block = 0; block < 5; block++) {
        network.nextBlock({ balances: 1 });
        begun.unshift(network.records);
      }
      for (const { records, ends, lag } of steps) {
        if (ends) network.nextBlock(records);
        else network.addRecords(records);
        if (ends) begun.unshift(network.records);
        one.configure({ lag });
        const shown = lag === 0 ? network.records : begun[lag];
        expect(one.records).toEqual(shown);
        expect((await fetchPage(one, list)).edges).toHaveLength(shown?.balances.length ?? 0);
        expect(await headerOf(one)).toMatchObject({ height: `${network.block.height - BigInt(lag)}` });
      }
    });
    await fc.assert(property, runs(30));
  });
});

test("a fake node that keeps less history lacks the balance changes before that time, for itself alone, until it keeps more", async () => {
  const kept = async (node: FakeNode) => (await fetchPage(node, list)).edges.length;
  const balances = [5n, day - 1000n, day, 3n * day + 7000n].map((time, index) => change(index, 19_000n * day + time));
  const nodes = [{ history: 19_000n * day + 6_000n }, {}];
  const { network, one, other } = createPair({ nodes, balances, profiles: 3 });
  expect([await kept(one), await kept(other)]).toEqual([3, 4]);
  one.configure({ history: 19_001n * day + 1000n });
  expect([await kept(one), await kept(other)]).toEqual([1, 4]);
  one.configure({ history: 19_001n * day });
  network.nextBlock({ balances: [change(9, network.block.timestamp + day)] });
  expect([await kept(one), await kept(other)]).toEqual([3, 5]);
  expect((await fetchPage(one, "/api/v2/parties/profiles")).edges).toHaveLength(3);
  one.configure({ history: 0n });
  expect(await kept(one)).toBe(5);
});

test("a fake node behind a proxy that strips headers names no block, and keeps its other headers", async () => {
  const node = createFakeNode({}, { blockHeaders: false, faults: [{ name: "status", status: 503, request: 2 }] });
  for (const status of [200, 503]) {
    const response = await fetchFrom(node, list);
    expect([response.status, response.headers.get("ratelimit-limit")]).toEqual([status, "20"]);
    expect([...response.headers.keys()].filter((name) => name.startsWith("x-block"))).toEqual([]);
  }
  node.configure({ blockHeaders: true });
  expect(await headerOf(node)).toMatchObject({ height: `${node.block.height}` });
});

describe("a fake node that goes down", () => {
  test("rejects requests, and serves the same records with a new rate limit when it is up again", async () => {
    const node = createFakeNode({ balances: 20 }, { now: () => 0, rateLimit: { burst: 1 } });
    expect([await statusOf(node), await statusOf(node)]).toEqual([200, 429]);
    node.configure({ down: true });
    await expect(fetchFrom(node, list)).rejects.toThrow(new TypeError("fetch failed: the connection was refused"));
    expect(node.requests).toHaveLength(3);
    node.configure({ down: false });
    expect((await fetchPage(node, list)).edges).toHaveLength(20);
    node.configure({ down: false });
    expect(await statusOf(node)).toBe(429);
  });

  test("resets requests in flight, and not those that follow", async () => {
    const node = createFakeNode({}, { faults: [{ name: "latency", milliseconds: Infinity, request: 1 }] });
    const pending = fetchFrom(node, list);
    pending.catch(() => {});
    await expect.poll(() => node.requests.length).toBe(1);
    node.configure({ down: true });
    await expect(pending).rejects.toThrow(new TypeError("fetch failed: the connection was reset"));
    node.configure({ down: false });
    expect(await statusOf(node)).toBe(200);
  });
});
