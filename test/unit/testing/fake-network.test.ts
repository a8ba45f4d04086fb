import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode, type FakeNetwork, type FakeNode } from "../../../src/testing/index.js";
import { fetchFrom, fetchPage, hex, transaction } from "../../support/raw-requests.js";
import { runs } from "../../support/runs.js";

const second = 1_000_000_000n;
const day = 86_400n * second;
const list = "/api/v2/balance/changes?pagination.first=5000";
const headerOf = async (node: Parameters<typeof fetchFrom>[0]) => {
  const { headers } = await fetchFrom(node, list);
  return { height: headers.get("x-block-height"), timestamp: headers.get("x-block-timestamp") };
};
/** Fails if the network has no such node. */
function nodeOf(network: FakeNetwork, index: number) {
  const node = network.nodes[index];
  if (node === undefined) throw new Error(`There is no node ${index}.`);
  return node;
}

const vote = (party: number, timestamp: bigint, value = "VALUE_YES") => ({
  partyId: hex(party),
  proposalId: "07".repeat(32),
  timestamp: `${timestamp}` as const,
  value,
});
const change = (party: number, timestamp: bigint) => ({
  partyId: hex(party),
  timestamp: `${timestamp}` as const,
  balance: "1",
});

describe("a fake network", () => {
  test("has three nodes with addresses of their own and the same records, and moves for all of them", async () => {
    const network = createFakeNetwork({ balances: 45, votes: 30 });
    network.nextBlock({ balances: 2 });
    nodeOf(network, 1).nextBlock({ balances: 3 });
    expect(network.nodes.map(({ url }) => url)).toEqual([1, 2, 3].map((number) => `https://node-${number}.example`));
    for (const node of network.nodes) {
      const client = createClient({ baseUrl: node.url, fetch: network.fetch });
      expect((await client.listBalanceChanges()).nodes).toHaveLength(50);
      expect(node.requests.map(({ url }) => new URL(url).origin)).toEqual([node.url]);
      expect(node.records).toEqual(network.records);
      expect(node.block).toEqual(network.block);
    }
    expect(network.block.height).toBe(1_234_570n);
  });

  test("has a rate limit, faults and remembered transactions for each node", async () => {
    const faults = [{ name: "status", status: 503, request: 1 }] as const;
    const network = createFakeNetwork({ nodes: [{}, { faults }, {}] }, { now: () => 0, rateLimit: { burst: 2 } });
    const status = async (index: number) => (await fetchFrom(nodeOf(network, index), list)).status;
    expect([await status(0), await status(0), await status(0)]).toEqual([200, 200, 429]);
    expect([await status(1), await status(1)]).toEqual([503, 200]);
    const body = JSON.stringify({ tx: transaction });
    const check = async (index: number) =>
      (await fetchFrom(nodeOf(network, index), "/transaction/check", { method: "POST", body })).body.code;
    nodeOf(network, 0).configure({ rateLimit: false });
    expect([await check(2), await check(2), await check(0)]).toEqual([0, 89, 0]);
    network.nextBlock();
    expect(await check(0)).toBe(0);
  });

  test.each<[argument: string, words: string, data: object]>([
    ["data.nodes", "to be the number of nodes, or an array with the options of each, got 0.", { nodes: 0 }],
    ["data.nodes[1].lag", "to be a whole number of blocks, got 0.5.", { nodes: [{}, { lag: 0.5 }] }],
    ["data.nodes[0].log", "data.nodes[0] has no option `log`.", { nodes: [{ log: 1 }] }],
  ])("rejects `%s`: %s", (argument, words, data) => {
    const create = () => createFakeNetwork(data);
    expect(create).toThrow(words);
    expect(create).toThrow(expect.objectContaining({ name: "ArgumentError", argument }));
  });
});

