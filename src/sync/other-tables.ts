import type { NodeSignature, PartyProfile, Vote } from "../../generated/types.js";
import { canonicalJson } from "./canonical-json.js";
import type { SqlDatabase, SqlRow, SqlStatement } from "./database.js";
import { textOf, timeOf } from "./values.js";

/** The last version of each vote, and every version that was seen. */
export class VoteTables {
  readonly #get: SqlStatement;
  readonly #set: SqlStatement;
  readonly #addVersion: SqlStatement;

  constructor(database: SqlDatabase) {
    this.#get = database.prepare("SELECT record FROM votes WHERE proposal = ? AND party = ?");
    this.#set = database.prepare("INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#addVersion = database.prepare(
      "INSERT INTO votes_history (before, proposal, party, time, value, balance, weight, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
  }

  /** @param upTo - The end of the blocks in which they were written, in Unix nanoseconds. Returns how many are new or differ. */
  add(votes: readonly Vote[], upTo: bigint): number {
    let added = 0;
    for (const vote of votes) {
      const { value, totalGovernanceTokenBalance: balance, totalGovernanceTokenWeight: weight } = vote;
      const record = canonicalJson(vote);
      const ids = [vote.proposalId, vote.partyId].map(textOf);
      const stored = this.#get.get(...ids) as SqlRow | undefined;
      // A follower that continues yields votes again that were rewritten without a difference.
      if (stored?.["record"] === record) continue;
      const row = [...ids, timeOf(vote), ...[value, balance, weight].map(textOf), record];
      this.#set.run(...row);
      this.#addVersion.run(String(upTo), ...row);
      added++;
    }
    return added;
  }
}

/** Signatures of nodes for resources, which nodes only ever add to. */
export class SignatureTable {
  readonly #insert: SqlStatement;

  constructor(database: SqlDatabase) {
    this.#insert = database.prepare("INSERT OR IGNORE INTO node_signatures VALUES (?, ?, ?)");
  }

  add(signatures: readonly NodeSignature[]): void {
    for (const { id, kind, sig } of signatures) this.#insert.run(...[id, kind, sig].map(textOf));
  }
}

/** Profiles as they were last read. */
export class ProfileTable {
  readonly #insert: SqlStatement;

  constructor(database: SqlDatabase) {
    this.#insert = database.prepare("INSERT OR REPLACE INTO party_profiles VALUES (?, ?, ?, ?)");
  }

  add(profiles: readonly PartyProfile[]): void {
    for (const { partyId, alias, metadata, derivedKeys } of profiles) {
      const keys = derivedKeys ? JSON.stringify(derivedKeys) : null;
      this.#insert.run(textOf(partyId), textOf(alias), JSON.stringify(metadata ?? []), keys);
    }
  }
}
