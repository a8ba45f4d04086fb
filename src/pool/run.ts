import { orAborted } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { ApiError, annotate, RateLimitError, ResponseError, toPlainError, VegaError } from "../errors/index.js";
import type { Answer } from "../http/call.js";
import { type Emit, observedError } from "../http/events.js";
import { MissingEvidence } from "../http/expectation.js";
import type { ActiveCall } from "../http/request.js";
import { delayAfter, isTransient, requestedDelay, withLongWait } from "../http/retry.js";
import { attemptWith, type Connection, type ConnectionOptions } from "../http/send.js";
import { completeFrom, judge } from "../list/judge.js";
import type { ReceivedPage } from "../list/page.js";
import { readBlock } from "../values/block.js";
import { maximum } from "../values/integers.js";
import { type Asked, type Decision, decide, type NodeHealth, type PoolFacts } from "./decide.js";
import { countBehind, isConfirmed, isLagging, millisecondsOf } from "./freshness.js";
import { patienceOf } from "./latency.js";
import { type PoolNode, type PoolRequest, unsent } from "./node.js";

export interface Pool extends Omit<PoolFacts, "session"> {
  readonly nodes: readonly PoolNode[];
  readonly clock: Clock;
}

/** One client of a pool. It makes calls of its own, such as one that finds out which nodes respond. */
export interface PoolClient extends Pool, ConnectionOptions, Connection {
  readonly emit: Emit | undefined;
}

/** A call with its request, which is to the first node of the pool. */
type PoolCall<T = unknown> = ActiveCall<T> & { readonly request: Request };

interface RunningCall<T = unknown> {
  readonly client: PoolClient;
  readonly call: PoolCall<T>;
  readonly asked: NodeRequest<T>[];
}

interface NodeRequest<T = unknown> extends Asked, PoolRequest {
  readonly to: PoolNode;
  answer?: Answer<T>;
  error?: unknown;
}

/** Serves a call: obeys `decide` until it returns a response or fails. */
export async function run<T>(client: PoolClient, call: PoolCall<T>): Promise<Answer<T>> {
  const { nodes, clock } = client;
  const { signal } = call;
  const asked: NodeRequest<T>[] = [];
  const running: RunningCall<T> = { client, call, asked };
  let wake: (hasEnded: boolean) => void = ignore;
  /** Waits until a request ends, and for no longer than a time. */
  const untilEnd = (milliseconds: number): Promise<boolean> => {
    const end = new Promise<boolean>((resolve) => {
      wake = resolve;
    });
    const cancelTimer = clock.after(Math.max(1, milliseconds), () => wake(false));
    return orAborted(signal, end).finally(cancelTimer);
  };
  try {
    for (;;) {
      judgeResponses(running);
      const decision = decide(call, asked, client, clock.now());
      report(running, decision);
      if (decision.do === "return") return settled(running, decision.request, decision.stale);
      if (decision.do === "fail") throw callError(running, decision.request);
      if (decision.do === "wait") await untilEnd(decision.until - clock.now());
      if (decision.do === "retry" && (await untilEnd(decision.delay))) continue;
      const to = "node" in decision && nodes.find(({ url }) => url === decision.node);
      if (to) sendRequest(running, to).then(() => wake(true));
    }
  } finally {
    for (const request of asked) abandon(request, client);
  }
}

async function sendRequest(running: RunningCall, to: PoolNode): Promise<void> {
  const { client, call, asked } = running;
  const { clock, emit, pacing, nodes } = client;
  const { url: node } = to;
  const controller = new AbortController();
  const request: NodeRequest = { node, to, since: clock.now(), controller, isSent: false };
  const attempt = asked.push(request);
  const copy = (original: Request, init: RequestInit) => {
    Object.assign(request, { since: clock.now(), isSent: true });
    return moved(original, nodes[0]?.url ?? node, node, init);
  };
  const emitOf: typeof emit = emit && ((event) => emit({ ...event, node }));
  const send = attemptWith({ ...client, emit: emitOf, copy }, pacing ? to.limiter : undefined);
  to.begin(request);
  const outcome: Partial<NodeRequest> = await send(call.request, { ...call, signal: controller.signal }, attempt).then(
    (answer) => ({ answer }),
    (error: unknown) => failureOf(error, attempt, running),
  );
  const now = clock.now();
  const { answer, failure, error, since } = Object.assign(request, outcome, { endedAt: now });
  const { response } = Object(answer ?? error) as { response?: Response };
  to.end(request);
  if (failure === "node") {
    call.progress.cause = error;
    // A path that the description does not have, such as a newer one, may be missing on a node that serves all others.
    if (call.described || isTransient(error)) to.fail(error, since);
  } else if (response) {
    const block = readBlock(response);
    const pool = { ...client, now };
    // On Linux, the clock stands still while the machine sleeps: where the other nodes are by now is unknown.
    if (block && countBehind(millisecondsOf(block.timestamp), pool) === nodes.length)
      for (const each of nodes) each.head = undefined;
    to.respond(block, since, response.headers);
    to.compared(isLagging(block, now, pool), since);
  }
}

