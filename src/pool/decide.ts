import type { EvidenceKind } from "../http/expectation.js";
import type { ActiveCall } from "../http/request.js";
import { type Block, hasNoBlock } from "../values/block.js";
import { compare } from "../values/integers.js";
import { type Head, isContradicted, isLagging, millisecondsOf, timeBy } from "./freshness.js";
import { choose, historyPatience, longestPatience, type NodeSpeed, type Order, patienceOf } from "./latency.js";

/*
 * A call to a pool is a loop: `decide` returns the next step, and `run` takes it.
 *
 *   ask     a node: the first one; the next one after a failure or an unusable response (failover); another one as
 *           well as a late one (hedge)
 *   wait    until a request ends or is late
 *   return  a response, marked as stale if no node has a fresh one
 *   retry   a node that has failed, after a wait
 *   fail    with the errors of the nodes, or with the missing evidence
 *
 * A node that fails, lags or is unresponsive cools down (`node.ts`), each time twice as long: calls use other nodes,
 * until one call uses it as a probe. `freshness.ts` compares block times, and `latency.ts` decides when a response is
 * late.
 */

/** The health of a node, for decisions. Times are in milliseconds of a clock that never goes back. */
export interface NodeHealth extends NodeSpeed {
  readonly url: string;
  readonly head: Head | undefined;
  readonly latest: number | undefined;
  /** Why it cools down, or did until it can be used again. */
  readonly cause: "failing" | "unresponsive" | "lagging" | undefined;
  readonly coolUntil: number;
}

/** A request of a call. */
export interface Asked {
  /** The address of the node. */
  readonly node: string;
  /** When it was sent. Until then, when it began to wait for the rate limit of the node. */
  since: number;
  isSent: boolean;
  /** `undefined` while it is in flight. */
  endedAt?: number;
  answer?: { readonly block: Block | undefined };
  /** The evidence that the response lacks. */
  missing?: EvidenceKind | undefined;
  /** If that is history, from when on the page is complete, in Unix nanoseconds. */
  completeFrom?: bigint;
  /** Without an answer: the node has failed, every node would refuse the call, or the request was not sent. */
  failure?: "node" | "call" | "unsent";
  /** When the node can be used again; `undefined` if it requires a longer wait than the caller allows. */
  retryAt?: number | undefined;
}

/** A call, for decisions. */
export interface CallFacts extends Pick<ActiveCall, "node" | "expectation" | "once" | "endsAt"> {
  readonly settings: { readonly attempts: number };
}

/** A pool and its client, for decisions. */
export interface PoolFacts {
  /** In the order in which they were given. */
  readonly nodes: readonly NodeHealth[];
  readonly maxLag: number;
  readonly order: Order;
  readonly random: () => number;
  /** The latest block time that the client has returned, and the latest of these that two nodes have reported. */
  readonly session: { readonly returned?: bigint; readonly confirmed?: bigint };
}

/** Why a response is not enough. */
type Unfit = "lag" | "regression" | EvidenceKind;

/** The event that reports why a node gets a request. */
type PoolEvent =
  | { type: "failover"; from: string; to: string; cause: "error" | Unfit }
  | { type: "hedge"; from: string; to: string; delay: number }
  | { type: "retry"; node: string; delay: number };

export type Decision<Request extends Asked = Asked> =
  | { do: "ask"; node: string; why: "first" | PoolEvent }
  | { do: "wait"; until: number; why: "in time" | "late" | "history" }
  | { do: "return"; request: Request; stale: boolean; why: "fresh" | "final" | Unfit }
  | { do: "retry"; node: string; delay: number; why: PoolEvent }
  /** `request` has the reason; `undefined`: the errors of all nodes have. */
  | { do: "fail"; request?: Request; why: "error" | "refused" | EvidenceKind };

