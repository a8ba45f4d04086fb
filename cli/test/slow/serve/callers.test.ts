import { once } from "node:events";
import { createClient } from "vegaprotocol-client";
import { nodePool } from "vegaprotocol-client/pool";
import { createFakeNetwork, type FakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { expect, onTestFinished, test } from "vitest";
import { collectGarbage } from "../../../../test/support/garbage.js";
import { createGateway } from "../../../src/serve/app.js";
import { createLists } from "../../../src/serve/lists.js";
import { startServer } from "../../../src/serve/server.js";
import { loop, send, serve } from "../../support/gateway.js";
import { intercept } from "../../support/nodes.js";
import { gate } from "../../support/run-cli.js";
import { firstLine, open } from "../../support/sockets.js";

const profiles = "/api/v2/parties/profiles?pagination.first=3";
const createNetwork = (data = {}) =>
  createFakeNetwork({ nodes: 1, votes: 20, profiles: 9, ...data }, { defects: nodeDefects, rateLimit: false });

/** A gateway whose nodes do not respond to requests for some signatures. */
async function serveHeld(network: FakeNetwork) {
  const held: string[] = [];
  const released = gate();
  onTestFinished(released.open);
  const holding = intercept(network, (_, { url }) => {
    if (!url.includes(heldPath)) return undefined;
    held.push(url);
    return released.opened;
  });
  return { ...(await serve(network, ["--trust-proxy"], holding.fetch)), held };
}

const from = (caller: string) => `X-Forwarded-For: ${caller}`;
const pageOf = (url: string) => fetch(url + profiles, { headers: { "X-Forwarded-For": "192.0.2.9" } });
const heldPath = `/api/v2/node/signatures?id=${"ab".repeat(32)}`;

test("one caller with 200 connections has a share of the reads: another caller gets a page meanwhile", async () => {
  const { url, held } = await serveHeld(createNetwork());
  const sockets = Array.from({ length: 200 }, () => open(url, `GET ${heldPath} HTTP/1.1`, from("192.0.2.1")));
  await expect.poll(() => held.length).toBeGreaterThan(0);
  for (let page = 0; page < 20; page++) expect((await pageOf(url)).status).toBe(200);
  expect(held.length).toBeLessThan(12);
  for (const socket of sockets) socket.destroy();
});

test("one caller behind a proxy does not take its connections: 256 requests wait, and others get a 503", async () => {
  const { url } = await serveHeld(createNetwork());
  let refused = 0;
  const sockets = Array.from({ length: 300 }, () => {
    const socket = open(url, `GET ${heldPath} HTTP/1.1`, from("192.0.2.1"));
    const count = (line?: string) => (refused += Number(line === "HTTP/1.1 503 Service Unavailable"));
    firstLine(socket).then(count, () => {});
    return socket;
  });
  await expect.poll(() => refused).toBe(300 - 256);
  // Some proxies add a port.
  const other = open(url, `GET ${profiles} HTTP/1.1`, from("192.0.2.1:54321"));
  expect(await firstLine(other)).toMatch(/ 503 /);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
    /_serve_requests_total\{operation="",status="503"\} 45$/m,
  );
  for (let page = 0; page < 20; page++) expect((await pageOf(url)).status).toBe(200);
  for (const socket of [...sockets, other]) socket.destroy();
});

test("500 requests on one connection are served one after the other, in order", async () => {
  const { url, held } = await serveHeld(createNetwork());
  const socket = open(url, `GET ${heldPath} HTTP/1.1`, from("192.0.2.1"));
  for (let count = 1; count < 500; count++)
    socket.write(`GET ${heldPath} HTTP/1.1\r\nHost: a\r\n${from("192.0.2.1")}\r\n\r\n`);
  await expect.poll(() => held.length).toBe(1);
  for (let page = 0; page < 20; page++) expect((await pageOf(url)).status).toBe(200);
  expect(held.length).toBe(1);
  socket.destroy();

  const other = open(url, "GET /healthz HTTP/1.1");
  other.write(
    "GET /api/v2/assets HTTP/1.1\r\nHost: a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  let text = "";
  for await (const chunk of other) text += chunk;
  expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(["200", "404", "200"]);
});

test("callers who wait for a block hold no read", async () => {
  const network = createNetwork();
  const { url } = await serve(network);
  const ahead = createNetwork({ block: { ...network.block, timestamp: network.block.timestamp + 50_000_000_000n } });
  const { url: other } = await serve(ahead);
  const { endCursor } = (await (await pageOf(other)).json()).profiles.pageInfo;
  const path = `${profiles}&pagination.after=${endCursor}`;
  const sockets = Array.from({ length: 100 }, () => open(url, `GET ${path} HTTP/1.1`));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (let count = 0; count < 3; count++) await fetch(`${url}/healthz`);
  const first = await Promise.race([pageOf(url), ...sockets.map(firstLine)]);
  expect(first).toMatchObject({ status: 200 });
  for (const socket of sockets) socket.destroy();
});

test("callers who page through a list of votes share what is read of it", async () => {
  const network = createNetwork({ votes: 600 });
  const { url } = await serve(network);
  const [node] = network.nodes;
  const sizes = () => node?.requests.splice(0).map(({ url }) => /first=\d+/.exec(url)?.[0]);
  const [closed = "", opened] = network.records.votes.map(({ proposalId }) => proposalId);
  const { body } = await send(`${url}/api/v2/votes?proposalId=${opened}&pagination.first=20`);
  expect(body.votes.edges).toHaveLength(20);
  // Those votes were not written in one block: a page takes one request, for some more of them.
  expect(sizes()).toEqual(["first=70"]);
  const path = `/api/v2/votes?proposalId=${closed}&pagination.first=20&pagination.newestFirst=false`;
  expect((await loop(url, path)).length).toBeGreaterThan(9);
  // The first page, and the last one.
  expect(sizes()).toHaveLength(2);

  const lists = createLists(createClient({ baseUrl: node?.url ?? "", fetch: network.fetch }));
  const read = (arrival: number) => {
    const { signal } = new AbortController();
    const request = { id: "listVotes", query: { proposalId: closed }, arrival, minBlock: 0n } as const;
    return lists.read(request, signal, () => undefined);
  };
  const arrivals = Array.from({ length: 60 }, () => lists.arrive());
  await Promise.all([...arrivals.map(read), ...arrivals.map(read)]);
  expect(sizes()).toHaveLength(1);
  await read(lists.arrive());
  expect(sizes()).toHaveLength(1);
});

test("a read that takes longer than the deadline is a 504, also after a garbage collection", async () => {
  const pool = nodePool(["https://a.example"]);
  const client = createClient({ baseUrl: pool, timeout: 300_000, fetch: () => new Promise(() => {}) });
  const closing = new AbortController();
  const { signal } = closing;
  const options = { now: () => performance.now(), signal, origins: [], trustsProxy: false, log: () => {} };
  const gateway = createGateway({ client, pool, closing: signal, deadline: 500, ...options });
  const server = await startServer(gateway, 0, "127.0.0.1");
  onTestFinished(() => server.close(closing, 0));
  const response = fetch(server.url + profiles);
  const statistics = fetch(`${server.url}/statistics/spam/${"ab".repeat(32)}`);
  const collected = setInterval(() => void collectGarbage(), 50);
  const responses = await Promise.all([response, statistics]);
  clearInterval(collected);
  expect(responses.map(({ status }) => status)).toEqual([504, 504]);
  expect(await responses[0]?.json()).toMatchObject({ code: 4 });
});
