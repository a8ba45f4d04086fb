import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { followBalanceChanges } from "../follow/index.js";
import { finalTime } from "../values/microseconds.js";
import { BalanceTable } from "./balance-table.js";
import { inBatches } from "./batches.js";
import type { StoredBalances } from "./options.js";
import type { SyncRun } from "./sync-run.js";

/** What waits in memory while a batch is stored. */
const maxBufferedBytes = 1024 * 1024;

/** Stores balance changes: by a scan up to the newest block, then block by block. */
export async function syncBalances(run: SyncRun, query: StoredBalances): Promise<void> {
  const { client, options, following } = run;
  const { filter, from } = query;
  const stored = run.positions.get("balances", query);
  const table = new BalanceTable(run.database);
  const store = (records: readonly BalanceChange[], upTo: bigint) =>
    run.store("balances", query, upTo, () => {
      table.add(records);
      return records.length;
    });
  const position = run.isAt("balances", stored) ? stored : await scanHistory(run, filter, stored ?? from, store);
  if (!options.follow) return;
  const follower = followBalanceChanges(client, { filter }, { ...following, from: position ?? "start" });
  for await (const { records, upTo } of follower.batches()) store(records, upTo);
}

/** Reads what the node has. Returns the position after it. */
async function scanHistory(
  { client, options, signal }: SyncRun,
  filter: StoredBalances["filter"],
  start: bigint | undefined,
  store: (records: readonly BalanceChange[], upTo: bigint) => void,
): Promise<bigint | undefined> {
  const { pageSize = 1000, concurrency, catchUp } = options;
  const reading = { pageSize, concurrency, catchUp, maxBufferedBytes, signal };
  const scan = client.scanBalanceChanges({ filter, dateRange: { startTimestamp: start } }, reading);
  let rest: readonly BalanceChange[] = [];
  try {
    for await (const { records, upTo } of inBatches(scan)) {
      if (upTo === undefined) rest = records;
      else store(records, upTo);
    }
  } catch (error) {
    if (isAtPosition(error, start)) return start;
    throw error;
  }
  const { end } = await scan.coverage;
  const last = rest.at(-1)?.timestamp;
  // If no response names a block, the last one can have further records: it is read again.
  const position = end ?? (last === undefined ? start : BigInt(last));
  if (position !== undefined) store(rest, position);
  return position;
}

/** Whether no block has come since the position, so that there is nothing to read. */
function isAtPosition(error: unknown, start: bigint | undefined): boolean {
  if (!PaginationError.is(error) || error.reason !== "behind" || start === undefined) return false;
  return error.block !== undefined && finalTime(error.block.timestamp) >= start;
}
