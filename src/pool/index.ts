export type { NodePool, NodeStatus } from "../client/node-pool.js";
export { nodePool } from "./node-pool.js";
export type { NodePoolOptions } from "./options.js";
