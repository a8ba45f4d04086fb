import type { Attempt, Context, Reply } from "../http/context.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** Sends an attempt to a node. */
export function sendToNode<T>(link: Link, context: Context<T>, node: NodeState, attempt: Attempt): Promise<Reply<T>> {
  const send = link.attempts.get(node);
  if (send === undefined) throw new TypeError(`${node.url} is not a node of the pool.`);
  return send(context, attempt);
}
