/** Metrics in the text format of Prometheus. Names and units follow its conventions. */
import type { ObserverEvent } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import type { AuditedPart } from "./audit.js";
import { canonicalJson } from "./sync/destination.js";
import type { SyncStep } from "./sync/sync.js";

type Labels = Readonly<Record<string, string | number | undefined>>;

/** The bounds of the durations that are counted, in seconds. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

function sample(name: string, labels: Labels, value: number): string {
  const known = Object.entries(labels).filter(([, each]) => each !== undefined);
  const text = known.map(([label, each]) => `${label}="${escaped(String(each))}"`).join(",");
  return text === "" ? `${name} ${value}` : `${name}{${text}} ${value}`;
}

const head = (name: string, type: string, help: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

/** The response of a server to `/metrics`. */
export const exposition = (lines: readonly string[]): Response =>
  new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" } });

/** Values that only rise, one for each set of labels. */
function createCounter(name: string, help: string) {
  const values = new Map<string, number>();
  return {
    add(labels: Labels, amount = 1): void {
      const key = JSON.stringify(labels);
      values.set(key, (values.get(key) ?? 0) + amount);
    },
    lines: () => [
      ...head(name, "counter", help),
      ...[...values].map(([key, value]) => sample(name, JSON.parse(key), value)),
    ],
  };
}

/** Durations in seconds. */
function createHistogram(name: string, help: string) {
  const series = new Map<string, { counts: number[]; sum: number; count: number }>();
  return {
    add(labels: Labels, seconds: number): void {
      const key = JSON.stringify(labels);
      const own = series.get(key) ?? { counts: bounds.map(() => 0), sum: 0, count: 0 };
      series.set(key, own);
      for (const [index, bound] of bounds.entries())
        if (seconds <= bound) own.counts[index] = (own.counts[index] ?? 0) + 1;
      own.sum += seconds;
      own.count++;
    },
    lines: () => [
      ...head(name, "histogram", help),
      ...[...series].flatMap(([key, { counts, sum, count }]) => {
        const labels: Labels = JSON.parse(key);
        const buckets = bounds.map((le, index) => sample(`${name}_bucket`, { ...labels, le }, counts[index] ?? 0));
        const all = sample(`${name}_bucket`, { ...labels, le: "+Inf" }, count);
        return [...buckets, all, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, count)];
      }),
    ],
  };
}

/** The host of a node: its path can hold a secret. */
const hostOf = (node: string | undefined) => (node === undefined ? undefined : new URL(node).host);

/** Metrics of a client, from its events, and of its nodes. */
export function createNodeMetrics() {
  const requests = createCounter("vegaprotocol_node_requests_total", "Attempts that nodes have ended, by status.");
  const durations = createHistogram("vegaprotocol_node_request_duration_seconds", "Time until an attempt has ended.");
  const retries = createCounter("vegaprotocol_node_retries_total", "Attempts that were made again.");
  const failovers = createCounter("vegaprotocol_node_failovers_total", "Attempts that were sent to another node.");
  const waits = createCounter(
    "vegaprotocol_node_wait_seconds_total",
    "Time for which the rate limit held requests back.",
  );
  const bans = createCounter("vegaprotocol_node_bans_total", "Responses that banned the client.");
  const counters = [requests, durations, retries, failovers, waits, bans];
  return {
    observe(event: ObserverEvent): void {
      const { operation } = event;
      const node = hostOf(event.node);
      if (event.type === "response") {
        requests.add({ node, operation, status: event.status ?? event.error?.name });
        durations.add({ node, operation }, event.duration / 1000);
        // A rate limit that is exceeded has the status 429.
        if (event.error?.name === "RateLimitError" && event.status === 403) bans.add({ node });
      } else if (event.type === "retry") retries.add({ node, operation });
      else if (event.type === "failover") failovers.add({ node: hostOf(event.from), operation, cause: event.cause });
      else if (event.type === "pause") waits.add({ node, operation }, event.delay / 1000);
    },
    lines: (status: readonly KnownNode[]) => [...counters.flatMap(({ lines }) => lines()), ...nodeGauges(status)],
  };
}

/** A node, with the time from which on it keeps balance changes, in Unix nanoseconds. */
export type KnownNode = NodePool["status"][number] & { readonly historyStart?: bigint | undefined };

