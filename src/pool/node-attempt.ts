import type { Attempt, Context, Reply } from "../http/context.js";
import { isNearEnd } from "../scan/history.js";
import type { Link } from "./link.js";
import { loadHistory, reaches } from "./node-history.js";
import type { NodeState } from "./node-state.js";
import type { PoolTarget } from "./target.js";

/** The reason of an attempt that was not sent, because the node does not keep balance changes for long enough. */
export const unfit = Symbol("unfit");

/** Sends one attempt to a node that keeps balance changes for as long as the call needs them. */
export async function sendTo<T>(
  node: NodeState,
  { reach, knowsHistory, verifiesHistory }: PoolTarget,
  link: Link,
  context: Context<T>,
  attempt: Attempt,
): Promise<Reply<T>> {
  const load = () => loadHistory(link, node, context, attempt);
  if (knowsHistory || reach !== undefined) await load();
  if (!reaches(node, reach)) throw unfit;
  const send = link.attempts.get(node);
  if (send === undefined) throw new TypeError(`${node.url} is not a node of the pool.`);
  const reply = await send(context, attempt);
  if (verifiesHistory && isNearEnd(node.history?.oldest, reach)) {
    node.history = undefined;
    await load();
    if (!reaches(node, reach)) throw unfit;
  }
  return reply;
}
