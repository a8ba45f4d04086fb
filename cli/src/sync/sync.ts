/**
 * Makes a destination equal to the node: reads the missing records, and stores each batch with its checkpoint.
 *
 *   stored range ─▶ scan or follower from its end ─▶ batches ─▶ transaction: records and the new end
 *
 * A destination (`destination.ts`) is a database or a folder that stores the range of each list and query. A run locks
 * it, continues each range where it ends, and proves that nothing is missing in between; otherwise the list ends with
 * an error, and the range stays as it was. Profiles have no time, and are stored as a whole.
 */
import pLimit from "p-limit";
import { type VegaClient, VegaError } from "vegaprotocol-client";
import {
  type FollowOptions,
  followBalanceChanges,
  followNodeSignatures,
  followVotes,
  StalledError,
} from "vegaprotocol-client/follow";
import { ExitError, exitCodes, type IncompleteError, NoProposalError } from "../errors.js";
import { listAssets, requireProposal } from "../other-paths.js";
import { behindError, readWhole, startsLate } from "../records.js";
import { finalTime, formatTime } from "../times.js";
import {
  type BalancesQuery,
  type Batch,
  type Checkpoint,
  checkpointsBy,
  type Destination,
  type SyncList,
} from "./destination.js";
import { isContinued } from "./destinations/relational.js";
import { scanHistory } from "./history.js";
import { checkNetwork } from "./network.js";
import { checkJoin, listsOf, type Run, type SyncOptions, store, unprovedError, type VotesQuery } from "./run.js";

/**
 * Reads each list up to the newest block of the node, or follows it.
 *
 * @throws `PaginationError` if the node no longer keeps the records after a checkpoint, or has not reached it;
 * {@link IncompleteError}, once everything else is stored, if the node does not show all profiles, or the start of the
 * balance changes; {@link ExitError} for a node of another network, before anything is written.
 */
export async function syncTo(destination: Destination, client: VegaClient, options: SyncOptions): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { block, nodes } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
  options.onConnected?.();
  const controller = new AbortController();
  const run: Run = {
    destination,
    client,
    options,
    block,
    last: nodes[0],
    controller,
    signal: AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]),
    limit: pLimit(1),
  };
  const stored = await destination.checkpoints();
  await checkNetwork(run, stored);
  const checkpointOf = checkpointsBy(stored);
  const tasks = listsOf(options).map(([list, query]): Promise<IncompleteError | undefined> => {
    const checkpoint = isContinued(destination, list) ? checkpointOf(list, query) : undefined;
    if (list === "balances") return syncBalances(run, query, checkpoint);
    if (list === "votes") return syncVotes(run, query, checkpoint);
    if (list === "profiles") return syncProfiles(run);
    return storeBatches(run, list, query, followNodeSignatures(client, query, following(run)), undefined);
  });
  // The first list that fails ends the others.
  for (const task of tasks) task.catch((error) => controller.abort(error));
  // A batch that is being stored needs the destination until its end.
  await Promise.allSettled(tasks);
  controller.signal.throwIfAborted();
  const unwritten = await destination.finish();
  options.onWritten?.(unwritten);
  const reason = (await Promise.all(tasks)).find((each) => each !== undefined);
  if (reason) throw reason;
}

/** Whether no block has come since a checkpoint, so that there is nothing to read. */
function isAt({ block, options }: Run, list: SyncList, query: object, checkpoint: Checkpoint | undefined): boolean {
  const hasNothingNew = block !== undefined && finalTime(block.timestamp) === checkpoint?.position;
  if (hasNothingNew) options.onStored?.({ list, query, records: 0, checkpoint });
  return hasNothingNew;
}

/** Stores the batches of a follower: its first batch, or each one until the signal is aborted. */
async function storeBatches(
  run: Run,
  list: "balances" | "votes" | "signatures",
  query: object,
  follower: { batches(): AsyncIterable<{ records: Batch["records"]; from?: bigint; upTo: bigint }> },
  stored: Checkpoint | undefined,
): Promise<undefined> {
  let checkpoint = stored;
  try {
    // Nodes keep all signatures.
    for await (const { records, from = 0n, upTo } of follower.batches()) {
      if (checkpoint) checkJoin(checkpoint, from);
      else if (from >= upTo) {
        if (records.length > 0) throw unprovedError();
        // Before the first record of a network, nothing is proved that a later batch could be joined to.
        continue;
      }
      // If the scan failed before its first batch, nothing has shown yet when the records begin.
      const incomplete = checkpoint ? undefined : startsLate(from, (query as BalancesQuery).from);
      checkpoint = { start: checkpoint?.start ?? from, position: upTo };
      await store(run, { list, query, records, checkpoint }, incomplete);
      if (!run.options.follow) break;
    }
  } catch (error) {
    if (run.options.follow || !StalledError.is(error)) throw error;
    // A run that does not follow has waited for the block of its checkpoint.
    const wanted = stored ? `, and ${list} are stored up to ${formatTime(stored.position)}` : "";
    throw behindError(error.block, wanted, error);
  }
}

