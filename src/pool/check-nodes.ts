import type { NodeSignatureList } from "../../generated/types.js";
import { abortSignal, checkOptions, deadline, type OptionChecks } from "../arguments/check-options.js";
import type { CheckOptions } from "../client/node-pool.js";
import { defaultSettings } from "../http/call-options.js";
import type { Context } from "../http/context.js";
import { withTotalDeadline } from "../http/deadline.js";
import { contextOf } from "../http/requester.js";
import { readEnvelope } from "../source/node-page.js";
import { callNodes } from "./call-nodes.js";
import { applyVerdict, verdictOn } from "./judge.js";
import type { Link } from "./link.js";

/** A read that is cheap for a node, of a resource that has no signatures. */
const params = { id: "0".repeat(64), pagination: { first: 1 } };

/** The call that finds out whether a node responds, and with which block. */
export function probe(
  { routeOf }: Link,
  operation: string,
  call: Pick<Context<object>, "settings" | "signal" | "headers" | "node" | "demand">,
): Context<object> {
  const read = ({ signatures }: Partial<NodeSignatureList>) => readEnvelope(signatures);
  const route = { ...routeOf("listNodeSignatures"), operation, read };
  return contextOf(route, params, call);
}

const checks: OptionChecks<CheckOptions> = { timeout: deadline, signal: abortSignal };

/** Sends one read to each node, and judges them by what all have said. */
export async function checkNodes(link: Link, options: CheckOptions): Promise<void> {
  checkOptions(checks, options, { name: "check" });
  const { nodes, clock } = link;
  const { timeout = 5000, signal } = options;
  const settings = { ...defaultSettings, attempts: 1, timeout };
  const send = withTotalDeadline((context) => callNodes(link, context), clock);
  const calls = await Promise.allSettled(
    nodes.map(({ url: node }) =>
      send(probe(link, "nodes.check", { settings, signal, headers: undefined, node, demand: {} })),
    ),
  );
  signal?.throwIfAborted();
  for (const [index, node] of nodes.entries()) {
    if (calls[index]?.status === "rejected") continue;
    applyVerdict({ node, sentAt: clock.now(), verdict: verdictOn(node, node.sighting?.block, {}, link) });
  }
}
