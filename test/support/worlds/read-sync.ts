import { ExitError } from "../../../cli/src/errors.js";
import { checkSync, type SyncComparison } from "../../../cli/src/sync/check.js";
import { loadSqlite, type Sqlite, sqliteDestination } from "../../../cli/src/sync/destinations/sqlite.js";
import { syncTo } from "../../../cli/src/sync/sync.js";
import { type BalanceChange, PaginationError } from "../../../src/index.js";
import type { SyncReader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, earlier, earlierThan, inScanOrder, isWanted, later, timeOf } from "./records.js";

interface StoredChange {
  time: bigint;
  party: string;
  asset: string;
  market: string;
  account_type: string;
  balance: string;
}

/** Stores what a client reads three times, with blocks between, and compares the database with the chain and with what a check says of it. */
export async function readSync(spec: SyncReader, reading: Reading): Promise<void> {
  // Node.js has it from 22.13 on.
  if (process.getBuiltinModule?.("node:sqlite") === undefined) return;
  const { world } = reading;
  const client = world.client();
  const database = loadSqlite()(":memory:");
  const destination = await sqliteDestination(database);
  const { filter: given, start, pageSize, concurrency } = spec;
  // The command reads ids in either case.
  const filter = given.partyIds ? { ...given, partyIds: given.partyIds.map((id) => id.toLowerCase()) } : given;
  const balances = { filter, ...(start !== undefined && { from: start }) };
  const wanted = isWanted(spec);
  let oldest: bigint | undefined;
  let isPruned = false;
  const once = async function* () {
    yield await syncTo(destination, client, { balances, pageSize: reading.isLate ? 5000 : pageSize, concurrency });
  };
  for (let done = 0; done < 3; ) {
    const isFirst = storedIn(database).length === 0;
    const error = await reading.take(once(), () => undefined);
    if (error === "hang") return;
    // What nodes have dropped before anything is stored is not missing.
    if (isFirst) oldest = world.oldestWanted((change) => wanted(change) && between(spec)(change));
    isPruned = PaginationError.is(error) && error.reason === "pruned";
    if (isPruned) break;
    if (error === undefined) done++;
    else if (!reading.continues()) return;
  }
  const rows = storedIn(database);
  const checkpoint = checkpointOf(database);
  if (checkpoint === undefined) {
    if (rows.length > 0) reading.fail("surplus", "records are stored without a position");
    return;
  }
  const end = checkpoint.position;
  const lowest = rows.map(timeOf).reduce<bigint | undefined>(earlier, undefined);
  if (start === undefined) reading.checkStart("the database", lowest, earlierThan(oldest, end));
  const from = start ?? lowest ?? end;
  const whole = world.changes.filter(wanted).sort(inScanOrder);
  // Without a block, nothing shows that the last time is complete: it is stored, and is read again.
  reading.compare(
    "the database",
    rows,
    // Records before the start that is stored are there, too, if responses have shown them.
    whole.filter(between({ start: later(from, checkpoint.start), end })),
    whole.filter(between({ start: from })),
  );
  if (!world.isCalm) world.calm(end);
  const stored = rows.filter(between({ end })).length;
  const isWhole = stored === whole.filter(between({ start: start ?? 0n, end })).length;
  const clients = { own: client, full: world.healthyClient(), empty: world.healthyClient([]) };
  for (const [name, other] of Object.entries(clients)) {
    const found: SyncComparison[] = [];
    const check = async function* () {
      try {
        yield await checkSync(destination, other, balances, {});
      } catch (error) {
        // A node without the stored records is refused.
        if (name !== "empty" || !(error instanceof ExitError)) throw error;
      }
    };
    const error = await reading.take(check(), (comparison) => {
      found.push(comparison);
      return undefined;
    });
    if (error === "hang") return;
    const isEqual = found[0] !== undefined && found[0].different.length === 0 && found[0].uncompared === 0;
    if (isEqual && name === "full" && !isWhole) reading.fail("check", "says equal, but the full node has more");
    if (isEqual && name === "empty" && stored > 0) reading.fail("check", "says equal of an empty node");
    if (isEqual && (found[0]?.records ?? 0) < stored && name !== "own")
      reading.fail("check", `says equal of ${found[0]?.records} of ${stored} records`);
    if (found[0] && !isEqual && name === "full" && isWhole)
      reading.fail("check", "says different, but nothing differs");
  }
}

function storedIn(database: Sqlite): BalanceChange[] {
  const sql = "SELECT CAST(time AS TEXT) AS time, party, asset, market, account_type, balance FROM balance_changes";
  const rows = database.prepare(`${sql} ORDER BY balance_changes.time, asset, party, market, account_type`);
  return (rows.all() as StoredChange[]).map(({ time, party, asset, market, account_type: type, balance }) => ({
    timestamp: `${time}`,
    partyId: party,
    assetId: asset,
    marketId: market,
    accountType: type === "24" ? (24 as unknown as string) : type,
    balance,
  }));
}

function checkpointOf(database: Sqlite): { start: bigint; position: bigint } | undefined {
  const row = database.prepare("SELECT start, position FROM sync_state").all()[0] as
    | { start: string; position: string }
    | undefined;
  return row && { start: BigInt(row.start), position: BigInt(row.position) };
}