describe("the address of a fake network", () => {
  test("is served by one node after the other, whose response it is", async () => {
    const network = createFakeNetwork({ nodes: [{ lag: 0 }, { lag: 1 }], balances: 10 });
    const heights = [];
    for (let request = 0; request < 3; request++)
      heights.push((await network.fetch(network.url + list)).headers.get("x-block-height"));
    expect(heights).toEqual([0n, 1n, 0n].map((lag) => `${network.block.height - lag}`));
    expect(network.nodes.map(({ requests }) => requests.length)).toEqual([2, 1]);
  });

  test("is served by the node that `balance` chooses for the number of the request, also if that is down", async () => {
    const asked: number[] = [];
    const balance = (request: number) => asked.push(request) % 2;
    const network = createFakeNetwork(
      { nodes: [{ down: true }, { rateLimit: { burst: 1 } }], balance },
      { now: () => 0 },
    );
    const status = async () => (await network.fetch(network.url + list)).status;
    expect(await status()).toBe(200);
    await expect(status()).rejects.toThrow("the connection was refused");
    // Requests to a node's own address are not counted.
    expect((await network.fetch(nodeOf(network, 1).url + list)).status).toBe(429);
    expect(await status()).toBe(429);
    expect(asked).toEqual([1, 2, 3]);
  });

  test("rejects a request to an address of no node, with the addresses of its nodes", async () => {
    const network = createFakeNetwork({ nodes: 2 });
    await expect(network.fetch("https://node-3.example/api/v2/votes")).rejects.toThrow(
      "https://node-3.example is not one of https://node-1.example, https://node-2.example",
    );
  });

  test.each([2, undefined])("rejects if `balance` returns %s, which is no node of two", async (index) => {
    const network = createFakeNetwork({ nodes: 2, balance: () => index as number });
    await expect(network.fetch(network.url + list)).rejects.toThrow(
      `Expected \`data.balance\` to be a function that returns an index from 0 to 1, got ${index}.`,
    );
  });
});

describe("a fake node that lags", () => {
  test("shows records as they were before later blocks replaced them", async () => {
    const signature = { id: "ab", sig: "AAAA", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" } as const;
    const profile = { partyId: "ab", alias: "before", metadata: [] };
    const network = createFakeNetwork({ nodes: [{}, { lag: 1 }], votes: [vote(1, 5n * second)], profiles: [profile] });
    network.nextBlock({
      votes: [vote(1, 5n * second, "VALUE_NO"), vote(2, network.block.timestamp)],
      profiles: [{ ...profile, alias: "after" }],
      signatures: [signature],
    });
    const { records } = nodeOf(network, 1);
    expect([records.votes.map(({ value }) => value), records.profiles, records.signatures]).toEqual([
      ["VALUE_YES"],
      [profile],
      [],
    ]);
    network.nextBlock();
    expect(nodeOf(network, 1).records).toEqual(network.records);
    expect(network.records.votes.map(({ value }) => value)).toEqual(["VALUE_NO", "VALUE_YES"]);
  });

  test("names the first block if it lags more than there are blocks, and is ahead with its header alone if its lag is negative", async () => {
    const node = createFakeNode({ block: { height: 2n, timestamp: second } }, { lag: 5 });
    expect(await headerOf(node)).toEqual({ height: "0", timestamp: "0" });
    const network = createFakeNetwork({ nodes: [{ lag: -1_000_000 }, {}], balances: 10 });
    const { height, timestamp } = network.block;
    expect(await headerOf(nodeOf(network, 0))).toEqual({
      height: `${height + 1_000_000n}`,
      timestamp: `${timestamp + 1_000_000n * second}`,
    });
    expect(nodeOf(network, 0).records).toEqual(network.records);
  });

  test("has at every moment the records below its header, whatever the chain does and however its lag changes", async () => {
    const step = fc.record({
      method: fc.constantFrom("nextBlock", "addRecords", "configure"),
      parties: fc.array(fc.nat(3), { maxLength: 4 }),
      lag: fc.nat(6),
    });
    const ages = fc.array(fc.nat(12), { maxLength: 8 });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), ages, async (steps, ages) => {
      const now = 1000n * second;
      const written: { at: bigint; party: number }[] = [];
      // The number of the write makes each version of a vote, and the account of each change, another one.
      const write = (all: { at: bigint; party: number }[]) => {
        const from = written.length;
        written.push(...all);
        const votes = all.map(({ at, party }, index) => vote(party, at, String(from + index)));
        return { votes, balances: all.map(({ at }, index) => change(from + index, at)) };
      };
      // The initial records come in the order of their time, as those of a chain do.
      const old = [...ages]
        .sort((a, b) => b - a)
        .map((age, index) => ({ at: now - BigInt(age) * second, party: index % 4 }));
      const data = { ...write(old), nodes: [{ lag: 1 }, {}], block: { height: 100n, timestamp: now } };
      const network = createFakeNetwork(data);
      const node = nodeOf(network, 0);
      let lag = 1;
      for (const step of [...steps, { method: "configure", parties: [], lag: 3 } as const]) {
        const at = network.block.timestamp;
        if (step.method === "configure") lag = step.lag;
        node.configure({ lag });
        if (step.method !== "configure") network[step.method](write(step.parties.map((party) => ({ at, party }))));
        const { height, timestamp } = network.block;
        const time = timestamp - BigInt(lag) * second;
        expect(await headerOf(node)).toEqual({ height: `${height - BigInt(lag)}`, timestamp: `${time}` });
        const visible = [...written.entries()].filter(([, { at }]) => lag === 0 || at < time);
        const { balances, votes } = node.records;
        expect(balances.map(({ partyId }) => Number.parseInt(partyId ?? "", 16))).toEqual(
          visible.map(([index]) => index),
        );
        const latest = new Map(visible.map(([index, { party }]) => [vote(party, 0n).partyId, String(index)]));
        expect(new Map(votes.map(({ partyId, value }) => [partyId, value]))).toEqual(latest);
        expect((await fetchPage(node, list)).edges).toHaveLength(visible.length);
      }
    });
    await fc.assert(property, runs(30));
  });
});

