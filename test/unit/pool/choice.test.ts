import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choose } from "../../../src/pool/choice.js";

const node = (recentLatency: number | undefined, inFlight = 0, pause = 0) => ({
  latency: recentLatency,
  recentLatency,
  inFlight,
  pause,
});

describe("the choice of a node", () => {
  test('is the one of two with the smaller product of latency and requests in flight with `order: "fastest"`', () => {
    const [busy, slow] = [node(10, 9), node(90, 0)];
    for (const random of [0, 0.3, 0.6, 0.99]) expect(choose([busy, slow], "fastest", () => random)).toBe(slow);
  });

  test("counts the wait for the rate limit of a node", () => {
    const [limited, slow] = [node(10, 0, 500), node(90, 0)];
    expect(choose([limited, slow], "fastest", () => 0)).toBe(slow);
  });

  test("counts a request that waits for the rate limit of a node once", () => {
    const [limited, slow] = [node(10, 50, 100), node(90, 1)];
    expect(choose([limited, slow], "fastest", () => 0)).toBe(limited);
  });

  test("takes a node without a latency to be as fast as the median, and of several such nodes that with fewer requests in flight", () => {
    const [fast, unknown, slow] = [node(1), node(undefined), node(5)];
    for (const [pair, expected] of [
      [[fast, unknown, slow], fast],
      [[slow, unknown, fast], unknown],
      [[unknown, slow, fast], unknown],
    ] as const) {
      // The first two of the three.
      const values = [0, 0];
      expect(choose(pair, "fastest", () => values.shift() ?? 0)).toBe(expected);
    }
    const fresh = [node(undefined, 2), node(undefined, 1)];
    expect(choose(fresh, "fastest", () => 0)).toBe(fresh[1]);
  });

  test("is never the worst of three or more nodes, and each of the others at times", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const nodes = [node(30), node(10), node(20)];
    const chosen = new Set<number>();
    fc.assert(
      fc.property(random, random, (first, second) => {
        const values = [first, second];
        const choice = choose(nodes, "fastest", () => values.shift() ?? 0);
        expect(choice).not.toBe(nodes[0]);
        chosen.add(nodes.indexOf(choice ?? node(0)));
      }),
    );
    expect(chosen).toEqual(new Set([1, 2]));
  });
});