/** The options of a follower. Without `follow`, it does not wait for a stalled chain or an unresponsive node. */
function following({ options, controller, signal }: Run): FollowOptions {
  const { pollInterval, stalledAfter, observe, follow, scan } = options;
  if (follow) return { pollInterval, stalledAfter, observe, signal };
  const endOnFailure: FollowOptions["observe"] = (event) => {
    if (event.type !== "retry") return observe?.(event);
    const { name, message } = event.error;
    controller.abort(
      new ExitError(message, undefined, exitCodes[name === "RateLimitError" ? "rateLimited" : "failed"]),
    );
  };
  return { pollInterval, stalledAfter: scan?.catchUp ?? 15_000, observe: endOnFailure, signal };
}

/** Whether votes of a query are stored. A backup that is restored in part has its checkpoint without them. */
async function hasVotes(destination: Destination, query: VotesQuery): Promise<boolean> {
  for await (const _ of destination.rows("votes", query)) return true;
  return false;
}

async function syncVotes(run: Run, query: VotesQuery, stored: Checkpoint | undefined): Promise<undefined> {
  if (!run.options.follow && isAt(run, "votes", query, stored)) return undefined;
  const { proposalId } = query as { proposalId?: string };
  // A copy could not tell a mistyped id from a proposal on which nobody has voted. Other failures do not end a run.
  if (stored === undefined && !run.options.follow && proposalId !== undefined) {
    await requireProposal(run.client, proposalId, run.signal).catch((error: unknown) => {
      if (error instanceof NoProposalError) throw error;
    });
  }
  const from = stored && (await run.limit(() => hasVotes(run.destination, query))) ? stored.position : "start";
  const follower = followVotes(run.client, query, { ...following(run), from });
  return storeBatches(run, "votes", query, follower, stored);
}

/** Stores balance changes: by a scan up to the newest block, then block by block. Returns why some may be missing. */
async function syncBalances(run: Run, query: BalancesQuery, stored: Checkpoint | undefined) {
  const { client, options } = run;
  let checkpoint = stored;
  try {
    for await (checkpoint of scanHistory(run, query, stored));
    // Only the scan shows that a node that is behind is of another network.
    await syncAssets(run, stored === undefined);
  } catch (error) {
    // The follower reads the rest: it waits for a node that restarts, and rejects with any other error.
    if (!options.follow || !VegaError.is(error)) throw error;
  }
  const incomplete = checkpoint && startsLate(checkpoint.start, query.from ?? stored?.start);
  if (!options.follow) return incomplete;
  if (incomplete) options.onStored?.({ list: "balances", query, records: 0, checkpoint, incomplete });
  const from = checkpoint?.position ?? query.from ?? "start";
  const follower = followBalanceChanges(client, { filter: query.filter }, { ...following(run), from });
  return storeBatches(run, "balances", query, follower, checkpoint);
}

/** Stores the assets, if the node lists them: a run does not fail without them. */
async function syncAssets({ client, destination, options, signal, limit }: Run, isFirst: boolean): Promise<void> {
  const records = await listAssets(client, signal).catch(() => undefined);
  const batch = { list: "assets", query: {}, checkpoint: undefined } as const;
  if (records) await limit(() => destination.store({ ...batch, records }));
  if (isFirst && !records?.length) options.onStored?.({ ...batch, records: 0 });
}

async function syncProfiles(run: Run): Promise<IncompleteError | undefined> {
  const { records, gap } = await readWhole(run.client, "listPartiesProfiles", {}, { signal: run.signal });
  const profiles = records as object[] as Batch["records"];
  await store(run, { list: "profiles", query: {}, records: profiles, checkpoint: undefined }, gap);
  return gap;
}
