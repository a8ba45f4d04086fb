import type { Block } from "../http/block.js";
import { areClose, isSuspect } from "./freshness.js";
import type { Link } from "./link.js";

/** Whether a block is before one that was returned. */
export function isBehindMark({ height }: Block, { settings, session }: Link): boolean {
  return settings.monotonic && session.mark !== undefined && height < session.mark.block.height;
}

/**
 * Notes the block of a response that is returned.
 *
 * @param canRaise - Whether the mark follows if the block is higher.
 */
export function updateMark(block: Block | undefined, link: Link, canRaise: boolean): void {
  const { session, clock } = link;
  if (block === undefined || (session.mark && block.height < session.mark.block.height)) lowerMark(link);
  else if (canRaise) session.mark = { block, time: clock.now() };
}

/**
 * Lowers the mark if the nodes have named blocks since that are close to each other, and that it is too far ahead of: the chain was
 * reset, or the node lied.
 */
function lowerMark({ nodes, settings, session, clock }: Link): void {
  const { mark } = session;
  if (mark === undefined) return;
  const later = nodes.flatMap(({ sighting }) => (sighting && sighting.time > mark.time ? sighting : []));
  const [highest] = later.sort((a, b) => Number(b.block.height - a.block.height));
  if (highest === undefined || later.length < Math.min(2, nodes.length)) return;
  // Of two nodes, too: both have named a lower block.
  const isFarAhead = isSuspect(mark.block, later, Math.max(3, nodes.length), settings.maxLag, clock.now());
  if (isFarAhead && areClose(highest.block, later, settings.maxLag)) session.mark = highest;
}
