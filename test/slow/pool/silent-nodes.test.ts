import fc from "fast-check";
import { expect, test } from "vitest";
import { PooledNetwork, seeded } from "../../support/pooled-network.js";
import { runs } from "../../support/runs.js";

const silent = Number.POSITIVE_INFINITY;
/** How long a caller waits, in milliseconds. */
const limit = 4000;

const turns = fc.array(
  fc.record({
    node: fc.integer({ min: 0, max: 3 }),
    event: fc.constantFrom("hangs", "responds", "slows", "dies", "revives", "lags", "catches up"),
    /** Of a node that lags, in blocks. */
    lag: fc.constantFrom(3, 300),
    /** Milliseconds until the next turn. */
    pause: fc.constantFrom(0, 20, 300, 2000, 15_000),
    calls: fc.integer({ min: 1, max: 6 }),
    isCheck: fc.boolean(),
  }),
  { minLength: 5, maxLength: 40 },
);

const scenarios = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  nodes: fc.integer({ min: 2, max: 4 }),
  order: fc.constantFrom("fastest" as const, "given" as const),
  latency: fc.constantFrom(5, 40, 150),
  turns,
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

/** A network that the turns of a scenario change, of which one node at least always responds. */
function simulate({ seed, nodes, order, latency }: Scenario) {
  const random = seeded(seed);
  const typical = Array.from({ length: nodes }, () => latency * (0.5 + 2 * random()));
  const down = new Set<number>();
  const net = new PooledNetwork({
    data: { nodes, votes: 10, balances: 10, signatures: 10 },
    pool: { order },
    random,
    onRequest: (node) => {
      if (net.latency[node] !== silent) net.latency[node] = (typical[node] ?? 0) * (0.7 + 0.6 * random());
    },
  });
  net.advance(5000);

  const apply = ({ node: index, event, lag }: Scenario["turns"][number]) => {
    const node = net.network.nodes[index];
    const isLast = net.latency.every((each, other) => other === index || each === silent || down.has(other));
    if (node === undefined || ((event === "hangs" || event === "dies") && isLast)) return;
    if (event === "hangs") net.latency[index] = silent;
    if (event === "responds") net.latency[index] = 0;
    if (event === "slows") typical[index] = 600;
    if (event === "dies") down.add(index);
    if (event === "revives") down.delete(index);
    if (event === "lags" || event === "catches up") node.configure({ lag: event === "lags" ? lag : 0 });
    node.configure({ down: down.has(index) });
  };

  /** Makes a call that is aborted after a while. */
  const limited = <T>(start: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const controller = new AbortController();
    const cancel = net.clock.after(limit, () => controller.abort(new Error("too late")));
    return start(controller.signal).finally(cancel);
  };
  const read = () =>
    limited((signal) => net.client.getSpamStatistics({ partyId: "ab".repeat(32) }, { signal }).withResponse());
  const check = () =>
    limited((signal) => net.client.checkTransaction({ tx: { pubKey: "ab" } }, { signal }).withResponse());
  return { net, apply, read, check };
}

test("in random runs, no read fails that a node can serve, none goes back unmarked, no check is sent twice", {
  timeout: 900_000,
}, async () => {
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const { net, apply, read, check } = simulate(scenario);
    let newest = 0n;
    let checks = 0;
    for (const turn of scenario.turns) {
      apply(turn);
      net.advance(1);
      const calls = Array.from({ length: turn.calls }, async () => {
        const { block, stale } = await read();
        if (stale || block === undefined) return;
        expect(block.timestamp).toBeGreaterThanOrEqual(newest);
        newest = block.timestamp;
      });
      await net.run(Promise.all(calls));
      expect(net.clock.pending).toBe(0);
      if (turn.isCheck) {
        checks++;
        await net.run(check()).catch(() => {});
      }
      await net.sleep(turn.pause);
    }
    const sent = net.network.nodes.flatMap(({ requests }) => requests);
    expect(sent.filter(({ operation }) => operation === "checkTransaction").length).toBeLessThanOrEqual(checks);
  });
  await fc.assert(property, runs(15));
});
