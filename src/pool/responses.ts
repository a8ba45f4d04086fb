import type { Context, Reply } from "../http/context.js";
import { type Demand, type Lack, lackOf, NotShown } from "../http/demand.js";
import {
  applyVerdict,
  freshestOf,
  isInDispute,
  type JudgedResponse,
  sightingsOf,
  staleError,
  type Verdict,
  verdictOn,
} from "./judge.js";
import type { Link } from "./link.js";
import { isBehindMark, updateMark } from "./mark.js";

/** The responses to one call. */
export class Responses<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #demand: Demand<T>;
  readonly #received: JudgedResponse<T>[] = [];

  constructor(link: Link, context: Context<T>, demand: Demand<T>) {
    this.#link = link;
    this.#context = context;
    this.#demand = demand;
  }

  /** Adds a response, and returns what is wrong with it. */
  add(added: JudgedResponse<T>): Verdict | undefined {
    this.#received.push(added);
    // Each response shows more of the others.
    for (const each of this.#received) each.verdict = verdictOn(each.node, each.block, this.#demand, this.#link);
    return this.#lackOf(added) ? "history" : added.verdict;
  }

  #lackOf({ reply }: JudgedResponse<T>): Lack | undefined {
    const { lacksBlock, holdsPlace } = this.#demand;
    if (lacksBlock === undefined && holdsPlace === undefined) return undefined;
    const { node: pinned } = this.#context;
    const nodes = this.#link.nodes.filter(({ url }) => pinned === undefined || url === pinned);
    // Of a node that was not heard, it is not known.
    const isOpen = nodes.some(({ heardAt, isAvailable }) => isAvailable && heardAt === Number.NEGATIVE_INFINITY);
    return lackOf(this.#demand, reply, isOpen || sightingsOf(nodes).length > 0);
  }

  /** The freshest response that shows what is demanded, whatever else is wrong with it. */
  get freshest(): JudgedResponse<T> | undefined {
    return freshestOf(this.#received, (each) => this.#lackOf(each) === undefined);
  }

  /** The freshest response with which nothing is wrong. */
  get best(): JudgedResponse<T> | undefined {
    return freshestOf(this.#received, (each) => each.verdict === undefined && this.#lackOf(each) === undefined);
  }

  /** @throws {@link NotShown} if all responses lack a block. It is waited for, meanwhile nodes that are set aside come back. */
  throwIfBehind(): void {
    if (this.#received.every((each) => this.#lackOf(each) === "block")) this.throwIfNotShown();
  }

  /**
   * @throws {@link NotShown} if the nodes that respond do not show what is demanded, whatever the others would.
   */
  throwIfNotShown(): void {
    const shown = freshestOf(this.#received, () => true);
    const lack = shown && this.#lackOf(shown);
    if (lack) throw new NotShown(lack, { shown: shown.reply });
  }

  /** Returns the reply of a response, and notes what the responses say of their nodes. */
  settle(best: JudgedResponse<T>): Reply<T> {
    const { node, block, reply, verdict } = best;
    const { node: pinned, operation, demand: { isFresh = false } = { isFresh: true } } = this.#context;
    const { staleness } = this.#link.settings;
    // Other calls can have returned a later block while this response was compared.
    const isBack = isFresh && block !== undefined && isBehindMark(block, this.#link);
    const isOpen = this.#demand.isFresh === true && isInDispute(this.#link);
    const stale = verdict !== undefined || isBack || isOpen;
    if (stale && staleness === "error" && pinned === undefined) throw staleError(operation, this.#received);
    for (const each of this.#received) applyVerdict(each);
    updateMark(block, this.#link, verdict !== "suspect" && pinned === undefined);
    reply.stale = stale;
    reply.node = node.url;
    return reply;
  }
}
