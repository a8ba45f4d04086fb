import type { Context, Reply } from "../http/context.js";
import { type Demand, lackOf, NotShown } from "../http/demand.js";
import { applyVerdict, freshestOf, isInDispute, type Received, staleError, type Verdict, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import { isBehindMark, lowerMark, raiseMark } from "./mark.js";
import type { NodeState } from "./node-state.js";

/** The responses to one call. */
export class Responses<T> {
  readonly #link: Link;
  readonly #context: Context<T>;
  readonly #demand: Demand<T>;
  readonly #received: Received<T>[] = [];

  constructor(link: Link, context: Context<T>, demand: Demand<T>) {
    this.#link = link;
    this.#context = context;
    this.#demand = demand;
  }

  /** Adds a response, and returns what is wrong with it. */
  add({ node, reply, block, sentAt }: Omit<Received<T>, "verdict" | "lack">): Verdict | undefined {
    const added: Received<T> = { node, reply, block, sentAt, verdict: undefined, lack: undefined };
    this.#received.push(added);
    const namesBlocks = this.#link.nodes.some(({ sighting }) => sighting !== undefined);
    // Each response shows more of the others.
    for (const each of this.#received) {
      each.lack = lackOf(this.#demand, each.reply, namesBlocks);
      each.verdict = verdictOn(each.node, each.block, this.#demand, this.#link);
    }
    return added.lack ? "history" : added.verdict;
  }

  /** The freshest response that shows what is demanded, whatever else is wrong with it. */
  get freshest(): Received<T> | undefined {
    return freshestOf(this.#received.filter(({ lack }) => lack === undefined));
  }

  /** The freshest response with which nothing is wrong. */
  get best(): Received<T> | undefined {
    return freshestOf(this.#received.filter(({ lack, verdict }) => lack === undefined && verdict === undefined));
  }

  /** @throws {@link NotShown} if all responses lack a block. It is waited for, meanwhile nodes that are set aside come back. */
  throwIfBehind(): void {
    if (this.#received.every(({ lack }) => lack === "block")) this.throwIfNotShown();
  }

  /**
   * @param candidates - Of them, those that do not keep balance changes for long enough.
   * @throws {@link NotShown} if the nodes that respond do not show what is demanded, whatever the others would.
   */
  throwIfNotShown({ unfit }: { unfit: readonly NodeState[] } = { unfit: [] }): void {
    const shown = freshestOf(this.#received);
    if (shown?.lack) throw new NotShown(shown.lack, { shown: shown.reply });
    if (unfit.length === 0) return;
    const kept = unfit.flatMap(({ history }) => history.oldest ?? []);
    const availableFrom = kept.length === 0 ? undefined : kept.reduce((a, b) => (b < a ? b : a));
    throw new NotShown("history", { availableFrom });
  }

  /** Returns the reply of a response, and notes what the responses say of their nodes. */
  settle(best: Received<T>): Reply<T> {
    const { node, block, reply, verdict } = best;
    const { node: pinned, operation, demand: { isFresh = false } = { isFresh: true } } = this.#context;
    const { staleness } = this.#link.settings;
    // Other calls can have returned a later block while this response was compared.
    const isBack = isFresh && block !== undefined && isBehindMark(block, this.#link);
    const isOpen = this.#demand.isFresh === true && isInDispute(this.#link);
    const stale = verdict !== undefined || isBack || isOpen;
    if (stale && staleness === "error" && pinned === undefined) throw staleError(operation, this.#received);
    for (const each of this.#received) applyVerdict(each);
    const { mark } = this.#link.session;
    if (block === undefined || (mark && block.height < mark.block.height)) lowerMark(this.#link);
    else if (verdict !== "suspect" && pinned === undefined) raiseMark(block, this.#link);
    return { ...reply, stale, node: node.url };
  }
}
