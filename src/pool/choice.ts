/** What the choice of a node depends on. */
export interface Load {
  /** The typical time until a response is complete, in milliseconds; `undefined` before the first one. */
  readonly latency: number | undefined;
  /** How many requests are in flight. */
  readonly inFlight: number;
  /** How long a request has to wait for the rate limit of the node, in milliseconds. */
  readonly pause: number;
}

/** Which of the nodes that can serve a request does: the first one, or one of the fastest. */
export type Order = "fastest" | "given";

/**
 * Chooses a node. Of two at random the one that will probably respond first: unlike the fastest of all, it leaves no node
 * unused and does not send all requests to one node at once.
 *
 * @param random - Returns a number from 0 up to 1.
 */
export function choose<Node extends Load>(
  nodes: readonly Node[],
  order: Order,
  random: () => number,
): Node | undefined {
  if (order === "given" || nodes.length < 2) return nodes[0];
  const first = Math.floor(random() * nodes.length);
  const other = (first + 1 + Math.floor(random() * (nodes.length - 1))) % nodes.length;
  const [a, b] = [nodes[first], nodes[other]];
  return a && b && isSlower(a, b) ? b : a;
}

function isSlower(a: Load, b: Load): boolean {
  const difference = waitOf(a) - waitOf(b);
  return difference > 0 || (difference === 0 && a.inFlight > b.inFlight);
}

/** A node without a latency is tried soon. */
const waitOf = ({ latency = 0, inFlight, pause }: Load): number => latency * (inFlight + 1) + pause;
