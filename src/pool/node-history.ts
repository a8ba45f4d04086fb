import type { BalanceChangeList } from "../../generated/types.js";
import type { Clock } from "../http/clock.js";
import type { Attempt, Context } from "../http/context.js";
import { contextOf } from "../http/requester.js";
import { newAttempt } from "../http/retry.js";
import { readEnvelope } from "../pagination/list-operation.js";
import { lifetime, timeOfOldest } from "../scan/history.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

const query = { "pagination.first": 1, "pagination.newestFirst": false };

/** Asks a node since when it keeps balance changes, unless that is known. One request at a time does. */
export function loadHistory(link: Link, node: NodeState, context: Context<unknown>, attempt: Attempt): Promise<void> {
  const { cancellation, number } = attempt;
  return node.historyLock.run(async () => {
    cancellation.throwIfCancelled();
    if (isHistoryKnown(node, link.clock)) return;
    const time = link.clock.now();
    const { operation, headers, settings } = context;
    const read = ({ balances }: Partial<BalanceChangeList>) => readEnvelope(balances);
    const route = { ...link.routeOf("listBalanceChanges"), operation, read };
    const probe = contextOf(route, { query, path: {}, body: {} }, { settings, signal: undefined, headers });
    const fetchFirst = async () => {
      const reply = await link.attempts.get(node)?.(probe, newAttempt(cancellation, number, node.url));
      return reply?.data.edges[0]?.node ?? undefined;
    };
    node.history = { oldest: await timeOfOldest(fetchFirst()), time };
  });
}

export const isHistoryKnown = ({ history }: NodeState, clock: Clock): boolean =>
  history !== undefined && clock.now() - history.time < lifetime;

/** Whether a node keeps balance changes from a time on, as far as is known. */
export const reaches = ({ history }: NodeState, time: bigint | undefined): boolean =>
  time === undefined || (history?.oldest !== undefined && history.oldest <= time);

/** The time from which on some node keeps balance changes; `undefined` if no node is known to have any. */
export function earliestOf(nodes: readonly NodeState[]): bigint | undefined {
  const times = nodes.flatMap(({ history }) => history?.oldest ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => (b < a ? b : a));
}
