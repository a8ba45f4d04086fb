import { readdir, readFile } from "node:fs/promises";
import { Registry } from "prom-client";
import type { ObserverEvent } from "vegaprotocol-client";
import { createFakeNetwork, createFakeNode } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { createNodeMetrics } from "../../src/metrics.js";
import { readMetrics } from "../support/metrics.js";
import { ended, readLines, runCli, runUntil, useFolder } from "../support/run-cli.js";

const three = ["https://node-1.example", "https://node-2.example", "https://node-3.example"];
const flags = three.flatMap((url) => ["--node", url]);

const path = useFolder();

/** Runs a command for the nodes of a network. */
const run = (argv: readonly string[], network: { fetch: (request: Request) => Promise<Response> }) =>
  runCli([...argv, ...flags], { fetch: network.fetch });

test("the command nodes reads from each node and prints its block, lag, rate limit and history", async () => {
  const network = createFakeNetwork({ nodes: [{ lag: 600 }, {}, {}], balances: 300 });
  const { code, stdout } = await run(["nodes", "--format", "ndjson", "--raw"], network);
  expect(code).toBe(0);
  // One more shows that the first one has no records.
  expect(network.nodes.map(({ requests }) => requests.length)).toEqual([4, 3, 3]);
  const [oldest] = network.records.balances.map(({ timestamp }) => timestamp).sort();
  const rows = readLines(stdout);
  expect(rows).toEqual(
    network.nodes.map(({ url, block: { height, timestamp } }, index) => ({
      ...{ url, height: `${height}`, blockTime: `${timestamp}`, rateLimit: 20 },
      ...{ blockAge: expect.any(Number), latency: expect.any(Number) },
      // The first one has no record yet.
      ...(index === 0
        ? { state: "lagging", lag: expect.any(Number) }
        : { state: "ready", lag: 0, historyStart: oldest }),
    })),
  );
  expect(rows[0].lag).toBeGreaterThan(10_000);
});

test("the command nodes shows what matters on a terminal of 80 columns, with units, and errors below", async () => {
  const network = createFakeNetwork({ nodes: [{ lag: 600 }, {}, { down: true }], balances: 30 });
  const options = { fetch: network.fetch, env: { NO_COLOR: "1" }, terminal: 80 };
  const { stdout, stderr } = await runCli(["nodes", ...flags], options);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^url +state +historyStart +blockAge +lag\b/);
  expect(lines[1]).toMatch(/^https:\/\/node-1\.example +\w+ +(2024-\S+Z)? +\d+d +1[01]m\b/);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  const hidden = /^The terminal is too narrow for .*version, height, blockTime, error: choose with --columns\.$/m;
  expect(stderr).toMatch(hidden);
  expect(stderr).toMatch(/^https:\/\/node-3\.example: Received no response/m);
});

const documents = ["json", "html"];
test.each(documents)("the command nodes refuses --watch with --format %s, which is one document", async (format) => {
  const { fetch } = createFakeNode();
  const message = `--watch prints the nodes again and again: use another --format than ${format}, such as ndjson.`;
  const command = ["nodes", ...flags.slice(0, 2), "--watch", "1s", "--format", format];
  expect(await runCli(command, { fetch })).toMatchObject(ended(2, message));
});

test("the command nodes has units on a page", async () => {
  const network = createFakeNetwork({ nodes: [{ lag: 600 }, {}, {}] });
  const { stdout } = await run(["nodes", "--format", "html"], network);
  expect(stdout).toMatch(/"lag":"1[01]m","latency":"\d+ ms","rateLimit":"20\/s"/);
});

test("the command nodes prints the age of a new block in seconds", async () => {
  const block = { height: 5n, timestamp: BigInt(Date.now()) * 1_000_000n };
  const { fetch } = createFakeNode({ balances: [], block });
  const command = ["nodes", ...flags.slice(0, 2), "--columns", "blockAge", "--format", "table"];
  const { stdout } = await runCli(command, { fetch });
  expect(stdout).toMatch(/^blockAge\n +\ds\n$/);
});

