import { choose } from "./choice.js";
import { byHeight, isBehind, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import { earliestOf, isHistoryKnown, reaches } from "./node-history.js";
import type { NodeState } from "./node-state.js";
import type { PoolTarget } from "./target.js";

/** The nodes that can serve a call, and how often each was asked. */
export class Candidates {
  readonly #link: Link;
  readonly #target: PoolTarget;
  readonly #nodes: readonly NodeState[];
  readonly #tries = new Map<NodeState, number>();

  constructor(link: Link, target: PoolTarget) {
    this.#link = link;
    this.#target = target;
    const { node: url } = target;
    this.#nodes = url === undefined ? link.nodes : link.nodes.filter((node) => node.url === url);
  }

  get count(): number {
    return this.#nodes.length;
  }

  triesOf(node: NodeState): number {
    return this.#tries.get(node) ?? 0;
  }

  add(node: NodeState, tries: 1 | -1): void {
    this.#tries.set(node, this.triesOf(node) + tries);
  }

  /**
   * The node to ask next: one that is not set aside and was not asked. `undefined` if there is none.
   *
   * @param isPartner - Whether the node is asked for comparison alone. A slow one would not be worth the wait.
   */
  next(isPartner = false): NodeState | undefined {
    const { settings, random } = this.#link;
    const usesSlow = settings.order === "fastest" && !isPartner;
    const isFree = (node: NodeState) => node.isAvailable || (usesSlow && node.cause === "slow" && node.rest > 0);
    const nodes = this.#nodes.filter((node) => this.triesOf(node) === 0 && isFree(node) && !this.#isUnfit(node));
    // A node that was behind may have caught up.
    const likely = nodes.filter(({ sighting }) => !isBehind(sighting?.block, this.#target));
    return choose(likely.length > 0 ? likely : nodes, settings.order, random);
  }

  /** The node to ask next if the oldest record of the nodes that respond is enough. */
  nextOfOldest(): NodeState | undefined {
    this.#target.reach = earliestOf(this.#nodes);
    return this.next();
  }

  /** All nodes that are left if each was asked or is set aside: the least asked first, then the freshest. */
  last(): NodeState[] {
    let nodes = this.#nodes.filter((node) => !this.#isUnfit(node));
    if (nodes.length === 0) {
      // No node keeps balance changes from that time on.
      this.#target.reach = earliestOf(this.#nodes);
      nodes = this.#nodes.filter((node) => !this.#isUnfit(node));
    }
    return nodes.sort((a, b) => this.triesOf(a) - this.triesOf(b) || byHeight(a.sighting?.block, b.sighting?.block));
  }

  /** Whether a node is known not to keep balance changes for long enough. */
  #isUnfit(node: NodeState): boolean {
    return isHistoryKnown(node, this.#link.clock) && !reaches(node, this.#target.reach);
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
