import { sleep } from "../async/abort.js";
import { annotate, describe, toPlainError, VegaError } from "../errors/index.js";
import type { Answer } from "../http/call.js";
import { observedError } from "../http/events.js";
import { delayAfter } from "../http/retry.js";
import { choose, patienceOf } from "./choice.js";
import { isCompared } from "./freshness.js";
import { longestDelay, type PoolNode, shortestDelay } from "./node.js";
import { isNodeFault, type Outcome, type PoolCall, type PoolClient, Requests, replaced } from "./requests.js";
import { type NodeResponse, Responses } from "./responses.js";

/**
 * A call: asks a node, a second one if that is late, and the next one if it fails or its response cannot be used, until there is a
 * response to return.
 */
export class NodeCall<T> {
  readonly #client: PoolClient;
  readonly #call: PoolCall<T>;
  readonly #requests: Requests<T>;
  readonly #responses: Responses<T>;
  /** The nodes that can serve the call. */
  readonly #nodes: readonly PoolNode[];
  /** A node for each time that it was asked. */
  readonly #asked: PoolNode[] = [];
  /** The last error of each node, in the order in which they came. */
  readonly #errors = new Map<PoolNode, unknown>();
  #failuresLeft: number;
  /** The last outcome, until another node is asked because of it. */
  #last: Outcome<T> | undefined;

  constructor(client: PoolClient, call: PoolCall<T>) {
    this.#client = client;
    this.#call = call;
    this.#requests = new Requests(client, call);
    this.#responses = new Responses(client, call);
    this.#nodes = client.nodes.filter(({ url }) => call.node === undefined || call.node === url);
    const { attempts } = call.settings;
    // Each node is asked at least once, unless the caller wants no retries.
    this.#failuresLeft = attempts === 1 || call.once ? 1 : Math.max(attempts, this.#nodes.length);
  }

