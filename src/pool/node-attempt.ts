import type { Attempt, Context, Reply, SendAttempt } from "../http/context.js";
import { type Demand, NotShown } from "../http/demand.js";
import { contextOf } from "../http/requester.js";
import { newAttempt } from "../http/retry.js";
import { askOldest } from "../source/oldest-record.js";
import { Flight } from "./flight.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** Sends an attempt to a node, if it keeps balance changes for as long as the call needs them. */
export function sendToNode<T>(link: Link, context: Context<T>, node: NodeState, attempt: Attempt): Promise<Reply<T>> {
  const send = link.attempts.get(node);
  if (send === undefined) throw new TypeError(`${node.url} is not a node of the pool.`);
  const { demand } = context;
  return demand?.reach === undefined
    ? send(context, attempt)
    : sendWithHistory(link, context, { ...demand, reach: demand.reach }, node, attempt, send);
}

async function sendWithHistory<T>(
  link: Link,
  context: Context<T>,
  demand: Demand<T> & { reach: bigint },
  node: NodeState,
  attempt: Attempt,
  send: SendAttempt,
): Promise<Reply<T>> {
  const { history } = node;
  const { holdsStart, reach } = demand;
  const { cancellation, number } = attempt;
  const ask = askOldest(async (params, read) => {
    const { operation, headers, settings } = context;
    const route = { ...link.routeOf("listBalanceChanges"), operation, read };
    const probe = contextOf(route, params, { settings, signal: undefined, headers });
    const reply = await send(probe, newAttempt(cancellation, number, node.url));
    // Without the wait for the rate limit.
    const sentAt = cancellation instanceof Flight ? cancellation.sentAt : undefined;
    if (sentAt !== undefined) node.hear(reply.block, sentAt, reply.response.headers);
    return reply;
  });
  // Asked before, so that a node is not asked for what it does not have.
  if (holdsStart === undefined) {
    if (!history.isKnown) await history.load(ask);
    if (history.lacks(reach)) throw new NotShown("history", { availableFrom: history.oldest });
  }
  const reply = await send(context, attempt);
  await history.check(demand, reply, ask);
  return reply;
}
