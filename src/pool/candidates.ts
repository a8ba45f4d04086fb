import type { Context } from "../http/context.js";
import type { Demand } from "../http/demand.js";
import { choose } from "./choice.js";
import { byHeight, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import type { NodeState } from "./node-state.js";

/** The nodes that can serve a call, and how often each was asked. */
export class Candidates {
  readonly #link: Link;
  readonly #demand: Demand<never>;
  readonly #nodes: readonly NodeState[];
  /** A node for each time that it was asked. */
  readonly #asked: NodeState[] = [];

  constructor(link: Link, { node: url, demand = {} }: Pick<Context<never>, "node" | "demand">) {
    this.#link = link;
    this.#demand = demand;
    this.#nodes = url === undefined ? link.nodes : link.nodes.filter((node) => node.url === url);
  }

  get count(): number {
    return this.#nodes.length;
  }

  triesOf(node: NodeState): number {
    return this.#asked.filter((asked) => asked === node).length;
  }

  /** A node is asked. */
  add(node: NodeState): void {
    this.#asked.push(node);
  }

  /** A node was not waited for. */
  remove(node: NodeState): void {
    this.#asked.splice(this.#asked.lastIndexOf(node), 1);
  }

  /** The node to ask next: one that is not set aside and was not asked. `undefined` if there is none. */
  next(): NodeState | undefined {
    const { settings, random } = this.#link;
    const { prefer } = this.#demand;
    const isFree = (node: NodeState) => node.isAvailable && this.#isNew(node);
    // Most often, all of them are.
    const nodes = this.#nodes.every(isFree) ? this.#nodes : this.#nodes.filter(isFree);
    const preferred = prefer === undefined ? undefined : nodes.find((node) => node.url === prefer);
    if (preferred) return preferred;
    return choose(nodes, settings.order, random);
  }

  /** A node that was not asked and has rested for long enough to be tried. */
  due(): NodeState | undefined {
    return this.#nodes.find((node) => node.isDue && this.#isNew(node));
  }

  /** All nodes that are left if each was asked or is set aside: the least asked first, then those that have rested, then the freshest. */
  last(): NodeState[] {
    const order = (a: NodeState, b: NodeState) =>
      this.triesOf(a) - this.triesOf(b) ||
      Number(b.isDue) - Number(a.isDue) ||
      byHeight(a.sighting?.block, b.sighting?.block);
    return [...this.#nodes].sort(order);
  }

  /** The best node that was not asked, also if it is set aside. */
  any(): NodeState | undefined {
    return this.next() ?? this.last().find((node) => !this.#asked.includes(node));
  }

  #isNew(node: NodeState): boolean {
    return !this.#asked.includes(node);
  }
}

/** The nodes whose last response, within `maxLag`, was fresh. */
export function freshNodes(link: Link): NodeState[] {
  const { nodes, settings, clock } = link;
  return nodes.filter(
    (node) =>
      node.isAvailable &&
      clock.now() - node.heardAt <= settings.maxLag &&
      !verdictOn(node, node.sighting?.block, {}, link),
  );
}
