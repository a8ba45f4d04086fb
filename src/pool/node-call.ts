import type { Context, Reply } from "../http/context.js";
import { type Demand, NotShown } from "../http/demand.js";
import { observedError } from "../http/events.js";
import { delayAfter } from "../http/retry.js";
import type { Candidates } from "./candidates.js";
import { Comparison, patienceFor } from "./comparison.js";
import { Failures } from "./failures.js";
import { left } from "./flight.js";
import { Hedge } from "./hedge.js";
import type { JudgedResponse } from "./judge.js";
import type { Link } from "./link.js";
import { isNodeFault, setAsideAfter } from "./node-faults.js";
import type { NodeState } from "./node-state.js";
import type { AttemptOutcome, Race } from "./race.js";
import { Responses } from "./responses.js";

/** One call that may need several nodes: asks them until one gives a response that can be returned. */
export class NodeCall<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #candidates: Candidates;
  readonly #race: Race<T>;
  readonly #hedge: Hedge<T>;
  readonly #comparison: Comparison;
  readonly #responses: Responses<T>;
  readonly #failures: Failures;
  /** What a node does not keep that responded. It may fail by now. */
  #lack: NotShown | undefined;

  constructor(link: Link, context: Context<T>, candidates: Candidates, race: Race<T>) {
    this.#link = link;
    this.#context = context;
    const { node, demand = { isFresh: true } } = context;
    const own: Demand<T> = node === undefined ? demand : { ...demand, isFresh: false };
    this.#candidates = candidates;
    this.#race = race;
    this.#hedge = new Hedge(link, context, candidates, race);
    this.#comparison = new Comparison(link, own);
    this.#responses = new Responses(link, context, own);
    this.#failures = new Failures(context, link);
  }

  /** @param first - How the first attempt has ended, if one was made; without an outcome it is late. */
  async run(first?: { outcome: AttemptOutcome<T> | undefined }): Promise<Reply<T>> {
    try {
      if (first === undefined && !this.#begin()) await this.#retry();
      for (let outcome = first ? first.outcome : await this.#next(); ; outcome = await this.#next()) {
        if (outcome) this.#take(outcome);
        const best = this.#best;
        const result = best ?? this.#responses.freshest;
        const { isOver } = this.#comparison;
        if (result && (isOver || (best && this.#comparison.isEnough(best.node)))) return this.#settle(result);
        if (isOver) this.#responses.throwIfNotShown();
        if (outcome === undefined) this.#start(this.#hedge.next(result === undefined));
        else if (!(best ? this.#compare() : this.#goOn(outcome))) {
          if (result) return this.#settle(result);
          await this.#retry();
        } else if (result) {
          this.#comparison.begin((result ?? outcome).sentAt, this.#race.flights);
        }
      }
    } finally {
      this.#race.cancel(left);
    }
  }

  /** The next attempt that ends; `undefined` if it is time to ask another node, or to return what there is. */
  #next(): Promise<AttemptOutcome<T> | undefined> {
    return this.#race.next(Math.min(this.#hedge.patience, this.#comparison.rest));
  }

  /** Asks the first node, another one if the two have to be compared, and one that has rested. Returns whether there is a first one. */
  #begin(): boolean {
    this.#link.budget.earn();
    const first = this.#candidates.next();
    if (first === undefined) return false;
    const needsOther = this.#comparison.needsOther(first);
    this.#start(first);
    if (needsOther) this.#start(this.#candidates.next());
    if (this.#race.flights.length < 2 && !this.#context.once) this.#start(this.#candidates.due(), true);
    return true;
  }

  /** How many attempts can fail. Each node is asked once at least, unless the caller wants no retries. */
  get #limit(): number {
    const { attempts } = this.#context.settings;
    return attempts === 1 || this.#context.once ? 1 : Math.max(attempts, this.#candidates.count);
  }

  #start(node: NodeState | undefined, isTrial = false): boolean {
    if (node === undefined) return false;
    if (!isTrial) this.#failures.turnTo(node);
    this.#race.start(node, isTrial);
    return true;
  }

  /** Compares a response with that of another node. Returns whether there is one that can be asked. */
  #compare(): boolean {
    return this.#race.isServed || this.#start(this.#candidates.next());
  }

  /** Turns to the next node after one that did not serve the call. Returns whether any node is waited for. */
  #goOn({ isTrial }: AttemptOutcome<T>): boolean {
    const isServed = this.#race.isServed || (this.#race.flights.length > 0 && this.#responses.freshest === undefined);
    if (isTrial && isServed) return true;
    return (this.#failures.count < this.#limit && this.#start(this.#candidates.next())) || isServed;
  }

  #take({ node, sentAt, response, block, isTrial, reply, error }: AttemptOutcome<T>): void {
    if (reply) {
      const verdict = this.#responses.add({ node, sentAt, block, reply, verdict: undefined });
      if (!isTrial) this.#failures.turnFrom(node, verdict);
    } else if (error === left) {
      this.#candidates.remove(node);
    } else if (NotShown.is(error)) {
      node.recover(sentAt);
      this.#lack = error;
      if (!isTrial) this.#failures.turnFrom(node, "history");
    } else if (isNodeFault(error, this.#context)) {
      setAsideAfter(error, node, sentAt, this.#context);
      if (!isTrial || this.#race.flights.length === 0) this.#failures.add(node, error);
    } else {
      if (response) node.recover(sentAt);
      throw new Failures(this.#context, this.#link).add(node, error).error;
    }
  }

  /** The freshest response that can be returned. One that can come from a single node alone always can. */
  get #best(): JudgedResponse<T> | undefined {
    return this.#candidates.count === 1 ? this.#responses.freshest : this.#responses.best;
  }

  #settle(best: JudgedResponse<T>): Reply<T> {
    const reply = this.#responses.settle(best);
    const trial = this.#race.flights.find(({ isTrial }) => isTrial);
    if (trial) this.#race.release(trial, patienceFor(this.#link.clock.now() - best.sentAt));
    return reply;
  }

  /** Asks a node once more, or one that is set aside. */
  async #retry(): Promise<void> {
    this.#responses.throwIfBehind();
    const { clock, random, emit } = this.#link;
    const { operation, settings, cancellation, attempts: attempt } = this.#context;
    const nodes = this.#candidates.last();
    if (nodes.every((node) => this.#candidates.triesOf(node) > 0)) this.#responses.throwIfNotShown();
    const ready = nodes.map((node) => {
      const tries = this.#candidates.triesOf(node);
      const error = this.#failures.errorOf(node);
      return { node, error, delay: tries === 0 ? 0 : delayAfter(error, tries, settings, { clock, random }) };
    });
    const next = this.#failures.count < this.#limit ? ready.find(({ delay }) => delay !== undefined) : undefined;
    if (next?.delay === undefined) {
      this.#responses.throwIfNotShown();
      throw this.#failures.error ?? this.#lack;
    }
    const { node, error, delay } = next;
    if (delay > 0) {
      emit?.({ type: "retry", operation, attempt, node: node.url, delay, error: observedError(error) });
      await cancellation.run<void>((resolve) => clock.after(delay, resolve));
    }
    this.#start(node);
  }
}
