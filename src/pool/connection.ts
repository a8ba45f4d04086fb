import { readBaseUrl } from "../arguments/read-base-url.js";
import { refuse } from "../arguments/refuse.js";
import type { ConnectionOptions } from "../client/node-pool.js";
import type { RequestSettings } from "../http/context.js";
import { withTotalDeadline } from "../http/deadline.js";
import { createEmit, type ObserverEvent, type WithoutTime } from "../http/events.js";
import { contextOf, createNodeAttempt, type Requester } from "../http/requester.js";
import { callNodes } from "./call-nodes.js";
import { callOnce } from "./check-call.js";
import type { Link } from "./link.js";
import { withSetAside } from "./node-faults.js";
import type { NodeState } from "./node-state.js";

/** The nodes of a pool, and how they are used. */
export interface Pool extends Pick<Link, "nodes" | "settings" | "clock" | "budget" | "random"> {}

/** Sends the calls of a client to the nodes of a pool. */
export function createRequester(link: Link): Requester {
  const { nodes, clock } = link;
  const send = withTotalDeadline(
    (context) => (context.once && context.node === undefined ? callOnce(link, context) : callNodes(link, context)),
    clock,
  );
  return {
    send: (route, params, call) => send(contextOf(route, params, withKnownNode(call, nodes, route.operation))),
  };
}

/** What a client and the nodes of its pool have in common. */
export function createLink(pool: Pool, options: ConnectionOptions): Link {
  const { fetch, pacing = true, observe, validate, routeOf, session } = options;
  const { nodes, clock } = pool;
  const emit = observe && createEmit<WithoutTime<ObserverEvent>>(observe, clock);
  const attempts = new Map(
    nodes.map((node) => {
      const limits = pacing ? node.limits : undefined;
      const emitOf = emit && ((event: Parameters<typeof emit>[0]) => emit({ ...event, node: node.url }));
      return [node, createNodeAttempt({ fetch, validate, clock }, emitOf, limits, withSetAside(node))];
    }),
  );
  return { ...pool, emit, attempts, routeOf, session };
}

/** Replaces the address that the caller has named by that of a node. */
function withKnownNode<T>(
  call: RequestSettings<T>,
  nodes: readonly NodeState[],
  operation: string,
): RequestSettings<T> {
  const { node: url } = call;
  if (url === undefined || nodes.some((node) => node.url === url)) return call;
  const place = { operation, argument: "node" };
  const known = readBaseUrl(url, place);
  if (!nodes.some((node) => node.url === known)) {
    refuse(place, `one of the pool: ${nodes.map((node) => node.url).join(", ")}`, url);
  }
  return { ...call, node: known };
}
