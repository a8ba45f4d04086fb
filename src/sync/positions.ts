import { canonicalJson } from "./canonical-json.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "./database.js";

/** The lists that can be synchronized. */
export type SyncList = "balances" | "votes" | "signatures" | "profiles";

/** How far a list was stored, as the database says. */
export class Positions {
  readonly #get: SqlStatement;
  readonly #set: SqlStatement;

  constructor(database: SqlDatabase) {
    this.#get = database.prepare("SELECT position FROM sync_state WHERE list = ? AND query = ?");
    this.#set = database.prepare("INSERT OR REPLACE INTO sync_state VALUES (?, ?, ?)");
  }

  /** Unix nanoseconds: everything before is stored. `undefined` if nothing is. */
  get(list: SyncList, query: object): bigint | undefined {
    const row = this.#get.get(list, canonicalJson(query)) as SqlRow | undefined;
    return row && BigInt(String(row["position"]));
  }

  set(list: SyncList, query: object, position: bigint): void {
    this.#set.run(list, canonicalJson(query), String(position));
  }
}
