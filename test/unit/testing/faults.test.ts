import { describe, expect, test } from "vitest";
import { createFakeNode, type FakeNodeOptions } from "../../../src/testing/index.js";
import { baseUrl, fetchFrom } from "../../support/raw-requests.js";

const path = "/api/v2/parties/profiles?pagination.first=2";

describe("the rate limit of a fake node", () => {
  test("serves a burst, rejects as many requests, bans the client, and serves it again", async () => {
    let now = 0;
    const node = createFakeNode({}, { now: () => now });
    for (let left = 99; left >= 0; left--) {
      const { status, headers } = await fetchFrom(node, path);
      expect([status, headers.get("ratelimit-remaining")]).toEqual([200, String(left)]);
    }
    for (let refusal = 0; refusal < 100; refusal++) expect((await fetchFrom(node, path)).status).toBe(429);
    const banned = await fetchFrom(node, path);
    expect([banned.status, banned.headers.get("ratelimit-retry-after")]).toEqual([403, "600"]);
    expect([banned.headers.has("ratelimit-limit"), banned.headers.has("retry-after")]).toEqual([false, false]);
    now += 599_999;
    expect((await fetchFrom(node, path)).headers.get("ratelimit-retry-after")).toBe("1");
    now += 1;
    expect((await fetchFrom(node, path)).status).toBe(200);
  });

  test("refills both buckets continuously", async () => {
    let now = 0;
    const node = createFakeNode({}, { now: () => now, rateLimit: { rate: 10, burst: 1, refusals: 1 } });
    const statuses: number[] = [];
    for (const at of [0, 50, 100, 150, 199, 250]) {
      now = at;
      statuses.push((await fetchFrom(node, path)).status);
    }
    expect(statuses).toEqual([200, 429, 200, 429, 403, 403]);
  });

  test("costs no token for what the gateway rejects, also during a ban", async () => {
    const node = createFakeNode({}, { now: () => 0, rateLimit: { burst: 1, refusals: 0 } });
    for (const bad of ["/api/v2/nope", "/api/v2/votes?pagination.first=x"]) await fetchFrom(node, bad);
    expect((await fetchFrom(node, path)).headers.get("ratelimit-remaining")).toBe("0");
    expect((await fetchFrom(node, path)).status).toBe(403);
    expect((await fetchFrom(node, "/api/v2/nope")).status).toBe(404);
  });

  test("is turned off by `false`", async () => {
    const node = createFakeNode({}, { rateLimit: false });
    expect((await fetchFrom(node, path)).headers.has("ratelimit-remaining")).toBe(false);
  });
});

describe("a fault of a fake node", () => {
  const nodeWith = (options: FakeNodeOptions) => createFakeNode({ profiles: 7 }, options);

  test("affects the requests that it names, of all operations or of one", async () => {
    const node = nodeWith({ faults: [{ name: "status", status: 503, request: 2, headers: { "Retry-After": "9" } }] });
    const statuses = async (...paths: string[]) => {
      const all: number[] = [];
      for (const each of paths) all.push((await fetchFrom(node, each)).status);
      return all;
    };
    expect(await statuses(path, path, path)).toEqual([200, 503, 200]);
    node.configure({ faults: [{ name: "status", status: 404, operation: "getSpamStatistics", request: [1, 3] }] });
    const spam = "/statistics/spam/a";
    expect(await statuses(path, spam, path, spam, spam, spam)).toEqual([200, 404, 200, 200, 404, 200]);
    node.configure({ faults: [] });
    expect(await statuses(spam, path)).toEqual([200, 200]);
  });

  test.each<[status: number, fault: object, body: unknown]>([
    [408, {}, { code: 1, message: "injected fault", details: [] }],
    [503, {}, { code: 14, message: "injected fault", details: [] }],
    [400, { code: 11, message: "out of range" }, { code: 11, message: "out of range", details: [] }],
    [400, { body: { reason: "a" } }, { reason: "a" }],
    [400, { body: "busy" }, "busy"],
    [204, { body: "" }, ""],
  ])("with status %i and %j has these headers and the body %j", async (status, fault, body) => {
    const headers = { "retry-after": "9", "content-type": "text/plain" };
    const node = nodeWith({ faults: [{ name: "status", status, headers, ...fault }] });
    const response = await fetchFrom(node, path);
    expect(response).toMatchObject({ status, body });
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  test("can be a reset, HTML, a truncated body or latency that an abort ends", async () => {
    const node = nodeWith({ faults: [{ name: "reset" }] });
    await expect(node.fetch(baseUrl + path)).rejects.toThrow(TypeError);
    expect(node.requests).toHaveLength(1);
    node.configure({ faults: [{ name: "html", status: 502 }] });
    expect(await fetchFrom(node, path)).toMatchObject({
      status: 502,
      text: expect.stringContaining("<!doctype html>"),
    });
    node.configure({ faults: [{ name: "truncated-body" }] });
    const response = await node.fetch(baseUrl + path);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("terminated");
    node.configure({ faults: [{ name: "latency", milliseconds: 60_000 }] });
    const controller = new AbortController();
    const late = node.fetch(baseUrl + path, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
    await expect(node.fetch(baseUrl + path, { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow(
      "before",
    );
    node.configure({ faults: [{ name: "latency", milliseconds: 1 }] });
    expect((await fetchFrom(node, path)).status).toBe(200);
  });

  test("can affect a share of the requests, the same ones in every run", async () => {
    const statusesOf = async (share: number) => {
      const node = nodeWith({ rateLimit: false, faults: [{ name: "status", status: 503, share }] });
      const statuses = [];
      for (let count = 0; count < 200; count++) statuses.push((await fetchFrom(node, path)).status);
      return statuses;
    };
    const some = await statusesOf(0.2);
    expect(some).toEqual(await statusesOf(0.2));
    expect(some.filter((status) => status === 503).length).toBeGreaterThan(20);
    expect(some.filter((status) => status === 503).length).toBeLessThan(60);
  });
});
