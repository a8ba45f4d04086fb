import type { Latency } from "./latency.js";

interface Measured {
  readonly latency: Latency;
}

/** The shortest and the longest time after which another node is asked, in milliseconds. */
const [shortestDelay, longestDelay] = [50, 1000];

/** When a response of a node is late if nothing is known of any node, in milliseconds. */
const unknownBound = 500;

/** A node that is silent for so long, and longer than is usual for it, rests at once. */
export const longestSilence = longestDelay;

/**
 * When a node is silent: its response is late by its own responses, or by those of the others. A node that is usually slow is silent
 * after a second, if the others are not slow as well.
 */
export function boundOf({ latency }: Measured, nodes: readonly Measured[]): number {
  const usual = usualBound(nodes) ?? unknownBound;
  return Math.min(latency.bound ?? usual, Math.max(longestSilence, 2 * usual));
}

/**
 * How long one node is waited for before another one is asked: for the option `hedgeAfter`, or else as long as is usual for the node, or
 * for the others.
 */
export function hedgeDelay(
  { latency }: Measured,
  { nodes, settings }: { nodes: readonly Measured[]; settings: { hedgeAfter: number | false | undefined } },
): number {
  if (typeof settings.hedgeAfter === "number") return settings.hedgeAfter;
  const bound = latency.bound ?? usualBound(nodes) ?? unknownBound;
  return Math.min(longestDelay, Math.max(shortestDelay, bound));
}

function usualBound(nodes: readonly Measured[]): number | undefined {
  return median(nodes, ({ latency }) => latency.bound);
}

/** The median of what is known of the nodes; of an even number the lower one. */
export function median<Node>(nodes: readonly Node[], read: (node: Node) => number | undefined): number | undefined {
  const values: number[] = [];
  for (const node of nodes) {
    const value = read(node);
    if (value !== undefined) values.push(value);
  }
  return values.sort((a, b) => a - b)[(values.length - 1) >> 1];
}

/** How many requests can be hedged for each call, and how many at once. */
const [share, most] = [0.02, 10];

/** Limits the requests that are sent in addition, because a node is late that may be well. */
export class HedgeBudget {
  #tokens = most;

  /** Each call adds to it. */
  earn(): void {
    this.#tokens = Math.min(most, this.#tokens + share);
  }

  /**
   * Returns whether a request can be sent.
   *
   * @param isSilent - Whether it is sent in any case. It counts for those that follow.
   */
  take(isSilent: boolean): boolean {
    if (this.#tokens < 1 && !isSilent) return false;
    this.#tokens = Math.max(-most, this.#tokens - 1);
    return true;
  }
}
