import { createHash } from "node:crypto";
import type { BalanceChange } from "../../generated/types.js";
import { compareRecords } from "../scan/record-order.js";
import { canonicalLine } from "../values/canonical-line.js";
import { nanosecondsPerDay, nanosecondsPerMillisecond } from "../values/nanoseconds.js";
import { textOf } from "./values.js";

/** The records of a day. */
export interface DayDigest {
  records: number;
  /** In hexadecimal, of the records as an export has them: the manifest of a Parquet file for this day has the same. */
  sha256: string;
}

/** The balance changes of a day, in the database and in the node. */
export interface ComparedDay {
  /** As in `2024-02-09`, in UTC. */
  day: string;
  stored: DayDigest;
  node: DayDigest;
  /** How many records the database has that the node does not have, or has with another balance. */
  surplus: number;
  /** How many records the node has that the database does not have, or has with another balance. */
  missing: number;
}

/** Whether a day is the same in the database and in the node. */
export const isEqualDay = ({ stored, node }: ComparedDay): boolean => stored.sha256 === node.sha256;

/** A day in Unix nanoseconds. The end does not belong to it. */
export function rangeOfDay(day: string): { start: bigint; end: bigint } {
  const start = BigInt(Date.parse(`${day}T00:00:00Z`)) * nanosecondsPerMillisecond;
  return { start, end: start + nanosecondsPerDay };
}

/** Counts the records of one side of a day. */
class Side {
  readonly #hash = createHash("sha256");
  #records = 0;

  add({ timestamp, balance, partyId, assetId, marketId, accountType }: BalanceChange): void {
    const texts = [partyId, assetId, marketId, accountType].map(textOf);
    this.#hash.update(canonicalLine([timestamp, balance, ...texts]));
    this.#records++;
  }

  get digest(): DayDigest {
    return { records: this.#records, sha256: this.#hash.copy().digest("hex") };
  }
}

class Day {
  readonly day: string;
  readonly stored = new Side();
  readonly node = new Side();
  surplus = 0;
  missing = 0;

  constructor(day: string) {
    this.day = day;
  }
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

  /** The days in order of time. Each has a record in the database, or in the node. */
  get days(): ComparedDay[] {
    const days = [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1));
    return days.map(([, { day, stored, node, surplus, missing }]) => ({
      day,
      stored: stored.digest,
      node: node.digest,
      surplus,
      missing,
    }));
  }

  async compare(
    stored: Iterator<BalanceChange, undefined>,
    node: AsyncIterator<BalanceChange, undefined>,
  ): Promise<void> {
    let [own, other] = [stored.next(), await node.next()];
    while (!own.done || !other.done) {
      const order = own.done ? 1 : other.done ? -1 : compareRecords(own.value, other.value);
      const isEqual = order === 0 && own.value?.balance === other.value?.balance;
      if (order === 0) this.common++;
      if (!own.done && order <= 0) {
        const day = this.#dayOf(own.value);
        day.stored.add(own.value);
        if (!isEqual) day.surplus++;
        own = stored.next();
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
    const day = new Day(
      new Date(Number((number * nanosecondsPerDay) / nanosecondsPerMillisecond)).toISOString().slice(0, 10),
    );
    this.#days.set(number, day);
    return day;
  }
}
