import { type Block, hasNoBlock } from "../values/block.js";

/*
 * Which nodes are up to date. The block time of a response decides it, never the height: heights begin again when a
 * chain restarts from a checkpoint. The clock of the client is not compared with it either. Times are in milliseconds.
 */

/** The time of the last block of a node, and when the node responded, by a clock that never goes back. */
export interface Head {
  readonly blockTime: number;
  readonly respondedAt: number;
}

/** The nodes of a pool, as far as they are compared. */
interface Compared {
  /** `head` is `undefined` until the node has sent a block; `latest` is the latest block time that it has ever sent. */
  readonly nodes: readonly { readonly head: Head | undefined; readonly latest: number | undefined }[];
  readonly maxLag: number;
  readonly now: number;
}

export const millisecondsOf = (timestamp: bigint): number => Number(timestamp / 1_000_000n);

/** `undefined` if the node has no block yet: nothing is compared with it. */
export const headOf = (block: Block, respondedAt: number): Head | undefined =>
  hasNoBlock(block) ? undefined : { blockTime: millisecondsOf(block.timestamp), respondedAt };

/** Where a node is by now: at the time of its last block plus the time since it responded. */
export const timeBy = (now: number, { blockTime, respondedAt }: Head): number => blockTime + now - respondedAt;

/**
 * How far a head is behind the reference: the second highest head of three or more nodes, so that one node alone cannot
 * make the others lag, and the higher one of two. The nodes of a chain that stands still must not lag, so no head is
 * later than the newest block, which counts as moving for `maxLag` at most.
 */
export function lagOf(head: Head, { nodes, maxLag, now }: Compared): number {
  const heads = nodes.flatMap((node) => node.head ?? []);
  const newest = Math.max(...heads.map((each) => Math.min(timeBy(now, each), each.blockTime + maxLag)));
  const at = (each: Head) => Math.min(timeBy(now, each), newest);
  const [highest = 0, second = highest, third] = heads.map(at).sort((a, b) => b - a);
  return Math.max(0, (third === undefined ? highest : second) - at(head));
}

/** Whether a block that a node sent at some time is more than `maxLag` behind. A node that has no block yet lags. */
export function isLagging(block: Block | undefined, respondedAt: number, pool: Compared): boolean {
  const head = block && headOf(block, respondedAt);
  return head ? lagOf(head, pool) > pool.maxLag : block !== undefined;
}

/** Whether at least two nodes have ever reported a block time, so that no other node can contradict it. */
export const isConfirmed = (time: number, { nodes, maxLag }: Omit<Compared, "now">): boolean =>
  nodes.filter(({ latest = 0 }) => latest >= time - maxLag).length > 1;

/** Whether a block time is no reference: only one node has ever shown it, and two others contradict it. */
export const isContradicted = (time: number, pool: Compared): boolean =>
  countBehind(time, pool) > 1 && !isConfirmed(time, pool);

/** How many nodes have never shown a block time, and have not reached it by now, if the clock is right. */
export const countBehind = (time: number, { nodes, maxLag, now }: Compared): number =>
  nodes.filter(({ head, latest = 0 }) => head && Math.max(latest, timeBy(now, head)) < time - maxLag).length;
