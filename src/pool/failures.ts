import { annotate, describe, toPlainError, VegaError } from "../errors/index.js";
import type { Context } from "../http/context.js";
import { type Emit, observedError } from "../http/events.js";
import type { Verdict } from "./judge.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** A node that a call turns away from, and why. */
interface Failover {
  node: NodeState;
  cause: Verdict;
  error?: unknown;
}

/** What went wrong in a call. */
export class Failures {
  readonly #context: Context<unknown>;
  readonly #emit: Emit | undefined;
  /** Of each node what it said last, in that order. */
  #errors: { node: NodeState; error: unknown }[] = [];
  #count = 0;
  #failover: Failover | undefined;

  constructor(context: Context<unknown>, { emit }: Link) {
    this.#context = context;
    this.#emit = emit;
  }

  /** How many attempts have failed. */
  get count(): number {
    return this.#count;
  }

  /** The last error of a node. */
  errorOf(node: NodeState): unknown {
    return this.#errors.find((each) => each.node === node)?.error;
  }

  add(node: NodeState, error: unknown): this {
    this.#errors = [...this.#errors.filter((each) => each.node !== node), { node, error }];
    this.#count++;
    this.#context.lastError = error;
    this.#failover = { node, cause: "error", error };
    return this;
  }

  /** Notes the node that the next attempt turns away from, if there is one. */
  turnFrom(node: NodeState, cause: Verdict | undefined): void {
    this.#failover = cause && { node, cause };
  }

  /** Reports that another node is asked. */
  turnTo({ url: to }: NodeState): void {
    const { node, cause, error } = this.#failover ?? {};
    this.#failover = undefined;
    if (node === undefined || cause === undefined || node.url === to) return;
    const { operation, attempts: attempt } = this.#context;
    const observed = error === undefined ? undefined : observedError(error);
    this.#emit?.({ type: "failover", operation, attempt, node: node.url, from: node.url, to, cause, error: observed });
  }

  /** The error of the call: the last one, with what each node said if there are several. */
  get error(): unknown {
    const { operation } = this.#context;
    const all = this.#errors;
    const { node, error } = all.at(-1) ?? {};
    if (!VegaError.is(error)) return error;
    if (all.length < 2) return annotate(error, { node: node?.url });
    const messages = all.map(({ node: { url }, error }) => `${url}: ${describe(error)}`);
    return annotate(error, {
      node: node?.url,
      failures: all.map(({ node: { url }, error }) => ({ node: url, ...toPlainError(error) })),
      message: `${operation} failed on ${all.length} nodes. ${messages.join(" · ")}`,
    });
  }
}
