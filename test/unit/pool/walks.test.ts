import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient, type Forward, PaginationError } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNetwork, nodeDefects } from "../../../src/testing/index.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

const hex = (number: number) => number.toString(16).padStart(64, "0");
const start = 1_707_486_400_000_000_000n;
const second = 1_000_000_000n;
const day = 86_400n * second;
const firstDay = start - (start % day);

/** One balance change of each account, in blocks of three. */
const balances: BalanceChange[] = Array.from({ length: 60 }, (_, account) => ({
  timestamp: `${start + BigInt(Math.floor(account / 3)) * second}`,
  assetId: hex(1),
  partyId: hex(account),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
  balance: String(account),
}));

/** The same, in blocks that are a day apart. */
const daily = balances.map(
  (change, account): BalanceChange => ({
    ...change,
    timestamp: `${firstDay + BigInt(Math.floor(account / 3)) * day}`,
  }),
);

/** A network whose second node is asked first, if it can be. */
function networkOf(options: PooledNetworkOptions = {}): PooledNetwork {
  return new PooledNetwork({
    ...options,
    data: { balances, signatures: 300, votes: 900, ...options.data },
    pool: { order: "given", ...options.pool },
  });
}

const signatureId = ({ network }: PooledNetwork) => network.records.signatures[0]?.id ?? "";
const dieAt = (request: number, number = 0) => {
  const net: { current?: PooledNetwork } = {};
  const onRequest = (_: number, count: number) => {
    if (count === request) net.current?.network.nodes[number]?.configure({ down: true });
  };
  return { net, onRequest };
};

