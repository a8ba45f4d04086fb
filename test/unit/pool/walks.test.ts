import { describe, expect, test } from "vitest";
import { createClient, type ForwardPagination, type PaginationError } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNetwork, nodeDefects } from "../../../src/testing/index.js";
import { readUntilError } from "../../support/page-source.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";
import { changesAt } from "../../support/records.js";

const start = 1_707_486_400_000_000_000n;
const second = 1_000_000_000n;
const day = 86_400n * second;
const firstDay = start - (start % day);

/** Sixty balance changes, in blocks of three. */
const changesOf = (first: bigint, blockTime: bigint) =>
  changesAt(Array.from({ length: 60 }, (_, index) => first + BigInt(Math.floor(index / 3)) * blockTime));
const balances = changesOf(start, second);
const daily = changesOf(firstDay, day);

const networkOf = ({ data, pool, ...options }: PooledNetworkOptions = {}) => {
  const lists = { balances, signatures: 300, votes: 900, ...data };
  return new PooledNetwork({ ...options, data: lists, pool: { order: "given", ...pool } });
};

/** A network whose first node is down from a request on. */
function dyingAt(request: number, options: PooledNetworkOptions = {}): PooledNetwork {
  const onRequest = (_: number, count: number) => {
    if (count === request) net.network.nodes[0]?.configure({ down: true });
  };
  const net: PooledNetwork = networkOf({ ...options, onRequest });
  return net;
}

const signaturesOf = ({ client, network }: PooledNetwork, pagination: ForwardPagination) =>
  client.listNodeSignatures({ id: network.records.signatures[0]?.id ?? "", pagination });

