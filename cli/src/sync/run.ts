/** One run of `sync`: its options, and how its lists store what they read. */
import type { LimitFunction } from "p-limit";
import type { BalanceChange, Block, ScanOptions, VegaClient } from "vegaprotocol-client";
import type { FollowOptions, followVotes } from "vegaprotocol-client/follow";
import { ExitError, IncompleteError } from "../errors.js";
import { day, formatTime } from "../times.js";
import type { BalancesQuery, Batch, Checkpoint, Destination, Unwritten } from "./destination.js";
import { checkTime } from "./rows.js";

export type VotesQuery = Parameters<typeof followVotes>[1];

/** A batch that was stored, with the number of its records. */
export interface SyncStep extends Omit<Batch, "records"> {
  readonly records: number;
  /** Why records are missing that no request leads to, if some are. */
  readonly incomplete?: IncompleteError | undefined;
}

export interface SyncOptions extends Pick<FollowOptions, "pollInterval" | "stalledAfter" | "observe" | "signal"> {
  readonly scan?: ScanOptions;
  /**
   * How many balance changes are read and stored in one step. A database rewrites fewer of its pages with larger steps.
   * Default: 30,000.
   */
  readonly batchSize?: number | undefined;
  readonly balances?: BalancesQuery | undefined;
  readonly votes?: readonly VotesQuery[] | undefined;
  readonly signatures?: readonly string[] | undefined;
  readonly profiles?: boolean | undefined;
  /** Whether to continue and store each block as it comes, until the signal is aborted. */
  readonly follow?: boolean | undefined;
  readonly onConnected?: (() => void) | undefined;
  /** Called after each step, and if nothing is new. */
  readonly onStored?: ((step: SyncStep) => void) | undefined;
  /** Called once every list has ended and is written, except what its argument describes. */
  readonly onWritten?: ((unwritten: Unwritten | undefined) => void) | undefined;
}

/** The lists of a plan, each with its query. */
export const listsOf = ({ balances, votes = [], signatures = [], profiles }: SyncOptions) => [
  ...(balances ? [["balances", balances] as const] : []),
  ...votes.map((query) => ["votes", query] as const),
  ...signatures.map((id) => ["signatures", { id }] as const),
  ...(profiles ? [["profiles", {}] as const] : []),
];

export interface Run {
  readonly destination: Destination;
  readonly client: VegaClient;
  readonly options: SyncOptions;
  /** The block of the node when the run began; `undefined` without block headers. */
  readonly block: Block | undefined;
  /** The newest balance change in that response. */
  readonly last: BalanceChange | undefined;
  readonly controller: AbortController;
  /** Ends the reading of every list. */
  readonly signal: AbortSignal;
  /** Uses the destination for one list at a time. */
  readonly limit: LimitFunction;
}

export async function store({ destination, options, limit }: Run, batch: Batch, incomplete?: IncompleteError) {
  const { list, checkpoint } = batch;
  for (const time of Object.values(checkpoint ?? {})) checkTime(String(time), () => "the block of the node");
  const { position = 0n } = checkpoint ?? {};
  // No later run could continue before that time.
  if (position > BigInt(Date.now()) * 1_000_000n + day)
    throw new ExitError(
      `The node's block has the time ${formatTime(position)}, which the clock of this machine has not reached. Set the clock, or use ` +
        "another node.",
    );
  // Between balance changes before the range, others can be missing: nodes behind one address keep different histories.
  const isInRange = (record: object) =>
    list !== "balances" || BigInt((record as BalanceChange).timestamp) >= (checkpoint?.start ?? 0n);
  const stored = await limit(() => destination.store({ ...batch, records: batch.records.filter(isInRange) }));
  options.onStored?.({ ...batch, records: stored, incomplete });
}

export function checkJoin({ position }: Checkpoint, from: bigint): void {
  if (from <= position) return;
  throw new IncompleteError(
    `The node does not show what follows the stored records: they end at ${formatTime(position)}, and its own are complete from ` +
      `${formatTime(from)} on. Use a node that keeps a longer history, or another destination.`,
  );
}

export const unprovedError = (): IncompleteError =>
  new IncompleteError(
    "No response shows from when on the balance changes are complete: the filter takes several requests. " +
      "Sync at most 80 parties or markets at once, or use another node.",
  );
