import type { Block } from "../http/index.js";

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
    ({ block: a }, { block: b }) => compare(b.height, a.height) || compare(b.timestamp, a.timestamp),
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

/** Whether a block is further ahead of the reference than the nodes that lag least can be. */
export function isSuspect(block: Block, reference: Sighting | undefined, maxLag: number, now: number): boolean {
  if (reference === undefined || block.height <= reference.block.height) return false;
  // The chain has gone on since the reference was seen.
  const most = maxLag + now - reference.time;
  return (
    isImplausible(reference.block, block) ||
    Number(block.timestamp - reference.block.timestamp) / nanoseconds > most ||
    Number(block.height - reference.block.height) > most / shortestBlock
  );
}

/**
 * Whether it is open which node is wrong: one node is far ahead of another, and no third one supports either of them.
 */
export function isDisputed(sightings: readonly Sighting[], nodes: number, maxLag: number, now: number): boolean {
  if (nodes < 3 || sightings.length < 2) return false;
  const reference = referenceOf(sightings, nodes);
  const others = sightings.filter(({ block }) => !isSuspect(block, reference, maxLag, now));
  if (others.length === sightings.length) return false;
  const supporting = others.filter(({ block, time }) => lagOf(block, reference) <= maxLag + now - time);
  return supporting.length < 2;
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
