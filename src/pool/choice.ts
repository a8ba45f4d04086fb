import { type PoolNode, shortestDelay } from "./node.js";

/** What is known of the speed of a node. */
type NodeLoad = Pick<PoolNode, "latency" | "recentLatency" | "inFlight" | "pause">;

/** Which of the nodes that can serve a request does: the first one, or one of the fastest. */
export type Order = "fastest" | "given";

/**
 * Chooses a node: picks two at random and uses the one expected to respond first. Unlike the fastest of all, it leaves no node
 * unused and does not send all requests to one node at once.
 */
export function choose<Node extends NodeLoad>(
  nodes: readonly Node[],
  order: Order,
  random: () => number,
): Node | undefined {
  if (order === "given" || nodes.length < 2) return nodes[0];
  const first = Math.floor(random() * nodes.length);
  const other = (first + 1 + Math.floor(random() * (nodes.length - 1))) % nodes.length;
  const [a, b] = [nodes[first], nodes[other]];
  if (a === undefined || b === undefined) return a;
  const difference = waitOf(a, nodes) - waitOf(b, nodes);
  return difference > 0 || (difference === 0 && a.inFlight > b.inFlight) ? b : a;
}

/** The expected time until a request that is sent to a node is served. */
function waitOf({ recentLatency, inFlight, pause }: NodeLoad, nodes: readonly NodeLoad[]): number {
  // A node that was not measured is as good as most are.
  const latency = recentLatency ?? median(nodes.map((node) => node.recentLatency)) ?? 1;
  // The pause counts the requests that wait for the rate limit.
  return pause > 0 ? pause + latency : latency * (inFlight + 1);
}

/** When a response of a node is late: after three times its typical latency, or that of most nodes. */
export function patienceOf({ latency }: NodeLoad, nodes: readonly NodeLoad[]): number {
  const typical = latency ?? median(nodes.map((node) => node.latency));
  return typical === undefined ? 500 : Math.max(shortestDelay, 3 * typical);
}

/** The median of the known values; of an even number the lower one. */
function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return known[(known.length - 1) >> 1];
}
