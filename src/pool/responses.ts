import type { Reply } from "../http/context.js";
import { applyVerdict, freshestOf, isInDispute, type Received, staleError, type Verdict, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import type { PoolTarget } from "./target.js";

/** The responses to one call. */
export class Responses<T> {
  readonly #link: Link;
  readonly #target: PoolTarget;
  readonly #received: Received<T>[] = [];

  constructor(link: Link, target: PoolTarget) {
    this.#link = link;
    this.#target = target;
  }

  /** Adds a response, and returns what is wrong with it. */
  add(response: Omit<Received<T>, "verdict">): Verdict | undefined {
    const added: Received<T> = { ...response, verdict: undefined };
    this.#received.push(added);
    // Each response shows more of the others.
    for (const each of this.#received) each.verdict = verdictOn(each.node, each.block, this.#target, this.#link);
    return added.verdict;
  }

  /** The freshest response, whatever is wrong with it. */
  get freshest(): Received<T> | undefined {
    return freshestOf(this.#received);
  }

  /** The freshest response with which nothing is wrong. */
  get best(): Received<T> | undefined {
    return freshestOf(this.#received.filter(({ verdict }) => verdict === undefined));
  }

  /** Returns the reply of a response, and notes what the responses say of their nodes. */
  settle(best: Received<T>, operation: string): Reply<T> {
    const { node, block, reply, verdict } = best;
    const { node: pinned, compares } = this.#target;
    const stale = verdict !== undefined || (compares === true && isInDispute(this.#link));
    if (stale && this.#link.settings.staleness === "error" && pinned === undefined) {
      throw staleError(operation, this.#received);
    }
    for (const each of this.#received) applyVerdict(each);
    if (block && block.height > this.#link.session.mark && verdict !== "suspect" && pinned === undefined) {
      this.#link.session.mark = block.height;
    }
    this.#target.servedBy = node;
    return { ...reply, stale };
  }
}
