/**
 * Measures the built package: `npm run bench`, or one part of it, as in `npm run bench -- walk`: walk, call, scan or validate. With
 * `--json` the figures are for machines.
 * Everything is measured side by side, in rounds that take turns; what is printed are medians.
 */

import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Table from "cli-table3";
import createHttp from "openapi-fetch";
import { createClient, paginate, type paths } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";
import { type CheckedAnswer, validateAnswers } from "vegaprotocol-client/validate";

/** A table: what was measured, and its figures by name. */
interface Report {
  title: string;
  rows: Record<string, Record<string, number>>;
}

const records = 3_000_000;
const pageSize = 1000;
const rounds = 9;

/** Pages of ready-made records, so that what is measured is the walk and nothing else. */
function memorySource(length: number) {
  const edges = Array.from({ length: pageSize }, (_, index) => ({ cursor: `c${index}`, node: { id: index } }));
  return async ({ after }: { after?: string | undefined }) => {
    const page = after === undefined ? 0 : Number(after) + 1;
    const hasNextPage = (page + 1) * pageSize < length;
    return { edges, pageInfo: { startCursor: "", endCursor: String(page), hasNextPage, hasPreviousPage: page > 0 } };
  };
}

async function walk(): Promise<Report[]> {
  const fetchPage = memorySource(records);
  const listing = () => paginate(fetchPage, { first: pageSize });
  let sum = 0;
  const ways: Record<string, () => Promise<void>> = {
    "hand-written loop": async () => {
      let after: string | undefined;
      for (;;) {
        const { edges, pageInfo } = await fetchPage({ after });
        for (const { node } of edges) sum += node.id;
        if (!pageInfo.hasNextPage) return;
        after = pageInfo.endCursor;
      }
    },
    "async generator": async () => {
      async function* generate() {
        let after: string | undefined;
        for (;;) {
          const { edges, pageInfo } = await fetchPage({ after });
          for (const { node } of edges) yield node;
          if (!pageInfo.hasNextPage) return;
          after = pageInfo.endCursor;
        }
      }
      for await (const { id } of generate()) sum += id;
    },
    "for await of listing": async () => {
      for await (const { id } of listing()) sum += id;
    },
    "for await of listing.edges()": async () => {
      for await (const { node } of listing().edges()) sum += node.id;
    },
    "for await of listing.pages()": async () => {
      for await (const { nodes } of listing().pages()) for (const { id } of nodes) sum += id;
    },
    "listing.toArray()": async () => {
      sum += (await listing().toArray()).length;
    },
  };
  const rows: Report["rows"] = {};
  const { cpu: samples } = await measure(ways);
  for (const [name, all] of Object.entries(samples)) {
    const nanoseconds = median(all) / records;
    rows[name] = {
      "ns per item": round(nanoseconds),
      "items per second": Math.round(1e9 / nanoseconds),
      "times the loop": round(median(all.map((time, index) => time / (samples["hand-written loop"]?.[index] ?? time)))),
      "spread in %": Math.round(((Math.max(...all) - Math.min(...all)) / median(all)) * 100),
    };
  }
  if (sum === 0) throw new Error("Nothing was walked over.");
  return [
    {
      title: `CPU of a walk over ${count(records)} records in memory, pages of ${count(pageSize)}, ${rounds} rounds`,
      rows,
    },
    { title: "Heap in use at the end of a walk, after a forced collection", rows: await heapOfWalks() },
  ];
}

/** CPU and wall time of each way in nanoseconds, round by round. */
async function measure(ways: Record<string, () => Promise<void>>) {
  const cpu: Record<string, number[]> = {};
  const wall: Record<string, number[]> = {};
  // The first round is not counted: the engine has yet to compile what is hot.
  for (let number = 0; number <= rounds; number++) {
    for (const [name, way] of Object.entries(ways)) {
      const start = process.cpuUsage();
      const started = performance.now();
      await way();
      const { user, system } = process.cpuUsage(start);
      if (number === 0) continue;
      cpu[name] = [...(cpu[name] ?? []), (user + system) * 1000];
      wall[name] = [...(wall[name] ?? []), (performance.now() - started) * 1e6];
    }
  }
  return { cpu, wall };
}

