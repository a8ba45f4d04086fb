export { type CheckSyncOptions, checkSync, type SyncComparison } from "./check-sync.js";
export type { ComparedDay, DayDigest } from "./comparison.js";
export type { SqlDatabase, SqlStatement } from "./database.js";
export type { SyncBalances, SyncOptions, SyncProgress, SyncWait } from "./options.js";
export type { SyncList } from "./positions.js";
export { syncTo } from "./sync-to.js";