describe("a walk of a client of several nodes", () => {
  test("stays on its node, which other calls need not use", async () => {
    const net = networkOf({ pool: { order: "fastest" }, latency: [10, 10, 10] });
    const pages = net.client.listNodeSignatures({ id: signatureId(net), pagination: { first: 10 } }).pages();
    await net.run(pages.next());
    const home = net.asked.at(-1);
    await net.read();
    net.asked.length = 0;
    for (let page = 0; page < 8; page++) await net.run(pages.next());
    expect(new Set(net.asked).size).toBe(1);
    expect([0, 1, 2]).toContain(home);
  });

  const lists = ["signatures", "votes", "balances"] as const;
  const cases = lists.flatMap((list) => (["first", "last"] as const).map((direction) => [list, direction] as const));
  test.each(cases)(
    "over %s with `%s` moves to another node if its own fails, and yields every record once",
    async (list, direction) => {
      for (const defects of [[], nodeDefects]) {
        const { net: current, onRequest } = dieAt(7);
        const net = networkOf({ node: { defects }, onRequest });
        current.current = net;
        const { records } = net.network;
        const proposalId =
          records.votes.find((vote, _, [first]) => vote.proposalId !== first?.proposalId)?.proposalId ?? "";
        const size = (count: number) => ({ [direction]: count }) as Forward;
        const walk = {
          signatures: net.client.listNodeSignatures({ id: signatureId(net), pagination: size(10) }),
          votes: net.client.listVotes({ proposalId, pagination: size(50) }),
          balances: net.client.listBalanceChanges({ pagination: size(7) }),
        }[list];
        const expected = {
          signatures: records.signatures.filter(({ id }) => id === signatureId(net)),
          votes: records.votes.filter((vote) => vote.proposalId === proposalId),
          balances: records.balances,
        }[list];
        const walked = await net.run((walk as { toArray(): Promise<object[]> }).toArray());
        const texts = (all: readonly object[]) => all.map((each) => JSON.stringify(each)).sort();
        expect(texts(walked)).toEqual(texts(expected));
        expect(net.events.filter(({ type }) => type === "failover").length).toBeGreaterThan(0);
      }
    },
  );

  test("continues with nextPage() on its node, and on another one if that fails", async () => {
    const net = networkOf();
    const first = await net.run(
      Promise.resolve(net.client.listNodeSignatures({ id: signatureId(net), pagination: { first: 10 } })),
    );
    const home = net.nodeOf(first.response);
    net.asked.length = 0;
    const next = await net.run(first.nextPage());
    expect(net.asked).toEqual([home]);
    net.network.nodes[home]?.configure({ down: true });
    const third = await net.run((next ?? first).nextPage());
    expect(net.asked.at(-1)).not.toBe(home);
    const expected = net.network.records.signatures.filter(({ id }) => id === signatureId(net));
    const walked = [first, next, third].flatMap((page) => page?.nodes ?? []);
    expect(walked).toHaveLength(30);
    expect(expected).toEqual(expect.arrayContaining(walked));
  });

  test("continues from a cursor on the only node that keeps the record, although that node alone is ahead", async () => {
    const pruned = { lag: 30, history: firstDay + 18n * day };
    const net = networkOf({ data: { balances: daily, nodes: [{}, pruned, pruned] } });
    net.advance(40);
    const alone = createClient({ baseUrl: net.urls[0] ?? "", fetch: (request) => net.send(request) });
    const page = await net.run(
      Promise.resolve(alone.listBalanceChanges({ pagination: { first: 7, newestFirst: false } })),
    );
    await net.read();
    expect(net.pool.status.map(({ state }) => state)).toEqual(["suspect", "ready", "ready"]);
    const rest = net.client.listBalanceChanges({ pagination: page.next ?? {} });
    expect(await net.run(rest.toArray())).toHaveLength(daily.length - page.nodes.length);
  });

  test("ends with an error and `resume` if no other node has the same records", async () => {
    const { net: current, onRequest } = dieAt(5);
    const net = networkOf({ onRequest, data: { balances: daily, nodes: 2 } });
    current.current = net;
    const [, other] = net.network.nodes;
    const walked: object[] = [];
    const { client } = net;
    const dateRange = { startTimestamp: firstDay };
    const walk = client.listBalanceChanges({ dateRange, pagination: { first: 7 } });
    // The other node has dropped what the walk has to read.
    other?.configure({ history: firstDay + 18n * day });
    const error = await net
      .run(
        (async () => {
          for await (const change of walk) walked.push(change);
        })(),
      )
      .catch((error: unknown) => error);
    if (!PaginationError.is(error)) throw error;
    expect([error.reason, error.availableFrom]).toEqual(["pruned", firstDay + 18n * day]);
    net.network.nodes[0]?.configure({ down: false });
    await net.sleep(60_000);
    const rest = await net.run(client.listBalanceChanges({ dateRange, pagination: error.resume ?? {} }).toArray());
    expect([...walked, ...rest]).toHaveLength(60);
  });

  test("does not move to a node that is behind its first page", async () => {
    const { net: current, onRequest } = dieAt(5);
    const net = networkOf({ onRequest, data: { nodes: [{}, { lag: 2 }] }, client: { retry: { attempts: 2 } } });
    current.current = net;
    net.advance(20);
    const walk = net.client.listNodeSignatures({ id: signatureId(net), pagination: { first: 10 } });
    await expect(net.run(walk.toArray())).rejects.toMatchObject({ resume: { first: 10 } });
  });

  test("over balance changes is complete if one node keeps them from its start on", async () => {
    const nodes = [{ history: firstDay + 5n * day }, {}, { history: firstDay + 9n * day }];
    for (const newestFirst of [true, false]) {
      const net = networkOf({ data: { balances: daily, nodes } });
      const dateRange = { startTimestamp: firstDay + 2n * day };
      const walk = net.client.listBalanceChanges({ dateRange, pagination: { first: 7, newestFirst } });
      expect(await net.run(walk.toArray())).toHaveLength(54);
    }
  });

  test("over balance changes without a start waits for a slow node that keeps more", async () => {
    const nodes = [{ history: firstDay + 5n * day }, {}, { history: firstDay + 9n * day }];
    for (const newestFirst of [true, false]) {
      const net = networkOf({ data: { balances: daily, nodes }, latency: [10, 1500, 10] });
      const walk = net.client.listBalanceChanges({ pagination: { first: 7, newestFirst } });
      expect(await net.run(walk.toArray())).toHaveLength(60);
    }
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
  const failOn = (node: string) => client.getSpamStatistics({ partyId: hex(1) }, { node, retry: false });
  const changes = client.listBalanceChanges({ pagination: { newestFirst: false } });
  expect(await changes.toArray()).toHaveLength(60);
});
