import type { Attempt, Context, Reply } from "../http/context.js";
import { type Demand, NotShown } from "../http/demand.js";
import { observedError } from "../http/events.js";
import { contextOf } from "../http/requester.js";
import { delayAfter, newAttempt } from "../http/retry.js";
import { askOldest } from "../source/oldest-record.js";
import { Candidates } from "./candidates.js";
import { errorOfCall, isNodeFault, setAsideAfter } from "./failures.js";
import { isCompared, type Received, type Verdict } from "./judge.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";
import { left, type Outcome, Race } from "./race.js";
import { Responses } from "./responses.js";

/** A node that failed, and why. */
interface Failover {
  node: NodeState;
  cause: Verdict;
  error?: unknown;
}

/** With one response, that of another node is waited for so long: milliseconds, and times its own duration. */
const [patience, patienceFactor] = [1000, 4];

/** One call: asks nodes until one gives a response that can be returned. */
export class NodeCall<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #demand: Demand<T>;
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
    const { node, demand = { isFresh: true } } = context;
    this.#demand = node === undefined ? demand : { ...demand, isFresh: false };
    this.#candidates = new Candidates(link, { node, demand });
    this.#race = new Race(context, link.clock);
    this.#responses = new Responses(link, context, this.#demand);
    this.#startedAt = link.clock.now();
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
        this.#responses.throwIfBehind();
        if (this.#candidates.last().every((node) => this.#candidates.triesOf(node) > 0)) this.#throwIfNotShown();
        await this.#retry();
      }
    } finally {
      this.#race.cancel(left);
    }
  }

  /** How many attempts can fail. Each node is asked once at least, unless the caller wants no retries. */
  get #limit(): number {
    const { attempts } = this.#context.settings;
    return attempts === 1 ? 1 : Math.max(attempts, this.#candidates.count);
  }

  /** Whether a response of a node can be returned without that of another one. */
  #isEnough(node: NodeState): boolean {
    return !this.#demand.isFresh || isCompared(this.#link, node);
  }

  #start(node: NodeState | undefined): boolean {
    if (node === undefined) return false;
    if (this.#failover) reportFailover(this.#failover, node, this.#link, this.#context);
    this.#failover = undefined;
    this.#candidates.add(node, 1);
    this.#race.start(
      node,
      (attempt) => this.#send(node, attempt),
      () => this.#race.size > 1 || this.#candidates.next() !== undefined,
    );
    return true;
  }

  /** Sends an attempt to a node, if it keeps balance changes for as long as the call needs them. */
  async #send(node: NodeState, attempt: Attempt): Promise<Reply<T>> {
    const { history } = node;
    const { reach, holdsStart } = this.#demand;
    const send = this.#link.attempts.get(node);
    if (send === undefined) throw new TypeError(`${node.url} is not a node of the pool.`);
    const ask = askOldest(async (query, read) => {
      const { operation, headers, settings } = this.#context;
      const route = { ...this.#link.routeOf("listBalanceChanges"), operation, read };
      const probe = contextOf(route, { query, path: {}, body: {} }, { settings, signal: undefined, headers });
      const sentAt = this.#link.clock.now();
      const reply = await send(probe, newAttempt(attempt.cancellation, attempt.number, node.url));
      node.hear(reply.block, sentAt, reply.response.headers);
      return reply;
    });
    // Asked before, so that a node is not asked for what it does not have.
    if (reach !== undefined && holdsStart === undefined) {
      if (!history.isKnown) await history.load(ask);
      if (history.lacks(reach)) throw new NotShown("history", { availableFrom: history.oldest });
    }
    const reply = await send(this.#context, attempt);
    await history.check(this.#demand, reply, ask);
    return reply;
  }

  #take(outcome: Outcome<T>): void {
    const { node, sentAt, block, result } = outcome;
    if ("error" in result) {
      this.#takeError(outcome, result.error);
    } else {
      const cause = this.#responses.add({ node, sentAt, block, reply: result.reply });
      this.#failover = cause && { node, cause };
    }
  }

  #takeError({ node, sentAt, response }: Outcome<T>, error: unknown): void {
    if (error === left) {
      this.#candidates.add(node, -1);
      this.#failover = undefined;
    } else if (error instanceof NotShown) {
      node.recover(sentAt);
      this.#failover = { node, cause: "history" };
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

  /** @throws {@link NotShown} if the nodes that respond do not show what is demanded, whatever the others would. */
  #throwIfNotShown(): void {
    const { unfit } = this.#candidates;
    const kept = unfit.flatMap(({ history }) => history.oldest ?? []);
    this.#responses.throwIfNotShown();
    if (unfit.length === 0) return;
    throw new NotShown("history", {
      availableFrom: kept.length === 0 ? undefined : kept.reduce((a, b) => (b < a ? b : a)),
    });
  }

  #settle(best: Received<T>): Reply<T> {
    const reply = this.#responses.settle(best);
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
      this.#throwIfNotShown();
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
