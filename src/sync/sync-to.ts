import type { VegaClient } from "../client/client.js";
import { type FollowVotesArguments, followNodeSignatures, followVotes, StalledError } from "../follow/index.js";
import { finalTime } from "../values/microseconds.js";
import { BalanceTable } from "./balance-table.js";
import type { SqlDatabase } from "./database.js";
import { readBalances, readResource, readVotes, type SyncOptions } from "./options.js";
import { ProfileTable, SignatureTable, VoteTables } from "./other-tables.js";
import type { SyncList } from "./positions.js";
import { readProfiles } from "./profiles.js";
import { prepareDatabase } from "./schema.js";
import { syncBalances } from "./sync-balances.js";
import { SyncRun } from "./sync-run.js";

const operation = "syncTo";

/**
 * Makes a database equal to the node: reads what it does not have, and stores each batch together with its position in one
 * transaction. A process that is killed leaves a database that ends with a complete block, and the next call continues there.
 *
 * Records that the node no longer keeps stay in the database.
 *
 * @param database - A `DatabaseSync` of `node:sqlite`, which Node.js has from 22.13 on. One process may synchronize it at a time.
 * @returns How many records were stored, by list.
 * @throws `PaginationError` with the `reason` `"pruned"` if the node no longer keeps what follows the position, `"behind"` if it
 * has not reached it, and `"gap"`, once the other lists are stored, if the node does not show all profiles; what ends a follower;
 * {@link VegaError} if the database has other tables, or records of another network: nothing is written then.
 * @example
 * ```ts no-run
 * // With `import { DatabaseSync } from "node:sqlite"`: const database = new DatabaseSync("vega.db");
 * await syncTo(database, client, { balances: true, votes: [{ proposalId }] });
 * console.log(database.prepare("SELECT count(*) AS changes FROM balance_changes").get());
 * ```
 */
export async function syncTo(
  database: SqlDatabase,
  client: VegaClient,
  options: SyncOptions,
): Promise<Readonly<Record<SyncList, number>>> {
  options.signal?.throwIfAborted();
  prepareDatabase(database);
  const run = new SyncRun(database, client, options);
  const tasks = tasksOf(run);
  run.block = await run.network.checkBlock(client, options.signal);
  await run.network.checkNewest(new BalanceTable(database).newest({}), client, options.signal);
  let failure: { error: unknown } | undefined;
  const running = tasks.map((task) =>
    task().catch((error: unknown) => {
      // The first list that fails ends the others.
      failure ??= { error };
      run.fail(error);
    }),
  );
  await Promise.all(running);
  if (failure) throw failure.error;
  if (run.incomplete) throw run.incomplete;
  return run.records;
}

/** The work for each list that the options name. */
function tasksOf(run: SyncRun): (() => Promise<void>)[] {
  const { balances, votes = [], signatures = [], profiles } = run.options;
  const stored = balances && readBalances(operation, balances === true ? {} : balances);
  return [
    ...(stored ? [() => syncBalances(run, stored)] : []),
    ...votes.map((query) => readVotes(operation, query)).map((query) => () => syncVotes(run, query)),
    ...signatures.map((id) => readResource(operation, id)).map((query) => () => syncSignatures(run, query)),
    ...(profiles ? [() => syncProfiles(run)] : []),
  ];
}

async function syncVotes(run: SyncRun, query: FollowVotesArguments): Promise<void> {
  const tables = new VoteTables(run.database);
  const position = run.positions.get("votes", query);
  if (!run.options.follow && run.isAt("votes", position)) return;
  const follower = followVotes(run.client, query, { ...run.following, from: position ?? "start" });
  try {
    for await (const { records, upTo } of follower.batches()) {
      run.store("votes", query, upTo, () => tables.add(records, upTo));
      if (!run.options.follow) break;
    }
  } catch (error) {
    if (run.options.follow || !isAtPosition(error, position)) throw error;
  }
}

/** Whether no block has come since the position, so that there is nothing to read. */
const isAtPosition = (error: unknown, position = 0n): boolean =>
  error instanceof StalledError && error.block !== undefined && finalTime(error.block.timestamp) >= position;

async function syncSignatures(run: SyncRun, query: { id: string }): Promise<void> {
  const table = new SignatureTable(run.database);
  for await (const { records, upTo } of followNodeSignatures(run.client, query, run.following).batches()) {
    run.store("signatures", query, upTo, () => {
      table.add(records);
      return records.length;
    });
    if (!run.options.follow) break;
  }
}

async function syncProfiles(run: SyncRun): Promise<void> {
  const { profiles, incomplete } = await readProfiles(run.client, run.signal);
  run.incomplete = incomplete;
  run.store("profiles", {}, undefined, () => {
    new ProfileTable(run.database).add(profiles);
    return profiles.length;
  });
}
