import type { BalanceChange } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { PaginationError, VegaError } from "../errors/index.js";
import { canBeOneChain } from "../evidence/one-chain.js";
import type { Block } from "../http/block.js";
import { compareAccounts } from "../scan/record-order.js";
import type { Positions } from "./positions.js";

/** A time of v0.74 nodes. Others have nanoseconds. */
const microsecond = 1000n;

const describe = ({ height, timestamp }: Block) => `${height}@${timestamp}`;

/** The network that the records of a database are from: a block of it, and the newest balance change. */
export class Network {
  readonly #positions: Positions;
  readonly #operation: string;
  /** A block to remember; `undefined` if one is stored. */
  #unstored: Block | undefined;

  /** @param operation - For errors. */
  constructor(positions: Positions, operation: string) {
    this.#positions = positions;
    this.#operation = operation;
  }

  /**
   * Returns the block of the node.
   *
   * @throws {@link VegaError} if it cannot be on one chain with that of the database.
   */
  async checkBlock(client: VegaClient, signal: AbortSignal | undefined): Promise<Block | undefined> {
    const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
    const known = this.#positions.chain;
    if (block && known && !canBeOneChain(known, block)) {
      this.refuse(`its block ${describe(known)} and block ${describe(block)} of the node cannot be on one chain`);
    }
    if (known === undefined) this.#unstored = block;
    return block;
  }

  /** @throws {@link VegaError} if the node lacks the newest record of the database, although it keeps that time. */
  async checkNewest(newest: BalanceChange | undefined, client: VegaClient, signal?: AbortSignal): Promise<void> {
    if (newest === undefined || (await hasRecord(newest, client, signal)) !== false) return;
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
    if (this.#unstored !== undefined) this.#positions.addChain(this.#unstored);
    this.#unstored = undefined;
  }
}

/** Whether a node has a record; `undefined` if it does not keep that time, or has not reached it. */
export async function hasRecord(
  record: BalanceChange,
  client: VegaClient,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const time = BigInt(record.timestamp);
  const start = time - (time % microsecond);
  const dateRange = { startTimestamp: start, endTimestamp: start + microsecond };
  try {
    const records = await client.scanBalanceChanges({ dateRange }, { catchUp: 0, signal }).toArray();
    return records.some((each) => compareAccounts(each, record) === 0);
  } catch (error) {
    if (PaginationError.is(error) && (error.availableFrom !== undefined || error.reason === "behind")) return undefined;
    throw error;
  }
}
