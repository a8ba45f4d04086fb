/**
 * Measures the built package: `npm run bench`, or `npm run bench -- walk` or `-- call`. With `--json` the figures are for machines.
 * Everything is measured side by side, in rounds that take turns; what is printed are medians.
 */

import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Table from "cli-table3";
import createHttp from "openapi-fetch";
import { createClient, paginate, type paths } from "vegaprotocol-client";

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
const benchmarks: Record<string, () => Promise<Report[]>> = { walk, call };
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
