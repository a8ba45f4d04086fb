import type { Context, Reply } from "../http/context.js";
import { contextOf } from "../http/requester.js";
import { freshNodes } from "./candidates.js";
import { choose } from "./choice.js";
import { isCompared } from "./judge.js";
import type { Link } from "./link.js";
import { NodeCall } from "./node-call.js";
import type { NodeState } from "./node-state.js";

/** A read that is cheap for a node, of a resource that has no signatures. */
const query = { id: "0".repeat(64), "pagination.first": 1 };

/**
 * Makes a call that a node does not accept twice: to one node, once. If no fresh node has responded lately, nodes are asked with a
 * read before, and the call goes to the one that responds.
 */
export async function callOnce<T>(link: Link, context: Context<T>): Promise<Reply<T>> {
  const node = chooseFresh(link)?.url ?? (await findNode(link, context));
  return new NodeCall(link, { ...context, node }).run();
}

function chooseFresh(link: Link): NodeState | undefined {
  const nodes = freshNodes(link).filter((node) => isCompared(link, node));
  return choose(nodes, link.settings.order, link.random);
}

async function findNode(link: Link, context: Context<unknown>): Promise<string | undefined> {
  const { operation, settings, headers, cancellation } = context;
  const route = { ...link.routeOf("listNodeSignatures"), operation, read: (body: object) => body };
  const read = contextOf(route, { query, path: {}, body: {} }, { settings, signal: undefined, headers });
  const { node } = await new NodeCall(link, { ...read, cancellation }).run();
  return node;
}
