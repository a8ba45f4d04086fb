import type { Clock } from "../async/clock.js";
import { type Block, hasNoBlock } from "../http/call.js";

/** The time of the last block of a node, in milliseconds since 1970, and when it was heard of, in milliseconds of a steady clock. */
export interface Head {
  readonly blockTime: number;
  readonly heardAt: number;
}

/** The nodes of a pool, as far as they are compared. */
interface HeardNodes {
  readonly nodes: readonly { readonly head: Head | undefined; readonly heardAt: number }[];
  readonly settings: { readonly maxLag: number };
  readonly clock: Pick<Clock, "now">;
}

/** Why a response is not trusted: its node lags, or it alone is far ahead of the others. */
export type Verdict = "lag" | "suspect";

/** `undefined` if the node has no block yet: nothing is compared with it. */
export const headOf = (block: Block, heardAt: number): Head | undefined =>
  hasNoBlock(block) ? undefined : { blockTime: Number(block.timestamp / 1_000_000n), heardAt };

/**
 * Compares a head with the reference: the second highest head of three or more nodes, so that one node alone cannot make the others lag,
 * and the higher one of two. By now, a head is at the time of its block plus the time since it was heard of. The nodes of a chain that
 * stands still must not lag, so no head is later than the newest block, which counts as moving for `maxLag` at most.
 */
export function compare(
  head: Head,
  { nodes, settings: { maxLag }, clock }: HeardNodes,
): { lag: number; verdict: Verdict | undefined } {
  const now = clock.now();
  const heads = nodes.flatMap((node) => node.head ?? []);
  const newest = Math.max(...heads.map(({ blockTime, heardAt }) => blockTime + Math.min(now - heardAt, maxLag)));
  const at = ({ blockTime, heardAt }: Head) => Math.min(blockTime + now - heardAt, newest);
  const own = at(head);
  const [highest = own, second = highest, third] = heads.map(at).sort((a, b) => b - a);
  const lag = Math.max(0, (third === undefined ? highest : second) - own);
  // If only two of several nodes were heard of and are far apart, neither is trusted.
  const isAlone = nodes.length > 2 && own - second > maxLag;
  return { lag, verdict: lag > maxLag ? "lag" : isAlone ? "suspect" : undefined };
}

/** Why a block is not trusted: it lags, or is suspect. A node that has no block yet lags. */
export function verdictOn(block: Block | undefined, heardAt: number, pool: HeardNodes): Verdict | undefined {
  const head = block && headOf(block, heardAt);
  return head ? compare(head, pool).verdict : block && "lag";
}

/** Whether another node than this one was heard within `maxLag`. A response without a block counts, too. */
export function isCompared({ nodes, settings, clock }: HeardNodes, node: HeardNodes["nodes"][number]): boolean {
  const since = clock.now() - settings.maxLag;
  return nodes.length === 1 || nodes.some((other) => other !== node && other.heardAt >= since);
}
