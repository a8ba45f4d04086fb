/** Compares the stored balance changes with those of a node, record by record. */
import type { BalanceChange, ScanOptions, VegaClient } from "vegaprotocol-client";
import { ExitError } from "../errors.js";
import { formatTime } from "../output/columns.js";
import { allTimes, type BalancesQuery, checkpointOf, type Destination } from "./destination.js";
import type { RelationalDestination } from "./destinations/relational.js";
import { compareRecords } from "./rows.js";
import { refuseNetwork } from "./sync.js";

/** The balance changes of a day, in the destination and in the node. */
export interface ComparedDay {
  /** As in `2024-02-09`, in UTC. */
  readonly day: string;
  stored: number;
  node: number;
  /** How many records the node has that are not stored, or with another balance. */
  missing: number;
  /** How many records are stored that the node does not have, or has with another balance. */
  surplus: number;
}

/**
 * Compares from where the history of the node begins to where the stored one ends.
 *
 * @throws {@link ExitError} if the balance changes of the query were never stored, or if the node is of another network;
 * `PaginationError` if the node has not reached the checkpoint.
 */
export async function checkSync(
  destination: Destination,
  client: VegaClient,
  query: BalancesQuery,
  options: ScanOptions,
) {
  const { filter, from } = query;
  const checkpoint = checkpointOf(await destination.checkpoints(), "balances", query);
  if (checkpoint === undefined) {
    throw new ExitError(
      "Expected a destination in which these balance changes are stored. Run sync without --check first.",
    );
  }
  const { position } = checkpoint;
  const last = await destination.newest(filter);
  // Records after the checkpoint are of another query, or of a node without block headers: those are compared in one direction.
  const end = last && BigInt(last.timestamp) >= position ? BigInt(last.timestamp) + 1n : position;
  const [oldest] = await client.scanBalanceChanges({}, { maxItems: 1, signal: options.signal }).toArray();
  const history = oldest && BigInt(oldest.timestamp) < end ? BigInt(oldest.timestamp) : end;
  const start = from !== undefined && from > history ? from : history;
  const scan = client.scanBalanceChanges({ filter, dateRange: { startTimestamp: start, endTimestamp: end } }, options);
  const { days, common } = await compare(destination.read(filter, { start, end }), scan, position);
  // The node no longer keeps them.
  let uncompared = 0;
  for await (const _ of destination.read(filter, { start: from ?? allTimes.start, end: start })) uncompared++;
  const sum = (side: "stored" | "node") => days.reduce((records, day) => records + day[side], 0);
  const [stored, records] = [sum("stored"), sum("node")];
  if (common === 0 && stored > 0 && records > 0) {
    refuseNetwork(
      `the node has none of its ${stored} balance changes since ${formatTime(start)}, and ${records} others`,
    );
  }
  return { records, start, end, uncompared, different: days.filter(isDifferent) };
}

const isDifferent = ({ missing, surplus }: ComparedDay): boolean => missing + surplus > 0;

/**
 * Compares two readings in the order of a scan.
 *
 * @param position - Everything before it is stored; later records of the node do not have to be.
 * @returns the days in order of time, and how many records both sides have, perhaps with different balances.
 */
export async function compare(
  stored: AsyncIterable<BalanceChange>,
  node: AsyncIterable<BalanceChange>,
  position: bigint,
): Promise<{ days: readonly ComparedDay[]; common: number }> {
  const days = new Map<string, ComparedDay>();
  let common = 0;
  const dayOf = ({ timestamp }: BalanceChange) => {
    const day = new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString().slice(0, 10);
    const known = days.get(day) ?? { day, stored: 0, node: 0, missing: 0, surplus: 0 };
    days.set(day, known);
    return known;
  };
  const [ownRecords, otherRecords] = [stored[Symbol.asyncIterator](), node[Symbol.asyncIterator]()];
  let [own, other] = [await ownRecords.next(), await otherRecords.next()];
  while (!own.done || !other.done) {
    const order = own.done ? 1 : other.done ? -1 : compareRecords(own.value, other.value);
    const isEqual = order === 0 && own.value.balance === other.value.balance;
    if (order === 0) common++;
    if (order <= 0) {
      const day = dayOf(own.value);
      day.stored++;
      if (!isEqual) day.surplus++;
    }
    if (order >= 0 && (order === 0 || BigInt(other.value.timestamp) < position)) {
      const day = dayOf(other.value);
      day.node++;
      if (!isEqual) day.missing++;
    }
    if (order <= 0) own = await ownRecords.next();
    if (order >= 0) other = await otherRecords.next();
  }
  return { days: [...days.values()], common };
}

/**
 * Copies a database to one that is empty, and compares both.
 *
 * @returns how many balance changes are in both.
 */
export async function copyDatabase(source: RelationalDestination, destination: RelationalDestination): Promise<number> {
  if ((await destination.checkpoints()).length === 0) await destination.copy(source);
  let records = 0;
  for (const { list, query, checkpoint } of await source.checkpoints()) {
    if (list !== "balances") continue;
    const range = { start: allTimes.start, end: checkpoint.position };
    const { filter } = query as BalancesQuery;
    const { days, common } = await compare(source.read(filter, range), destination.read(filter, range), range.end);
    const different = days.find(isDifferent);
    if (different) throw new ExitError(`The copy differs on ${different.day}. Copy to an empty destination.`);
    records += common;
  }
  return records;
}
