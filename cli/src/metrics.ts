/** Metrics in the text format of Prometheus. Names and units follow its conventions. */
import type { ObserverEvent } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import { canonicalJson } from "./sync/destination.js";
import type { SyncStep } from "./sync/sync.js";
import { earliest, latest } from "./times.js";

type Labels = Readonly<Record<string, string | number | undefined>>;

/** The upper bounds of the buckets of durations, in seconds. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, Number.POSITIVE_INFINITY];

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

type Type = "counter" | "gauge" | "histogram";
export type Sample = readonly [labels: Labels, value: number | undefined, suffix?: string];

export function metricLines(own: string, type: Type, help: string, samples: readonly Sample[]): string[] {
  const name = `vegaprotocol_${own}`;
  const lines = samples.flatMap(([labels, value, suffix = ""]) => {
    const known = Object.entries(labels).filter(([, each]) => each !== undefined);
    const text = known.map(([label, each]) => `${label}="${escaped(String(each))}"`).join(",");
    return value === undefined ? [] : `${name}${suffix}${text && `{${text}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

export const exposition = (lines: readonly string[]): Response =>
  new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" } });

/** A number for each set of labels and each suffix of the name. */
export function createCounter(own: string, help: string, type: Type = "counter") {
  const values = new Map<string, number>();
  return {
    add(labels: Labels, amount = 1, suffix = ""): void {
      const key = JSON.stringify([labels, suffix]);
      values.set(key, (values.get(key) ?? 0) + amount);
    },
    lines(): string[] {
      const samples = [...values].map(([key, value]): Sample => {
        const [labels, suffix] = JSON.parse(key);
        return [labels, value, suffix];
      });
      return metricLines(own, type, help, samples);
    },
  };
}

function createHistogram(own: string, help: string) {
  const { add, lines } = createCounter(own, help, "histogram");
  return {
    add(labels: Labels, seconds: number): void {
      for (const bound of bounds) {
        add({ ...labels, le: String(bound).replace("Infinity", "+Inf") }, Number(seconds <= bound), "_bucket");
      }
      add(labels, seconds, "_sum");
      add(labels, 1, "_count");
    },
    lines,
  };
}

/** The host of a node: its path can hold a secret. */
export const hostOf = (node: string | undefined): string | undefined =>
  node === undefined ? undefined : new URL(node).host;

export function createNodeMetrics() {
  const requests = createCounter("node_requests_total", "Attempts that nodes have ended, by status.");
  const durations = createHistogram("node_request_duration_seconds", "Time until an attempt has ended.");
  const retries = createCounter("node_retries_total", "Attempts that were made again.");
  const failovers = createCounter("node_failovers_total", "Attempts that were sent to another node.");
  const waits = createCounter("node_wait_seconds_total", "Time for which the rate limit held requests back.");
  const bans = createCounter("node_bans_total", "Responses that banned the client.");
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

export const seconds = (time: bigint | undefined): number | undefined =>
  time === undefined ? time : Number(time / 1_000_000n) / 1000;

const inSeconds = (milliseconds: number | undefined) => milliseconds && milliseconds / 1000;

const heightOf = ({ height }: KnownNode) => (height === undefined ? undefined : Number(height));
const historyHelp = "The time from which the node keeps balance changes.";
const gauges: readonly (readonly [name: string, help: string, read: (node: KnownNode) => number | undefined])[] = [
  ["ready", "Whether the node responds with fresh data.", ({ state }) => Number(state === "ready")],
  ["lag_seconds", "How far the node is behind the others, in block time.", ({ lag }) => inSeconds(lag)],
  ["latency_seconds", "The typical time until a response is complete.", ({ latency }) => inSeconds(latency)],
  ["rate_limit", "Requests in a second that the node accepts.", ({ rateLimit }) => rateLimit?.limit],
  ["block_height", "The height of the block that the node named last.", heightOf],
  ["block_timestamp_seconds", "The time of the block that the node named last.", (node) => seconds(node.timestamp)],
  ["history_start_timestamp_seconds", historyHelp, ({ historyStart }) => seconds(historyStart)],
];

export const nodeGauges = (status: readonly KnownNode[]): string[] =>
  gauges.flatMap(([name, help, read]) => {
    const samples = status.map((node): Sample => [{ node: hostOf(node.url) }, read(node)]);
    return metricLines(`node_${name}`, "gauge", help, samples);
  });

export function createServerMetrics() {
  const requests = createCounter("requests_total", "Requests that were served, by operation and status.");
  const durations = createHistogram("request_duration_seconds", "Time until a response was sent.");
  const records = createCounter("records_total", "Records that were sent.");
  return {
    served(operation: string | undefined, status: number, milliseconds: number): void {
      requests.add({ operation, status });
      durations.add({ operation }, milliseconds / 1000);
    },
    sent: (operation: string | undefined, count: number) => records.add({ operation }, count),
    lines: () => [requests, durations, records].flatMap(({ lines }) => lines()),
  };
}

/** How far a local copy is that follows nodes. */
export function createSyncMetrics() {
  const records = createCounter("sync_records_total", "Records that were stored.");
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
      const newest = latest(0n, ...status.map(({ timestamp }) => timestamp));
      const ofLists = (name: string, help: string, read: (time: bigint) => bigint) => {
        const samples = [...positions].map(([list, each]): Sample => {
          return [{ list }, seconds(read(earliest(...each.values()) ?? 0n))];
        });
        return metricLines(`sync_${name}`, "gauge", help, samples);
      };
      const lagHelp = "How far a list is behind the newest block of the nodes, in block time.";
      return [
        ...records.lines(),
        ...ofLists("position_timestamp_seconds", "The time up to which a list is stored.", (time) => time),
        ...ofLists("lag_seconds", lagHelp, (time) => latest(newest - time, 0n)),
      ];
    },
  };
}
