import { describe, expect, test } from "vitest";
import { createClient, RateLimitError } from "../../../src/index.js";
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
    expect(banned.headers.has("ratelimit-limit")).toBe(false);
    expect(banned.headers.has("retry-after")).toBe(false);
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

  test("is what a client without pacing meets, and `false` turns it off", async () => {
    const node = createFakeNode({}, { now: () => 0, rateLimit: { rate: 1, burst: 1, refusals: 0 } });
    const client = createClient({ baseUrl, fetch: node.fetch, pacing: false, retry: false });
    await client.listPartiesProfiles();
    const error = await client.listPartiesProfiles().catch((reason: unknown) => reason);
    expect(RateLimitError.is(error) && error.banned && error.retryAfter).toBe(600);
    node.configure({ rateLimit: false });
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

  test.each([
    [408, 1],
    [409, 6],
    [418, 2],
    [500, 13],
    [503, 14],
  ])("with status %i has an error body with code %i, and its headers", async (status, code) => {
    const node = nodeWith({ faults: [{ name: "status", status, headers: { "Retry-After": "9" } }] });
    const response = await fetchFrom(node, path);
    expect(response).toMatchObject({ status, body: { code, message: "injected fault", details: [] } });
    expect(response.headers.get("retry-after")).toBe("9");
  });

  test("with a status has the code, the message, the body and the headers that are given", async () => {
    const status = 400;
    const node = nodeWith({ faults: [{ name: "status", status, code: 11, message: "out of range" }] });
    expect(await fetchFrom(node, path)).toMatchObject({
      status,
      body: { code: 11, message: "out of range", details: [] },
    });
    node.configure({ faults: [{ name: "status", status, body: { reason: "a < b" } }] });
    expect((await fetchFrom(node, path)).text).toBe('{"reason":"a \\u003c b"}');
    node.configure({ faults: [{ name: "status", status, body: "busy", headers: { "content-type": "text/plain" } }] });
    const response = await fetchFrom(node, path);
    expect([response.text, response.headers.get("content-type")]).toEqual(["busy", "text/plain"]);
    node.configure({ faults: [{ name: "status", status: 204, body: "" }] });
    expect(await fetchFrom(node, path)).toMatchObject({ status: 204, text: "" });
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
    expect(new Set(await statusesOf(0))).toEqual(new Set([200]));
    expect(new Set(await statusesOf(1))).toEqual(new Set([503]));
  });
});