async function call(): Promise<Report[]> {
  const server = fork(new URL("bench-server.js", import.meta.url));
  const port = await new Promise<number>((resolve) => server.once("message", (message) => resolve(Number(message))));
  const baseUrl = `http://127.0.0.1:${port}`;
  const overHttp = await calls(2000, baseUrl, globalThis.fetch);
  server.disconnect();
  const text = '{"chainId":"chain","statistics":null}';
  const headers = { "content-type": "application/json", "x-block-height": "1", "x-block-timestamp": "1" };
  const overStub = await calls(20_000, "https://node.example", async () => new Response(text, { headers }));
  return [
    { title: `A call over HTTP on this machine, one after the other, 2,000 a round, ${rounds} rounds`, rows: overHttp },
    { title: `A call on a fetch that answers from memory, 20,000 a round, ${rounds} rounds`, rows: overStub },
  ];
}

/** One call after the other, by the client and by what a user would otherwise write. */
async function calls(count: number, baseUrl: string, fetch: (input: Request | string) => Promise<Response>) {
  const partyId = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";
  const client = createClient({ baseUrl, fetch });
  const bare = createHttp<paths>({ baseUrl, fetch });
  const ways: Record<string, () => Promise<unknown>> = {
    fetch: async () => (await fetch(`${baseUrl}/statistics/spam/${partyId}`)).json(),
    "openapi-fetch": () => bare.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } }),
    "vegaprotocol-client": () => client.getSpamStatistics({ partyId }),
  };
  const repeated = Object.entries(ways).map(([name, way]) => [
    name,
    async () => {
      for (let call = 0; call < count; call++) await way();
    },
  ]);
  const { cpu, wall } = await measure(Object.fromEntries(repeated));
  const times = (all: number[] = [], base: number[] = []) =>
    round(median(all.map((time, index) => time / (base[index] ?? time))));
  return Object.fromEntries(
    Object.keys(ways).map((name) => [
      name,
      {
        "CPU, µs": round(median(cpu[name] ?? []) / count / 1000),
        "wall, µs": round(median(wall[name] ?? []) / count / 1000),
        "CPU, times fetch": times(cpu[name], cpu["fetch"]),
        "CPU, times openapi-fetch": times(cpu[name], cpu["openapi-fetch"]),
        "wall, times fetch": times(wall[name], wall["fetch"]),
      },
    ]),
  );
}

/** A scan of a node that takes its time, with one request at once and with four. */
async function scan(): Promise<Report[]> {
  const [pages, latency] = [200, 20];
  const changes = pages * pageSize;
  // One change in each millisecond, so that a range is a slice.
  const edge = (time: number) => `{"cursor":"${time}","node":{"timestamp":"${time}000000","balance":"1"}}`;
  const edges = Array.from({ length: changes }, (_, time) => edge(time));
  const fetch = async ({ url }: Request) => {
    await new Promise((resolve) => setTimeout(resolve, latency));
    const query = new URL(url).searchParams;
    const at = (name: string, otherwise: number) => {
      const time = query.get(`dateRange.${name}`);
      return time === null ? otherwise : Math.min(changes, Math.max(0, Math.ceil(Number(time) / 1e6)));
    };
    const [start, end] = [at("startTimestamp", 0), at("endTimestamp", changes)];
    const size = Number(query.get("pagination.first"));
    const isNewestFirst = query.get("pagination.newestFirst") === "true";
    const page = isNewestFirst
      ? edges.slice(Math.max(start, end - size), end)
      : edges.slice(start, Math.min(end, start + size));
    const pageInfo = `{"startCursor":"","endCursor":"","hasNextPage":${end - start > size},"hasPreviousPage":false}`;
    return new Response(`{"balances":{"edges":[${page.join()}],"pageInfo":${pageInfo}}}`);
  };
  const client = createClient({ baseUrl: "https://node.example", fetch });
  let requests = 0;
  const observe = ({ type }: { type: string }) => {
    if (type === "attempt") requests++;
  };
  const counting = createClient({ baseUrl: "https://node.example", fetch, observe });
  const rows: Report["rows"] = {};
  const samples: Record<number, number[]> = { 1: [], 4: [] };
  const dateRange = { startTimestamp: 0n, endTimestamp: BigInt(changes) * 1_000_000n };
  for (let number = 0; number < 3; number++) {
    for (const concurrency of [1, 4]) {
      const start = performance.now();
      let seen = 0;
      for await (const _ of client.scanBalanceChanges({ dateRange }, { pageSize, concurrency })) seen++;
      if (seen !== changes) throw new Error(`The scan found ${seen} of ${changes}.`);
      samples[concurrency]?.push(performance.now() - start);
    }
  }
  for (const concurrency of [1, 4]) {
    requests = 0;
    await counting.scanBalanceChanges({ dateRange }, { pageSize, concurrency }).toArray();
    rows[`${concurrency} at once`] = {
      ms: Math.round(median(samples[concurrency] ?? [])),
      "times as fast": round(
        median((samples[1] ?? []).map((time, index) => time / (samples[concurrency]?.[index] ?? time))),
      ),
      requests,
    };
  }
  return [
    {
      title: `A scan of ${count(changes)} changes, pages of ${count(pageSize)}, latency ${latency} ms, 3 rounds`,
      rows,
    },
  ];
}

