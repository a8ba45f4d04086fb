import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { followBalanceChanges, followVotes } from "../dist/src/follow/index.js";
import { type BalanceChange, createClient, type Vote } from "../dist/src/index.js";
import { createFakeNetwork, nodeDefects } from "../dist/src/testing/index.js";
import { count, type Report, round } from "./measure.js";

const base = 1_700_000_000_000_000_000n;
const second = 1_000_000_000n;
const perBlock = 10;
const baseUrl = "https://node.example";

/** Memory of followers, and what a hand-written loop loses beside one. */
export async function following(): Promise<Report[]> {
  return [
    { title: "Heap of a follower of balance changes, after a forced collection", rows: await heapOfChanges() },
    { title: "Heap of a follower of votes, after a forced collection", rows: await heapOfVotes() },
    {
      title: "Records of 1,000 blocks, polled from three nodes behind one address that lag up to two blocks",
      rows: await lostRecords(),
    },
  ];
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const id = (number: number) => number.toString(16).padStart(64, "0");

const change = (index: number): BalanceChange => ({
  timestamp: `${base + BigInt(Math.floor(index / perBlock)) * second}`,
  assetId: id(index % perBlock),
  partyId: id(1),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
  balance: `${index}`,
});

const pageOf = (envelope: string, nodes: readonly object[], hasNextPage: boolean, begun: bigint, cursor = "") =>
  new Response(
    JSON.stringify({
      [envelope]: { edges: nodes.map((node) => ({ cursor, node })), pageInfo: { hasNextPage, endCursor: cursor } },
    }),
    { headers: { "x-block-height": "1", "x-block-timestamp": `${begun}` } },
  );

/** A node with so many balance changes, which are made as they are requested. */
const changesSource = (length: number) => async (request: Request) => {
  const { searchParams } = new URL(request.url);
  const size = Number(searchParams.get("pagination.first"));
  const start = BigInt(searchParams.get("dateRange.startTimestamp") ?? 0);
  const from = start <= base ? 0 : Math.min(length, Number((start - base + second - 1n) / second) * perBlock);
  const nodes = Array.from({ length: Math.min(size, length - from) }, (_, index) => change(from + index));
  return pageOf("balances", nodes, from + size < length, base + BigInt(length) * second);
};

async function heapOfChanges(): Promise<Report["rows"]> {
  const rows: Report["rows"] = {};
  let least = 0;
  for (const length of [100_000, 1_000_000]) {
    const client = createClient({ baseUrl, fetch: changesSource(length), pacing: false });
    let seen = 0;
    for await (const _ of followBalanceChanges(client, {}, { from: "start" })) {
      if (++seen !== length) continue;
      const used = heap();
      least ||= used;
      rows[`${count(length)} records`] = { MiB: round(used / 2 ** 20), "times the first": round(used / least) };
      break;
    }
  }
  return rows;
}

const vote = (party: number): Vote => ({
  partyId: id(party),
  proposalId: id(1),
  timestamp: `${base}`,
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1000000000000000000",
  totalGovernanceTokenWeight: "0.001",
  totalEquityLikeShareWeight: "0",
  perMarketEquityLikeShareWeight: {},
});

/** A block of 1000 votes for each poll. */
async function heapOfVotes(): Promise<Report["rows"]> {
  const rows: Report["rows"] = {};
  let block = 0;
  const fetch = async () => {
    const begun = base + BigInt(++block) * second;
    const time = new Date(Number((begun - second) / 1_000_000n)).toISOString().replace(".000Z", "Z");
    const votes = Array.from({ length: 1000 }, (_, index) => vote(1000 * block + index));
    return pageOf("votes", votes, false, begun, btoa(JSON.stringify({ party_id: "", vega_time: time })));
  };
  const client = createClient({ baseUrl, fetch, pacing: false });
  const before = heap();
  let seen = 0;
  for await (const _ of followVotes(client, { proposalId: id(1) }, { from: "start", pollInterval: 0 })) {
    seen++;
    if (seen % 50_000 !== 0) continue;
    const used = heap() - before;
    rows[`${count(seen)} votes`] = { MiB: round(used / 2 ** 20), "bytes per vote": Math.round(used / seen) };
    if (seen === 100_000) break;
  }
  return rows;
}

/** Polls while blocks are written. The hand-written loop continues a microsecond after its last record. */
async function lostRecords(): Promise<Report["rows"]> {
  const network = createFakeNetwork({ balances: 10 }, { defects: nodeDefects, rateLimit: false });
  const known = network.records.balances.length;
  for (const [lag, node] of network.nodes.entries()) node.configure({ lag });
  let state = 1;
  const pick = () => {
    // The same requests go to the same nodes in each run.
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return network.nodes[(state >> 16) % 3] ?? network;
  };
  const client = createClient({
    baseUrl,
    pacing: false,
    fetch: (request) => pick().fetch(request),
  });
  const keyOf = ({ timestamp, assetId, partyId, marketId, accountType }: BalanceChange) =>
    [timestamp, assetId, partyId, marketId, accountType].join(" ");
  const found = { "hand-written loop": new Map<string, number>(), follower: new Map<string, number>() };
  const add = (map: Map<string, number>, record: BalanceChange) =>
    map.set(keyOf(record), (map.get(keyOf(record)) ?? 0) + 1);
  let start = network.block.timestamp;
  const poll = async () => {
    const dateRange = { startTimestamp: start };
    for (const record of await client.listBalanceChanges({ dateRange, pagination: { newestFirst: false } }).toArray()) {
      add(found["hand-written loop"], record);
      const next = BigInt(record.timestamp) + 1000n;
      if (next > start) start = next;
    }
  };
  let upTo = start;
  const batches = followBalanceChanges(client, {}, { from: start, pollInterval: 0 }).batches();
  const follow = async () => {
    const { value } = await batches.next();
    for (const record of value?.records ?? []) add(found.follower, record);
    upTo = value?.upTo ?? upTo;
  };
  for (let block = 0; block < 1000; block++) {
    network.addRecords({ balances: 2 });
    await poll();
    network.nextBlock({ balances: 2 });
    await follow();
  }
  for (const node of network.nodes) node.configure({ lag: 0 });
  await poll();
  while (upTo < network.block.timestamp) await follow();
  await batches.return(undefined);
  const written = network.records.balances.slice(known);
  return Object.fromEntries(
    Object.entries(found).map(([name, map]) => {
      const lost = written.filter((record) => !map.has(keyOf(record))).length;
      const repeated = [...map.values()].filter((times) => times > 1).length;
      return [name, { written: written.length, lost, repeated }];
    }),
  );
}
