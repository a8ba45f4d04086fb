import { orAborted, sleep } from "../async/abort.js";
import { ignore } from "../async/item-iterator.js";
import { annotate, describe, toPlainError, VegaError } from "../errors/index.js";
import { type Answer, hasNoBlock } from "../http/call.js";
import { observedError } from "../http/events.js";
import { NotShown } from "../http/expectation.js";
import { withLongWait } from "../http/retry.js";
import { completeFrom, judge } from "../list/judge.js";
import type { ReceivedPage } from "../list/page.js";
import { type Decision, decide, type NodeHealth } from "./decide.js";
import {
  abandon,
  type NodeRequest,
  type PoolCall,
  type PoolClient,
  type RunningCall,
  startRequest,
} from "./request.js";

/** Serves a call: obeys `decide` until it returns a response or fails. */
export async function run<T>(client: PoolClient, call: PoolCall<T>): Promise<Answer<T>> {
  const { nodes, clock } = client;
  const { signal } = call;
  let wake = ignore;
  const running: RunningCall<T> = { client, call, asked: [], onChange: () => wake() };
  const { asked } = running;
  const untilChange = async (milliseconds: number) => {
    const change = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const cancelTimer = clock.after(Math.max(1, milliseconds), wake);
    await orAborted(signal, change).finally(cancelTimer);
  };
  try {
    for (;;) {
      judgeResponses(running);
      const decision = decide(call, asked, client, clock.now());
      report(running, decision);
      if (decision.do === "return") return settle(running, decision);
      if (decision.do === "fail") throw errorOf(running, decision.request);
      if (decision.do === "wait") await untilChange(decision.until - clock.now());
      if (decision.do === "retry") await sleep(clock, decision.delay, signal);
      for (const node of nodes) if ("node" in decision && decision.node === node.url) startRequest(running, node);
    }
  } finally {
    for (const request of asked) abandon(request, client);
  }
}

/** Judges the responses. Whether nodes send block headers at all can turn out later, with the first response of another node. */
function judgeResponses<T>({ client: { nodes }, call: { expectation, node }, asked }: RunningCall<T>): void {
  const canName = ({ head, heardAt, cause }: NodeHealth) => head ?? (heardAt === Number.NEGATIVE_INFINITY && !cause);
  const namesBlocks = nodes.some((each) => (node ?? each.url) === each.url && canName(each));
  for (const request of asked) {
    const { answer } = request;
    if (!answer || !expectation) continue;
    request.lack = hasNoBlock(answer.block) ? "block" : judge(expectation, answer, namesBlocks);
    if (request.lack === "history") request.completeFrom = completeFrom(answer.data as ReceivedPage<unknown>);
  }
}

/** Returns the answer of a response, and notes its time: later answers are not older, or marked as stale. */
function settle<T>(
  { client: { session }, call }: RunningCall<T>,
  { request: { answer, node }, stale, why }: Decision<NodeRequest<T>> & { do: "return" },
): Answer<T> {
  const { returned = 0n } = session;
  const { timestamp = returned } = answer?.block ?? {};
  if (call.node === undefined && (timestamp > returned || why === "fresh")) session.returned = timestamp;
  return { ...(answer as Answer<T>), stale, node };
}

/** The error of a call: of one request, or the last one with the errors of all nodes if there are several. */
function errorOf<T>({ client, call, asked }: RunningCall<T>, reason: NodeRequest<T> | undefined): unknown {
  if (reason?.answer && reason.lack) return new NotShown(reason.lack, reason.answer);
  const { settings, operation, once } = call;
  const failed = reason ? [reason] : asked.filter(({ failure }) => failure === "node");
  const last = failed.filter(({ node }, index) => !failed.slice(index + 1).some((each) => each.node === node));
  const errors = last.map(({ node, error, retryAt, failure }) => {
    const asksForMore = failure === "node" && retryAt === undefined && settings.attempts > 1 && !once;
    return { node, error: asksForMore ? withLongWait(error, settings, client.clock) : error };
  });
  const { node, error } = errors.at(-1) ?? {};
  if (!VegaError.is(error)) return error;
  if (errors.length < 2) return annotate(error, { node });
  const failures = errors.map(({ node, error }) => ({ node, ...toPlainError(error) }));
  const messages = errors.map(({ node, error }) => `${node}: ${describe(error)}`);
  const message = `${operation} failed on ${errors.length} nodes. ${messages.join(" · ")}`;
  return annotate(error, { node, failures, message });
}

/** Reports why a node gets a request. */
function report<T>({ client: { emit }, call: { operation }, asked }: RunningCall<T>, { why }: Decision): void {
  if (typeof why === "string" || !emit) return;
  const node = why.type === "retry" ? why.node : why.from;
  const event = { operation, attempt: asked.length, node };
  const error = observedError(asked.filter((request) => request.node === node).at(-1)?.error);
  if (why.type === "hedge") emit({ ...event, ...why });
  else if (why.type === "retry") emit({ ...event, ...why, error });
  else emit({ ...event, ...why, error: why.cause === "error" ? error : undefined });
}