const seconds = (time: bigint) => Number(time / 1_000_000n) / 1000;

/** How far nodes are, and how well they respond. */
export function nodeGauges(status: readonly KnownNode[]): string[] {
  const gauge = (name: string, help: string, read: (node: KnownNode) => number | undefined) => {
    const samples = status.flatMap((node) => {
      const value = read(node);
      return value === undefined ? [] : sample(`vegaprotocol_node_${name}`, { node: hostOf(node.url) }, value);
    });
    return [...head(`vegaprotocol_node_${name}`, "gauge", help), ...samples];
  };
  const inSeconds = (milliseconds: number | undefined) => milliseconds && milliseconds / 1000;
  return [
    ...gauge("ready", "Whether the node responds with fresh data.", ({ state }) => Number(state === "ready")),
    ...gauge("lag_seconds", "How far the node is behind the others, in block time.", ({ lag }) => inSeconds(lag)),
    ...gauge("latency_seconds", "The typical time until a response is complete.", ({ latency }) => inSeconds(latency)),
    ...gauge("rate_limit", "Requests in a second that the node accepts.", ({ rateLimit }) => rateLimit?.limit),
    ...gauge("block_height", "The height of the block that the node named last.", ({ height }) =>
      height === undefined ? undefined : Number(height),
    ),
    ...gauge("block_timestamp_seconds", "The time of the block that the node named last.", ({ timestamp }) =>
      timestamp === undefined ? undefined : seconds(timestamp),
    ),
    ...gauge(
      "history_start_timestamp_seconds",
      "The time from which on the node keeps balance changes.",
      ({ historyStart }) => (historyStart === undefined ? undefined : seconds(historyStart)),
    ),
  ];
}

/** The requests of a server. */
export function createServerMetrics() {
  const requests = createCounter("vegaprotocol_requests_total", "Requests that were served, by operation and status.");
  const durations = createHistogram("vegaprotocol_request_duration_seconds", "Time until a response was sent.");
  const records = createCounter("vegaprotocol_records_total", "Records that were sent.");
  return {
    served(operation: string | undefined, status: number, milliseconds: number): void {
      requests.add({ operation, status });
      durations.add({ operation }, milliseconds / 1000);
    },
    sent: (operation: string | undefined, count: number) => records.add({ operation }, count),
    lines: () => [requests, durations, records].flatMap(({ lines }) => lines()),
  };
}

/** How far a local copy is. */
export function createSyncMetrics() {
  const records = createCounter("vegaprotocol_sync_records_total", "Records that were stored.");
  const positions = new Map<string, Map<string, bigint>>();
  return {
    stored({ list, query, records: count, checkpoint }: SyncStep): void {
      records.add({ list }, count);
      // Profiles have no time.
      if (checkpoint === undefined) return;
      const ofList = positions.get(list) ?? new Map<string, bigint>();
      positions.set(list, ofList.set(canonicalJson(query), checkpoint.position));
    },
    lines(status: readonly KnownNode[]): string[] {
      const [position, lag] = ["vegaprotocol_sync_position_timestamp_seconds", "vegaprotocol_sync_lag_seconds"];
      const newest = status.reduce((latest, { timestamp = 0n }) => (timestamp > latest ? timestamp : latest), 0n);
      const reached = [...positions].map(([list, each]) => ({
        list,
        time: [...each.values()].reduce((least, time) => (time < least ? time : least)),
      }));
      return [
        ...records.lines(),
        ...head(position, "gauge", "The time up to which a list is stored."),
        ...reached.map(({ list, time }) => sample(position, { list }, seconds(time))),
        ...head(lag, "gauge", "How far a list is behind the newest block of the nodes, in block time."),
        ...reached.map(({ list, time }) => sample(lag, { list }, Math.max(0, seconds(newest - time)))),
      ];
    },
  };
}

/** Which nodes differ, by list. */
export function auditLines(parts: readonly AuditedPart[]): string[] {
  const counts = new Map<string, number>();
  for (const { list, nodes } of parts)
    for (const { url, state } of nodes) {
      const key = JSON.stringify({ node: hostOf(url), list, state });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const name = "vegaprotocol_audit_parts";
  const help = "Days of balance changes and other lists that were compared, by the state of the node.";
  return [...head(name, "gauge", help), ...[...counts].map(([key, value]) => sample(name, JSON.parse(key), value))];
}