function failureOf(error: unknown, attempt: number, { client, call }: RunningCall): Partial<NodeRequest> {
  const canPass = isTransient(error, call.finalStatuses);
  const failure = error === unsent ? "unsent" : canPass || isNodeFault(error) ? "node" : "call";
  const delay = canPass || failure === "unsent" ? delayAfter(error, attempt, call.settings, client) : undefined;
  return { error, failure, retryAt: delay === undefined ? undefined : client.clock.now() + delay };
}

/** Ends a request that is in flight, because the call has ended. */
function abandon(request: NodeRequest, { clock, nodes }: Pool): void {
  const { to, since, controller, isSent, endedAt } = request;
  if (endedAt !== undefined) return;
  request.endedAt = clock.now();
  to.end(request);
  if (isSent) to.abandon(since, patienceOf(to.url, nodes));
  controller.abort();
}

/** Whether another node may respond where one failed for good. */
function isNodeFault(error: unknown): boolean {
  // A body above `maxResponseSize` was not read, and other nodes would send one as large.
  if (ResponseError.is(error)) return error.body !== undefined;
  if (!ApiError.is(error)) return false;
  const { status, code } = error;
  if (status < 400) return true;
  // Every proxy would find such a request too large.
  if (readBlock(error) || [413, 414, 431].includes(status)) return false;
  // A wrong or closed address, a node without the operation, or a proxy: a data node adds a code to its errors.
  return code === undefined || [401, 403, 404, 407, 501].includes(status);
}

/** The same request to another node, unless middleware has sent it elsewhere. */
async function moved(request: Request, from: string, to: string, init: RequestInit): Promise<Request> {
  if (!request.url.startsWith(`${from}/`)) return new Request(request, init);
  const { method, headers, credentials, cache, mode, referrerPolicy } = request;
  // As it is, a body would be a stream, which browsers send by HTTP/2 alone.
  const body = method === "GET" || method === "HEAD" ? null : await request.arrayBuffer();
  const url = to + request.url.slice(from.length);
  return new Request(url, { method, headers, credentials, cache, mode, referrerPolicy, body, ...init });
}

/** Judges the responses. Whether nodes send block headers can turn out with the first response of another node. */
function judgeResponses({ client: { nodes }, call: { expectation, node }, asked }: RunningCall): void {
  if (!expectation) return;
  const maySendBlocks = ({ head, respondedAt, cause }: NodeHealth) =>
    head ?? (respondedAt === Number.NEGATIVE_INFINITY && !cause);
  const sendsBlocks = nodes.some((each) => (node ?? each.url) === each.url && maySendBlocks(each));
  for (const request of asked) {
    const { answer } = request;
    if (!answer) continue;
    request.missing = judge(expectation, answer, sendsBlocks);
    if (request.missing === "history") request.completeFrom = completeFrom(answer.data as ReceivedPage<unknown>);
  }
}

/** Returns the answer of a request, and notes its time: later answers are not older, or marked as stale. */
function settled<T>({ client, call }: RunningCall<T>, { answer, node }: NodeRequest<T>, stale: boolean): Answer<T> {
  const { session } = client;
  const { returned = 0n, confirmed = 0n } = session;
  const { timestamp = 0n } = answer?.block ?? {};
  if (call.node === undefined) {
    session.returned = maximum(returned, timestamp);
    const confirmedNow = [returned, timestamp].filter((time) => isConfirmed(millisecondsOf(time), client));
    session.confirmed = confirmedNow.reduce(maximum, confirmed);
  }
  return { ...(answer as Answer<T>), stale, node };
}

/** The error of a call: of one request, or the last one with the errors of all nodes if there are several. */
function callError({ client, call, asked }: RunningCall, reason: NodeRequest | undefined): unknown {
  if (reason?.missing) return new MissingEvidence(reason.missing, reason.answer?.block);
  const { settings, operation, once } = call;
  const failed = reason ? [reason] : asked.filter(({ failure }) => failure === "node");
  const last = failed.filter(({ node }, index) => !failed.slice(index + 1).some((each) => each.node === node));
  const isRetried = settings.attempts > 1 && !once;
  const errors = last.map(({ node, error }) => ({
    node,
    error: isRetried ? withLongWait(error, settings, client.clock) : error,
  }));
  // A caller can wait for the node that first accepts requests again.
  const limited = errors
    .filter(({ error }) => RateLimitError.is(error))
    .sort((a, b) => requestedDelay(a.error, client.clock) - requestedDelay(b.error, client.clock));
  const { node, error } = limited[0] ?? errors.at(-1) ?? {};
  if (!VegaError.is(error)) return error;
  if (errors.length < 2) return annotate(error, { node });
  const failures = errors.map(({ node, error }) => ({ node, ...toPlainError(error) }));
  const messages = failures.map(({ node, message }) => `${node}: ${message}`);
  const message = `${operation} failed on ${errors.length} nodes. ${messages.join(" · ")}`;
  return annotate(error, { node, failures, message });
}

function report({ client: { emit }, call: { operation }, asked }: RunningCall, { why }: Decision): void {
  if (typeof why === "string" || !emit) return;
  const node = why.type === "retry" ? why.node : why.from;
  const event = { operation, attempt: asked.length, node };
  const error = observedError(asked.filter((request) => request.node === node).at(-1)?.error);
  if (why.type === "hedge") emit({ ...event, ...why });
  else if (why.type === "retry") emit({ ...event, ...why, error });
  else emit({ ...event, ...why, error: why.cause === "error" ? error : undefined });
}
