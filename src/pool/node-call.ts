import type { Attempt, Context, Reply } from "../http/context.js";
import { observedError } from "../http/events.js";
import { delayAfter } from "../http/retry.js";
import { Candidates } from "./candidates.js";
import { behindError, errorOfCall, isNodeFault, setAsideAfter } from "./failures.js";
import {
  applyVerdict,
  freshestOf,
  isBehind,
  isCompared,
  isInDispute,
  type Received,
  staleError,
  type Verdict,
  verdictOn,
} from "./judge.js";
import type { Link } from "./link.js";
import { isNearEnd, loadHistory, reaches } from "./node-history.js";
import type { NodeState } from "./node-state.js";
import { left, type Outcome, Race } from "./race.js";
import { type Failover, type PoolTarget, readTarget } from "./target.js";

/** With one response, that of another node is waited for so long: milliseconds, and times its own duration. */
const [patience, patienceFactor] = [1000, 4];

/** The reason of an attempt that was not sent, because the node does not keep balance changes for long enough. */
const unfit = Symbol("unfit");

/** One call: asks nodes until one gives a response that can be returned. */
export class NodeCall<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #target: PoolTarget;
  readonly #candidates: Candidates;
  readonly #race: Race<T>;
  readonly #startedAt: number;
  readonly #received: Received<T>[] = [];
  readonly #failures = new Map<NodeState, unknown>();
  #failed = 0;
  /** The node that the call turns away from. */
  #failover: Failover | undefined;

  constructor(link: Link, context: Context<T>) {
    this.#link = link;
    this.#context = context;
    this.#target = context.target ?? readTarget();
    this.#candidates = new Candidates(link, this.#target);
    this.#race = new Race(context, link.clock);
    this.#startedAt = link.clock.now();
    this.#failover = this.#target.failover;
    if (this.#failover) this.#candidates.add(this.#failover.node, 1);
  }

  async run(): Promise<Reply<T>> {
    const first = this.#candidates.next();
    if (first === undefined) await this.#retry();
    else {
      this.#start(first);
      if (!this.#isEnough(first)) this.#start(this.#candidates.next(true));
    }
    let wait = Number.POSITIVE_INFINITY;
    try {
      for (;;) {
        const outcome = await this.#race.next(wait);
        if (outcome) this.#take(outcome);
        const best = this.#best();
        if (best && this.#isEnough(best.node)) return this.#settle(best);
        if (outcome && best && this.#race.size > 0) {
          wait = Math.max(patience, patienceFactor * (this.#link.clock.now() - this.#startedAt));
          continue;
        }
        if (this.#failed < this.#limit && this.#start(this.#candidates.next())) continue;
        if (best === undefined && this.#race.size > 0) continue;
        const result = best ?? freshestOf(this.#received);
        if (result) return this.#settle(result);
        await this.#retry();
      }
    } finally {
      this.#race.cancel(left);
    }
  }

  /** How many attempts can fail. Each node is asked once at least, unless the caller wants no retries. */
  get #limit(): number {
    const { attempts = this.#context.settings.attempts } = this.#target;
    return attempts === 1 ? 1 : Math.max(attempts, this.#candidates.count);
  }

  /** Whether a response of a node can be returned without that of another one. */
  #isEnough(node: NodeState): boolean {
    return !this.#target.compares || isCompared(this.#link, node);
  }

  #start(node: NodeState | undefined): boolean {
    if (node === undefined) return false;
    const { cause, error, node: from = node } = this.#failover ?? {};
    this.#failover = undefined;
    if (cause && from !== node) {
      const { operation, attempts: attempt } = this.#context;
      const failover = { operation, attempt, node: from.url, from: from.url, to: node.url, cause };
      this.#link.emit?.({
        type: "failover",
        ...failover,
        error: error === undefined ? undefined : observedError(error),
      });
    }
    this.#candidates.add(node, 1);
    this.#race.start(
      node,
      (attempt) => this.#send(node, attempt),
      () => this.#race.size > 1 || this.#candidates.next() !== undefined,
    );
    return true;
  }

  async #send(node: NodeState, attempt: Attempt): Promise<Reply<T>> {
    const { reach, knowsHistory, verifiesHistory } = this.#target;
    const load = () => loadHistory(this.#link, node, this.#context, attempt);
    if (knowsHistory || reach !== undefined) await load();
    if (!reaches(node, reach)) throw unfit;
    const send = this.#link.attempts.get(node);
    if (send === undefined) throw new TypeError(`${node.url} is not a node of the pool.`);
    const reply = await send(this.#context, attempt);
    if (verifiesHistory && isNearEnd(node, reach)) {
      node.history = undefined;
      await load();
      if (!reaches(node, reach)) throw unfit;
    }
    return reply;
  }

  #take(outcome: Outcome<T>): void {
    const { node, sentAt, block, result } = outcome;
    if ("error" in result) {
      this.#takeError(outcome, result.error);
    } else if (isBehind(block, this.#target)) {
      this.#fail(node, behindError(outcome, this.#target, this.#context), "history");
    } else {
      this.#received.push({ node, sentAt, block, reply: result.reply, verdict: undefined });
      // Each response shows more of the others.
      for (const each of this.#received) each.verdict = verdictOn(each.node, each.block, this.#target, this.#link);
      const cause = this.#received.at(-1)?.verdict;
      this.#failover = cause && { node, cause };
    }
  }

  #takeError({ node, sentAt, response }: Outcome<T>, error: unknown): void {
    if (error === left || error === unfit) {
      this.#candidates.add(node, -1);
      this.#failover = error === unfit ? { node, cause: "history" } : undefined;
    } else if (isNodeFault(error, this.#context)) {
      setAsideAfter(error, node, sentAt, this.#context);
      this.#fail(node, error, "error");
    } else {
      if (response) node.recover(sentAt);
      throw errorOfCall(new Map([[node, error]]), this.#context);
    }
  }

  #fail(node: NodeState, error: unknown, cause: Verdict): void {
    // Of a node that failed before, what it said last.
    this.#failures.delete(node);
    this.#failures.set(node, error);
    this.#failed++;
    this.#context.lastError = error;
    this.#failover = { node, cause, error };
  }

  /** The freshest response that can be returned. One that can come from a single node alone always can. */
  #best(): Received<T> | undefined {
    const isAlone = this.#candidates.count === 1;
    return freshestOf(this.#received.filter((each) => isAlone || !each.verdict));
  }

  /** Returns a response, and notes what the responses say of their nodes. */
  #settle(best: Received<T>): Reply<T> {
    const { clock, settings } = this.#link;
    const { verdict } = best;
    const stale = verdict !== undefined || (this.#target.compares === true && isInDispute(this.#link));
    const { node: pinned } = this.#target;
    if (stale && settings.staleness === "error" && pinned === undefined) {
      throw staleError(this.#context.operation, this.#received);
    }
    for (const each of this.#received) applyVerdict(each);
    for (const node of this.#race.cancel(left)) node.slowDown(clock.now() - this.#startedAt, this.#startedAt);
    const { node, block, reply } = best;
    if (block && block.height > this.#link.mark && verdict !== "suspect" && pinned === undefined) {
      this.#link.mark = block.height;
    }
    this.#target.servedBy = node;
    return { ...reply, stale };
  }

  /** Asks a node once more, or one that is set aside. */
  async #retry(): Promise<void> {
    const { clock, random, emit } = this.#link;
    const { operation, settings, cancellation, attempts: attempt } = this.#context;
    const ready = this.#candidates.last().map((node) => {
      const tries = this.#candidates.triesOf(node);
      const error = this.#failures.get(node);
      return { node, error, delay: tries === 0 ? 0 : delayAfter(error, tries, settings, { clock, random }) };
    });
    const next = this.#failed < this.#limit ? ready.find(({ delay }) => delay !== undefined) : undefined;
    if (next?.delay === undefined) {
      // Without a start, a scan reads what the nodes that respond keep.
      if (this.#target.reach === 0n && this.#start(this.#candidates.nextOfOldest())) return;
      this.#target.hasGivenUp = true;
      throw errorOfCall(this.#failures, this.#context);
    }
    const { node, error, delay } = next;
    if (delay > 0) {
      emit?.({ type: "retry", operation, attempt, node: node.url, delay, error: observedError(error) });
      await cancellation.run<void>((resolve) => clock.after(delay, resolve));
    }
    this.#start(node);
  }
}
