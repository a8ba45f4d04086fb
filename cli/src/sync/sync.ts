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
import { type BalanceChange, PaginationError, type VegaClient, VegaError } from "vegaprotocol-client";
import {
  type FollowOptions,
  followBalanceChanges,
  followNodeSignatures,
  followVotes,
  StalledError,
} from "vegaprotocol-client/follow";
import { ExitError, exitCodes, type IncompleteError } from "../errors.js";
import { listAssets } from "../other-paths.js";
import { behindError, readWhole, startsLate } from "../records.js";
import { finalTime, formatTime } from "../times.js";
import {
  type BalancesQuery,
  type Batch,
  type Checkpoint,
  checkpointOf,
  type Destination,
  type SyncList,
} from "./destination.js";
import { checkNetwork } from "./network.js";
import { checkJoin, notStarted, type Run, type SyncOptions, store, type VotesQuery } from "./run.js";

/**
 * Reads each list up to the newest block of the node, or follows it.
 *
 * @throws `PaginationError` if the node no longer keeps the records after a checkpoint, or has not reached it;
 * {@link IncompleteError}, once everything else is stored, if the node does not show all profiles, or the start of the
 * balance changes; {@link ExitError} for a node of another network, before anything is written.
 */
export async function syncTo(destination: Destination, client: VegaClient, options: SyncOptions): Promise<void> {
  const { balances, votes = [], signatures = [], profiles, signal } = options;
  signal?.throwIfAborted();
  const { block, nodes } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
  if (block?.height === 0n) throw notStarted;
  options.onConnected?.();
  const stored = await destination.checkpoints();
  await checkNetwork(destination, client, stored, signal);
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
  const tasks: Promise<IncompleteError | undefined>[] = [
    ...(balances ? [syncAssets(run), syncBalances(run, balances, checkpointOf(stored, "balances", balances))] : []),
    ...votes.map((query) => syncVotes(run, query, checkpointOf(stored, "votes", query))),
    ...signatures.map((id) =>
      storeBatches(run, "signatures", { id }, followNodeSignatures(client, { id }, following(run)), undefined),
    ),
    ...(profiles ? [syncProfiles(run)] : []),
  ];
  // The first list that fails ends the others.
  for (const task of tasks) task.catch((error) => controller.abort(error));
  // A batch that is being stored needs the destination until its end.
  await Promise.allSettled(tasks);
  controller.signal.throwIfAborted();
  options.onWritten?.(await destination.finish());
  const reason = (await Promise.all(tasks)).find((each) => each !== undefined);
  if (reason) throw reason;
}

/** Whether no block has come since a checkpoint, so that there is nothing to read. */
function isAt({ block, options }: Run, list: SyncList, query: object, checkpoint: Checkpoint | undefined): boolean {
  const isAt = block !== undefined && finalTime(block.timestamp) === checkpoint?.position;
  if (isAt) options.onStored?.({ list, query, records: 0, checkpoint });
  return isAt;
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
      // Before the first record of a network, nothing is proved that a later batch could be joined to.
      else if (from >= upTo) continue;
      checkpoint = { start: checkpoint?.start ?? from, position: upTo };
      await store(run, { list, query, records, checkpoint });
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
    controller.abort(new ExitError(message, exitCodes[name === "RateLimitError" ? "rateLimited" : "failed"]));
  };
  return { pollInterval, stalledAfter: scan?.catchUp ?? 15_000, observe: endOnFailure, signal };
}

async function syncVotes(run: Run, query: VotesQuery, stored: Checkpoint | undefined): Promise<undefined> {
  if (!run.options.follow && isAt(run, "votes", query, stored)) return undefined;
  const follower = followVotes(run.client, query, { ...following(run), from: stored?.position ?? "start" });
  return storeBatches(run, "votes", query, follower, stored);
}

