/** Makes a destination equal to the node: reads what it does not have, and stores each batch with its checkpoint. */
import {
  type BalanceChange,
  type Block,
  PaginationError,
  type PartyProfile,
  type VegaClient,
} from "vegaprotocol-client";
import {
  type FollowEvent,
  type FollowOptions,
  followBalanceChanges,
  followNodeSignatures,
  followVotes,
  StalledError,
} from "vegaprotocol-client/follow";
import { ExitError, IncompleteError } from "../errors.js";
import { formatTime } from "../output/columns.js";
import { largestPage, readWhole } from "../records.js";
import type { BalancesQuery, Batch, Checkpoint, Destination, Part, SyncList } from "./destination.js";
import { checkTime, compareRecords } from "./rows.js";

/** The votes on a proposal, or those of a party. */
export type VotesQuery = Parameters<typeof followVotes>[1];

export interface SyncProgress {
  readonly list: SyncList;
  /** How many records of the list were stored since the run began. */
  readonly records: number;
  /** Everything before is stored, in Unix nanoseconds. `undefined` for profiles, which have no time. */
  readonly upTo: bigint | undefined;
  /** Why records are missing that no request leads to, if some are. */
  readonly incomplete?: IncompleteError | undefined;
}

export interface ReadOptions {
  readonly pageSize?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly catchUp?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once, before a node is waited for that has not reached the position up to which blocks are stored. */
  readonly onBehind?: ((block: Block, position: bigint) => void) | undefined;
}

export interface SyncOptions extends ReadOptions, Pick<FollowOptions, "pollInterval" | "observe"> {
  readonly balances?: BalancesQuery | undefined;
  readonly votes?: readonly VotesQuery[] | undefined;
  /** The ids of resources. */
  readonly signatures?: readonly string[] | undefined;
  readonly profiles?: boolean | undefined;
  /** Whether to continue and store each block as it comes, until the signal is aborted. */
  readonly follow?: boolean | undefined;
  /** Called after each step, and if nothing is new. */
  readonly onStored?: ((progress: SyncProgress) => void) | undefined;
}

/** How many records are stored in one step, in addition to the rest of the last block. */
const batchSize = 2000;

/** Nodes keep times in microseconds: everything before this time is final in a block of this time. */
const finalTime = ({ timestamp }: Block): bigint => timestamp - (timestamp % 1000n);

/**
 * Reads each list up to the newest block of the node, or follows it.
 *
 * @returns what the user should know of what was stored.
 * @throws `PaginationError` if the node no longer keeps what follows a checkpoint, or has not reached it; {@link IncompleteError},
 * once everything else is stored, if the node does not show all profiles; {@link ExitError} for a node of another network: nothing is
 * written then.
 */
export async function syncTo(
  destination: Destination,
  client: VegaClient,
  options: SyncOptions,
): Promise<string | undefined> {
  options.signal?.throwIfAborted();
  const run = new Run(destination, client, options);
  const { balances, votes = [], signatures = [], profiles } = options;
  // A query that the destination does not take is refused before anything is sent.
  const checkpoint = balances && (await destination.checkpoint("balances", balances));
  const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal: options.signal });
  run.block = block;
  const newest = await destination.newest({});
  if (newest && (await hasRecord(newest, client, options.signal)) === false) {
    const { partyId, assetId, timestamp } = newest;
    refuseNetwork(`the node does not have its balance change of party ${partyId}, asset ${assetId} at ${timestamp}`);
  }
  const tasks = [
    ...(balances ? [syncBalances(run, balances, checkpoint)] : []),
    ...votes.map((query) => syncVotes(run, query)),
    ...signatures.map((id) => syncSignatures(run, { id })),
    ...(profiles ? [syncProfiles(run)] : []),
  ];
  let failure: { error: unknown } | undefined;
  await Promise.all(
    tasks.map((task) =>
      task.catch((error: unknown) => {
        // The first list that fails ends the others.
        failure ??= { error };
        run.fail(error);
      }),
    ),
  );
  if (failure) throw failure.error;
  const note = await destination.finish();
  if (run.incomplete) throw run.incomplete;
  return note;
}

/** What the lists of a run have in common. */
class Run {
  readonly destination: Destination;
  readonly client: VegaClient;
  readonly options: SyncOptions;
  /** The block of the node when the run began; `undefined` if it names none. */
  block: Block | undefined;
  /** Why the run fails although every list has ended. */
  incomplete: IncompleteError | undefined;
  /** Ends the reading of every list. */
  readonly signal: AbortSignal;
  #isBehind = false;
  /** The end of the steps before: one at a time. */
  #stored: Promise<unknown> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #records: Partial<Record<SyncList, number>> = {};

  constructor(destination: Destination, client: VegaClient, options: SyncOptions) {
    this.destination = destination;
    this.client = client;
    this.options = options;
    const { signal: own } = this.#controller;
    this.signal = options.signal ? AbortSignal.any([options.signal, own]) : own;
  }

