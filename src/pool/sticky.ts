import type { Pagination } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import type { FetchFrom, KeepNode, NodePage, NodeRules } from "../pagination/node-walk.js";
import type { Edge } from "../pagination/page.js";
import { isBehind } from "./judge.js";
import type { Link } from "./link.js";
import { isHistoryKnown, reaches } from "./node-history.js";
import type { NodeState } from "./node-state.js";
import { overlapFor } from "./overlap.js";
import { type Failover, type PoolTarget, readTarget } from "./target.js";

/** Keeps the pages of walks on one node each. */
export const keepNode =
  (link: Link): KeepNode =>
  (fetchFrom, rules) => {
    const walk = new StickyWalk(link, fetchFrom, rules);
    return (pagination, signal, previous = []) =>
      previous.length === 0 ? walk.begin(pagination, signal) : walk.next(pagination, signal, previous);
  };

/** A walk that stays on its node, and moves to another one if that fails. */
class StickyWalk<T> {
  readonly #link: Link;
  readonly #fetch: FetchFrom<T>;
  readonly #rules: NodeRules<T>;
  #node: NodeState | undefined;
  /** What the first page was requested with. */
  #start: Pagination = {};
  /** What a node has to have: the height of the first page, and the history of the walk. */
  #needs: Pick<PoolTarget, "height" | "reach" | "verifiesHistory"> = {};

  constructor(link: Link, fetch: FetchFrom<T>, rules: NodeRules<T>) {
    this.#link = link;
    this.#fetch = fetch;
    this.#rules = rules;
  }

  async begin(pagination: Pagination, signal: AbortSignal): Promise<NodePage<T>> {
    const { range, query } = this.#rules;
    const given = range && query[range.start];
    const start = typeof given === "string" ? BigInt(given) : undefined;
    const isRange = range !== undefined;
    const target: PoolTarget = { ...readTarget(), knowsHistory: isRange, reach: start, verifiesHistory: isRange };
    const page = await this.#fetch(pagination, signal, target);
    const node = target.servedBy;
    this.#node = node;
    this.#start = pagination;
    // A node that keeps less than the range is one of those that keep the most.
    const reach = start !== undefined && node && reaches(node, start) ? start : node?.history?.oldest;
    const isFixed = start !== undefined && reach === start;
    this.#needs = { height: page.extra.block?.height, reach: range && reach, verifiesHistory: isFixed };
    return page;
  }

  async next(pagination: Pagination, signal: AbortSignal, previous: readonly Edge<T>[]): Promise<NodePage<T>> {
    const node = this.#node;
    const { height, reach, verifiesHistory } = this.#needs;
    // Without a start, the walk reads what its first node keeps.
    const target: PoolTarget = { node: node?.url, height, ...(verifiesHistory && { reach, verifiesHistory }) };
    if (this.#canMove) target.attempts = 1;
    let failover: Omit<Failover, "node"> = { cause: "lag" };
    try {
      const page = await this.#fetch(pagination, signal, target);
      const isPruned = verifiesHistory && target.reach !== reach;
      if (!isPruned && (!page.extra.stale || !this.#canMove)) return page;
      if (isPruned) failover = { cause: "history" };
    } catch (error) {
      if (!target.hasGivenUp) throw error;
      if (!this.#canMove) throw this.#errorOf(error, pagination);
      failover = { cause: "error", error };
    }
    return this.#move(pagination, signal, previous, node && { node, ...failover });
  }

  /** Whether another node can continue the walk, as far as is known. */
  get #canMove(): boolean {
    const { reach } = this.#needs;
    return this.#link.nodes.some(
      (node) =>
        node !== this.#node &&
        node.isAvailable &&
        !isBehind(node.sighting?.block, this.#needs) &&
        (reaches(node, reach) || !isHistoryKnown(node, this.#link.clock)),
    );
  }

  async #move(
    pagination: Pagination,
    signal: AbortSignal,
    previous: readonly Edge<T>[],
    failover: Failover | undefined,
  ): Promise<NodePage<T>> {
    const overlap = overlapFor(pagination, previous, this.#start, this.#rules);
    const target: PoolTarget = { ...this.#needs, ...(failover && { failover }) };
    let page: NodePage<T> | undefined;
    try {
      page = await this.#fetch(overlap.pagination, signal, target);
    } catch (error) {
      throw target.hasGivenUp ? this.#errorOf(error, pagination) : error;
    }
    // The history that is needed is lowered if no node has it.
    const rest = page && target.reach === this.#needs.reach ? overlap.cut(page) : undefined;
    if (rest === undefined) throw this.#discontinuity(pagination);
    this.#node = target.servedBy;
    return rest;
  }

  /** The error of a walk whose node has failed: a discontinuity if another node responds. */
  #errorOf(error: unknown, pagination: Pagination): unknown {
    const isAlone = this.#link.nodes.every((node) => node === this.#node || !node.isAvailable);
    return isAlone ? error : this.#discontinuity(pagination, error);
  }

  #discontinuity(resume: Pagination, cause?: unknown): PaginationError {
    const { operation } = this.#rules;
    const url = this.#node?.url;
    const message =
      `${url} failed during a walk over ${operation}, and no other node could continue it: none has the same records, as many ` +
      "blocks and as much history. The walk can be continued later with `resume`, or be begun anew.";
    const error = new PaginationError(message, { operation, reason: "discontinuity", cause });
    return Object.assign(error, { node: url, resume });
  }
}