describe("a walk of a client of several nodes", () => {
  test("stays on its node, which other calls need not use", async () => {
    const net = networkOf({ pool: { order: "fastest" }, latency: [10, 10, 10] });
    const pages = signaturesOf(net, { first: 10 }).pages();
    await net.run(pages.next());
    await net.read();
    net.asked.length = 0;
    for (let page = 0; page < 8; page++) await net.run(pages.next());
    expect(new Set(net.asked).size).toBe(1);
  });

  const lists = ["signatures", "votes", "balances"] as const;
  const cases = lists.flatMap((list) => (["first", "last"] as const).map((direction) => [list, direction] as const));
  test.each(cases)("over %s with `%s` moves to another node and yields every record once", async (list, direction) => {
    for (const defects of [[], nodeDefects]) {
      const net = dyingAt(7, { node: { defects } });
      const { signatures, votes, balances } = net.network.records;
      const proposalId = votes.find((vote, _, [first]) => vote.proposalId !== first?.proposalId)?.proposalId ?? "";
      const ofProposal = votes.filter((vote) => vote.proposalId === proposalId);
      const size = (count: number) => ({ [direction]: count }) as ForwardPagination;
      const [walk, expected] = {
        signatures: [signaturesOf(net, size(10)), signatures.filter(({ id }) => id === signatures[0]?.id)] as const,
        votes: [net.client.listVotes({ proposalId, pagination: size(50) }), ofProposal] as const,
        balances: [net.client.listBalanceChanges({ pagination: size(7) }), balances] as const,
      }[list];
      const walked = await net.run<readonly object[]>(walk.toArray());
      const texts = (all: readonly object[]) => all.map((each) => JSON.stringify(each)).sort();
      expect(texts(walked)).toEqual(texts(expected));
      expect(net.events.some(({ type }) => type === "failover")).toBe(true);
    }
  });

  test("continues with nextPage() on its node, and on another one if that fails", async () => {
    const net = networkOf();
    const first = await net.run(Promise.resolve(signaturesOf(net, { first: 10 })));
    const home = net.nodeOf(first.response);
    net.asked.length = 0;
    const next = await net.run(first.nextPage());
    expect(net.asked).toEqual([home]);
    net.network.nodes[home]?.configure({ down: true });
    const third = await net.run((next ?? first).nextPage());
    expect(net.asked.at(-1)).not.toBe(home);
    const walked = [first, next, third].flatMap((page) => page?.nodes ?? []);
    expect(walked).toHaveLength(30);
    expect(net.network.records.signatures).toEqual(expect.arrayContaining(walked));
  });

  test("continues from a cursor on the only node that keeps the record, although that node is ahead of the others", async () => {
    const pruned = { lag: 30, history: firstDay + 18n * day };
    const net = networkOf({ data: { balances: daily, nodes: [{}, pruned, pruned] } });
    net.advance(40);
    const alone = createClient({ baseUrl: net.urls[0] ?? "", fetch: (request) => net.send(request) });
    const page = await net.run(
      Promise.resolve(alone.listBalanceChanges({ pagination: { first: 7, newestFirst: false } })),
    );
    await net.run(net.pool.check());
    expect(net.pool.status.map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
    const rest = net.client.listBalanceChanges({ pagination: page.next ?? {} });
    expect(await net.run(rest.toArray())).toHaveLength(daily.length - page.nodes.length);
  });

  test("ends with an error and `resume` if no other node has the same records", async () => {
    const net = dyingAt(5, { data: { balances: daily, nodes: 2 } });
    const read = (pagination: ForwardPagination) =>
      net.run(readUntilError(net.client.listBalanceChanges({ dateRange: { startTimestamp: firstDay }, pagination })));
    // The other node has dropped what the walk has to read.
    net.network.nodes[1]?.configure({ history: firstDay + 18n * day });
    const { records, error } = await read({ first: 7 });
    expect(error).toMatchObject({ reason: "pruned", availableFrom: firstDay + 18n * day });
    net.network.nodes[0]?.configure({ down: false });
    await net.sleep(60_000);
    const rest = await read((error as PaginationError).resume?.pagination as ForwardPagination);
    expect([...records, ...rest.records]).toHaveLength(60);
  });

  test("does not move to a node that is behind its first page", async () => {
    const net = dyingAt(5, { data: { nodes: [{}, { lag: 2 }] }, client: { retry: { attempts: 2 } } });
    net.advance(20);
    await expect(net.run(signaturesOf(net, { first: 10 }).toArray())).rejects.toMatchObject({
      resume: { pagination: { first: 10 } },
    });
  });

  test("goes on with a slow node that has the next records, while it waits to ask another one again", async () => {
    const failing = { faults: [{ name: "status", status: 503, headers: { "Retry-After": "6" } }] } as const;
    const nodes = [{}, {}, failing];
    const net = networkOf({ data: { balances: daily, nodes }, latency: [10, 2500, 10], client: { pacing: false } });
    const from = { startTimestamp: firstDay };
    const page = await net.run(
      Promise.resolve(net.client.listBalanceChanges({ dateRange: from, pagination: { first: 7, newestFirst: false } })),
    );
    net.network.nodes[0]?.configure({ history: firstDay + 18n * day });
    net.asked.length = 0;
    const sentAt = net.clock.now();
    const next = await net.run(page.nextPage());
    expect(next?.nodes).toHaveLength(7);
    expect(net.asked).toEqual([0, 1, 2]);
    expect(net.clock.now() - sentAt).toBe(2510);
  });

  test("waits for the rate limit of the only node that keeps the next records", async () => {
    const full = { rateLimit: { rate: 1, burst: 3 } };
    const pruned = { history: firstDay + 15n * day };
    const net = networkOf({ data: { balances: daily, nodes: [full, pruned] }, pool: { order: "fastest" } });
    const walks = [1, 2, 3, 4].map(() => net.client.listBalanceChanges({ pagination: { first: 10 } }).toArray());
    for (const walked of await net.run(Promise.all(walks))) expect(walked).toHaveLength(60);
  });

  test("does not wait in the queue of a node that is silent, however many walks begin at once", async () => {
    const net = networkOf({ data: { nodes: 2 }, node: { rateLimit: false }, latency: [10, Number.POSITIVE_INFINITY] });
    const pagination = { first: 60, newestFirst: false };
    const walks = Array.from({ length: 30 }, () => net.client.listBalanceChanges({ pagination }).toArray());
    for (const walked of await net.run(Promise.all(walks))) expect(walked).toHaveLength(60);
    expect(net.clock.now()).toBeLessThan(10_000);
  });

  const nodes = [{ history: firstDay + 5n * day }, {}, { history: firstDay + 9n * day }];
  test.each([true, false])("over changes is complete if one node keeps all, newestFirst: %j", async (newestFirst) => {
    const pagination = { first: 7, newestFirst };
    const net = networkOf({ data: { balances: daily, nodes } });
    const dateRange = { startTimestamp: firstDay + 2n * day };
    expect(await net.run(net.client.listBalanceChanges({ dateRange, pagination }).toArray())).toHaveLength(54);
    // Without a start, it waits for a slow node that keeps more.
    const slow = networkOf({ data: { balances: daily, nodes }, latency: [10, 1500, 10] });
    expect(await slow.run(slow.client.listBalanceChanges({ pagination }).toArray())).toHaveLength(60);
  });
});

test("a walk from the oldest record is complete if other calls fail on each node while its first page is read", async () => {
  const network = createFakeNetwork({ nodes: 2, balances }, { rateLimit: false });
  const urls = network.nodes.map(({ url }) => url);
  let pages = 0;
  const client = createClient({
    baseUrl: nodePool(urls),
    fetch: async (request) => {
      if (request.url.includes("/statistics/")) return new Response("", { status: 503 });
      if (++pages === 1) await Promise.allSettled(urls.map(failOn));
      return network.fetch(request);
    },
  });
  const failOn = (node: string) => client.getSpamStatistics({ partyId: "a1" }, { node, retry: false });
  expect(await client.listBalanceChanges({ pagination: { newestFirst: false } }).toArray()).toHaveLength(60);
});
