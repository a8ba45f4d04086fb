/**
 * A node, and a network of nodes, in memory.
 *
 *   fetch ─▶ faults ─▶ gateway ─▶ rate limit ─▶ list or case of the operation ─▶ paging, defects ─▶ response
 *
 * The records are on a chain, whose blocks end when a test says so. A node reads the chain as far as its lag and its
 * history allow. Lists page reliably by default; a defect replaces the cursors of one list by the cursors of a v0.74
 * node. A fault happens between the client and the node: the node has processed the request, but the response is late,
 * damaged or missing.
 *
 * @module vegaprotocol-client/testing
 */
export type { FakeNodeData } from "./data.js";
export { createFakeNetwork, type FakeNetwork, type FakeNetworkData } from "./fake-network.js";
export { createFakeNode, type FakeNode } from "./fake-node.js";
export type { NodeFault } from "./faults.js";
export { type FakeNodeOptions, nodeDefects } from "./options.js";
export type { FakeVote, Records } from "./store.js";
