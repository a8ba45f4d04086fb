import type { ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { type Clock, systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import type { Listing, Page } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import { prunedError } from "../evidence/reading-errors.js";
import type { Block } from "../http/call.js";
import { checkPage, compareRecords } from "../scan/records.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime, microsecondOf, toTime } from "../values/times.js";
import {
  type Batch,
  blockOf,
  earlier,
  type Follower,
  type FollowSettings,
  firstPageOf,
  follower,
  type Poll,
} from "./follower.js";
import { type Checkpoint, type FollowFromOptions, followFromChecks, readCheckpoint } from "./options.js";

/** The argument of {@link followBalanceChanges}. */
export interface FollowBalanceChangesArguments extends Pick<ListBalanceChangesArguments, "filter"> {}

const operation = "followBalanceChanges";
const advice = "follow from `availableFrom`";
const { filter } = operations.listBalanceChanges.arguments;

/**
 * Follows the changes of account balances: each record exactly once, in order of time, as soon as its block is final.
 *
 * Nodes of different progress behind one address, and a node that restarts, lose and repeat nothing: each response counts up to
 * the block that it names. Records of one time come in the order of asset, party, market and account type.
 *
 * @throws The next call rejects with a {@link StalledError}; with a `PaginationError`, `reason: "pruned"`, if the checkpoint is before
 * the oldest record that the node keeps; with an `ApiError` or a `ResponseError` that is not transient; with an `ArgumentError`.
 * @example
 * ```ts no-run
 * for await (const change of followBalanceChanges(client, { filter: { partyIds: [partyId] } })) {
 *   console.log(change.timestamp, change.balance);
 * }
 * ```
 */
export function followBalanceChanges(
  client: VegaClient,
  query: FollowBalanceChangesArguments = {},
  options: FollowFromOptions = {},
): Follower<BalanceChange> {
  return followBalanceChangesWith({ clock: systemClock, pageSize: 5000 }, client, query, options);
}

/** @internal */
export const followBalanceChangesWith = (
  { clock, pageSize }: FollowSettings,
  client: VegaClient,
  query: FollowBalanceChangesArguments,
  options: FollowFromOptions,
): Follower<BalanceChange> =>
  follower<BalanceChange, Batch<BalanceChange>>({
    operation,
    clock,
    client,
    query,
    spec: { arguments: { filter } },
    options,
    checks: followFromChecks,
    open: (call) => {
      const list: List = ({ start, size = pageSize, signal }) => {
        const dateRange = start === undefined ? {} : { dateRange: { startTimestamp: start } };
        const pagination = { first: size, newestFirst: false };
        return client.listBalanceChanges({ ...query, ...dateRange, pagination }, { ...call, signal });
      };
      const source = new BalanceChangesSource(list, readCheckpoint(operation, options.from), clock);
      return (signal) => source.poll(signal);
    },
  });

type List = (request: { start?: bigint | undefined; size?: number; signal: AbortSignal }) => Listing<BalanceChange>;

/** Reads the records after a checkpoint. */
class BalanceChangesSource {
  readonly #list: List;
  readonly #clock: Clock;
  /** Every record before it was in a batch. */
  #checkpoint: Checkpoint;

  constructor(list: List, start: Checkpoint, clock: Clock) {
    this.#list = list;
    this.#checkpoint = start;
    this.#clock = clock;
  }

  async poll(signal: AbortSignal): Promise<Poll<Batch<BalanceChange>>> {
    const checkpoint = this.#checkpoint;
    const { records, block, hasMore, completeFrom } = await (checkpoint === "now"
      ? this.#findBlock(signal)
      : this.#read(checkpoint, signal));
    const final = finalTime(block.timestamp);
    const last = hasMore ? timeOf(records.at(-1)) : final;
    const upTo = minimum(last, final);
    const start = checkpoint === "now" ? 0n : checkpoint;
    if (upTo <= start) return { block };
    this.#checkpoint = upTo;
    const isNew = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= start && BigInt(timestamp) < upTo;
    const from = checkpoint === "now" ? upTo : minimum(maximum(start, completeFrom), upTo);
    const batch = { records: records.filter(isNew).sort(compareRecords), from, upTo, resume: `${upTo}` as const };
    return { block, batch, hasMore: upTo < final };
  }

  /** The current block. Nodes from v0.75 on refuse a request without a range. */
  async #findBlock(signal: AbortSignal) {
    const page = await firstPageOf(this.#list({ start: BigInt(this.#clock.date()) * 1_000_000n, size: 1, signal }));
    return { records: [], block: blockOf(operation, page), hasMore: false, completeFrom: 0n };
  }

  /** Reads a page. If all its records have one time, reads on until another one comes: one response counts up to its own block. */
  async #read(checkpoint: bigint, signal: AbortSignal) {
    const start = checkpoint > 0n ? toTime(microsecondOf(checkpoint)) : undefined;
    const records: BalanceChange[] = [];
    let block: Block | undefined;
    const first = await this.#listFrom(checkpoint, start, signal);
    const { completeFrom = 0n } = first as { completeFrom?: bigint };
    for (let page = first; ; ) {
      const { edges, nodes, pageInfo, response } = page;
      const hasMore = pageInfo?.hasNextPage ?? false;
      // Of the records of a page, the client can have left out those that the filter does not want.
      checkPage(operation, { pagination: { newestFirst: false }, start }, { edges, pageInfo: null }, response);
      block = earlier(blockOf(operation, page), block);
      records.push(...nodes);
      const earliest = checkpoint || timeOf(records[0]);
      const isDense = hasMore && timeOf(records.at(-1)) <= earliest && earliest < finalTime(block.timestamp);
      const next = isDense ? await page.nextPage() : undefined;
      if (next === undefined) return { records, block, hasMore, completeFrom };
      page = next;
    }
  }

  /** The first page of a loop: nodes must keep what it starts with. */
  async #listFrom(checkpoint: bigint, start: bigint | undefined, signal: AbortSignal): Promise<Page<BalanceChange>> {
    try {
      return await firstPageOf(this.#list({ start, signal }));
    } catch (error) {
      if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
      throw prunedError(operation, checkpoint, error.availableFrom, advice, undefined);
    }
  }
}

/** The microsecond of a record, in Unix nanoseconds. */
const timeOf = (record: BalanceChange | undefined) => toTime(microsecondOf(BigInt(record?.timestamp ?? 0)));