test("the command nodes prints from when on each node keeps balance changes, its version and gauges, again with --watch", async () => {
  const { records, fetch: whole } = createFakeNode({ balances: 300 }, { rateLimit: false });
  const times = records.balances.map(({ timestamp }) => timestamp).sort();
  const history = BigInt(times[150] ?? "0");
  const late = createFakeNode({ balances: 300 }, { history, version: "v0.79", rateLimit: false });
  const fetch = async (request: Request) => {
    const { pathname, host } = new URL(request.url);
    if (host === "node-2.example") return late.fetch(request);
    return pathname === "/api/v2/info" ? Response.json({ version: "v0.74.10" }) : whole(request);
  };
  const command = ["nodes", ...flags.slice(0, 4)];
  const columns = ["--columns", "historyStart,version", "--raw", "--format", "csv"];
  const { stdout } = await runCli([...command, ...columns], { fetch });
  expect(stdout).toBe(`historyStart,version\r\n${times[0]},v0.74.10\r\n${times[150]},\r\n`);
  const isEnough = ({ stdout }: { stdout: string }) => stdout.split("history_start_timestamp_seconds{").length > 4;
  const watch = [...command, "--watch", "1ms", "--format", "prometheus"];
  const { code, stdout: printed } = await runUntil(isEnough, watch, { fetch });
  expect(code).toBe(130);
  const metrics = readMetrics(printed.slice(0, printed.lastIndexOf("# HELP vegaprotocol_node_ready")));
  expect(metrics("node_ready")).toMatchObject([{ value: "1" }, { value: "1" }]);
  const start = Number(BigInt(times[150] ?? 0) / 1_000_000n) / 1000;
  expect(printed).toContain(`vegaprotocol_node_history_start_timestamp_seconds{node="node-2.example"} ${start}\n`);
});

test("the command nodes prints one header with --watch in a pipe, and one each time on a terminal", async () => {
  const network = createFakeNetwork({ balances: 30 });
  const headers = async (terminal?: number) => {
    const format = ["--format", "csv", "--columns", "url,state", "--watch", "1ms"];
    const options = { fetch: network.fetch, ...(terminal !== undefined && { terminal }) };
    const { stdout } = await runUntil(({ outputs }) => outputs === 3, ["nodes", ...flags, ...format], options);
    return stdout.split("url,state").length - 1;
  };
  expect([await headers(), await headers(80)]).toEqual([1, 2]);
});

