import fc from "fast-check";
import { expect, test } from "vitest";
import { mulberry32 } from "../../../src/testing/random.js";
import { PooledNetwork } from "../../support/pooled-network.js";
import { runs } from "../../support/runs.js";

const silent = Number.POSITIVE_INFINITY;
const second = 1_000_000_000n;
const maxLag = 10n * second;

const turn = fc.record({
  node: fc.nat({ max: 3 }),
  event: fc.constantFrom("lags", "leaps", "catches up", "dies", "revives", "hangs", "responds", "slows", "nothing"),
  lag: fc.constantFrom(1, 3, 30, 600),
  /** Milliseconds until the calls. */
  pause: fc.constantFrom(0, 20, 300, 1000, 4000, 15_000),
  reads: fc.integer({ min: 1, max: 6 }),
  isCheck: fc.boolean(),
});
const histories = fc.record({
  seed: fc.nat(),
  nodes: fc.integer({ min: 2, max: 4 }),
  order: fc.constantFrom("fastest" as const, "given" as const),
  turns: fc.array(turn, { minLength: 1, maxLength: 25 }),
});
type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

/** A network whose nodes take different times to respond, and what happens to them, of which one at least always responds. */
function simulate({ seed, nodes, order }: History) {
  const random = mulberry32(seed);
  const typical = Array.from({ length: nodes }, () => 5 + 300 * random());
  const net: PooledNetwork = new PooledNetwork({
    data: { nodes, votes: 10, balances: 10, signatures: 10 },
    pool: { order },
    random,
    onRequest: (node) => {
      if (net.latency[node] !== silent) net.latency[node] = (typical[node] ?? 0) * (0.7 + 0.6 * random());
    },
  });
  net.advance(1000);
  const down = new Set<number>();
  const apply = ({ node: index, event, lag }: History["turns"][number]) => {
    const isLast = net.latency.every((each, other) => other === index || each === silent || down.has(other));
    const node = net.network.nodes[index];
    if (node === undefined || ((event === "hangs" || event === "dies") && isLast)) return;
    if (event === "hangs") net.latency[index] = silent;
    if (event === "responds") net.latency[index] = 0;
    if (event === "slows") typical[index] = 600;
    if (event === "dies") down.add(index);
    if (event === "revives") down.delete(index);
    const lags = { lags: lag, leaps: -lag, "catches up": 0 } as const;
    node.configure({ down: down.has(index), ...(event in lags && { lag: lags[event as keyof typeof lags] }) });
  };
  return { net, apply };
}

/** The earliest block time that an unmarked response may have, of what the nodes have said by now. */
function earliest({ pool }: PooledNetwork): bigint {
  const times = pool.status.flatMap(({ timestamp }) => timestamp ?? []).sort((a, b) => (a < b ? 1 : -1));
  return (times[times.length > 2 ? 1 : 0] ?? 0n) - maxLag;
}

test("in random histories of nodes, of which one responds, no read fails or takes 4 s, one that goes back or lags is marked, and no check is sent twice", async () => {
  const property = fc.asyncProperty(histories, async (history) => {
    const { net, apply } = simulate(history);
    let returned = 0n;
    let checks = 0;
    const limited = async <T>(start: (signal: AbortSignal) => Promise<T>) => {
      const controller = new AbortController();
      const cancel = net.clock.after(4000, () => controller.abort(new Error("too late")));
      return start(controller.signal).finally(cancel);
    };
    const read = async () => {
      const query = { partyId: "ab".repeat(32) };
      const call = limited((signal) => net.client.getSpamStatistics(query, { signal }).withResponse());
      const { block: { timestamp } = { timestamp: 0n }, stale } = await call;
      if (stale) return;
      // A time that one node alone has shown is no reference.
      const showing = net.pool.status.filter((node) => (node.timestamp ?? 0n) >= timestamp - maxLag);
      expect(timestamp).toBeGreaterThanOrEqual(returned);
      // Reads take a while, in which the chain of the test stands still and the pool takes it to go on.
      expect(timestamp).toBeGreaterThanOrEqual(earliest(net) - 5n * second);
      if (history.nodes < 3 || showing.length > 1) returned = timestamp;
    };
    for (const turn of history.turns) {
      apply(turn);
      await net.sleep(turn.pause);
      net.advance(Math.ceil(turn.pause / 1000));
      await net.run(Promise.all(Array.from({ length: turn.reads }, read)));
      expect(net.clock.pending).toBe(0);
      if (!turn.isCheck) continue;
      checks++;
      const check = limited((signal) => net.client.checkTransaction({ tx: { pubKey: "ab" } }, { signal }));
      await net.run(check.catch(() => {}));
    }
    const sent = net.network.nodes.flatMap(({ requests }) => requests);
    expect(sent.filter(({ operation }) => operation === "checkTransaction").length).toBeLessThanOrEqual(checks);
  });
  const turn = { lag: 1, pause: 0, reads: 1, isCheck: false } as const;
  /** After a single node was ahead, the pool forgot the block that the others had reported. */
  const leap = { ...turn, node: 0, event: "leaps", lag: 600, reads: 3 } as const;
  const lags = [1, 0].map((node) => ({ ...turn, node, event: "lags" as const }));
  const alone: History = { seed: 0, nodes: 3, order: "fastest", turns: [leap, ...lags] };
  await fc.assert(property, { ...runs(25), examples: [[alone]] });
});

test("a request that waits for the rate limit of a node that fails is sent once the node responds", async () => {
  const net = new PooledNetwork({ data: { nodes: [{ down: true }] }, node: { rateLimit: { rate: 2, burst: 4 } } });
  net.clock.after(100, () => net.network.nodes[0]?.configure({ down: false }));
  const reads = Array.from({ length: 8 }, () => net.client.getSpamStatistics({ partyId: "a1" }));
  expect(await net.run(Promise.all(reads))).toHaveLength(8);
});
