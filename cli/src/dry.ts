/** `--dry`: estimates the records, requests and time of a command. */
import type { VegaClient } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import { argumentFlags } from "./arguments.js";
import { outputFlag } from "./flags.js";
import { count } from "./io.js";
import { isScannable, largestPage, listOperation } from "./operations.js";
import type { WireRecord } from "./output/columns.js";
import { openList, type Reading, scanPageSize } from "./records.js";
import { describeDuration, formatTime } from "./times.js";

const text =
  "Only estimate the records, the requests and the time. Each list is estimated from two pages " +
  "at most, and nothing is written.";

export const dryFlag = () => outputFlag("--dry", text);

type PlannedReading = Pick<Reading, "id" | "query"> & Partial<Reading>;

const sampleSize = largestPage - 100;

/** The estimate of a list before it is read. Times are Unix nanoseconds. */
interface Estimate {
  readonly records: number;
  readonly accuracy: "" | "about " | "more than ";
  readonly first?: bigint | undefined;
  readonly last?: bigint | undefined;
}

const timeOf = ({ timestamp }: WireRecord) => BigInt(String(timestamp));
const spanOf = (times: readonly bigint[]) => Number((times.at(-1) ?? 0n) - (times[0] ?? 0n));

async function estimateList(client: VegaClient, { id, query, start }: PlannedReading, signal: AbortSignal) {
  const { nodes, pageInfo } = await openList(client, id, { ...query, pagination: { first: sampleSize } }, { signal });
  const wanted = start === undefined ? nodes : nodes.filter((record) => timeOf(record) >= start);
  const isWhole = wanted.length < nodes.length || !pageInfo?.hasNextPage;
  return { records: wanted.length, accuracy: isWhole ? "" : "more than " } satisfies Estimate;
}

async function estimateChanges(client: VegaClient, reading: PlannedReading, signal: AbortSignal): Promise<Estimate> {
  const { query, start: startTimestamp, end: endTimestamp, catchUp } = reading;
  const read = async (order: "newest-first" | "oldest-first") => {
    const size = { maxItems: sampleSize, pageSize: largestPage, concurrency: 1 };
    const options = { ...size, order, catchUp, missingHistory: "ignore", signal } as const;
    const scan = client.scanBalanceChanges({ ...query, dateRange: { startTimestamp, endTimestamp } }, options);
    const times = (await scan.toArray()).map(({ timestamp }) => BigInt(timestamp));
    return order === "oldest-first" ? times : times.reverse();
  };
  const newest = await read("newest-first");
  const last = newest.at(-1);
  if (newest.length < sampleSize) return { records: newest.length, accuracy: "", first: newest[0], last };
  const oldest = await read("oldest-first");
  // A sample of a single block has no density.
  const spans = [newest, oldest].map(spanOf).filter((span) => span > 0);
  const first = oldest[0];
  if (spans.length === 0) return { records: sampleSize, accuracy: "more than ", first, last };
  const density = spans.reduce((sum, span) => sum + sampleSize / span, 0) / spans.length;
  const records = Math.max(sampleSize, Math.round(density * spanOf([first ?? 0n, last ?? 0n])));
  return { records, accuracy: "about ", first, last };
}

/** How many requests it takes to read records, and how many milliseconds at the rate and the latency of the nodes. */
function costOf(records: number, { id, pageSize, concurrency = 4 }: PlannedReading, status: NodePool["status"]) {
  const size = pageSize ?? (isScannable(id) ? scanPageSize : listOperation(id).defaultPageSize);
  const requests = Math.max(1, Math.ceil(records / Math.min(size, largestPage)));
  const rate = status.reduce((sum, { rateLimit }) => sum + (rateLimit?.limit ?? 0), 0);
  const latency = Math.max(0, ...status.map((node) => node.latency ?? 0));
  const atOnce = isScannable(id) ? concurrency * status.length : 1;
  return { requests, duration: requests * Math.max(rate > 0 ? 1000 / rate : 0, latency / atOnce) };
}

export function nameOf({ id, query }: PlannedReading): string {
  const flags = argumentFlags(id).flatMap(({ name, path }) => {
    const value = path.reduce<unknown>((group, member) => (group as typeof query | undefined)?.[member], query);
    return value === undefined ? [] : [value].flat().map((each) => ` --${name} ${each}`);
  });
  return listOperation(id).envelope + flags.join("");
}

/** @param place - Where the reading begins, in words, if an earlier one has decided that. */
export async function describeReading(
  { client, pool }: { client: VegaClient; pool: Pick<NodePool, "status"> },
  reading: PlannedReading,
  signal: AbortSignal,
  place?: string,
): Promise<string> {
  const read = isScannable(reading.id) ? estimateChanges : estimateList;
  const found: Estimate = await read(client, reading, signal);
  const { limit = Number.POSITIVE_INFINITY } = reading;
  const records = Math.min(found.records, limit);
  const { requests, duration } = costOf(records, reading, pool.status);
  const [from, to] = [reading.start ?? found.first, reading.end ?? found.last];
  const start = from === undefined ? "" : ` from ${formatTime(from)}${place ? ` (${place})` : ""}`;
  const end = to === undefined ? "" : ` to ${formatTime(to)}`;
  const accuracy = records === limit ? "" : found.accuracy;
  const cost = `${count(requests, "request")} in ${describeDuration(duration)}`;
  // A reading takes a few more requests to prove its start.
  return `${nameOf(reading)}${start}${end}: ${accuracy}${count(records, "record")}, ${accuracy || "about "}${cost}\n`;
}
