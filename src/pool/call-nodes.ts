import type { Context, Reply } from "../http/context.js";
import { Candidates } from "./candidates.js";
import { hedgeDelay } from "./hedging.js";
import { isCompared, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import { updateMark } from "./mark.js";
import { NodeCall } from "./node-call.js";
import { Race } from "./race.js";

const fresh = { isFresh: true };

/**
 * Makes a call. The first node that is asked serves most calls: then nothing is set up to compare it with others and to turn to them,
 * which would take about as much time as all else that a pool does.
 */
export async function callNodes<T>(link: Link, context: Context<T>): Promise<Reply<T>> {
  const candidates = new Candidates(link, context);
  const race = new Race(link, context, candidates);
  const isPlain = context.demand === undefined && context.node === undefined;
  const node = isPlain && candidates.due() === undefined ? candidates.next() : undefined;
  // When a node is late that was not heard, others may show while it is waited for.
  if (node?.latency.bound === undefined || !isCompared(link, node)) {
    return new NodeCall(link, context, candidates, race).run();
  }
  link.budget.earn();
  race.start(node, false);
  const outcome = await race.next(hedgeDelay(node, link));
  const reply = outcome?.reply;
  if (!reply || verdictOn(node, reply.block, fresh, link) || !isCompared(link, node)) {
    return new NodeCall(link, context, candidates, race).run({ outcome });
  }
  node.recover(outcome.sentAt);
  updateMark(reply.block, link, true);
  reply.node = node.url;
  return reply;
}