/** Returns the next step of a call. `asked`: its requests, in the order in which they were started. */
export function decide<Request extends Asked>(
  call: CallFacts,
  asked: readonly Request[],
  pool: PoolFacts,
  now: number,
): Decision<Request> {
  const { nodes, maxLag } = pool;
  const { node: only, expectation, settings, once, endsAt } = call;
  const refused = asked.find(({ failure }) => failure === "call");
  if (refused) return { do: "fail", request: refused, why: "refused" };

  const least = leastTime(call, pool, now);
  const stalenessOf = ({ answer, endedAt = now }: Asked) => {
    if (least === undefined || !answer?.block) return undefined;
    if (isLagging(answer.block, endedAt, { nodes, maxLag, now })) return "lag";
    return answer.block.timestamp < least ? "regression" : undefined;
  };
  const responses = asked.filter(({ answer }) => answer);
  const usable = responses.filter(({ missing }) => !missing);
  const fresh = best(usable.filter((request) => !stalenessOf(request)));
  if (fresh) return { do: "return", request: fresh, stale: false, why: least === undefined ? "final" : "fresh" };

  // Each node is tried at least once, unless the caller wants no retries.
  const attempts = settings.attempts === 1 || once ? 1 : Math.max(settings.attempts, only ? 1 : nodes.length);
  // A request that must not be repeated is not hedged either.
  const isOver = asked.filter(({ failure, isSent }) => (once ? isSent : failure === "node")).length >= attempts;
  const nextOf = (nodes: readonly NodeHealth[]) =>
    isOver ? undefined : nextNode(call, asked, { ...pool, nodes }, now, least);
  const next = nextOf(nodes);
  const again = isOver ? undefined : retryOf(asked, now);
  const inFlight = asked.filter(({ endedAt }) => endedAt === undefined);
  const ask = ({ url: to }: NodeHealth, last = asked.at(-1)): Decision<Request> => {
    if (!last) return { do: "ask", node: to, why: "first" };
    const { node: from, since, endedAt, missing } = last;
    if (endedAt === undefined) return { do: "ask", node: to, why: { type: "hedge", from, to, delay: now - since } };
    return { do: "ask", node: to, why: { type: "failover", from, to, cause: missing ?? stalenessOf(last) ?? "error" } };
  };

  return furthestBack() ?? fresher() ?? latest() ?? withoutEvidence() ?? again ?? { do: "fail", why: "error" };

  /** Nodes keep different histories, so each is tried, and the response that reaches back furthest is returned. */
  function furthestBack(): Decision<Request> | undefined {
    const longest = usable.length === 0 && best(responses.filter(({ missing }) => missing === "history"));
    if (!longest) return undefined;
    if (next) return ask(next, longest);
    // For a range without a start, the total deadline must not end a call that has a response.
    const deadline = expectation?.historyFrom ? Number.POSITIVE_INFINITY : endsAt - 1;
    const late = Math.max(...inFlight.map(({ since, isSent }) => (isSent ? since : now) + historyPatience));
    const until = Math.min(late, deadline);
    if (now < until) return { do: "wait", until, why: "history" };
    // The node that keeps the start may have failed.
    if (again && expectation?.historyFrom) return again;
    return { do: "return", request: longest, stale: stalenessOf(longest) !== undefined, why: "history" };
  }

  /** A fresher response is waited for, but the total deadline must not end a call that has one. */
  function fresher(): Decision<Request> | undefined {
    const [first] = usable;
    const until = first ? Math.min((first.endedAt ?? now) + longestPatience, endsAt - 1) : Number.POSITIVE_INFINITY;
    if (now >= until) return undefined;
    const patient = inFlight.map(({ node, since }) => ({ since, patience: patienceOf(node, nodes) }));
    const isToCome = (time: number) => time > now;
    const lateAt = patient.map(({ since, patience }) => since + Math.min(patience, longestPatience)).filter(isToCome);
    if (lateAt.length > 0) return { do: "wait", until: Math.min(until, ...lateAt), why: "in time" };
    const unresponsiveAt = patient
      .map(({ since, patience }) => since + Math.max(patience, longestPatience))
      .filter(isToCome);
    // At most two requests are in flight to nodes that may still respond, and none to a node whose rate limit is used
    // up.
    const other = inFlight.length === 0 ? next : nextOf(nodes.filter(({ pause }) => pause === 0));
    if (other && (inFlight.length === 0 || unresponsiveAt.length < 2)) return ask(other);
    // A node whose rate limit is used up responds later. Within a second, another one may have room.
    const isLate = unresponsiveAt.length > 0 || inFlight.some(({ isSent }) => !isSent || responses.length === 0);
    if (!isLate) return undefined;
    // A node that has failed may respond sooner than one that hangs.
    if (again && unresponsiveAt.length === 0 && responses.length === 0) return again;
    return { do: "wait", until: Math.min(until, now + longestPatience, ...unresponsiveAt), why: "late" };
  }

  function latest(): Decision<Request> | undefined {
    const request = best(usable);
    return request && { do: "return", request, stale: true, why: stalenessOf(request) ?? "lag" };
  }

  function withoutEvidence(): Decision<Request> | undefined {
    // A node that only lacks the block has a page that continues here, and may catch up, unless it has no block at all.
    const isBehind = ({ missing, answer }: Request) => missing === "block" && !hasNoBlock(answer?.block);
    const request = best(responses.filter(isBehind)) ?? best(responses);
    // A node that has failed may have a page that continues here.
    const isOpen = again && request?.missing === "place";
    return request?.missing && !isOpen ? { do: "fail", request, why: request.missing } : undefined;
  }
}

