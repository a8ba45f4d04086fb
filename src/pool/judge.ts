import { VegaError } from "../errors/index.js";
import type { Block } from "../http/block.js";
import type { Reply } from "../http/context.js";
import type { Demand } from "../http/demand.js";
import type { FailoverEvent } from "../http/events.js";
import { isClose, isDisputed, isSuspect, lagOf, referenceOf, type Sighting } from "./freshness.js";
import type { Link } from "./link.js";
import { isBehindMark } from "./mark.js";
import type { NodeState } from "./node-state.js";

/** Why a node or its response is not used. */
export type Verdict = FailoverEvent["cause"];

/** A response of a node. */
export interface JudgedResponse<T> {
  node: NodeState;
  reply: Reply<T>;
  block: Block | undefined;
  sentAt: number;
  verdict: Verdict | undefined;
}

export function sightingsOf(nodes: readonly NodeState[]): Sighting[] {
  const sightings: Sighting[] = [];
  for (const { sighting } of nodes) if (sighting) sightings.push(sighting);
  return sightings;
}

/** Whether no node is far from a block. For each response: without a copy of what is known. */
function areAllClose(block: Block, { nodes, settings }: Link): boolean {
  for (const { sighting } of nodes) if (sighting && !isClose(block, sighting.block, settings.maxLag)) return false;
  return true;
}

/** What is wrong with a block; `undefined` if its response can be returned. A response without a block is not judged. */
export function verdictOn(
  node: NodeState,
  block: Block | undefined,
  { isFresh }: Demand<never>,
  link: Link,
): Verdict | undefined {
  if (block === undefined) return undefined;
  const { nodes, settings, clock } = link;
  if (!areAllClose(block, link)) {
    const others = sightingsOf(nodes.filter((other) => other !== node));
    if (isSuspect(block, others, nodes.length, settings.maxLag, clock.now())) return "suspect";
    if (lagOf(block, referenceOf(sightingsOf(nodes), nodes.length)) > settings.maxLag) return "lag";
  }
  return isFresh && isBehindMark(block, link) ? "regression" : undefined;
}

/** Sets the node of a response aside, or returns it from there. */
export function applyVerdict({
  node,
  sentAt,
  verdict,
}: Pick<JudgedResponse<unknown>, "node" | "sentAt" | "verdict">): void {
  if (verdict === undefined) node.recover(sentAt);
  else node.setAside(verdict === "suspect" ? "suspect" : "lagging", sentAt);
}

/** Of the responses that can be used, the one with the highest block. */
export function freshestOf<T>(
  received: readonly JudgedResponse<T>[],
  isUsable: (response: JudgedResponse<T>) => boolean,
): JudgedResponse<T> | undefined {
  let freshest: JudgedResponse<T> | undefined;
  for (const each of received)
    if (isUsable(each) && (!freshest || byHeight(freshest.block, each.block) > 0)) freshest = each;
  return freshest;
}

/** Whether the nodes disagree, so that it is open which of them is correct. */
export function isInDispute(link: Link): boolean {
  const { nodes, settings, clock } = link;
  const known = nodes.find(({ sighting }) => sighting)?.sighting;
  if (known === undefined || areAllClose(known.block, link)) return false;
  return isDisputed(sightingsOf(nodes), nodes.length, settings.maxLag, clock.now());
}

/** Whether a node was compared with another one within `maxLag`. A response without a block counts, too. */
export function isCompared(link: Link, node: NodeState): boolean {
  const { nodes, settings, clock } = link;
  const since = clock.now() - settings.maxLag;
  const isHeard = nodes.some((other) => other !== node && other.heardAt >= since);
  return (isHeard || nodes.length === 1) && !isInDispute(link);
}

/** Sorts the highest block first. */
export const byHeight = (a: Block | undefined, b: Block | undefined): number =>
  Number((b?.height ?? -1n) - (a?.height ?? -1n));

/** The error of a call to which no node gave a fresh response. */
export function staleError<T>(operation: string, received: readonly JudgedResponse<T>[]): VegaError {
  const heights = received.map(({ node, block }) => `${node.url} is at height ${block?.height}`);
  return new VegaError(
    `${operation} received no fresh response: ${heights.join(", ")}. Raise \`maxLag\`, or allow stale responses with ` +
      '`staleness: "mark"`.',
    { operation, attempts: received.length },
  );
}
