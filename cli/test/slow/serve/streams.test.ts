import { once } from "node:events";
import { createFakeNetwork, type FakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { checkResponse, serve } from "../../support/gateway.js";
import { intercept } from "../../support/nodes.js";
import { readLines } from "../../support/run-cli.js";
import { firstLine, open } from "../../support/sockets.js";

const path = "/api/v2/balance/changes?pagination.newestFirst=false";
const headers = { Accept: "application/x-ndjson" };
const createNetwork = (balances: number) =>
  createFakeNetwork({ nodes: 1, balances }, { defects: nodeDefects, rateLimit: false });

/** More records than a gateway reads ahead. */
const large = createNetwork(100_000);

const linesOf = async (response: Response) => readLines(await response.text());
const sorted = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).sort();

/** Reads what a stream that ended with an error did not have: with its lines, that is every record. */
async function expectRest(network: FakeNetwork, url: string, lines: readonly object[], resume: object) {
  const range = Object.entries(resume).map(([name, time]) => `&dateRange.${name}=${time}`);
  const missing = await linesOf(await fetch(url + range.join(""), { headers }));
  expect(missing.pop()).toMatchObject({ complete: true });
  expect(sorted([...lines, ...missing])).toEqual(sorted(network.records.balances));
}

test.each([true, false])("a stream has all records in order, says complete, newest first: %s", async (newestFirst) => {
  const network = createNetwork(800);
  const { url } = await serve(network);
  const response = await fetch(`${url}/api/v2/balance/changes?pagination.newestFirst=${newestFirst}`, { headers });
  expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
  const lines = await linesOf(response);
  const coverage = { endTimestamp: expect.any(String) };
  expect(lines.pop()).toMatchObject({ complete: true, records: 800, coverage });
  expect(sorted(lines)).toEqual(sorted(network.records.balances));
  const times = lines.map(({ timestamp }) => timestamp);
  expect(times).toEqual(newestFirst ? [...times].sort().reverse() : [...times].sort());
});

test("a stream that cannot be continued ends with an error and the range that is missing, as gateway.yaml says", async () => {
  const network = createNetwork(8000);
  const failing = intercept(network, (number) => number === 4 && network.nodes[0]?.configure({ down: true }));
  const { url } = await serve(network, ["--retries", "0"], failing.fetch);
  const lines = await linesOf(await fetch(url + path, { headers }));
  for (const line of lines) checkResponse("/api/v2/balance/changes", headers.Accept, line);
  const { error } = lines.pop();
  const coverage = { startTimestamp: lines[0].timestamp, endTimestamp: expect.any(String) };
  expect(error).toMatchObject({ code: 14, resume: { startTimestamp: expect.any(String) }, coverage });
  network.nodes[0]?.configure({ down: false });
  await expectRest(network, url + path, lines, error.resume);
});

test.each([true, false])("a stream that is cut off says what is missing, newest first: %s", async (newestFirst) => {
  const network = createNetwork(8000);
  const hanging = intercept(network, (number, { signal }) => number > 3 && once(signal, "abort"));
  const { url, close } = await serve(network, ["--grace", "0s"], hanging.fetch);
  const ordered = `/api/v2/balance/changes?pagination.newestFirst=${newestFirst}`;
  const response = await fetch(url + ordered, { headers });
  const ended = close();
  const lines = await linesOf(response);
  for (const line of lines) checkResponse("/api/v2/balance/changes", headers.Accept, line);
  const { error } = lines.pop();
  expect(error).toMatchObject({ code: 14, message: "The gateway is shutting down." });
  const times = lines.map(({ timestamp }) => timestamp).sort();
  expect(error.coverage[newestFirst ? "startTimestamp" : "endTimestamp"]).toBeDefined();
  expect(BigInt(error.coverage.startTimestamp)).toBeLessThanOrEqual(BigInt(times[0]));
  expect((await ended).code).toBe(0);
  const other = await serve(network);
  await expectRest(network, other.url + ordered, lines, error.resume);
});

test("a stream whose caller goes sends no further requests", async () => {
  const { url, log } = await serve(large);
  const controller = new AbortController();
  const { body } = await fetch(url + path, { headers, signal: controller.signal });
  await body?.getReader().read();
  controller.abort();
  await expect.poll(() => log().filter(({ operation }) => operation === "listBalanceChanges")).toHaveLength(1);
  const count = large.nodes[0]?.requests.length;
  await fetch(`${url}/healthz`);
  expect(large.nodes[0]?.requests.length).toBe(count);
});

test("a stream whose reader stands still reads no further pages", async () => {
  const { url } = await serve(large);
  const socket = open(url, `GET ${path} HTTP/1.1`, "Accept: application/x-ndjson");
  await firstLine(socket);
  const counts: number[] = [];
  const count = () => counts.push(large.nodes[0]?.requests.length ?? 0);
  // What the socket and the scan have room for is read.
  await expect.poll(() => count() > 1 && counts.at(-1) === counts.at(-2), { interval: 200 }).toBe(true);
  expect(counts.at(-1)).toBeLessThan(90);
  socket.destroy();
});

test("one caller has two streams at once: further ones are a 503, and another caller gets one", async () => {
  const { url } = await serve(large, ["--trust-proxy"]);
  const send = (caller: string) =>
    open(url, `GET ${path} HTTP/1.1`, "Accept: application/x-ndjson", `X-Forwarded-For: spoofed, ${caller}`);
  const sockets = Array.from({ length: 8 }, () => send("192.0.2.1"));
  const lines = await Promise.all(sockets.map(firstLine));
  expect(lines.filter((line) => line === "HTTP/1.1 200 OK")).toHaveLength(2);
  expect(lines.filter((line) => line === "HTTP/1.1 503 Service Unavailable")).toHaveLength(6);
  const other = send("192.0.2.2");
  expect(await firstLine(other)).toBe("HTTP/1.1 200 OK");
  // A stream whose caller has gone makes room.
  for (const socket of [...sockets, other]) socket.destroy();
  const again = async () => {
    const socket = send("192.0.2.1");
    const line = await firstLine(socket);
    socket.destroy();
    return line;
  };
  await expect.poll(again).toBe("HTTP/1.1 200 OK");
});