test("the command nodes exits with 1 if no node responds, and sends each of them one request", async () => {
  const down = { down: true };
  const network = createFakeNetwork({ nodes: [down, down, down] });
  const { code, stdout } = await run(["nodes", "--columns", "url,state", "--format", "csv"], network);
  const rows = three.map((url) => `${url},cooling-down\r\n`);
  expect([code, stdout]).toEqual([1, `url,state\r\n${rows.join("")}`]);
  expect(network.nodes.map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
});

test("metrics count waits for a rate limit in seconds, by the host of the node", async () => {
  const registry = new Registry();
  const wait = {
    type: "pause",
    operation: "listVotes",
    node: "https://a.example/key",
    attempt: 1,
    time: 0,
    delay: 1500,
  };
  createNodeMetrics(registry)(wait as ObserverEvent);
  const waits = readMetrics(await registry.metrics())("node_wait_seconds_total");
  expect(waits).toEqual([{ labels: { node: "a.example", operation: "listVotes" }, value: "1.5" }]);
});

test("gauges tell nodes at several paths of one host apart, without their paths", async () => {
  const [first, second] = createFakeNetwork({ nodes: [{}, { lag: 600 }], balances: 300 }).nodes;
  const fetch = async (request: Request) => {
    const node = request.url.includes("/key-1/") ? first : second;
    return node?.fetch(new Request(request.url.replace(/\/key-\d/, ""), request)) ?? Response.error();
  };
  const urls = ["https://a.example/key-1", "https://a.example/key-2"];
  const names = ["a.example", "a.example (2)"];
  const command = ["nodes", "--format", "prometheus", ...urls.flatMap((url) => ["--node", url])];
  const ready = readMetrics((await runCli(command, { fetch })).stdout)("node_ready");
  expect(ready.map(({ labels, value }) => `${labels?.["node"]}: ${value}`)).toEqual([
    `${names[0]}: 1`,
    `${names[1]}: 0`,
  ]);
  const range = ["--from", "2024-02-09T16:50", "--to", "2024-02-09T16:51"];
  const audit = await runCli(["audit", ...urls, ...range, "--format", "prometheus"], { fetch });
  expect(readMetrics(audit.stdout)("audit_parts").map(({ labels }) => labels?.["node"])).toEqual(names);
});

test("audit has one part for the days before all histories", async () => {
  const { fetch } = createFakeNetwork({ nodes: 3, balances: 30 });
  const argv = ["audit", ...three, "--from", "2023-01-02", "--format", "csv", "--columns", "part,state"];
  const { code, stdout } = await runCli(argv, { fetch });
  const rows = stdout.trim().split("\r\n").slice(1);
  expect([code, [...new Set(rows)]]).toEqual([3, ["2023-01-02/2024-02-08,later", "2024-02-09,later"]]);
});

test("audit prints a table whose columns stay where they are when later lists have longer names", async () => {
  const { fetch, nodes } = createFakeNetwork({ nodes: 2, balances: 30, signatures: 4 });
  const id = nodes[0]?.records.signatures[0]?.id ?? "";
  const { stdout } = await runCli(["audit", ...three.slice(0, 2), "--id", id, "--format", "table"], { fetch });
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(5);
  expect(new Set(lines.map((line) => line.search(/(?:[\da-f]{64}|digest)$/))).size).toBe(1);
});

test("audit does not exit with 0 if its reader is gone before all is compared", async () => {
  const { fetch } = createFakeNetwork({ nodes: 3, balances: 30 });
  const onOutput = () => Object.assign(new Error("EPIPE"), { code: "EPIPE" });
  const range = ["--from", "2024-02-08", "--to", "2024-02-10"];
  const audit = (argv: readonly string[]) => runCli(["audit", ...three, ...argv], { fetch, onOutput });
  for (const argv of [[], range]) expect(await audit(argv)).toMatchObject({ code: 3, stderr: "" });
});

test("a command works with several nodes of which one is down and one is far behind, and --verbose prints the failover", async () => {
  const network = createFakeNetwork({ nodes: [{ down: true }, { lag: 600 }, {}], balances: 900 });
  const listed = await run(["balances", "--verbose"], network);
  expect([listed.code, listed.stdout.trim().split("\n").length]).toEqual([0, network.records.balances.length]);
  const spam = ["spam", "--party", "ab".repeat(32), "--verbose"];
  const outputs = await Promise.all(Array.from({ length: 8 }, () => run(spam, network)));
  const all = [listed, ...outputs].map(({ stderr }) => stderr).join("");
  const url = "https://node-\\d\\.example";
  expect(all).toMatch(new RegExp(`attempt \\d on ${url}: .* from ${url} to ${url}: `));
});

test.each([
  ["nodes", "url,state", /^url,state\r\nhttps:\/\/node-1\.example,ready\r\n/, ": 3 records."],
  ["audit", "part,url,state", /^part,url,state\r\n2024-02-09,https:\/\/node-1\.example,equal\r\n/, ": 1 part."],
])("the command %s writes a file once it is complete", async (command, columns, content, summary) => {
  const { fetch } = createFakeNetwork({ nodes: 3, balances: 30 });
  const [argv, file] = [command === "audit" ? ["audit", ...three] : ["nodes", ...flags], path("x.csv")];
  const written = await runCli([...argv, "--columns", columns, "-o", file], { fetch });
  expect(written).toEqual({ code: 0, stdout: "", stderr: `${file}${summary}\n` });
  expect(await readFile(file, "utf8")).toMatch(content);
  expect(await runCli([...argv, "-o", file], { fetch })).toMatchObject(ended(2, "Use --force to replace it"));
  const gauges = [...argv, "--format", "prometheus", "-o", path("x.prom")];
  expect(await runCli(gauges, { fetch })).toMatchObject({ code: 0, stdout: "" });
  expect(await readFile(path("x.prom"), "utf8")).toMatch(/^# HELP vegaprotocol_/);
  expect((await readdir(path("."))).sort()).toEqual(["x.csv", "x.prom"]);
});
