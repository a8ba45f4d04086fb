/** Metrics in the text format of Prometheus. Names and units follow its conventions. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ObserverEvent } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import type { AuditedPart } from "./audit.js";
import { canonicalJson } from "./sync/destination.js";
import type { SyncStep } from "./sync/run.js";
import { earliest, latest } from "./times.js";

export { Registry };

/** In seconds. */
const buckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function createFactory(registry: Registry) {
  const settingsOf = (own: string, help: string, labels: string) => {
    return { name: `vegaprotocol_${own}`, help, labelNames: labels.split(" "), registers: [registry] };
  };
  return {
    counter: (own: string, labels: string, help: string) => new Counter(settingsOf(own, help, labels)),
    histogram: (own: string, labels: string, help: string) =>
      new Histogram({ ...settingsOf(own, help, labels), buckets }),
    /** @param read - The values by the value of the label, at each scrape. Unknown ones are left out. */
    gauge: (own: string, label: string, help: string, read: () => Iterable<readonly [string, number | undefined]>) =>
      new Gauge({
        ...settingsOf(own, help, label),
        collect() {
          this.reset();
          for (const [name, value] of read()) if (value !== undefined) this.set({ [label]: name }, value);
        },
      }),
  };
}

export const exposition = async (registry: Registry): Promise<Response> =>
  new Response(await registry.metrics(), { headers: { "Content-Type": registry.contentType } });

/** The host of a node: its path can hold a secret. */
const hostOf = (node: string | undefined): string => (node === undefined ? "" : new URL(node).host);

/** The hosts of nodes, which are numbered if several nodes have the same one, at different paths. */
function namesOf(nodes: readonly { readonly url: string }[]): string[] {
  const hosts = nodes.map(({ url }) => hostOf(url));
  return hosts.map((host, index) => {
    const before = hosts.slice(0, index).filter((each) => each === host).length;
    return before === 0 ? host : `${host} (${before + 1})`;
  });
}

/** Returns the function that counts events of clients. */
export function createNodeMetrics(registry: Registry) {
  const { counter, histogram } = createFactory(registry);
  const of = "node operation";
  const requests = counter("node_requests_total", `${of} status`, "Attempts that nodes have ended, by status.");
  const durations = histogram("node_request_duration_seconds", of, "Time until an attempt has ended.");
  const retries = counter("node_retries_total", of, "Attempts that were made again.");
  const failovers = counter("node_failovers_total", `${of} cause`, "Attempts that were sent to another node.");
  const waits = counter("node_wait_seconds_total", of, "Time for which the rate limit held requests back.");
  const bans = counter("node_bans_total", "node", "Responses that banned the client.");
  return (event: ObserverEvent): void => {
    const { operation } = event;
    const node = hostOf(event.node);
    if (event.type === "response") {
      requests.inc({ node, operation, status: event.status ?? event.error?.name ?? "" });
      durations.observe({ node, operation }, event.duration / 1000);
      // A rate limit that is exceeded has the status 429.
      if (event.error?.name === "RateLimitError" && event.status === 403) bans.inc({ node });
    } else if (event.type === "retry") retries.inc({ node, operation });
    else if (event.type === "failover") failovers.inc({ node: hostOf(event.from), operation, cause: event.cause });
    else if (event.type === "pause") waits.inc({ node, operation }, event.delay / 1000);
  };
}

type Node = NodePool["status"][number];

const seconds = (time: bigint | undefined): number | undefined =>
  time === undefined ? time : Number(time / 1_000_000n) / 1000;

const inSeconds = (milliseconds: number | undefined) => milliseconds && milliseconds / 1000;

const heightOf = ({ height }: Node) => (height === undefined ? undefined : Number(height));
const historyHelp = "The time from which the node keeps balance changes.";
const gauges: readonly (readonly [name: string, help: string, read: (node: Node) => number | undefined])[] = [
  ["ready", "Whether the node responds with fresh data.", ({ state }) => Number(state === "ready")],
  ["lag_seconds", "How far the node is behind the others, in block time.", ({ lag }) => inSeconds(lag)],
  ["latency_seconds", "The typical time until a response is complete.", ({ latency }) => inSeconds(latency)],
  ["rate_limit", "Requests in a second that the node accepts.", ({ rateLimit }) => rateLimit?.limit],
  ["block_height", "The height of the newest block of the node.", heightOf],
  ["block_timestamp_seconds", "The time of the newest block of the node.", (node) => seconds(node.timestamp)],
  ["history_start_timestamp_seconds", historyHelp, ({ historyStart }) => seconds(historyStart)],
];

export function nodeMetrics(status: readonly Node[]): Promise<string> {
  const registry = new Registry();
  addNodeGauges(registry, () => status);
  return registry.metrics();
}

export function addNodeGauges(registry: Registry, status: () => readonly Node[]): void {
  const { gauge } = createFactory(registry);
  for (const [name, help, read] of gauges)
    gauge(`node_${name}`, "node", help, () => {
      const names = namesOf(status());
      return status().map((node, index) => [names[index] ?? "", read(node)]);
    });
}

export function createServerMetrics(registry: Registry) {
  const { counter, histogram } = createFactory(registry);
  const requests = counter("serve_requests_total", "operation status", "Served requests, by operation and status.");
  const durations = histogram("serve_request_duration_seconds", "operation", "Time until a response was sent.");
  const records = counter("serve_records_total", "operation", "Records that were sent.");
  return {
    served(operation = "", status: number, milliseconds: number): void {
      requests.inc({ operation, status });
      durations.observe({ operation }, milliseconds / 1000);
    },
    refused: (status: number) => requests.inc({ operation: "", status }),
    sent: (operation = "", count: number) => records.inc({ operation }, count),
  };
}

/** Shows how far a local copy is that follows nodes. Returns the function that counts what is stored. */
export function createSyncMetrics(registry: Registry, status: () => readonly Node[]) {
  const { counter, gauge } = createFactory(registry);
  const records = counter("sync_records_total", "list", "Records that were stored.");
  const positions = new Map<string, Map<string, bigint>>();
  const addGauge = (name: string, help: string, read: (time: bigint) => bigint) =>
    gauge(`sync_${name}`, "list", help, () =>
      [...positions].map(([list, each]) => [list, seconds(read(earliest(...each.values()) ?? 0n))]),
    );
  addGauge("position_timestamp_seconds", "The time up to which a list is stored.", (time) => time);
  addGauge("lag_seconds", "How far a list is behind the newest block of the nodes, in block time.", (time) => {
    const newest = latest(0n, ...status().map(({ timestamp }) => timestamp));
    return latest(newest - time, 0n);
  });
  return ({ list, query, records: count, checkpoint }: SyncStep): void => {
    records.inc({ list }, count);
    // Profiles have no time.
    if (checkpoint === undefined) return;
    const ofList = positions.get(list) ?? new Map<string, bigint>();
    positions.set(list, ofList.set(canonicalJson(query), checkpoint.position));
  };
}

/** The number of parts of an audit, by the state of the node. */
export function auditMetrics(audited: readonly AuditedPart[]): Promise<string> {
  const registry = new Registry();
  const help = "Days of balance changes and other lists that were compared, by the state of the node.";
  const labelNames = ["node", "list", "state"];
  const parts = new Gauge({ name: "vegaprotocol_audit_parts", help, labelNames, registers: [registry] });
  for (const { list, nodes } of audited) {
    const names = namesOf(nodes);
    for (const [index, { state }] of nodes.entries()) parts.inc({ node: names[index] ?? "", list, state });
  }
  return registry.metrics();
}
