import type { BalanceChange } from "../../generated/types.js";

/** How many records are stored in one transaction, beside the rest of the last block. */
const batchSize = 2000;

/** Records that belong into one transaction. */
export interface Batch {
  readonly records: readonly BalanceChange[];
  /** Unix nanoseconds: the batches so far have every record before. `undefined` for the last one. */
  readonly upTo: bigint | undefined;
}

/** Divides a scan into batches of complete blocks. A scan that fails yields what is complete before. */
export async function* inBatches(scan: AsyncIterable<BalanceChange>): AsyncGenerator<Batch, undefined, undefined> {
  let records: BalanceChange[] = [];
  try {
    for await (const record of scan) {
      if (records.length >= batchSize && records.at(-1)?.timestamp !== record.timestamp) {
        yield { records, upTo: BigInt(record.timestamp) };
        records = [];
      }
      records.push(record);
    }
  } catch (error) {
    const last = records.at(-1)?.timestamp;
    // More records of its last block can follow.
    if (last !== undefined) {
      yield { records: records.filter(({ timestamp }) => timestamp !== last), upTo: BigInt(last) };
    }
    throw error;
  }
  yield { records, upTo: undefined };
}
