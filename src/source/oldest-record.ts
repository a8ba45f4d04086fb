import type { BalanceChangeList } from "../../generated/types.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { type Block, readBlock } from "../http/block.js";
import type { Reply } from "../http/context.js";
import { readEnvelope } from "./node-page.js";
import { isRefused, type RangeLimits, type TimeRange, windowsOf } from "./range-limits.js";

/** What a node says of its oldest balance change: the time in Unix nanoseconds. */
interface Oldest {
  oldest?: bigint;
}

/** Asks a node for the oldest balance change of a range, or of all. */
export type AskOldest = (range: TimeRange | undefined) => Promise<Oldest & { block: Block | undefined }>;

/** @param send - Sends the request for the list of balance changes. */
export const askOldest =
  (send: (params: CheckedArguments, read: (body: object) => Oldest | undefined) => Promise<Reply<Oldest>>): AskOldest =>
  async (range) => {
    const dateRange = range && { startTimestamp: `${range.start}`, endTimestamp: `${range.end}` };
    const pagination = { first: 1, newestFirst: false };
    const { data, block } = await send({ ...(dateRange && { dateRange }), pagination }, readOldest);
    return { ...data, block };
  };

function readOldest({ balances }: Partial<BalanceChangeList>): Oldest | undefined {
  const page = readEnvelope(balances);
  const timestamp = page?.edges[0]?.node?.timestamp;
  return page && (timestamp === undefined ? {} : { oldest: BigInt(timestamp) });
}

/**
 * Finds the time of the oldest balance change of a node. v0.75 and later nodes refuse to look for it without a range: they are asked
 * from their block back, until a year has none.
 *
 * @param limits - What is known of the ranges that the node accepts.
 */
export async function findOldest(ask: AskOldest, limits: RangeLimits): Promise<bigint | undefined> {
  if (!limits.isNeeded) {
    try {
      return (await ask(undefined)).oldest;
    } catch (error) {
      if (!isRefused(error)) throw error;
      limits.isNeeded = true;
      limits.observe(readBlock(error));
    }
  }
  let oldest: bigint | undefined;
  for (const range of windowsOf({ start: 0n, end: limits.end }, true)) {
    const found = await ask(range);
    limits.observe(found.block);
    if (found.oldest === undefined && oldest !== undefined) break;
    oldest = found.oldest ?? oldest;
  }
  return oldest;
}
