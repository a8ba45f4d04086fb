/**
 * Several nodes of one network as one.
 *
 * @module vegaprotocol-client/pool
 */
export type { NodePool, NodeStatus } from "../client/node-pool.js";
export { type NodePoolOptions, nodePool } from "./node-pool.js";