/** The block time from which a response is fresh; `undefined` for past data, which are final on every node. */
function leastTime({ expectation }: CallFacts, { nodes, maxLag, session }: PoolFacts, now: number): bigint | undefined {
  if (expectation && !expectation.isFresh) return undefined;
  const { returned = 0n, confirmed = 0n } = session;
  return isContradicted(millisecondsOf(returned), { nodes, maxLag, now }) ? confirmed : returned;
}

/** The failed node that can be asked again first. One whose request was not sent comes before those that were tried. */
function retryOf(asked: readonly Asked[], now: number): (Decision<never> & { do: "retry" }) | undefined {
  const lastOfEach = [...new Map(asked.map((request) => [request.node, request])).values()];
  const retries = lastOfEach.flatMap(({ node, retryAt, failure }) =>
    retryAt === undefined ? [] : { node, retryAt, isTried: failure !== "unsent" },
  );
  const [first] = retries.sort((a, b) => Number(a.isTried) - Number(b.isTried) || a.retryAt - b.retryAt);
  if (!first) return undefined;
  const retry = { node: first.node, delay: Math.max(0, first.retryAt - now) };
  return { do: "retry", ...retry, why: { type: "retry", ...retry } };
}

/**
 * The next node of the call: none is used twice, and one that cools down only if no other can help.
 *
 * @param least - The result of `leastTime`.
 */
function nextNode(
  { node: only, expectation }: CallFacts,
  asked: readonly Asked[],
  { nodes, order, random }: PoolFacts,
  now: number,
  least: bigint | undefined,
): NodeHealth | undefined {
  const isNew = ({ url }: NodeHealth) => (only ?? url) === url && !asked.some(({ node }) => node === url);
  const others = nodes.filter(isNew);
  const isReady = ({ coolUntil, cause }: NodeHealth) =>
    coolUntil <= now || (cause === "lagging" && least === undefined);
  const ready = others.filter(isReady);
  // A node that lags or is unresponsive may keep records that others have dropped, and so may one that fails.
  const lacksRecords = asked.some(({ missing }) => missing === "place" || missing === "history");
  const able =
    ready.length === 0 && lacksRecords
      ? others.filter(({ cause }) => cause !== "failing" || expectation?.historyFrom)
      : ready;
  const likely = able.filter(({ head }) => !head || timeBy(now, head) >= millisecondsOf(least ?? 0n));
  const chosen =
    able.find(({ url }) => url === expectation?.prefer) ??
    choose(likely.length > 0 ? likely : able, { order, random, now });
  // Without a response, a node that cools down is better than none, and one that lags does respond.
  if (chosen || asked.some(({ answer }) => answer)) return chosen;
  const rank = ({ cause }: NodeHealth) => (cause === "lagging" ? 0 : 1);
  return others.sort((a, b) => rank(a) - rank(b) || a.coolUntil - b.coolUntil)[0];
}

/** The response that reaches back furthest, if that matters, and of several the one with the latest block. */
function best<Request extends Asked>(responses: readonly Request[]): Request | undefined {
  const timeOf = ({ answer }: Request) => answer?.block?.timestamp ?? -1n;
  const byHistory = (a: Request, b: Request) =>
    compare(a.completeFrom ?? 0n, b.completeFrom ?? 0n) || compare(timeOf(b), timeOf(a));
  return [...responses].sort(byHistory)[0];
}