describe("a fake node that keeps less history", () => {
  const balances = [5n, day - 1000n, day, 3n * day + 7000n].map((time, index) => change(index, 19_000n * day + time));
  const kept = async (node: FakeNode) => (await fetchPage(node, list)).edges.length;

  test("has no balance changes of the days before it, at once and for itself alone, and gets them back", async () => {
    const network = createFakeNetwork({ nodes: [{ history: 19_000n * day + 6_000n }, {}], balances, profiles: 3 });
    const [first, other] = [nodeOf(network, 0), nodeOf(network, 1)];
    expect([await kept(first), await kept(other)]).toEqual([4, 4]);
    first.configure({ history: 19_002n * day - 1n });
    expect([await kept(first), await kept(other)]).toEqual([2, 4]);
    first.configure({ history: 19_002n * day });
    network.nextBlock({ balances: [change(9, network.block.timestamp + day)] });
    expect([await kept(first), await kept(other)]).toEqual([2, 5]);
    expect((await fetchPage(first, "/api/v2/parties/profiles")).edges).toHaveLength(3);
    first.configure({ history: 0n });
    expect(await kept(first)).toBe(5);
  });
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
    expect((await fetchFrom(node, list)).status).toBe(200);
    expect((await fetchFrom(node, list)).status).toBe(429);
    node.configure({ down: true });
    await expect(fetchFrom(node, list)).rejects.toThrow(new TypeError("fetch failed: the connection was refused"));
    expect(node.requests).toHaveLength(3);
    node.configure({ down: false });
    expect((await fetchPage(node, list)).edges).toHaveLength(20);
    node.configure({ down: false });
    expect((await fetchFrom(node, list)).status).toBe(429);
  });

  test("resets requests in flight, and not those that follow", async () => {
    const node = createFakeNode(
      {},
      { faults: [{ name: "latency", milliseconds: Number.POSITIVE_INFINITY, request: 1 }] },
    );
    const pending = fetchFrom(node, list);
    pending.catch(() => {});
    while (node.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    node.configure({ down: true });
    await expect(pending).rejects.toThrow(new TypeError("fetch failed: the connection was reset"));
    node.configure({ down: false });
    expect((await fetchFrom(node, list)).status).toBe(200);
  });
});
