import type { NodePool } from "../../client/node-pool.js";
import type { ObserverEvent } from "../../http/events.js";
import type { Gateway } from "./gateway.js";
import { Metrics } from "./metrics.js";
import type { NodeNames } from "./node-names.js";

/** The metrics of a gateway. */
export const createMetrics = (): Metrics =>
  new Metrics({
    vega_gateway_requests_total: { type: "counter", help: "Requests of callers, by operation and status." },
    vega_gateway_request_duration_seconds: { type: "histogram", help: "Time until the end of a response." },
    vega_gateway_requests_in_flight: { type: "gauge", help: "Requests of callers that are in flight." },
    vega_gateway_reused_total: { type: "counter", help: "Responses of another request in flight, or from memory." },
    vega_gateway_cache_bytes: { type: "gauge", help: "Memory of final pages." },
    vega_gateway_cache_entries: { type: "gauge", help: "Final pages in memory." },
    vega_gateway_node_requests_total: { type: "counter", help: "Requests to a node, by status." },
    vega_gateway_node_failovers_total: { type: "counter", help: "Reads that left a node, by cause." },
    vega_gateway_node_ready: { type: "gauge", help: "Whether the last response of a node was good and fresh." },
    vega_gateway_node_height: { type: "gauge", help: "Height of the block that a node named last." },
    vega_gateway_node_lag_seconds: { type: "gauge", help: "How far a node is behind the others, in block time." },
    process_resident_memory_bytes: { type: "gauge", help: "Memory of the process." },
    process_uptime_seconds: { type: "gauge", help: "Time since the process was started." },
  });

/** Counts what the client does with the nodes. */
export function countNodes(metrics: Metrics, names: NodeNames, event: ObserverEvent): void {
  if (event.type === "response") {
    const node = names.of(event.node ?? "");
    metrics.add("vega_gateway_node_requests_total", { node, status: String(event.status ?? "none") });
  }
  if (event.type === "failover") {
    metrics.add("vega_gateway_node_failovers_total", { node: names.of(event.from), cause: event.cause });
  }
}

/** Brings the gauges up to date. */
export function measure(metrics: Metrics, pool: NodePool, names: NodeNames, { cache }: Gateway): void {
  for (const { url, state, height, lag } of pool.status) {
    const labels = { node: names.of(url) };
    metrics.set("vega_gateway_node_ready", labels, state === "ready" ? 1 : 0);
    if (height !== undefined) metrics.set("vega_gateway_node_height", labels, Number(height));
    if (lag !== undefined) metrics.set("vega_gateway_node_lag_seconds", labels, lag / 1000);
  }
  metrics.set("vega_gateway_cache_bytes", {}, cache.bytes);
  metrics.set("vega_gateway_cache_entries", {}, cache.size);
  metrics.set("process_resident_memory_bytes", {}, process.memoryUsage.rss());
  metrics.set("process_uptime_seconds", {}, process.uptime());
}
