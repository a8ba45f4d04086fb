/**
 * A node, and a network of nodes, in memory.
 *
 * @module vegaprotocol-client/testing
 */
export type { FakeNodeData } from "./data.js";
export { createFakeNetwork, type FakeNetwork, type FakeNetworkData } from "./fake-network.js";
export { createFakeNode, type FakeNode } from "./fake-node.js";
export type { NodeFault } from "./faults.js";
export { type FakeNodeOptions, nodeDefects } from "./options.js";
export type { FakeVote, Records } from "./store.js";
