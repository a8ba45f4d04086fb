import type { Block } from "../http/block.js";
import { compareIntegers } from "../values/digits.js";

/** The block that a node named, and when. */
export interface Sighting {
  readonly block: Block;
  /** Milliseconds of a clock that never decreases. */
  readonly time: number;
}

const nanoseconds = 1_000_000;
const minute = 60_000_000_000n;

/** The least time between two blocks, in milliseconds. Blocks of the network take about a second. */
const shortestBlock = 100;

/** Whether a block cannot follow a lower one: it is earlier, or later by more than a minute for each block between. */
export function isImplausible(lower: Block, higher: Block): boolean {
  const elapsed = higher.timestamp - lower.timestamp;
  return elapsed < 0n || elapsed > minute * (higher.height - lower.height);
}

/**
 * The block that others are compared with. Of three or more nodes it is the highest that two of them have reached, so that
 * one node alone cannot make the others lag. Of two it is the higher one, unless that is implausible.
 *
 * @param sightings - What each node named last. A node that has named nothing is left out.
 * @param nodes - How many nodes there are.
 */
export function referenceOf(sightings: readonly Sighting[], nodes: number): Sighting | undefined {
  const [highest, second] = [...sightings].sort(
    ({ block: a }, { block: b }) => compareIntegers(b.height, a.height) || compareIntegers(b.timestamp, a.timestamp),
  );
  if (highest === undefined || second === undefined) return nodes > 2 ? undefined : highest;
  if (nodes === 2) return isImplausible(second.block, highest.block) ? second : highest;
  const timestamp = highest.block.timestamp < second.block.timestamp ? highest.block.timestamp : second.block.timestamp;
  return { block: { height: second.block.height, timestamp }, time: second.time };
}

/** How far a block is behind the reference, in milliseconds of block time. The clock of the client does not matter. */
export function lagOf({ height, timestamp }: Block, reference: Sighting | undefined): number {
  if (reference === undefined || height >= reference.block.height) return 0;
  return Math.max(0, Number(reference.block.timestamp - timestamp) / nanoseconds);
}

/**
 * Whether a node is further ahead of each other node than it can be. Of two nodes the higher one is trusted, unless that is
 * implausible.
 *
 * @param others - What the other nodes named last.
 * @param nodes - How many nodes there are.
 */
export function isSuspect(
  block: Block,
  others: readonly Sighting[],
  nodes: number,
  maxLag: number,
  now: number,
): boolean {
  const isFarAheadOf = ({ block: other, time }: Sighting): boolean => {
    if (block.height <= other.height) return false;
    if (isImplausible(other, block)) return true;
    // The chain has gone on since the other node was heard.
    const most = maxLag + now - time;
    const elapsed = Number(block.timestamp - other.timestamp) / nanoseconds;
    return nodes > 2 && (elapsed > most || Number(block.height - other.height) > most / shortestBlock);
  };
  return others.length > 0 && others.every(isFarAheadOf);
}

/**
 * Whether it is open which node is wrong: one node is far ahead of another, and no third one supports either of them.
 */
export function isDisputed(sightings: readonly Sighting[], nodes: number, maxLag: number, now: number): boolean {
  const [first, ...rest] = sightings;
  if (nodes < 3 || first === undefined || areClose(first.block, rest, maxLag)) return false;
  const isTrusted = (sighting: Sighting) => {
    const others = sightings.filter((other) => other !== sighting);
    return !isSuspect(sighting.block, others, nodes, maxLag, now);
  };
  const trusted = sightings.filter(isTrusted);
  if (trusted.length === sightings.length) return false;
  const reference = referenceOf(sightings, nodes);
  return trusted.filter(({ block, time }) => lagOf(block, reference) <= maxLag + now - time).length < 2;
}

/** Whether no node is far from a block, which is what most often holds: then none lags, and none is suspect. */
export function areClose(block: Block, sightings: Iterable<Sighting>, maxLag: number): boolean {
  for (const { block: other } of sightings) if (!isClose(block, other, maxLag)) return false;
  return true;
}

export function isClose(block: Block, { height, timestamp }: Block, maxLag: number): boolean {
  if (height === block.height && timestamp === block.timestamp) return true;
  const distance = Math.abs(Number(timestamp - block.timestamp)) / nanoseconds;
  const blocks = Math.abs(Number(height - block.height));
  return 2 * distance <= maxLag && 2 * blocks <= maxLag / shortestBlock;
}
