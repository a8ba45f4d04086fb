/** The shortest and the longest time after which a response is late, in milliseconds. */
const shortestPatience = 50;
export const longestPatience = 1000;

/** How long a slow node is waited for that may keep more history than the others, in milliseconds. */
export const historyPatience = 5000;

/** A latency that was measured longer ago says nothing about which node is the fastest. */
const recent = 30_000;

/** The speed of a node. Times are in milliseconds. */
export interface NodeSpeed {
  /** The typical time until a response is complete. */
  readonly latency: number | undefined;
  /** When it responded last. */
  readonly respondedAt: number;
  /** The number of requests in flight, including those that wait for the rate limit of the node. */
  readonly inFlight: number;
  /** How long a request has to wait for the rate limit of the node. */
  readonly pause: number;
}

/**
 * Which of the nodes that can serve a request does: the first one, or one of the fastest.
 *
 * @inline
 */
export type Order = "fastest" | "given";

/**
 * Chooses a node: picks two at random and uses the one expected to respond first. Unlike the fastest of all, it leaves
 * no node unused and does not send all requests to one node at once.
 */
export function choose<Node extends NodeSpeed>(
  nodes: readonly Node[],
  { order, random, now }: { order: Order; random: () => number; now: number },
): Node | undefined {
  if (order === "given") return nodes[0];
  const first = Math.floor(random() * nodes.length);
  const other = (first + 1 + Math.floor(random() * (nodes.length - 1))) % nodes.length;
  const [a, b] = [nodes[first], nodes[other]];
  if (a === undefined || b === undefined) return a;
  // A node without a recent measurement counts as the fastest, so that it is measured again. The pause already includes
  // the requests in flight that wait for the rate limit.
  const waitOf = ({ respondedAt, latency = 0, pause, inFlight }: NodeSpeed) => {
    const typical = now - respondedAt < recent ? latency : 0;
    return pause > 0 ? pause + typical : typical * (inFlight + 1);
  };
  const difference = waitOf(a) - waitOf(b);
  return difference > 0 || (difference === 0 && a.inFlight > b.inFlight) ? b : a;
}

/**
 * When a response of a node is late: after three times its typical latency, but within half a second, or within one
 * and a half times the typical latency if that is longer. A node that was not measured is expected to be as fast as the
 * fastest.
 */
export function patienceOf(url: string, nodes: readonly (NodeSpeed & { readonly url: string })[]): number {
  const known = nodes.flatMap(({ latency }) => latency ?? []);
  const own = nodes.find((node) => node.url === url)?.latency;
  const typical = own ?? Math.min(longestPatience / 6, ...known);
  return Math.max(shortestPatience, Math.min(3 * typical, Math.max(longestPatience / 2, 1.5 * typical)));
}
