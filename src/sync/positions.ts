import type { Block } from "../http/block.js";
import { canonicalJson } from "./canonical-json.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "./database.js";
import { checkTime } from "./values.js";

/** The lists that can be synchronized. */
export type SyncList = "balances" | "votes" | "signatures" | "profiles";

/** How far each list was stored, and a block of the chain that it is from. */
export class Positions {
  readonly #database: SqlDatabase;
  readonly #get: SqlStatement;
  readonly #set: SqlStatement;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#get = database.prepare("SELECT position FROM sync_state WHERE list = ? AND query = ?");
    this.#set = database.prepare("INSERT OR REPLACE INTO sync_state VALUES (?, ?, ?)");
  }

  /** Unix nanoseconds: everything before is stored. `undefined` if nothing is. */
  get(list: SyncList, query: object): bigint | undefined {
    const row = this.#get.get(list, canonicalJson(query)) as SqlRow | undefined;
    return row && BigInt(String(row["position"]));
  }

  /** The caller begins and ends the transaction. */
  set(list: SyncList, query: object, position: bigint): void {
    this.#set.run(list, canonicalJson(query), checkTime(String(position), "the block of the node"));
  }

  /** The block that was remembered first; `undefined` if none was. */
  get chain(): Block | undefined {
    const row = this.#database.prepare("SELECT height, time FROM sync_chain").get() as SqlRow | undefined;
    return row && { height: BigInt(String(row["height"])), timestamp: BigInt(String(row["time"])) };
  }

  /** Remembers a block. The caller begins and ends the transaction. */
  addChain({ height, timestamp }: Block): void {
    this.#database.prepare("INSERT INTO sync_chain VALUES (?, ?)").run(String(height), String(timestamp));
  }
}