  async run(): Promise<Answer<T>> {
    try {
      if (!this.#startNext()) await this.#retry();
      const [first] = this.#asked;
      // If there is nothing to compare the first node with, a second one is asked at once.
      if (first && !this.#isCompared(first) && !this.#isOtherInFlight(first)) this.#start(this.#choose());
      for (;;) {
        for (const outcome of await this.#requests.next(this.#untilLook())) this.#take(outcome);
        const { best } = this.#responses;
        if (best && this.#isCompared(best.node)) return this.#responses.settle(best);
        if (this.#goOn(best)) continue;
        const result = best ?? this.#responses.leastFlawed;
        if (result) return this.#responses.settle(result);
        this.#responses.throwIfNotShown();
        await this.#retry();
      }
    } finally {
      this.#requests.end();
    }
  }

  #start(node: PoolNode | undefined): boolean {
    if (node === undefined) return false;
    this.#reportFailover(node);
    const number = this.#asked.push(node);
    this.#requests.start(node, number);
    return true;
  }

  #take(outcome: Outcome<T>): void {
    const { node, answer, error } = outcome;
    this.#last = outcome;
    if (answer) {
      this.#responses.all.push({ ...outcome, answer });
    } else if (isNodeFault(error, this.#call)) {
      this.#errors.delete(node);
      this.#errors.set(node, error);
      this.#call.progress.cause = error;
      this.#failuresLeft--;
    } else if (error !== replaced) {
      throw VegaError.is(error) ? annotate(error, { node: node.url }) : error;
    }
  }

  /** The node to ask next: one that was not asked and is not cooling down. */
  #choose(): PoolNode | undefined {
    const { settings, random, session, clock } = this.#client;
    const { isFresh } = this.#responses;
    // What is past is final on every node.
    const trusted = this.#ready(isFresh ? [] : ["lag"]);
    const lacksPlace = this.#responses.find("place") !== undefined;
    const takesAny = trusted.length === 0 && (lacksPlace || !isFresh);
    const ready = takesAny ? this.#ready(["lag", "suspect", ...(lacksPlace ? (["slow"] as const) : [])]) : trusted;
    const preferred = ready.find(({ url }) => url === this.#call.expectation?.prefer);
    if (preferred) return preferred;
    // One that is probably not behind what was returned, if there is one.
    const least = isFresh ? Number((session.returned ?? 0n) / 1_000_000n) : 0;
    const now = clock.now();
    const likely = ready.filter(({ head }) => !head || head.blockTime + now - head.heardAt >= least);
    return choose(likely.length > 0 ? likely : ready, settings.order, random);
  }

  /** The nodes that were not asked and are not cooling down, or for a cause that does not matter. */
  #ready(ignored: readonly PoolNode["cause"][]): PoolNode[] {
    const isReady = ({ coolDown, cause }: PoolNode) => coolDown === 0 || ignored.includes(cause);
    return this.#nodes.filter((node) => !this.#asked.includes(node) && isReady(node));
  }

  /** Asks other nodes if they are needed. Returns whether there is something to wait for. */
  #goOn(best: NodeResponse<T> | undefined): boolean {
    const { inFlight } = this.#requests;
    if (!best && this.#responses.find("history")) {
      // The node with the longest history may lag, be slower than the others, or ahead of them.
      for (const node of this.#ready(["lag", "slow", "suspect"])) this.#start(node);
      return inFlight.length > 0;
    }
    if (this.#timeLeft <= 0) return false;
    const timings = this.#timings();
    if (timings.some(({ elapsed, late }) => elapsed < late)) return true;
    if (best && inFlight.length === 0 && this.#isOtherInFlight(best.node)) return true;
    if (this.#startNext()) return true;
    return timings.some(({ elapsed, silent }) => this.#responses.all.length === 0 || elapsed < silent);
  }

  /** Asks the next node, also in addition to one that is late. At most two requests are in flight that are not silent. */
  #startNext(): boolean {
    const timings = this.#timings();
    const late = timings.at(-1);
    // Without any response, a node that is cooling down is better than none.
    const isLast = late !== undefined && this.#responses.all.length === 0;
    const last = isLast ? this.#leastAsked().find((node) => !this.#asked.includes(node)) : undefined;
    const node = this.#failuresLeft > 0 ? (this.#choose() ?? last) : undefined;
    if (node && late) {
      const { node: from } = late.request;
      if (node.pause > 0 && from.cause === undefined) return false;
      if (timings.filter(({ elapsed, silent }) => elapsed < silent).length > 1) return false;
      this.#client.emit?.({ type: "hedge", ...this.#change(from, node), delay: late.elapsed });
    }
    return this.#start(node);
  }

  /** How long each request has taken, when a second node is asked as well, and when it is not waited for if there is an alternative. */
  #timings() {
    const { clock, nodes } = this.#client;
    const isUsable = this.#responses.find(undefined) !== undefined;
    return this.#requests.inFlight.map((request) => {
      const { node, sentAt, startedAt } = request;
      const patience = patienceOf(node, nodes);
      const late = Math.min(longestDelay, patience);
      // A node that was cooling down probably still does not respond.
      const silent = isUsable && node.cause ? late : Math.max(longestDelay, patience);
      return { request, elapsed: clock.now() - (sentAt ?? startedAt), late, silent };
    });
  }

  /** How long a better response than the ones that could be returned is waited for, in milliseconds. */
  get #timeLeft(): number {
    const { endedAt = Number.POSITIVE_INFINITY } = this.#responses.find(undefined) ?? {};
    // Before the total deadline ends the call.
    return Math.min(endedAt + longestDelay, this.#call.endsAt - 1) - this.#client.clock.now();
  }

  /** Milliseconds until a request is late or silent. */
  #untilLook(): number {
    // Another call may have heard of a node to compare with.
    if (this.#requests.inFlight.length === 0) return shortestDelay;
    const looks = this.#timings().flatMap(({ elapsed, late, silent }) => [late - elapsed, silent - elapsed]);
    // After a second, the rate limit of another node may have room.
    return Math.max(1, Math.min(longestDelay, this.#timeLeft, ...looks.filter((delay) => delay > 0)));
  }

  #isCompared(node: PoolNode): boolean {
    return !this.#responses.isFresh || this.#nodes.length === 1 || isCompared(this.#client, node);
  }

  /** Whether other calls are about to hear of a node to compare with. */
  #isOtherInFlight(node: PoolNode): boolean {
    return this.#client.nodes.some((other) => other !== node && other.cause === undefined && other.inFlight > 0);
  }

  #timesAsked(node: PoolNode): number {
    return this.#asked.filter((asked) => asked === node).length;
  }

  /** First the nodes that were asked least often, and of these the ones whose cool-down ends first. */
  #leastAsked(): PoolNode[] {
    return [...this.#nodes].sort((a, b) => this.#timesAsked(a) - this.#timesAsked(b) || a.coolDown - b.coolDown);
  }

  /** Asks a node once more, or one that is cooling down. */
  async #retry(): Promise<void> {
    const { clock, random, emit } = this.#client;
    const { operation, settings } = this.#call;
    const attempt = this.#asked.length;
    for (const node of this.#failuresLeft > 0 ? this.#leastAsked() : []) {
      const error = this.#errors.get(node);
      const times = this.#timesAsked(node);
      const delay = times === 0 ? 0 : delayAfter(error, times, settings, { clock, random });
      // The node asks for a longer wait than the caller allows.
      if (delay === undefined) continue;
      if (delay > 0) {
        emit?.({ type: "retry", operation, attempt, node: node.url, delay, error: observedError(error) });
        await sleep(clock, delay, this.#call.signal);
      }
      this.#start(node);
      return;
    }
    throw this.#error;
  }

  /** The error of the call: the last one, with the errors of all nodes if there are several. */
  get #error(): unknown {
    const all = [...this.#errors].map(([{ url }, error]) => ({ url, error }));
    const { url: node, error } = all.at(-1) ?? {};
    if (!VegaError.is(error)) return error;
    if (all.length < 2) return annotate(error, { node });
    const messages = all.map(({ url, error }) => `${url}: ${describe(error)}`);
    const message = `${this.#call.operation} failed on ${all.length} nodes. ${messages.join(" · ")}`;
    const failures = all.map(({ url, error }) => ({ node: url, ...toPlainError(error) }));
    return annotate(error, { node, failures, message });
  }

  /** Reports that another node is asked because of the last outcome. */
  #reportFailover(to: PoolNode): void {
    const { node: from = to, answer, error } = this.#last ?? {};
    const cause = this.#last && answer ? this.#responses.flawOf({ ...this.#last, answer }) : "error";
    this.#last = undefined;
    if (from === to || error === replaced || cause === undefined) return;
    const observed = answer ? undefined : observedError(error);
    this.#client.emit?.({ type: "failover", ...this.#change(from, to), cause, error: observed });
  }

  #change({ url: from }: PoolNode, { url: to }: PoolNode) {
    return { operation: this.#call.operation, attempt: this.#asked.length, node: from, from, to };
  }
}
