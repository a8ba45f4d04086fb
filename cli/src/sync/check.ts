/** Compares the stored balance changes with those of a node, record by record. */
import { createHash } from "node:crypto";
import { type BalanceChange, PaginationError, type VegaClient } from "vegaprotocol-client";
import { ExitError } from "../errors.js";
import { allTimes, type BalancesQuery, type Destination, type Part, type TimeRange } from "./destination.js";
import { accountOf, compareRecords } from "./rows.js";
import { hasRecord, inParts, openScan, type ReadOptions, refuseNetwork } from "./sync.js";

const nanosecondsPerDay = 86_400_000_000_000n;

/** The records of a day: their number, and the SHA-256 in hexadecimal of a line of JSON for each of them. */
interface DayDigest {
  readonly records: number;
  readonly sha256: string;
}

/** The balance changes of a day, in the destination and in the node. */
export interface ComparedDay {
  /** As in `2024-02-09`, in UTC. */
  readonly day: string;
  readonly stored: DayDigest;
  readonly node: DayDigest;
  /** How many records are stored that the node does not have, or has with another balance. */
  readonly surplus: number;
  /** How many records the node has that are not stored, or with another balance. */
  readonly missing: number;
}

export interface SyncComparison {
  /** How many records of the node were compared. */
  readonly records: number;
  /** The range that was compared, in Unix nanoseconds. It begins with the history of the node, and ends with what is stored. */
  readonly start: bigint;
  readonly end: bigint;
  /** How many stored records are before the range: the node no longer keeps them, so that they were not compared. */
  readonly uncompared: number;
  /** Each day that has records. */
  readonly days: readonly ComparedDay[];
  /** The days that differ, or differed before they were repaired; empty if all are equal. */
  readonly different: readonly ComparedDay[];
  /** Those that were read again and still differ. */
  readonly unrepaired: readonly ComparedDay[];
}

/** Whether a day is the same on both sides. */
export const isEqualDay = ({ stored, node }: ComparedDay): boolean => stored.sha256 === node.sha256;

/**
 * @param repair - Whether the days that differ are read again from the node, and compared again.
 * @throws {@link ExitError} if the balance changes of the query were never stored, or if the node is of another network: nothing is
 * written then; `PaginationError` if the node has not reached the checkpoint.
 */
export async function checkSync(
  destination: Destination,
  client: VegaClient,
  query: BalancesQuery,
  repair: boolean,
  options: ReadOptions,
): Promise<SyncComparison> {
  const { onBehind, signal } = options;
  const { filter, from } = query;
  const checkpoint = await destination.checkpoint("balances", query);
  if (checkpoint === undefined) {
    throw new ExitError(
      "Expected a destination in which these balance changes are stored. Run sync without --check first.",
    );
  }
  const { position } = checkpoint;
  const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
  if (block && block.timestamp < position) onBehind?.({ block, position });
  const last = await destination.newest(filter);
  // Records after the checkpoint are of another query, or of a node without block headers: those are compared in one direction.
  const end = last && BigInt(last.timestamp) >= position ? BigInt(last.timestamp) + 1n : position;
  const reading: Reading = { destination, client, options, filter, position };
  const [oldest] = from === undefined ? await client.scanBalanceChanges({}, { maxItems: 1, signal }).toArray() : [];
  const { start, comparison } = await compare(reading, from ?? (oldest ? BigInt(oldest.timestamp) : end), end);
  const uncompared = await destination.count(filter, { start: from ?? allTimes.start, end: start });
  const { days, common } = comparison;
  const [stored, records] = [sum(days, "stored"), sum(days, "node")];
  const newest = await destination.newest({});
  if (common === 0 && newest && stored + records > 0 && !(await hasRecord(newest, client, signal))) {
    refuseNetwork(`the node has none of its ${stored} balance changes since ${start}, and ${records} others`);
  }
  const different = days.filter((day) => !isEqualDay(day));
  const unrepaired: ComparedDay[] = [];
  for (const { day } of repair ? different : []) {
    const range = { start: maximum(startOf(day), start), end: minimum(startOf(day) + nanosecondsPerDay, end) };
    await destination.replace(query, range, partsOf(reading, range));
    const again = await compare(reading, range.start, range.end);
    unrepaired.push(...again.comparison.days.filter((day) => !isEqualDay(day)));
  }
  return { records, start, end, uncompared, days, different, unrepaired };
}

