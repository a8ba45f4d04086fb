export type { CheckOptions, NodePool, NodeStatus } from "../client/node-pool.js";
export type { Order } from "./choice.js";
export { nodePool } from "./node-pool.js";
export type { NodePoolOptions } from "./options.js";