  /** Whether no block has come since a position, so that there is nothing to read. Otherwise it reports a node that is behind. */
  isAt(list: SyncList, position: bigint | undefined): boolean {
    const { block } = this;
    if (block === undefined || position === undefined || finalTime(block) > position) return false;
    const isAt = finalTime(block) === position;
    if (isAt) this.options.onStored?.({ list, records: this.#records[list] ?? 0, upTo: position });
    else if (!this.#isBehind) this.options.onBehind?.(block, position);
    this.#isBehind ||= !isAt;
    return isAt;
  }

  /** Ends the reading of every list with an error. */
  fail(error: unknown): void {
    this.#controller.abort(error);
  }

  /** The options of a follower. One that only reads up to the newest block waits neither for a chain that stands still, nor for a node that does not respond. */
  get following(): FollowOptions {
    const { pollInterval, observe, follow, catchUp = 15_000 } = this.options;
    if (follow) return { pollInterval, observe, signal: this.signal };
    const endOnFailure = (event: FollowEvent) => {
      observe?.(event);
      if (event.type === "retry") this.fail(new ExitError(event.error.message));
    };
    return { pollInterval, stalledAfter: catchUp, observe: endOnFailure, signal: this.signal };
  }

  async store(batch: Batch): Promise<void> {
    const { list, checkpoint } = batch;
    for (const time of checkpoint ? [checkpoint.position, checkpoint.start] : [])
      checkTime(String(time), () => "the block of the node");
    const step = this.#stored.then(() => this.destination.store(batch));
    this.#stored = step.catch(() => {});
    const records = (this.#records[list] ?? 0) + (await step);
    this.#records[list] = records;
    const incomplete = list === "profiles" ? this.incomplete : undefined;
    this.options.onStored?.({ list, records, upTo: checkpoint?.position, incomplete });
  }
}

/** Stores balance changes: by a scan up to the newest block, then block by block. */
async function syncBalances(run: Run, query: BalancesQuery, stored: Checkpoint | undefined): Promise<void> {
  const { client, options } = run;
  const { filter } = query;
  let checkpoint = stored;
  const store = async ({ records, upTo }: Part, start: bigint) => {
    checkpoint = { start, position: upTo };
    await run.store({ list: "balances", query, records, checkpoint });
  };
  if (!run.isAt("balances", checkpoint?.position)) await scanHistory(run, query, checkpoint, store);
  if (!options.follow) return;
  const from = checkpoint?.position ?? "start";
  const follower = followBalanceChanges(client, { filter }, { ...run.following, from });
  for await (const batch of follower.batches()) await store(batch, checkpoint?.start ?? batch.from);
}

/** Reads what the node has. */
async function scanHistory(
  run: Run,
  { filter, from }: BalancesQuery,
  checkpoint: Checkpoint | undefined,
  store: (part: Part, start: bigint) => Promise<void>,
): Promise<void> {
  const { position } = checkpoint ?? {};
  const newest = position === undefined ? undefined : await run.destination.newest(filter, position);
  const stored = newest && checkpoint?.start;
  let begin = stored;
  let rest: readonly BalanceChange[] = [];
  try {
    const { scan, records } = await openHistory(run, filter, position ?? from, newest);
    for await (const part of inParts(records)) {
      const { upTo } = part;
      begin ??= BigInt(part.records[0]?.timestamp ?? upTo ?? 0);
      if (upTo === undefined) rest = part.records;
      else await store({ records: part.records, upTo }, begin);
    }
    const coverage = await scan.coverage;
    const last = rest.at(-1)?.timestamp;
    // If no response names a block, the last one can have further records: it is read again.
    const end = coverage.end ?? (last === undefined ? (position ?? from) : BigInt(last));
    // Without an earlier record, the scan is all that shows from when on the records are complete.
    if (end !== undefined) await store({ records: rest, upTo: end }, stored ?? coverage.start);
  } catch (error) {
    if (!isAtPosition(error, position)) throw error;
  }
}

/** How often to request what follows a stored record. Behind one address, another node may respond each time. */
const attempts = 3;

/**
 * Opens a scan from a time on. Its first response has to have the newest record before that time, which shows that the node has dropped
 * nothing that follows.
 */
async function openHistory(
  { client, options, signal }: Run,
  filter: BalancesQuery["filter"],
  start: bigint | undefined,
  newest: BalanceChange | undefined,
) {
  const open = (from: bigint | undefined) => openScan(client, filter, { start: from }, { ...options, signal });
  const openPlain = () => {
    const scan = open(start);
    return { scan, records: scan };
  };
  if (newest === undefined) return openPlain();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const scan = open(BigInt(newest.timestamp));
    const records = scan[Symbol.asyncIterator]();
    try {
      const { value: first } = await records.next();
      if (first?.timestamp === newest.timestamp) return { scan, records: recordsFrom(start, first, records) };
    } catch (error) {
      const { availableFrom } = PaginationError.is(error) ? error : {};
      if (availableFrom === undefined || availableFrom > (start ?? 0n)) throw error;
      // The nodes have dropped the record, and keep all that follows.
      return openPlain();
    }
    await records.return(undefined);
  }
  throw new PaginationError(
    `Expected a response that begins with the newest stored balance change, at ${formatTime(newest.timestamp)}, got none, so that ` +
      "nothing shows whether the node keeps what follows. Run sync again, or use a node that keeps a longer history.",
    { operation: "listBalanceChanges", reason: "gap" },
  );
}

async function* recordsFrom(start = 0n, first: BalanceChange, rest: AsyncIterable<BalanceChange>) {
  if (BigInt(first.timestamp) >= start) yield first;
  for await (const record of rest) if (BigInt(record.timestamp) >= start) yield record;
}

/** Whether no block has come since the position, so that there is nothing to read. */
function isAtPosition(error: unknown, position: bigint | undefined): boolean {
  const isBehind = error instanceof StalledError || (PaginationError.is(error) && error.reason === "behind");
  return isBehind && error.block !== undefined && position !== undefined && finalTime(error.block) >= position;
}

/** A scan of a filter in batches of complete blocks. */
export function openScan(
  client: VegaClient,
  filter: BalancesQuery["filter"],
  { start, end }: { start?: bigint | undefined; end?: bigint },
  { pageSize = 1000, concurrency, catchUp, signal }: ReadOptions,
) {
  const dateRange = { startTimestamp: start, endTimestamp: end };
  return client.scanBalanceChanges({ filter, dateRange }, { pageSize, concurrency, catchUp, signal });
}

/** Divides a scan into parts. The last one has no `upTo`. A scan that fails yields what is complete before. */
export async function* inParts(scan: AsyncIterable<BalanceChange> | Iterable<BalanceChange>) {
  let records: BalanceChange[] = [];
  const part = (upTo: bigint | undefined) => ({ records, upTo });
  try {
    for await (const record of scan) {
      if (records.length >= batchSize && records.at(-1)?.timestamp !== record.timestamp) {
        yield part(BigInt(record.timestamp));
        records = [];
      }
      records.push(record);
    }
  } catch (error) {
    const last = records.at(-1)?.timestamp;
    // More records of its last block can follow.
    records = records.filter(({ timestamp }) => timestamp !== last);
    if (last !== undefined) yield part(BigInt(last));
    throw error;
  }
  yield part(undefined);
}

async function syncVotes(run: Run, query: VotesQuery): Promise<void> {
  const { client, destination, options } = run;
  const stored = await destination.checkpoint("votes", query);
  if (!options.follow && run.isAt("votes", stored?.position)) return;
  const follower = followVotes(client, query, { ...run.following, from: stored?.position ?? "start" });
  try {
    let { start } = stored ?? {};
    for await (const { records, from, upTo } of follower.batches()) {
      start ??= from;
      await run.store({ list: "votes", query, records, checkpoint: { start, position: upTo } });
      if (!options.follow) break;
    }
  } catch (error) {
    if (options.follow || !isAtPosition(error, stored?.position)) throw error;
  }
}

async function syncSignatures(run: Run, query: { id: string }): Promise<void> {
  for await (const { records, upTo } of followNodeSignatures(run.client, query, run.following).batches()) {
    // Nodes keep all signatures.
    await run.store({ list: "signatures", query, records, checkpoint: { start: 0n, position: upTo } });
    if (!run.options.follow) break;
  }
}

async function syncProfiles(run: Run): Promise<void> {
  const { records, gap } = await readWhole(run.client, "listPartiesProfiles", {}, { signal: run.signal });
  if (gap) {
    const [last, first] = gap.map(({ partyId }) => partyId);
    run.incomplete = new IncompleteError(
      `Expected the node to show the profiles of all parties, got the first and the last ${largestPage}: those between party ` +
        `${last} and party ${first} are missing. Request them by the ids of their parties.`,
    );
  }
  const profiles = records as object[] as PartyProfile[];
  await run.store({ list: "profiles", query: {}, records: profiles, checkpoint: undefined });
}

/** Whether a node has a balance change; `undefined` if it does not keep that time, or has not reached it. */
export async function hasRecord(
  record: BalanceChange,
  client: VegaClient,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const time = BigInt(record.timestamp);
  const start = time - (time % 1000n);
  const dateRange = { startTimestamp: start, endTimestamp: start + 1000n };
  try {
    const records = await client.scanBalanceChanges({ dateRange }, { catchUp: 0, signal }).toArray();
    return records.some((each) => compareRecords(each, record) === 0);
  } catch (error) {
    if (PaginationError.is(error) && (error.availableFrom !== undefined || error.reason === "behind")) return undefined;
    throw error;
  }
}

export function refuseNetwork(reason: string): never {
  throw new ExitError(
    `Expected a node of the network that the stored records are from: ${reason}. Use a node of that network, or another destination.`,
  );
}