const minimum = (a: bigint, b: bigint) => (a < b ? a : b);
const maximum = (a: bigint, b: bigint) => (a > b ? a : b);
const startOf = (day: string): bigint => BigInt(Date.parse(`${day}T00:00:00Z`)) * 1_000_000n;

const sum = (days: readonly ComparedDay[], side: "stored" | "node") =>
  days.reduce((records, day) => records + day[side].records, 0);

/** What is compared, and with what. */
interface Reading {
  readonly destination: Destination;
  readonly client: VegaClient;
  readonly options: ReadOptions;
  readonly filter: BalancesQuery["filter"];
  /** Everything before it is stored. */
  readonly position: bigint;
}

async function* partsOf({ client, filter, options }: Reading, range: TimeRange): AsyncGenerator<Part> {
  for await (const { records, upTo = range.end } of inParts(openScan(client, filter, range, options))) {
    yield { records, upTo };
  }
}

/** Compares what the node keeps of a range, and returns where that begins. */
async function compare(reading: Reading, from: bigint, end: bigint) {
  const { start, records } = await openNode(reading, minimum(from, end), end);
  const comparison = new Comparison(reading.position);
  await comparison.compare(reading.destination.read(reading.filter, { start, end }), records);
  return { start, comparison };
}

/** Opens a scan of what the node keeps of a range. */
async function openNode({ client, filter, options }: Reading, from: bigint, end: bigint) {
  const open = (start: bigint) => openScan(client, filter, { start, end }, options)[Symbol.asyncIterator]();
  const records = open(from);
  try {
    const first = await records.next();
    return { records: continued(first.value, records), start: from };
  } catch (error) {
    if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
    // A node without any record names no later time.
    const start = error.availableFrom > from ? minimum(error.availableFrom, end) : end;
    return { records: open(start), start };
  }
}

async function* continued(first: BalanceChange | undefined, rest: AsyncIterable<BalanceChange>) {
  if (first === undefined) return undefined;
  yield first;
  yield* rest;
  return undefined;
}

/** Counts the records of one side of a day. */
class Side {
  readonly #hash = createHash("sha256");
  #records = 0;

  add(record: BalanceChange): void {
    this.#hash.update(`${JSON.stringify([record.timestamp, record.balance, ...accountOf(record)])}\n`);
    this.#records++;
  }

  get digest(): DayDigest {
    return { records: this.#records, sha256: this.#hash.copy().digest("hex") };
  }
}

interface Day {
  readonly stored: Side;
  readonly node: Side;
  surplus: number;
  missing: number;
}

/** A comparison of two readings in the order of a scan. */
export class Comparison {
  readonly #position: bigint;
  readonly #days = new Map<bigint, Day>();
  /** How many records both have, perhaps with different balances. */
  common = 0;

  /** @param position - Everything before it is stored; later records of the node do not have to be. */
  constructor(position: bigint) {
    this.#position = position;
  }

  /** The days in order of time. Each has a record in the destination, or in the node. */
  get days(): ComparedDay[] {
    const days = [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1));
    return days.map(([number, { stored, node, surplus, missing }]) => ({
      day: new Date(Number(number) * 86_400_000).toISOString().slice(0, 10),
      stored: stored.digest,
      node: node.digest,
      surplus,
      missing,
    }));
  }

  async compare(
    stored: AsyncIterator<BalanceChange, undefined>,
    node: AsyncIterator<BalanceChange, undefined>,
  ): Promise<void> {
    let [own, other] = [await stored.next(), await node.next()];
    while (!own.done || !other.done) {
      const order = own.done ? 1 : other.done ? -1 : compareRecords(own.value, other.value);
      const isEqual = order === 0 && own.value?.balance === other.value?.balance;
      if (order === 0) this.common++;
      if (!own.done && order <= 0) {
        const day = this.#dayOf(own.value);
        day.stored.add(own.value);
        if (!isEqual) day.surplus++;
        own = await stored.next();
      }
      if (!other.done && order >= 0) {
        if (order === 0 || BigInt(other.value.timestamp) < this.#position) {
          const day = this.#dayOf(other.value);
          day.node.add(other.value);
          if (!isEqual) day.missing++;
        }
        other = await node.next();
      }
    }
  }

  #dayOf({ timestamp }: BalanceChange): Day {
    const number = BigInt(timestamp) / nanosecondsPerDay;
    const known = this.#days.get(number);
    if (known !== undefined) return known;
    const day = { stored: new Side(), node: new Side(), surplus: 0, missing: 0 };
    this.#days.set(number, day);
    return day;
  }
}
