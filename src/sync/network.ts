import type { VegaClient } from "../client/client.js";
import { PaginationError, VegaError } from "../errors/index.js";
import type { Block } from "../http/block.js";
import { compareAccounts } from "../scan/record-order.js";
import { canBeOneChain } from "../source/one-chain.js";
import { BalanceTable } from "./balance-table.js";
import type { SqlDatabase, SqlRow } from "./database.js";

/** A time of v0.74 nodes. Others have nanoseconds. */
const microsecond = 1000n;

const describe = ({ height, timestamp }: Block) => `${height}@${timestamp}`;

/** What a database knows of the network that its records are from: a block, and its newest balance change. */
export class Network {
  readonly #database: SqlDatabase;
  readonly #operation: string;
  /** A block to remember; `undefined` if one is stored. */
  #unstored: Block | undefined;

  /** @param operation - For errors. */
  constructor(database: SqlDatabase, operation: string) {
    this.#database = database;
    this.#operation = operation;
  }

  /** @throws {@link VegaError} if the block of the node cannot be on one chain with that of the database. */
  async checkBlock(client: VegaClient, signal: AbortSignal | undefined): Promise<void> {
    const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
    const known = this.#block;
    if (block && known && !canBeOneChain(known, block)) {
      this.refuse(`its block ${describe(known)} and block ${describe(block)} of the node cannot be on one chain`);
    }
    if (known === undefined) this.#unstored = block;
  }

  /** @throws {@link VegaError} if the node lacks the newest record of the database, while it keeps that time. */
  async checkNewest(client: VegaClient, signal: AbortSignal | undefined): Promise<void> {
    const newest = new BalanceTable(this.#database).newest();
    if (newest === undefined) return;
    const records = await recordsAt(client, BigInt(newest.timestamp), signal);
    if (records === undefined || records.some((record) => compareAccounts(record, newest) === 0)) return;
    const { partyId, assetId, timestamp } = newest;
    this.refuse(`the node does not have its balance change of party ${partyId}, asset ${assetId} at ${timestamp}`);
  }

  refuse(reason: string): never {
    throw new VegaError(
      `Expected a node of the network that the records of the database are from: ${reason}. Use a node of that network, or another ` +
        "file.",
      { operation: this.#operation },
    );
  }

  /** Remembers the block that was checked. The caller begins and ends the transaction. */
  store(): void {
    if (this.#unstored === undefined) return;
    const { height, timestamp } = this.#unstored;
    this.#database
      .prepare("INSERT INTO sync_chain VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER))")
      .run(String(height), String(timestamp));
    this.#unstored = undefined;
  }

  get #block(): Block | undefined {
    const sql = "SELECT CAST(height AS TEXT) AS height, CAST(time AS TEXT) AS time FROM sync_chain";
    const row = this.#database.prepare(sql).get() as SqlRow | undefined;
    return row && { height: BigInt(String(row["height"])), timestamp: BigInt(String(row["time"])) };
  }
}

/** The records of a node at a time; `undefined` if it does not keep that time, or has not reached it. */
async function recordsAt(client: VegaClient, time: bigint, signal: AbortSignal | undefined) {
  const start = time - (time % microsecond);
  const dateRange = { startTimestamp: start, endTimestamp: start + microsecond };
  try {
    return await client.scanBalanceChanges({ dateRange }, { catchUp: 0, signal }).toArray();
  } catch (error) {
    if (PaginationError.is(error) && (error.availableFrom !== undefined || error.reason === "behind")) return undefined;
    throw error;
  }
}
