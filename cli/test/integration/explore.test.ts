import { request } from "node:http";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { expect, test } from "vitest";
import { load } from "../../src/explore/page/data.js";
import { verdictOf } from "../../src/explore/page/text.js";
import { withOtherPaths } from "../../src/fake-node.js";
import { changes, startNode } from "../support/changes.js";
import { useFolder } from "../support/folder.js";
import { runCli, startServing } from "../support/run-cli.js";

const pathOf = useFolder();

/** Sends a request with a header that `fetch` sets itself. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });

test("the page is one file, whose policy allows nothing from elsewhere", async () => {
  const { url } = await startServing(["explore"], createFakeNode().fetch);
  const response = await fetch(url);
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self'; /);
  expect(policy).not.toContain("unsafe");
  expect(await response.text()).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

test("another page cannot reach the server by a name of its own", async () => {
  const { url } = await startServing(["explore"], createFakeNode().fetch);
  expect(await statusFor(url, "attacker.example")).toBe(403);
  expect(await statusFor(`${url}/api/v2/parties/profiles`, "attacker.example:80")).toBe(403);
  expect(await statusFor(url, "localhost:1")).toBe(200);
});

test("the page gets no path of a node and no password of a database, which can be secrets", async () => {
  const node = createFakeNode();
  const failing = async () => Promise.reject(new Error("https://node.example/secret-key failed"));
  const { url } = await startServing(
    ["explore", "--node", "https://node.example/secret-key", "--retries", "0"],
    failing,
  );
  for (const path of ["explore/source", "explore/nodes", "explore/events", "api/v2/assets", "api/v2/governance"]) {
    expect(await (await fetch(`${url}/${path}`)).text()).not.toContain("secret-key");
  }
  const { stderr } = await runCli(["explore", "postgres://user:secret@127.0.0.1:1/vega"], { fetch: node.fetch });
  expect(stderr).toContain("Cannot reach");
  expect(stderr).not.toContain("secret");
});

test("a copy has the pages, in both directions, that its node has", async () => {
  const node = startNode({ votes: 90 });
  const proposal = node.records.votes[0]?.proposalId ?? "";
  const lists = ["balances", "votes", "--proposal", proposal];
  expect(await runCli(["sync", pathOf("vega.db"), ...lists], { fetch: node.fetch })).toMatchObject({ code: 0 });
  const copy = await startServing(["explore", pathOf("vega.db")]);
  const path = "/api/v2/balance/changes?pagination.first=7&pagination.newestFirst=";
  for (const newestFirst of [true, false]) {
    const found: string[] = [];
    for (let after = ""; ; ) {
      const response = await fetch(`${copy.url}${path}${newestFirst}${after}`);
      const { balances, complete } = await response.json();
      expect(complete).toBe(true);
      for (const edge of balances.edges) found.push(edge.node.timestamp);
      if (!balances.pageInfo.hasNextPage) break;
      after = `&pagination.after=${balances.pageInfo.endCursor}`;
    }
    const all = changes.map(({ timestamp }) => timestamp);
    expect(found).toEqual(newestFirst ? all.reverse() : all);
  }
  const { votes } = await (await fetch(`${copy.url}/api/v2/votes?proposalId=${proposal}&pagination.first=2`)).json();
  expect(votes).toMatchObject({ edges: [{}, {}], pageInfo: { hasNextPage: true } });
  const early = `${copy.url}/api/v2/balance/changes?dateRange.startTimestamp=1600000000000000000`;
  expect(await (await fetch(early)).json()).toMatchObject({ code: 11, details: [{ reason: "pruned" }] });
});

test("what a copy does not have is a 404 that says what to synchronize", async () => {
  const node = startNode({ votes: 9 });
  expect(await runCli(["sync", pathOf("vega.db")], { fetch: node.fetch })).toMatchObject({ code: 0 });
  const { url } = await startServing(["explore", pathOf("vega.db")]);
  const response = await fetch(`${url}/api/v2/votes?proposalId=${node.records.votes[0]?.proposalId}`);
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { message: expect.stringContaining("run vegaprotocol sync") },
  ]);
  const { code, stderr } = await runCli(["explore", pathOf("none.db")]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("there is no")]);
});

test("a copy without a node has the symbols and decimals of assets, and counts votes", async () => {
  const node = createFakeNode({ balances: 20, votes: 9 }, { defects: nodeDefects });
  const proposal = node.records.votes[0]?.proposalId ?? "";
  const { fetch: send } = withOtherPaths(node);
  const lists = ["balances", "votes", "--proposal", proposal];
  expect(await runCli(["sync", pathOf("vega.db"), ...lists], { fetch: send })).toMatchObject({ code: 0 });
  const { url } = await startServing(["explore", pathOf("vega.db")]);
  const assetsOf = async (response: Response) => {
    const { assets } = (await response.json()) as { assets: { edges: { node: { id: string; details: object } }[] } };
    return assets.edges.map(({ node }) => [node.id, node.details]).sort();
  };
  const found = await assetsOf(await fetch(`${url}/api/v2/assets`));
  const expected = await assetsOf(await send(new Request("https://node.example/api/v2/assets")));
  expect(found.length).toBe(expected.length);
  expect(expected).toMatchObject(found);
  expect((await fetch(`${url}/api/v2/governance?proposalId=${proposal}`)).status).toBe(501);
  const { tally } = await (await fetch(`${url}/reports/tally?proposal=${proposal}`)).json();
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
