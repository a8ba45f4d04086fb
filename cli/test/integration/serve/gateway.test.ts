import { createFakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { UsageError } from "../../../src/errors.js";
import { rejectionOf, responseTo } from "../../../src/serve/errors.js";
import { block, changes, first } from "../../support/changes.js";
import { send, serve, startGateway } from "../../support/gateway.js";
import { readMetrics } from "../../support/metrics.js";
import { intercept, startNode } from "../../support/nodes.js";
import { gate, startServing } from "../../support/run-cli.js";
import { firstLine, open } from "../../support/sockets.js";

const profiles = "/api/v2/parties/profiles";
const createNetwork = (data = {}) => createFakeNetwork({ nodes: 1, ...data }, { rateLimit: false });

test("the description of the gateway has all of its paths, and no reference to another file", async () => {
  const { url } = await serve(createNetwork({ nodes: 1 }));
  const response = await fetch(`${url}/gateway.yaml`);
  expect(response.headers.get("Content-Type")).toBe("application/yaml");
  const text = await response.text();
  const paths = Object.entries<object>(parse(text).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = (await (await fetch(url)).text()).match(/^(GET|POST) .+$/gm) ?? [];
  expect(new Set([...paths, "GET /gateway.yaml"])).toEqual(new Set([...listed, "GET /"]));
  expect(text).not.toMatch(/\$ref: "?[^"#]/);
});

describe("nodes", () => {
  test.each([
    ["are all down", { down: true }],
    ["respond with 503", { faults: [{ name: "status", status: 503 }] }],
  ])("that %s are a 503 with Retry-After, and /readyz says so", async (_, options) => {
    const { url } = await serve(createNetwork({ nodes: [options, options] }), ["--retries", "0"]);
    const { status, headers, body } = await send(url + profiles);
    expect([status, headers.get("Retry-After"), body]).toMatchObject([503, "1", { code: 14 }]);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const paths = /vegaprotocol serve.*^GET \/api\/v2\/votes\n.*^GET \/reports\/tally\n.*^GET \/healthz\n/ms;
    expect(await (await fetch(url)).text()).toMatch(paths);
  });

  test("that do not respond within --timeout are a 504", async () => {
    const network = createNetwork();
    const { url } = await serve(network, ["--retries", "0", "--timeout", "50ms"]);
    network.nodes[0]?.configure({ faults: [{ name: "latency", milliseconds: 2000 }] });
    const late = { status: 504, body: { code: 4, message: "No node responded in time." } };
    expect(await send(url + profiles)).toMatchObject(late);
  });

  test("that are behind others that are down serve responses with X-Stale", async () => {
    const network = createNetwork({ nodes: [{}, {}, { lag: 30 }], balances: 100 });
    const { url } = await serve(network);
    const isStale = async () => (await fetch(url + profiles)).headers.get("X-Stale");
    expect(await isStale()).toBe(null);
    for (const node of network.nodes.slice(0, 2)) node.configure({ down: true });
    expect(await isStale()).toBe("true");
  });

  test("are checked by each scrape of /metrics, also if nobody sends requests", async () => {
    const network = createNetwork();
    const urls = network.nodes.map(({ url }) => url);
    const { url } = await startGateway(urls, ["--retries", "0"], network.fetch);
    const ready = async () => {
      const [{ value } = {}] = readMetrics(await (await fetch(`${url}/metrics`)).text())("node_ready");
      return value;
    };
    expect(await ready()).toBe("1");
    for (const node of network.nodes) node.configure({ down: true });
    await expect.poll(ready).toBe("0");
  });

  test("that ban the gateway are a 503 with the time that is left", async () => {
    // A check of the node comes before.
    const network = createFakeNetwork({ nodes: 1 }, { rateLimit: { rate: 1, burst: 2, refusals: 0, ban: 90 } });
    const { url } = await serve(network, ["--no-pacing"]);
    expect((await fetch(url + profiles)).status).toBe(200);
    const response = await fetch(url + profiles);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(80);
    const metrics = readMetrics(await (await fetch(`${url}/metrics`)).text());
    expect(metrics("node_bans_total")).toEqual([{ labels: { node: "node-1.example" }, value: "1" }]);
  });

  test("that keep less history than the range are a 400 with the time from which on there is all", async () => {
    const history = BigInt(Date.UTC(2024, 1, 9)) * 1_000_000n;
    const network = createFakeNetwork({ nodes: [{ history }], balances: changes, block }, { defects: nodeDefects });
    const { url } = await serve(network);
    const details = [{ reason: "pruned", availableFrom: `${history}` }];
    const message = `The nodes have no balance changes before ${history}: begin the range there.`;
    const pruned = { status: 400, body: { code: 11, message, details } };
    expect(await send(`${url}/api/v2/balance/changes?dateRange.startTimestamp=${first}`)).toMatchObject(pruned);
  });
});

describe("a response", () => {
  test("of spam statistics, of a check and of an error is that of the node", async () => {
    const network = createNetwork({ spamStatistics: 2, votes: 3 });
    const { url } = await serve(network);
    const spam = `/statistics/spam/${network.records.votes[0]?.partyId}`;
    const post = (body: string) => ({ method: "POST", body, headers: { "Content-Type": "application/json" } });
    const requests: [string, RequestInit?][] = [
      [spam],
      ["/transaction/check", post('{"tx":{"pubKey":"ab"}}')],
      ["/transaction/check", post("{}")],
      ["/transaction/check", post(`{"tx":${"[".repeat(200_000)}${"]".repeat(200_000)}}`)],
      ["/api/v2/balance/changes?filter.partyIds=ab"],
    ];
    for (const [path, init] of requests) {
      const [own, other] = [await fetch(url + path, init), await network.fetch(network.url + path, init)];
      expect([path, own.status, await own.json()]).toEqual([path, other.status, await other.json()]);
    }
    expect((await fetch(url + spam)).headers.get("X-Block-Height")).toBe("1234568");
  });

  test.each<[request: string, status: number, code: number, end?: string]>([
    ["GET /api/v2/assets", 404, 5],
    ["DELETE /api/v2/votes?partyId=a", 501, 12],
    ["POST /reports/tally", 501, 12],
    ["GET /api/v2/votes", 400, 3, "Expected `partyId` or `proposalId`, got neither."],
    ["GET /api/v2/votes?partyID=a", 400, 3],
    ["GET /api/v2/votes?proposal=ab", 400, 3, "There is no parameter proposal. Did you mean proposalId?"],
    ["GET /api/v2/votes?partyId=5n", 400, 3, 'got "5n".'],
    ["GET /api/v2/balance/changes?dateRange.startTimestamp=99999999999999999999", 400, 3, "got 99999999999999999999."],
    ["GET /api/v2/balance/changes?dateRange.startTimestamp=now", 400, 3, 'digits of Unix nanoseconds, got "now".'],
    ["GET /api/v2/balance/changes?dateRange.endTimestamp=2024", 400, 3, 'or digits of Unix nanoseconds, got "2024".'],
    ["GET /api/v2/balance/changes?dateRange.endTimestamp=1707497670", 400, 3, 'got "1707497670".'],
    ["GET /api/v2/balance/changes?dateRange.endTimestamp=1707497670123", 400, 3, 'got "1707497670123".'],
    ["GET /api/v2/balance/changes?dateRange.endTimestamp=1707497670123456", 400, 3, 'got "1707497670123456".'],
    ["GET /api/v2/votes?partyId=a&__proto__=b", 400, 3],
    ["GET /api/v2/votes?partyId=a&constructor=b", 400, 3],
    ["GET /api/v2/votes?partyId=a&pagination.__proto__=b", 400, 3],
    ["GET /api/v2/votes?partyId=a&partyId=b", 400, 3],
    ["GET /api/v2/parties/profiles?pagination.first=5001", 400, 3],
    ["GET /api/v2/parties/profiles?pagination.first=0", 400, 3],
    ["GET /api/v2/parties/profiles?pagination.first=x", 400, 3],
    ["GET /api/v2/parties/profiles?pagination.first=3&pagination.before=abc", 400, 3],
    ["GET /api/v2/balance/changes?filter.accountTypes=GENERAL", 400, 3],
    ["POST /transaction/check", 400, 3],
  ])("to %s is a %i as nodes send it, and costs no node a request", async (request, status, code, end = "") => {
    const network = createNetwork();
    const { url } = await serve(network);
    const [method = "", path] = request.split(" ");
    const sent = await send(`${url}${path}`, { method, ...(method === "POST" && { body: "{" }) });
    expect(sent).toMatchObject({ status, body: { code, details: [] } });
    expect(sent.body.message.endsWith(end), sent.body.message).toBe(true);
    expect(network.nodes[0]?.requests).toEqual([]);
  });

  test("has its form by the header Accept, and says so to caches", async () => {
    const network = createNetwork({ balances: 20 });
    const { url } = await serve(network, ["--cors", "https://page.example"]);
    const party = network.records.balances[0]?.partyId;
    const headers = { Origin: "https://page.example" };
    for (const path of ["/api/v2/balance/changes", `/reports/balances?party=${party}`])
      expect((await fetch(url + path, { headers })).headers.get("Vary")).toBe("Accept, Origin");
  });

  test("to a head of more than 128 KiB is a 431, and to a body of more than 6 MiB a 413", async () => {
    const { url, log } = await serve(createNetwork());
    expect((await fetch(`${url}${profiles}?parties=${"a".repeat(2 ** 17)}`)).status).toBe(431);
    expect(log().at(-1)).toMatchObject({ event: "request", status: 431, caller: "127.0.0.1" });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'vegaprotocol_serve_requests_total{operation="",status="431"} 1',
    );
    const socket = open(url, "POST /transaction/check HTTP/1.1", `Content-Length: ${6 * 2 ** 20 + 1}`);
    socket.write("a".repeat(6 * 2 ** 20 + 1));
    expect(await firstLine(socket)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

test("the log has no control characters of a caller", async () => {
  const { url, log, stderr } = await serve(createNetwork());
  await fetch(`${url}/%C2%9B31m%E2%80%AEred?%C2%9B31m=1`);
  expect(log().at(-1)).toMatchObject({ path: "/\u009b31m\u202ered" });
  expect(stderr()).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
});

test("a caller with 200 bodies that do not end takes a bounded amount of memory, and others are served", async () => {
  const { url } = await serve(createNetwork());
  const part = "a".repeat(2 ** 20);
  // At most eight of a caller are held; a body that got no further is refused.
  let refused = 0;
  const sockets = Array.from({ length: 200 }, () => {
    const socket = open(url, "POST /transaction/check HTTP/1.1", `Content-Length: ${5 * 2 ** 20}`);
    socket.write(part);
    firstLine(socket).then(
      (line) => (refused += Number(line?.startsWith("HTTP/1.1 503"))),
      () => refused++,
    );
    return socket;
  });
  await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThanOrEqual(192);
  expect((await fetch(url + profiles)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("metrics are in the format of Prometheus, with names of one kind", async () => {
  const network = createNetwork({ nodes: [{}, { lag: 2 }], votes: 30 });
  const { url } = await serve(network);
  const { body } = await send(`${url}/api/v2/votes?proposalId=${network.records.votes[0]?.proposalId}`);
  await fetch(`${url}/api/v2/votes`);
  const headers = { Accept: "application/x-ndjson" };
  await (await fetch(`${url}/api/v2/balance/changes`, { headers })).text();
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  const metricsOf = readMetrics(text);
  for (const status of ["200", "400"])
    expect(metricsOf("serve_requests_total")).toContainEqual({
      labels: { operation: "listVotes", status },
      value: "1",
    });
  const read = { labels: { operation: "listVotes" }, value: `${body.votes.edges.length}` };
  expect(metricsOf("serve_records_total")[0]).toEqual(read);
  expect(text).toMatch(/vegaprotocol_serve_request_duration_seconds_bucket\{le="\+Inf",operation="listVotes"\} 2\n/);
  expect(text).toMatch(/vegaprotocol_serve_request_duration_seconds_count\{operation="listVotes"\} 2\n/);
  expect(metricsOf("node_ready")).toContainEqual({ labels: { node: "node-1.example" }, value: "1" });
  const lag = { labels: { node: "node-2.example" }, value: expect.stringMatching(/^2(\.\d+)?$/) };
  expect(metricsOf("node_lag_seconds")).toContainEqual(lag);
  expect(metricsOf("node_requests_total").length).toBeGreaterThan(0);
});

describe("the program", () => {
  test("writes a line of JSON for each request, without headers, query strings and the paths of nodes", async () => {
    const node = startNode();
    const flags = ["--verbose", "--header", "Authorization: secret-1", "--retries", "1"];
    const { url, log, close } = await startGateway(["https://a.example/key-1234"], flags, (request) =>
      node.fetch(new Request(request.url.replace("/key-1234", ""), request)),
    );
    const headers = { Authorization: "secret-2" };
    await fetch(`${url}${profiles}?parties=${"ab".repeat(32)}`, { headers });
    node.configure({ down: true });
    const failed = await (await fetch(`${url}/statistics/spam/${"cd".repeat(32)}`)).text();
    const { stderr } = await close();
    for (const text of [stderr, failed]) expect(text).not.toMatch(/secret|key-|abab/);
    const served = { method: "GET", path: profiles, operation: "listPartiesProfiles", status: 200 };
    expect(log().filter(({ event }) => event === "request")).toMatchObject([
      { ...served, caller: "127.0.0.1" },
      { operation: "getSpamStatistics", status: 503, error: expect.any(String) },
    ]);
  });

  test("passes on an error of a node, and none of a proxy, which can contain the path of the node", async () => {
    const path = "/key-1234/statistics";
    const error = { code: 3, message: "wrong", details: [] };
    const bodies = [JSON.stringify({ ...error, path }), JSON.stringify({ status: 400, path }), `Cannot GET ${path}`];
    for (const [index, text] of bodies.entries()) {
      const refuse = async () => new Response(text, { status: 400 });
      const { url } = await startServing(["explore", "--node", "https://a.example/key-1234", "--retries", "0"], refuse);
      const failed = { status: 503, body: { code: 14, message: "A node failed with status 400.", details: [] } };
      const expected = index === 0 ? { status: 400, body: error } : failed;
      for (const path of ["/statistics/spam/ab", "/api/v2/assets"])
        expect(await send(url + path)).toEqual(expect.objectContaining(expected));
      const check = { method: "POST", body: "{}" };
      expect(await send(`${url}/transaction/check`, check)).toEqual(expect.objectContaining(expected));
    }
  });

  test("logs the message of an error, and a stack only for a failure of its own", async () => {
    const { url, log, close } = await serve(createNetwork());
    const paths = ["/api/v2/votes?foo=1", `${profiles}?pagination.newestFirst=maybe`, "/reports/balances?foo=1"];
    const messages: string[] = [];
    for (const path of paths) messages.push((await send(url + path)).body.message);
    await close();
    const ofPaths = log().filter(({ event, status }) => event === "request" && status === 400);
    expect(ofPaths.map(({ error }) => error)).toEqual(messages);
    const own = new TypeError("Cannot read properties of undefined");
    expect(responseTo(own)).toMatchObject({ status: 500, text: own.stack });
  });

  test("shortens a long parameter, whose digits do not keep the gateway busy", async () => {
    const { url } = await serve(createNetwork());
    const digits = "1".repeat(100_000);
    for (const path of [`/api/v2/votes?${digits}=1`, `/reports/balances?party=ff&completeHistory=${digits}`]) {
      const { status, body } = await send(url + path);
      expect([status, body.message.length]).toEqual([400, 2001]);
    }
    // This takes minutes if each digit is compared with all digits before it.
    const { message } = rejectionOf(new UsageError(`There is no parameter ${"1".repeat(500_000)}.`));
    expect(message).toContain("There is no parameter 111");
    expect(rejectionOf(new UsageError("Expected a, got 12n, 34n.")).message).toBe("Expected a, got 12, 34.");
  });

  test("ends with 0, once the requests in flight have their responses", async () => {
    const network = createNetwork();
    const [arrived, released] = [gate(), gate()];
    const held = intercept(network, (_, request) => {
      if (!request.url.includes("profiles")) return undefined;
      arrived.open();
      return released.opened;
    });
    const { url, close } = await serve(network, [], held.fetch);
    const response = fetch(url + profiles);
    await arrived.opened;
    const ended = close();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    released.open();
    const { status, headers } = await response;
    expect([status, headers.get("Connection")]).toEqual([200, "close"]);
    expect((await ended).code).toBe(0);
  });

  test("lets pages of an origin read responses with --cors alone", async () => {
    const network = createNetwork();
    const [closed, open] = [await serve(network), await serve(network, ["--cors", "https://page.example"])];
    const send = async (url: string, origin: string, method = "GET") => {
      const headers = { Origin: origin, "Access-Control-Request-Headers": "x-a" };
      const response = await fetch(url + profiles, { method, headers });
      const names = ["Access-Control-Allow-Origin", "Access-Control-Allow-Headers"];
      return names.map((name) => response.headers.get(name));
    };
    expect(await send(closed.url, "https://page.example")).toEqual([null, null]);
    expect(await send(open.url, "https://page.example")).toEqual(["https://page.example", null]);
    expect(await send(open.url, "https://other.example")).toEqual([null, null]);
    expect(await send(open.url, "https://page.example", "OPTIONS")).toEqual(["https://page.example", "x-a"]);
  });

  test("says what to do if its port is in use", async () => {
    const { url } = await serve(createNetwork());
    const failed = startGateway(["https://a.example"], ["--port", new URL(url).port], startNode().fetch);
    await expect(failed).rejects.toThrow("The port is in use: choose another one, or 0 for a free one.");
  });
});
