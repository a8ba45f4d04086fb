import type { Context, Reply } from "../http/context.js";
import { type Demand, lackOf, NotShown } from "../http/demand.js";
import {
  applyVerdict,
  freshestOf,
  isInDispute,
  type Received,
  sightingsOf,
  staleError,
  type Verdict,
  verdictOn,
} from "./judge.js";
import type { Link } from "./link.js";

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
  add(response: Omit<Received<T>, "verdict" | "lack">): Verdict | undefined {
    const added: Received<T> = { ...response, verdict: undefined, lack: undefined };
    this.#received.push(added);
    const namesBlocks = sightingsOf(this.#link.nodes).length > 0;
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

  /** @throws {@link NotShown} if all responses lack something. */
  throwIfNotShown(): void {
    const shown = freshestOf(this.#received);
    if (shown?.lack) throw new NotShown(shown.lack, { shown: shown.reply });
  }

  /** Returns the reply of a response, and notes what the responses say of their nodes. */
  settle(best: Received<T>): Reply<T> {
    const { node, block, reply, verdict } = best;
    const { node: pinned, operation } = this.#context;
    const { settings, session } = this.#link;
    const stale = verdict !== undefined || (this.#demand.isFresh === true && isInDispute(this.#link));
    if (stale && settings.staleness === "error" && pinned === undefined) throw staleError(operation, this.#received);
    for (const each of this.#received) applyVerdict(each);
    if (block && block.height > session.mark && verdict !== "suspect" && pinned === undefined)
      session.mark = block.height;
    return { ...reply, stale, node: node.url };
  }
}
