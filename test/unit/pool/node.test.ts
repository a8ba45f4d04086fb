import { describe, expect, test } from "vitest";
import { ResponseError } from "../../../src/index.js";
import { PoolNode } from "../../../src/pool/node.js";
import { ManualClock } from "../../support/manual-clock.js";
import { PooledNetwork } from "../../support/pooled-network.js";

describe("a node of a pool", () => {
  function setting(random = 1) {
    const clock = new ManualClock();
    const one = new PoolNode("https://a.example", clock, () => random);
    return { one, pass: (milliseconds: number) => clock.run(clock.sleep(milliseconds)), clock };
  }
  const failure = new ResponseError("No JSON.", { status: 200, body: "" } as never);

  test("cools down twice as long each time, for a minute at most, and not again for requests from before", async () => {
    const { one, pass, clock } = setting();
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const sentAt = clock.now() + 1;
      await pass(1);
      one.fail(failure, sentAt);
      await pass(10);
      one.fail(failure, sentAt);
      expect(one.coolUntil - one.cooledAt).toBe(seconds * 1000);
      await pass(seconds * 1000);
    }
    one.compared(false, clock.now());
    expect(one).toMatchObject({ cause: undefined, coolUntil: Number.NEGATIVE_INFINITY });
    await pass(1);
    one.fail(failure, clock.now());
    expect(one.coolUntil - clock.now()).toBe(1000);
  });

  test("that fails ends the requests that were not sent", () => {
    const { one, clock } = setting();
    const requests = [true, false].map((isSent) => ({ isSent, controller: new AbortController() }));
    for (const request of requests) one.begin(request);
    one.fail(failure, clock.now());
    expect(requests.map(({ controller }) => controller.signal.aborted)).toEqual([false, true]);
    expect(one.inFlight).toBe(2);
  });

  test("cools down for half as long at least", () => {
    const { one, clock } = setting(0);
    one.fail(failure, clock.now());
    expect(one.coolUntil - one.cooledAt).toBe(500);
  });

  test("is not up to date by the response to a request from before its cool-down", async () => {
    const { one, pass, clock } = setting();
    const sentAt = clock.now();
    await pass(1);
    one.fail(failure, clock.now());
    one.compared(false, sentAt);
    expect(one.cause).toBe("failing");
    one.compared(false, one.cooledAt);
    expect(one.cause).toBe("failing");
    await pass(1);
    one.compared(false, clock.now());
    expect(one.cause).toBeUndefined();
  });

  test("has a latency that follows its responses slowly", async () => {
    const { one, pass, clock } = setting();
    for (const [latency, expected] of [
      [100, 100],
      [200, 120],
      [20, 100],
    ] as const) {
      const sentAt = clock.now();
      await pass(latency);
      one.respond(undefined, sentAt, new Headers());
      expect(one.latency).toBeCloseTo(expected);
    }
  });

  test("has the block that it named last, which can be an earlier one, but not by a response that was overtaken", async () => {
    const { one, pass, clock } = setting();
    const block = (second: number) => ({ height: BigInt(second), timestamp: BigInt(second) * 1_000_000_000n });
    const respond = (second: number, sentAt: number) => one.respond(block(second), sentAt, new Headers());
    const early = clock.now();
    await pass(10);
    respond(5, clock.now());
    await pass(10);
    respond(4, early);
    expect(one.block?.height).toBe(5n);
    // In the same block, it was heard again.
    await pass(10);
    respond(5, early);
    expect(one.head).toEqual({ blockTime: 5000, respondedAt: 30 });
    respond(6, early);
    expect(one.block?.height).toBe(6n);
    respond(3, clock.now());
    expect([one.block?.height, one.latest]).toEqual([3n, 6000]);
  });

  test.each<[what: string, abandoned: (number | "response")[], cause: string | undefined]>([
    ["was late once", [200], undefined],
    ["was late twice in a row", [200, 200], "unresponsive"],
    ["was late twice, with a response in between", [200, "response", 200], undefined],
    ["was given up in time, twice", [99, 99], undefined],
    ["was late for a second", [1000], "unresponsive"],
    ["was waited for", [5000], "failing"],
  ])("that %s has this cause of its cool-down: %3$s", async (_, abandoned, cause) => {
    const { one, pass, clock } = setting();
    await pass(1);
    for (const each of abandoned) {
      const sentAt = clock.now();
      if (each === "response") one.respond(undefined, sentAt, new Headers());
      else await pass(each);
      if (each !== "response") one.abandon(sentAt, 100);
    }
    expect(one.cause).toBe(cause);
  });

  test("that has responded to a later request does not cool down for an earlier one", async () => {
    const { one, pass, clock } = setting();
    const sentAt = clock.now();
    await pass(2000);
    one.respond(undefined, clock.now(), new Headers());
    await pass(1);
    one.abandon(sentAt, 100);
    expect(one.cause).toBeUndefined();
  });
});

describe("a node of a pool that has failed", () => {
  test("is ready again once it refuses a request and names its block", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ down: true }] } });
    await expect(net.read()).rejects.toThrow();
    expect(net.pool.status).toMatchObject([{ state: "cooling-down" }]);
    await net.sleep(60_000);
    net.network.nodes[0]?.configure({ down: false });
    const refused = net.client.listNodeSignatures({ id: "aa", pagination: { first: 6000 } });
    await expect(net.run(Promise.resolve(refused))).rejects.toMatchObject({ status: 400 });
    expect(net.pool.status).toMatchObject([{ state: "ready" }]);
  });

  test("has no latency by the errors of a proxy, which responds at once", async () => {
    const proxy = { blockHeaders: false, faults: [{ name: "status" as const, status: 502 }] };
    const net = new PooledNetwork({ data: { nodes: [proxy, {}] }, pool: { order: "given" } });
    await net.read();
    expect(net.pool.status).toMatchObject([{ state: "cooling-down", latency: undefined }, { latency: 10 }]);
  });
});

test("a list of a pool is read from a node that names its block, although the first one does not", async () => {
  const net = new PooledNetwork({ data: { nodes: [{ blockHeaders: false }, {}] }, pool: { order: "given" } });
  const votes = net.client.listVotes({ partyId: "ab".repeat(32) });
  await net.run(votes.toArray());
  expect(await votes.coverage).toMatchObject({ block: { height: expect.any(BigInt) } });
});

describe("a list of a pool without block headers", () => {
  const partyId = "ab".repeat(32);

  test("is read if no node sends them", async () => {
    const net = new PooledNetwork({ data: { nodes: 2 } });
    net.withoutBlocks = true;
    for (let walk = 0; walk < 3; walk++) expect(await net.run(net.client.listVotes({ partyId }).toArray())).toEqual([]);
  });

  test("is refused once a node has sent them, and none does any more", async () => {
    const net = new PooledNetwork({ data: { nodes: 2 } });
    await net.run(net.pool.check());
    net.withoutBlocks = true;
    await expect(net.run(net.client.listVotes({ partyId }).toArray())).rejects.toMatchObject({ reason: "behind" });
  });

  test("is read from a node that the caller has named, although another one sends them", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ blockHeaders: false }, {}] } });
    await net.read({ node: net.urls[1] ?? "" });
    expect(await net.run(net.client.listVotes({ partyId }, { node: net.urls[0] }).toArray())).toEqual([]);
  });
});
