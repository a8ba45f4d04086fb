import { describe, expect, test } from "vitest";
import { createFakeNetwork, createFakeNode, type FakeNode, type NodeFault } from "../../../src/testing/index.js";
import { collectGarbage } from "../../support/garbage.js";
import { baseUrl, fetchFrom } from "../../support/raw-requests.js";

const path = "/api/v2/parties/profiles?pagination.first=2";
const spam = "/statistics/spam/a";

/** The statuses of requests that are sent one after the other. */
async function statusesOf(node: FakeNode, ...paths: readonly string[]) {
  const statuses: number[] = [];
  for (const each of paths) statuses.push((await fetchFrom(node, each)).status);
  return statuses;
}

describe("the rate limit of a fake node", () => {
  test("serves a burst, rejects as many requests, bans the client, and serves it again", async () => {
    let now = 0;
    const node = createFakeNode({}, { now: () => now });
    for (let left = 99; left >= 0; left--) {
      const { status, headers } = await fetchFrom(node, path);
      expect([status, headers.get("ratelimit-remaining")]).toEqual([200, String(left)]);
    }
    expect(new Set(await statusesOf(node, ...Array<string>(100).fill(path)))).toEqual(new Set([429]));
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
    for (now of [0, 50, 100, 150, 199, 250]) statuses.push(...(await statusesOf(node, path)));
    expect(statuses).toEqual([200, 429, 200, 429, 403, 403]);
  });

  test("does not count the time back if fake timers set an earlier one", async () => {
    let now = Date.parse("2026-11-29");
    const node = createFakeNode({}, { now: () => now });
    now = Date.parse("2024-02-09");
    expect(await statusesOf(node, path)).toEqual([200]);
  });

  test("costs no token for what the gateway rejects, also during a ban", async () => {
    const node = createFakeNode({}, { now: () => 0, rateLimit: { burst: 1, refusals: 0 } });
    const [unknown, invalid] = ["/api/v2/nope", "/api/v2/votes?pagination.first=x"];
    expect(await statusesOf(node, unknown, invalid, path, path, unknown)).toEqual([404, 400, 200, 403, 404]);
  });
});

describe("a fault of a fake node", () => {
  const nodeWith = (...faults: NodeFault[]) => createFakeNode({ profiles: 7 }, { faults, rateLimit: false });

  test("affects the requests that it names, of all operations or of one", async () => {
    const node = nodeWith({ name: "status", status: 503, request: 2 });
    expect(await statusesOf(node, path, path, path)).toEqual([200, 503, 200]);
    node.configure({ faults: [{ name: "status", status: 404, operation: "getSpamStatistics", request: [1, 3] }] });
    expect(await statusesOf(node, path, spam, path, spam, spam, spam)).toEqual([200, 404, 200, 200, 404, 200]);
    node.configure({ faults: [] });
    expect(await statusesOf(node, spam, path)).toEqual([200, 200]);
  });

  const faultHeaders = { "retry-after": "9", "content-type": "text/plain" };
  test.each<[status: number, fault: object, body: unknown]>([
    [408, {}, { code: 1, message: "injected fault", details: [] }],
    [503, {}, { code: 14, message: "injected fault", details: [] }],
    [400, { code: 11, message: "out of range" }, { code: 11, message: "out of range", details: [] }],
    [400, { body: { reason: "a" } }, { reason: "a" }],
    [204, { body: "" }, ""],
    [429, { headers: new Headers(faultHeaders), body: "" }, ""],
  ])("with status %i and %j has these headers and the body %j", async (status, fault, body) => {
    const response = await fetchFrom(nodeWith({ name: "status", status, headers: faultHeaders, ...fault }), path);
    expect(response).toMatchObject({ status, body });
    expect(Object.fromEntries(response.headers)).toMatchObject(faultHeaders);
  });

  test("can be a reset after the request has arrived, HTML, or a body that is cut off", async () => {
    const node = nodeWith({ name: "reset" });
    await expect(node.fetch(baseUrl + path)).rejects.toThrow(TypeError);
    expect(node.requests).toHaveLength(1);
    node.configure({ faults: [{ name: "html", status: 502 }] });
    const text = expect.stringContaining("<!doctype html>");
    expect(await fetchFrom(node, path)).toMatchObject({ status: 502, text });
    node.configure({ faults: [{ name: "html", status: 204 }] });
    expect(await fetchFrom(node, path)).toMatchObject({ status: 204, text: "" });
    node.configure({ faults: [{ name: "truncated-body" }] });
    const response = await node.fetch(baseUrl + path);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("can be latency, which an abort ends", async () => {
    const node = nodeWith({ name: "latency", milliseconds: Number.POSITIVE_INFINITY });
    const controller = new AbortController();
    const late = node.fetch(baseUrl + path, { signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    // Node.js aborts a Request only as long as something refers to it.
    await collectGarbage();
    controller.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
    const signal = AbortSignal.abort(new Error("before"));
    await expect(node.fetch(baseUrl + path, { signal })).rejects.toThrow("before");
    node.configure({ faults: [{ name: "latency", milliseconds: 1 }] });
    expect(await statusesOf(node, path)).toEqual([200]);
  });

  test("is ended by an abort of a request to a network, which has to keep it", async () => {
    const faults = [{ name: "latency", milliseconds: Number.POSITIVE_INFINITY }] as const;
    const network = createFakeNetwork({ nodes: 1 }, { faults });
    const controller = new AbortController();
    const late = network.fetch(new Request(network.url + path, { signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await collectGarbage();
    controller.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
  });

  test("affects no preflight request: the page that causes it does not see it", async () => {
    const node = nodeWith({ name: "status", status: 503, request: 1 });
    const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
    const preflight = await fetchFrom(node, "/transaction/check", { method: "OPTIONS", headers });
    expect([preflight.status, node.requests[0]?.operation]).toEqual([204, undefined]);
    expect(await statusesOf(node, path, path)).toEqual([503, 200]);
  });

  test("can affect a share of the requests, the same ones in every run", async () => {
    const ofShare = () => statusesOf(nodeWith({ name: "status", status: 503, share: 0.2 }), ...Array(200).fill(path));
    const statuses = await ofShare();
    expect(statuses).toEqual(await ofShare());
    const failed = statuses.filter((status) => status === 503);
    expect(failed.length).toBeGreaterThan(20);
    expect(failed.length).toBeLessThan(60);
  });
});