/** Stores balance changes: by a scan up to the newest block, then block by block. Returns why some may be missing. */
async function syncBalances(
  run: Run,
  query: BalancesQuery,
  stored: Checkpoint | undefined,
): Promise<IncompleteError | undefined> {
  const { client, options } = run;
  let checkpoint = stored;
  try {
    if (!isAt(run, "balances", query, stored)) for await (checkpoint of scanHistory(run, query, stored));
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
async function syncAssets({ client, destination, signal, limit }: Run): Promise<undefined> {
  const records = await listAssets(client, signal).catch(() => undefined);
  if (records) await limit(() => destination.store({ list: "assets", query: {}, records, checkpoint: undefined }));
}

async function syncProfiles(run: Run): Promise<IncompleteError | undefined> {
  const { records, gap } = await readWhole(run.client, "listPartiesProfiles", {}, { signal: run.signal });
  const profiles = records as object[] as Batch["records"];
  await store(run, { list: "profiles", query: {}, records: profiles, checkpoint: undefined }, gap);
  return gap;
}

/** Stores batches up to the newest block, and yields the range that is stored then. */
async function* scanHistory(
  run: Run,
  query: BalancesQuery,
  stored: Checkpoint | undefined,
): AsyncGenerator<Checkpoint, undefined> {
  const { destination, client, options, signal, limit } = run;
  const { filter } = query;
  const newest = stored && (await limit(() => destination.newest(filter, stored.position)));
  const known = newest && BigInt(newest.timestamp);
  let checkpoint = stored;
  let next: BatchStart | undefined = { from: stored?.position ?? query.from, known };
  while (next) {
    const { records, start, end, hasMore } = await readBatch(run, query, next);
    if (checkpoint) checkJoin(checkpoint, start);
    if (end === undefined) return;
    if (checkpoint && end < checkpoint.position) {
      // A scan with an end waits for the node, and rejects if it is behind.
      const range = { startTimestamp: end, endTimestamp: checkpoint.position };
      await client.scanBalanceChanges({ filter, dateRange: range }, { ...options.scan, signal }).toArray();
      options.onStored?.({ list: "balances", query, records: 0, checkpoint });
      return;
    }
    if (checkpoint === undefined && start >= end) {
      const [first] = records;
      if (first && next.from === undefined) {
        // The filter takes several requests, which together show what nodes keep only from the first record on.
        next = { from: BigInt(first.timestamp), known: undefined };
        continue;
      }
      // A later run, or another node, can find earlier records.
      if (isMissing(run, query)) throw notStarted;
      options.onStored?.({ list: "balances", query, records: 0, checkpoint });
      return;
    }
    checkpoint = { start: checkpoint?.start ?? start, position: end };
    await store(run, { list: "balances", query, records, checkpoint });
    yield checkpoint;
    next = hasMore ? { from: end, known: end } : undefined;
  }
}

interface BatchStart {
  from: bigint | undefined;
  /** The time of a record before, with which the response must begin. Default: the scan begins at `from`. */
  known: bigint | undefined;
}

/**
 * Reads the balance changes from a time on, by a scan of its own: its coverage proves the batch before it is stored.
 *
 * @param size - How many records are read, those of the last time not included.
 * @returns the range in which the records are complete. Without block headers, the last block can have further ones.
 */
async function readBatch(
  run: Run,
  query: BalancesQuery,
  { from, known }: BatchStart,
  size = run.options.batchSize ?? 30_000,
): Promise<{ records: BalanceChange[]; start: bigint; end: bigint | undefined; hasMore: boolean }> {
  const { client, options, signal } = run;
  const range = { filter: query.filter, dateRange: { startTimestamp: known ?? from } };
  const scan = client.scanBalanceChanges(range, { ...options.scan, maxItems: size, signal });
  const found = await scan.toArray().catch((error: unknown) => {
    const { availableFrom } = PaginationError.is(error) ? error : {};
    if (known === undefined || availableFrom === undefined || availableFrom > (from ?? 0n)) throw error;
  });
  // The nodes may have dropped the newest stored record, and keep all that follows.
  if (found === undefined) return readBatch(run, query, { from, known: undefined }, size);
  const [first, last] = [found[0], found.at(-1)];
  if (known !== undefined && BigInt(first?.timestamp ?? 0) !== known) {
    throw new PaginationError(
      `The response does not begin with the newest stored balance change, at ${formatTime(known)}. The node may have dropped newer ` +
        "records. Run sync again, or use a node that keeps a longer history.",
      { operation: "listBalanceChanges", reason: "gap" },
    );
  }
  const hasMore = found.length === size;
  if (hasMore && first?.timestamp === last?.timestamp) return readBatch(run, query, { from, known }, 2 * size);
  const { start, end = last ? BigInt(last.timestamp) : from } = await scan.coverage;
  const isNew = ({ timestamp }: BalanceChange) =>
    BigInt(timestamp) >= (from ?? 0n) && !(hasMore && timestamp === last?.timestamp);
  return { records: found.filter(isNew), start, end, hasMore };
}

/** Whether the first response has shown that there are balance changes of a query. */
const isMissing = ({ last, block }: Run, { filter, from = 0n }: BalancesQuery): boolean =>
  last !== undefined &&
  Object.keys(filter).length === 0 &&
  BigInt(last.timestamp) >= from &&
  (block === undefined || BigInt(last.timestamp) < finalTime(block.timestamp));
