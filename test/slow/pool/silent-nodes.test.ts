import fc from "fast-check";
import { expect, test } from "vitest";
import { PooledNetwork, seeded } from "../../support/pooled-network.js";
import { runs } from "../../support/runs.js";

const silent = Number.POSITIVE_INFINITY;
const partyId = "ab".repeat(32);
const tx = { version: "TX_VERSION_V3" } as never;
/** How long a caller waits, in milliseconds. */
const limit = 4000;

interface Turn {
  node: number;
  event: "hangs" | "responds" | "slows" | "dies" | "revives" | "lags" | "catches up";
  /** Of a node that lags, in blocks. */
  lag: number;
  /** Milliseconds until the next one. */
  pause: number;
  calls: number;
  isCheck: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  node: fc.integer({ min: 0, max: 3 }),
  event: fc.constantFrom("hangs", "responds", "slows", "dies", "revives", "lags", "catches up"),
  lag: fc.constantFrom(3, 300),
  pause: fc.constantFrom(0, 20, 300, 2000, 15_000),
  calls: fc.integer({ min: 1, max: 6 }),
  isCheck: fc.boolean(),
});

interface Run {
  seed: number;
  nodes: number;
  order: "fastest" | "given";
  latency: number;
  turns: Turn[];
}

const run: fc.Arbitrary<Run> = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  nodes: fc.integer({ min: 2, max: 4 }),
  order: fc.constantFrom("fastest", "given"),
  latency: fc.constantFrom(5, 40, 150),
  turns: fc.array(turn, { minLength: 5, maxLength: 40 }),
});

/** A network that the turns change, of which one node at least always responds. */
class Simulation {
  readonly net: PooledNetwork;
  readonly #typical: number[];
  readonly #isWell: boolean[];
  readonly #down = new Set<number>();

  constructor({ seed, nodes, order, latency }: Run) {
    const random = seeded(seed);
    this.#typical = Array.from({ length: nodes }, () => latency * (0.5 + 2 * random()));
    this.#isWell = this.#typical.map(() => true);
    this.net = new PooledNetwork({
      data: { nodes, votes: 10, balances: 10, signatures: 10 },
      pool: { order },
      random,
      onRequest: (node) => {
        if (this.net.latency[node] !== silent)
          this.net.latency[node] = (this.#typical[node] ?? 0) * (0.7 + 0.6 * random());
      },
    });
    this.net.advance(5000);
  }

  apply({ node: number, event, lag }: Turn): void {
    const { net } = this;
    const node = net.network.nodes[number];
    const isLast = this.#isWell.every((isWell, index) => index === number || !isWell);
    if (node === undefined || ((event === "hangs" || event === "dies") && isLast)) return;
    if (event === "hangs") net.latency[number] = silent;
    if (event === "responds") net.latency[number] = 0;
    if (event === "slows") this.#typical[number] = 600;
    if (event === "dies") this.#down.add(number);
    if (event === "revives") this.#down.delete(number);
    node.configure({ down: this.#down.has(number) });
    if (event === "lags") node.configure({ lag });
    if (event === "catches up") node.configure({ lag: 0 });
    this.#isWell[number] = net.latency[number] !== silent && !this.#down.has(number);
  }

  /** Makes a call that is aborted after a while. */
  async call(isCheck: boolean) {
    const { client, clock } = this.net;
    const controller = new AbortController();
    const cancel = clock.after(limit, () => controller.abort(new Error("too late")));
    const { signal } = controller;
    try {
      return isCheck
        ? await client.checkTransaction({ tx }, { signal }).withResponse()
        : await client.getSpamStatistics({ partyId }, { signal }).withResponse();
    } finally {
      cancel();
    }
  }
}

test("in random runs, no read fails that a node can serve, none goes back unmarked, no check is sent twice", {
  timeout: 900_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(run, async (each) => {
      const simulation = new Simulation(each);
      const { net } = simulation;
      let newest = 0n;
      let checks = 0;
      for (const turn of each.turns) {
        simulation.apply(turn);
        net.advance(1);
        const calls = Array.from({ length: turn.calls }, async () => {
          const { block, stale } = await simulation.call(false);
          if (stale || block === undefined) return;
          expect(block.timestamp).toBeGreaterThanOrEqual(newest);
          newest = block.timestamp;
        });
        await net.run(Promise.all(calls));
        expect(net.clock.pending).toBe(0);
        if (turn.isCheck) {
          checks++;
          await net.run(simulation.call(true)).catch(() => {});
        }
        await net.sleep(turn.pause);
      }
      const sent = net.network.nodes.flatMap(({ requests }) =>
        requests.filter(({ operation }) => operation === "checkTransaction"),
      );
      expect(sent.length).toBeLessThanOrEqual(checks);
    }),
    runs(15),
  );
});
