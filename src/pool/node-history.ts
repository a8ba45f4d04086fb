import type { BalanceChangeList } from "../../generated/types.js";
import { ApiError } from "../errors/index.js";
import type { Clock } from "../http/clock.js";
import type { Attempt, Context } from "../http/context.js";
import { contextOf } from "../http/requester.js";
import { newAttempt } from "../http/retry.js";
import { readEnvelope } from "../pagination/list-operation.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** How long it is remembered since when a node keeps balance changes, in milliseconds. */
const lifetime = 60_000;

const hour = 3_600_000_000_000n;

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
    try {
      const reply = await link.attempts.get(node)?.(probe, newAttempt(cancellation, number, node.url));
      const oldest = reply?.data.edges[0]?.node?.timestamp;
      node.history = { oldest: oldest === undefined ? undefined : BigInt(oldest), time };
    } catch (error) {
      // Nodes from v0.75 on refuse balance changes without a range: since when they keep them is not known.
      if (!ApiError.is(error) || error.status !== 400) throw error;
      node.history = { oldest: undefined, time };
    }
  });
}

export const isHistoryKnown = ({ history }: NodeState, clock: Clock): boolean =>
  history !== undefined && clock.now() - history.time < lifetime;

/** Whether a node keeps balance changes from a time on, as far as is known. */
export const reaches = ({ history }: NodeState, time: bigint | undefined): boolean =>
  time === undefined || (history?.oldest !== undefined && history.oldest <= time);

/** Whether a node may soon drop balance changes from a time on. */
export const isNearEnd = ({ history }: NodeState, time: bigint | undefined): boolean =>
  history?.oldest !== undefined && time !== undefined && time - history.oldest < hour;

/** The time from which on some node keeps balance changes; `undefined` if no node is known to have any. */
export function earliestOf(nodes: readonly NodeState[]): bigint | undefined {
  const times = nodes.flatMap(({ history }) => history?.oldest ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => (b < a ? b : a));
}
