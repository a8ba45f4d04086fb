import type { Context, Reply } from "../http/context.js";
import { observedError } from "../http/events.js";
import { delayAfter } from "../http/retry.js";
import { Candidates } from "./candidates.js";
import { behindError, errorOfCall, isNodeFault, setAsideAfter } from "./failures.js";
import { isBehind, isCompared, type Received, type Verdict } from "./judge.js";
import type { Link } from "./link.js";
import { sendTo, unfit } from "./node-attempt.js";
import type { NodeState } from "./node-state.js";
import { left, type Outcome, Race } from "./race.js";
import { Responses } from "./responses.js";
import { type Failover, type PoolTarget, readTarget } from "./target.js";

/** With one response, that of another node is waited for so long: milliseconds, and times its own duration. */
const [patience, patienceFactor] = [1000, 4];

/** One call: asks nodes until one gives a response that can be returned. */
export class NodeCall<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #target: PoolTarget;
  readonly #candidates: Candidates;
  readonly #race: Race<T>;
  readonly #startedAt: number;
  readonly #responses: Responses<T>;
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
    this.#responses = new Responses(link, this.#target);
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
        const result = best ?? this.#responses.freshest;
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
    if (this.#failover) reportFailover(this.#failover, node, this.#link, this.#context);
    this.#failover = undefined;
    this.#candidates.add(node, 1);
    this.#race.start(
      node,
      (attempt) => sendTo(node, this.#target, this.#link, this.#context, attempt),
      () => this.#race.size > 1 || this.#candidates.next() !== undefined,
    );
    return true;
  }

  #take(outcome: Outcome<T>): void {
    const { node, sentAt, block, result } = outcome;
    if ("error" in result) {
      this.#takeError(outcome, result.error);
    } else if (isBehind(block, this.#target)) {
      this.#fail(node, behindError(outcome, this.#target, this.#context), "history");
    } else {
      const cause = this.#responses.add({ node, sentAt, block, reply: result.reply });
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
    return this.#candidates.count === 1 ? this.#responses.freshest : this.#responses.best;
  }

  #settle(best: Received<T>): Reply<T> {
    const reply = this.#responses.settle(best, this.#context.operation);
    const elapsed = this.#link.clock.now() - this.#startedAt;
    for (const node of this.#race.cancel(left)) node.slowDown(elapsed, this.#startedAt);
    return reply;
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

function reportFailover(
  { node: from, cause, error }: Failover,
  to: NodeState,
  { emit }: Link,
  context: Context<unknown>,
) {
  if (from === to) return;
  const { operation, attempts: attempt } = context;
  const nodes = { node: from.url, from: from.url, to: to.url };
  emit?.({
    type: "failover",
    operation,
    attempt,
    ...nodes,
    cause,
    error: error === undefined ? undefined : observedError(error),
  });
}
