import type { Context, Reply } from "../http/context.js";
import { contextOf } from "../http/requester.js";
import { freshNodes } from "./candidates.js";
import { choose } from "./choice.js";
import { byHeight, isCompared, staleError } from "./judge.js";
import type { Link } from "./link.js";
import { NodeCall } from "./node-call.js";
import type { NodeState } from "./node-state.js";

/** A read that is cheap for a node, of a resource that has no signatures. */
const query = { id: "0".repeat(64), "pagination.first": 1 };

/**
 * Makes a call that a node does not accept twice: to one node, once. If the nodes were not compared lately, a read finds a
 * fresh one before.
 */
export async function callOnce<T>(link: Link, context: Context<T>): Promise<Reply<T>> {
  const node = chooseFresh(link) ?? (await compareNodes(link, context));
  return new NodeCall(link, { ...context, node: node.url, settings: { ...context.settings, attempts: 1 } }).run();
}

function chooseFresh(link: Link): NodeState | undefined {
  const nodes = freshNodes(link).filter((node) => isCompared(link, node));
  return choose(nodes, link.settings.order, link.random);
}

async function compareNodes(link: Link, context: Context<unknown>): Promise<NodeState> {
  const { operation, settings, headers, cancellation } = context;
  const route = { ...link.routeOf("listNodeSignatures"), operation, read: (body: object) => body };
  const read = contextOf(route, { query, path: {}, body: {} }, { settings, signal: undefined, headers });
  await new NodeCall(link, { ...read, cancellation }).run();
  const [freshest] = [...link.nodes].sort((a, b) => byHeight(a.sighting?.block, b.sighting?.block));
  const node = choose(freshNodes(link), link.settings.order, link.random);
  if (node) return node;
  if (freshest === undefined || link.settings.staleness === "error") throw staleError(operation, []);
  return freshest;
}
