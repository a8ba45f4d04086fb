import type { Context, Reply } from "../http/context.js";
import { callNodes } from "./call-nodes.js";
import { freshNodes } from "./candidates.js";
import { probe } from "./check-nodes.js";
import { choose } from "./choice.js";
import { isCompared } from "./judge.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/**
 * Makes a call that a node does not accept twice: to one node, once. If no fresh node has responded lately, nodes are asked with a
 * read before, and the call goes to the one that responds.
 */
export async function callOnce<T>(link: Link, context: Context<T>): Promise<Reply<T>> {
  const node = chooseFresh(link)?.url ?? (await findNode(link, context));
  return callNodes(link, { ...context, node });
}

function chooseFresh(link: Link): NodeState | undefined {
  const nodes = freshNodes(link).filter((node) => isCompared(link, node));
  return choose(nodes, link.settings.order, link.random);
}

async function findNode(link: Link, context: Context<unknown>): Promise<string | undefined> {
  const { operation, settings, headers, cancellation } = context;
  const read = { ...probe(link, operation, { settings, signal: undefined, headers }), cancellation };
  const { node } = await callNodes(link, read);
  return node;
}
