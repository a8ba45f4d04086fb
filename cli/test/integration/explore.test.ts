import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { expect, test } from "vitest";
import { load } from "../../src/explore/page/data.js";
import { governanceAsset } from "../../src/explore/page/format.js";
import { isAsset, verdictOf } from "../../src/explore/page/text.js";
import { withOtherPaths } from "../../src/fake-node.js";
import { changes } from "../support/changes.js";
import { loop, send } from "../support/gateway.js";
import { startNode } from "../support/nodes.js";
import { ended, runCli, startServing, useFolder } from "../support/run-cli.js";
import { firstLine, open } from "../support/sockets.js";

const pathOf = useFolder();

test("the page is one file with its licenses, whose policy allows nothing from elsewhere", async () => {
  const { url } = await startServing(["explore"], createFakeNode().fetch);
  const response = await fetch(url);
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self'; /);
  expect(policy).not.toContain("unsafe");
  const page = await response.text();
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  for (const name of ["preact", "d3-scale"]) expect(page).toMatch(new RegExp(`With ${name}:\\s+[^]{0,80}Copyright`));
});

test("another page cannot reach the server by a name of its own", async () => {
  const { url } = await startServing(["explore"], createFakeNode().fetch);
  for (const [path, host, status] of [
    ["/", "attacker.example", 403],
    ["/api/v2/parties/profiles", "attacker.example:80", 403],
    ["/", "localhost:1", 200],
  ]) {
    const socket = open(url, `GET ${path} HTTP/1.1`, `Host: ${host}`);
    expect(await firstLine(socket)).toContain(` ${status} `);
    socket.destroy();
  }
});

test("the page gets no path of a node and no password of a database, which can be secrets", async () => {
  const node = createFakeNode();
  const failing = async () => Promise.reject(new Error("https://node.example/secret-key failed"));
  const argv = ["explore", "--node", "https://node.example/secret-key", "--retries", "0"];
  const { url } = await startServing(argv, failing);
  for (const path of ["explore/source", "explore/nodes", "api/v2/assets", "api/v2/governance"]) {
    expect(await (await fetch(`${url}/${path}`)).text()).not.toContain("secret-key");
  }
  const { stderr } = await runCli(["explore", "postgres://user:secret@127.0.0.1:1/vega"], { fetch: node.fetch });
  expect(stderr).toContain("Cannot reach");
  expect(stderr).not.toContain("secret");
});

test("the page shows the status of a node that refuses requests", async () => {
  const refusing = async () => Response.json({ code: 7, message: "https://node.example/secret-key" }, { status: 403 });
  const { url } = await startServing(["explore", "--node", "https://node.example", "--retries", "0"], refusing);
  const { nodes } = await (await fetch(`${url}/explore/nodes`)).json();
  expect(nodes).toMatchObject([{ state: "cooling-down", error: "The last request failed with status 403" }]);
});

test("a copy has the pages, in both directions, that its node has", async () => {
  const node = startNode({ votes: 90 });
  const proposal = node.records.votes[0]?.proposalId ?? "";
  const lists = ["balances", "votes", "--proposal", proposal];
  expect(await runCli(["sync", pathOf("vega.db"), ...lists], { fetch: node.fetch })).toMatchObject({ code: 0 });
  const copy = await startServing(["explore", pathOf("vega.db")]);
  const path = "/api/v2/balance/changes?pagination.first=7&pagination.newestFirst=";
  for (const newestFirst of [true, false]) {
    const pages = await loop(copy.url, path + newestFirst);
    const found = pages.flatMap(({ records }) => records.map(({ timestamp }) => timestamp));
    const all = changes.map(({ timestamp }) => timestamp);
    expect(found).toEqual(newestFirst ? all.reverse() : all);
    expect((await send(copy.url + path + newestFirst)).body.complete).toBe(true);
  }
  const { body } = await send(`${copy.url}/api/v2/votes?proposalId=${proposal}&pagination.first=2`);
  expect(body.votes).toMatchObject({ edges: [{}, {}], pageInfo: { hasNextPage: true } });
  const early = await send(`${copy.url}/api/v2/balance/changes?dateRange.startTimestamp=1600000000000000000`);
  expect(early.body).toMatchObject({ code: 11, details: [{ reason: "pruned" }] });
});