/** The check of answers beside `JSON.parse` of them, for pages of five thousand records. */
async function validate(): Promise<Report[]> {
  const node = createFakeNode(
    { votes: 15_000, profiles: 5000, balances: 5000, signatures: 15_000 },
    { rateLimit: false },
  );
  const [vote] = node.records.votes;
  const [signature] = node.records.signatures;
  const paths = {
    listVotes: `/api/v2/votes?proposalId=${vote?.proposalId}&pagination.first=5000`,
    listPartiesProfiles: "/api/v2/parties/profiles?pagination.first=5000",
    listBalanceChanges: "/api/v2/balance/changes?pagination.first=5000",
    listNodeSignatures: `/api/v2/node/signatures?id=${signature?.id}&pagination.first=5000`,
  } as const;
  const check = validateAnswers({ onMismatch: "throw" });
  const rows: Report["rows"] = {};
  for (const [operation, path] of Object.entries(paths)) {
    const response = await node.fetch(`https://node.example${path}`);
    const text = await response.text();
    const body: unknown = JSON.parse(text);
    const answer = { operation, calledBy: operation, body, response, attempts: 1 } as CheckedAnswer;
    const repeat = (task: () => void) => async () => {
      for (let times = 0; times < 10; times++) task();
    };
    const { cpu } = await measure({ parse: repeat(() => JSON.parse(text)), check: repeat(() => check(answer)) });
    const [parse = [], checked = []] = [cpu["parse"], cpu["check"]];
    rows[operation] = {
      "JSON.parse, ms": round(median(parse) / 1e7),
      "check, ms": round(median(checked) / 1e7),
      "check, % of parse": round(median(checked.map((time, index) => (100 * time) / (parse[index] ?? time)))),
    };
  }
  return [{ title: `CPU of the check of an answer with 5,000 records, ${rounds} rounds`, rows }];
}

async function heapOfWalks(): Promise<Report["rows"]> {
  const rows: Report["rows"] = {};
  let least = 0;
  for (const length of [100_000, 1_000_000, 3_000_000]) {
    let seen = 0;
    for await (const _ of paginate(memorySource(length), { first: pageSize })) {
      if (++seen !== length) continue;
      collectGarbage();
      const heap = process.memoryUsage().heapUsed;
      least ||= heap;
      rows[`${count(length)} records`] = { MiB: round(heap / 2 ** 20), "times the first": round(heap / least) };
    }
  }
  return rows;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const round = (value: number) => Number(value.toPrecision(3));

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const count = (number: number) => number.toLocaleString("en");

function print({ title, rows }: Report): void {
  const figures = [...new Set(Object.values(rows).flatMap(Object.keys))];
  const table = new Table({ head: ["", ...figures], style: { head: [], border: [], compact: true } });
  for (const [name, row] of Object.entries(rows)) {
    table.push([name, ...figures.map((figure) => ({ hAlign: "right" as const, content: count(row[figure] ?? 0) }))]);
  }
  console.log(`\n${title}\n${table}`);
}

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const benchmarks: Record<string, () => Promise<Report[]>> = { walk, call, scan, validate };
const unknown = positionals.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(1);
}
const reports: Report[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length === 0 || positionals.includes(name)) reports.push(...(await run()));
}
const conditions = `Node.js ${process.version}, ${process.platform} ${process.arch}`;
if (values.json) console.log(JSON.stringify({ conditions, reports }, undefined, 2));
else {
  console.log(conditions);
  reports.forEach(print);
}
