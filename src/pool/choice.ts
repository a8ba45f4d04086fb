import { median } from "./hedging.js";

/** What the choice of a node depends on. */
export interface NodeLoad {
  /** The typical time until a response is complete, in milliseconds; `undefined` if it was not measured lately. */
  readonly recentLatency: number | undefined;
  /** How many requests are in flight, or wait for the rate limit of the node. */
  readonly inFlight: number;
  /** How many of them were sent. */
  readonly sent: number;
  /** How long a request has to wait for the rate limit of the node, in milliseconds. */
  readonly pause: number;
}

/** Which of the nodes that can serve a request does: the first one, or one of the fastest. */
export type Order = "fastest" | "given";

/**
 * Chooses a node: picks two at random and uses the one expected to respond first. Unlike the fastest of all, it leaves no node
 * unused and does not send all requests to one node at once.
 *
 * @param random - Returns a number from 0 up to 1.
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
  return a && b && isSlower(a, b, nodes) ? b : a;
}

function isSlower(a: NodeLoad, b: NodeLoad, nodes: readonly NodeLoad[]): boolean {
  const difference = waitOf(a, nodes) - waitOf(b, nodes);
  return difference > 0 || (difference === 0 && a.inFlight > b.inFlight);
}

/** The expected time until a request that is sent to a node is served. */
function waitOf(load: NodeLoad, nodes: readonly NodeLoad[]): number {
  const { pause } = load;
  // A node that was not measured is as good as most are.
  const latency = load.recentLatency ?? median(nodes, ({ recentLatency }) => recentLatency) ?? 1;
  // The pause counts those that wait for the rate limit.
  const before = pause > 0 ? load.sent : load.inFlight;
  return latency * (before + 1) + pause;
}