test("what a copy does not have is a 404 that says what to synchronize", async () => {
  const node = startNode({ votes: 9 });
  expect(await runCli(["sync", pathOf("vega.db")], { fetch: node.fetch })).toMatchObject({ code: 0 });
  const { url } = await startServing(["explore", pathOf("vega.db")]);
  const error = { message: expect.stringContaining("run vegaprotocol sync") };
  const sent = await send(`${url}/api/v2/votes?proposalId=${node.records.votes[0]?.proposalId}`);
  expect(sent).toMatchObject({ status: 404, body: error });
  expect(await runCli(["explore", pathOf("none.db")])).toMatchObject(ended(2, "there is no"));
});

test("a copy without a node has the symbols and decimals of assets, and counts votes", async () => {
  const node = createFakeNode({ balances: 20, votes: 9 }, { defects: nodeDefects });
  const proposal = node.records.votes[0]?.proposalId ?? "";
  const { fetch: fetchNode } = withOtherPaths(node);
  const lists = ["balances", "votes", "--proposal", proposal];
  expect(await runCli(["sync", pathOf("vega.db"), ...lists], { fetch: fetchNode })).toMatchObject({ code: 0 });
  const { url } = await startServing(["explore", pathOf("vega.db")]);
  const assetsOf = (body: { assets: { edges: { node: { id: string; details: object } }[] } }) =>
    body.assets.edges.map(({ node: { id, details } }) => [id, details]).sort();
  const found = assetsOf((await send(`${url}/api/v2/assets`)).body);
  const expected = assetsOf(await (await fetchNode(new Request("https://node.example/api/v2/assets"))).json());
  expect(found.length).toBe(expected.length);
  expect(expected).toMatchObject(found);
  expect((await fetch(`${url}/api/v2/governance?proposalId=${proposal}`)).status).toBe(501);
  const { tally } = (await send(`${url}/reports/tally?proposal=${proposal}`)).body;
  const missing = "the required majority, the required participation, and the total supply of tokens";
  expect(verdictOf(tally)).toBe(`Whether it passes is unknown without ${missing}.`);
});

test("the page begins a report where the records begin, also after a 503, and again once nodes keep less", async () => {
  const pruned = (availableFrom: string) => Response.json({ code: 11, details: [{ availableFrom }] }, { status: 400 });
  const busy = () => Response.json({ code: 14 }, { status: 503, headers: { "Retry-After": "0.001" } });
  const responses = [busy(), pruned("20"), busy(), pruned("30"), Response.json({ statement: [] })];
  const paths: string[] = [];
  await using server = await listen({
    fetch: async ({ url }) => {
      paths.push(new URL(url).search);
      return responses.shift() ?? pruned("30");
    },
  });
  const read = () => load(`${server.url}/reports/statement?party=ab&from=10`, new AbortController().signal);
  expect(await read()).toMatchObject({ data: { statement: [] }, completeFrom: "30" });
  expect(paths.map((path) => path.split("from=")[1])).toEqual(["10", "10", "20", "20", "30"]);
  // A server that refuses the time that it sent is not requested again.
  expect(await read()).toEqual({ error: "The server responded with status 400.", completeFrom: "30" });
});

test.each([
  [{ symbol: "VEGA", decimals: "18" }, true],
  [{ symbol: "VEGA", decimals: "many" }, false],
  [{ symbol: "VEGA", decimals: "256" }, false],
  [{ symbol: "VEGA" }, false],
  [null, false],
])("the page shows amounts of an asset with the details %j in its units: %s", (details, expected) => {
  expect(isAsset(details)).toBe(expected);
});

test("the page shows votes in VEGA unless assets with that symbol have other decimals", () => {
  const of = (...decimals: string[]) =>
    governanceAsset({ assets: new Map(decimals.map((each, id) => [`${id}`, { symbol: "VEGA", decimals: each }])) });
  expect([of("18"), of("18", "18")].map((asset) => asset?.decimals)).toEqual(["18", "18"]);
  expect([of(), of("18", "5")]).toEqual([undefined, undefined]);
});
