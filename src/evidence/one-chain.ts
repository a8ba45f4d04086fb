import type { Block } from "../http/block.js";

const second = 1_000_000_000n;
/** On average, blocks of a chain of many are further apart. */
const shortestBlockTime = second / 20n;
const many = 1000n;

/**
 * Returns whether two blocks can be of one chain: the higher one is later, and there was time for the blocks between them. Blocks
 * of two networks differ in that, because one has many more blocks than the other.
 */
export function canBeOneChain(a: Block, b: Block): boolean {
  const [lower, higher] = a.height <= b.height ? [a, b] : [b, a];
  const blocks = higher.height - lower.height;
  const time = higher.timestamp - lower.timestamp;
  if (blocks === 0n) return time < second && time > -second;
  return time > 0n && (blocks < many || time >= blocks * shortestBlockTime);
}
