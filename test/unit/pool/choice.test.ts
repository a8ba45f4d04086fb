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
  test.each<[rule: string, nodes: ReturnType<typeof node>[], chosen: number]>([
    ["the smaller product of latency and requests in flight", [node(10, 9), node(90, 0)], 1],
    ["the smaller sum of latency and wait for the rate limit", [node(10, 0, 500), node(90, 0)], 1],
    ["that wait, which counts the requests in flight", [node(10, 50, 100), node(90, 1)], 0],
    ["the median latency, if its own is not known", [node(5), node(undefined), node(1)], 1],
    ["fewer requests in flight, if no latency is known", [node(undefined, 2), node(undefined, 1)], 1],
  ])("falls on the one of two with %s", (_, nodes, chosen) => {
    expect(choose(nodes, "fastest", () => 0)).toBe(nodes[chosen]);
  });

  test("is never the worst of three or more nodes, and each of the others at times", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const nodes = [node(30), node(10), node(20)];
    const chosen = new Set<number>();
    const property = fc.property(random, random, (first, second) => {
      const values = [first, second];
      const choice = choose(nodes, "fastest", () => values.shift() ?? 0);
      expect(choice).not.toBe(nodes[0]);
      chosen.add(nodes.indexOf(choice ?? node(0)));
    });
    fc.assert(property);
    expect(chosen).toEqual(new Set([1, 2]));
  });
});
