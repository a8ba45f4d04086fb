import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import { Ids } from "./ids.js";
import { BalanceTable } from "./lists/balances.js";
import { profileTable } from "./lists/profiles.js";
import { signatureTable } from "./lists/signatures.js";
import { type FakeVote, voteTable, writtenAt } from "./lists/votes.js";
import type { VersionRules } from "./versions.js";
import type { Microseconds } from "./wire.js";

/** What a node holds, as the wire shows it, each list in the order in which the records were added. */
export interface Records {
  readonly votes: readonly Vote[];
  readonly profiles: readonly PartyProfile[];
  readonly balances: readonly BalanceChange[];
  readonly signatures: readonly NodeSignature[];
  /** By party. */
  readonly spamStatistics: Readonly<Record<string, SpamStatistics>>;
}

export interface AddedRecords extends Records {
  readonly votes: readonly FakeVote[];
}

/** The records of a node, each list with the order that it is paged in. */
export class Store {
  readonly ids = new Ids();
  readonly votes = voteTable(this.ids);
  newestVote: Microseconds = Number.NEGATIVE_INFINITY;
  readonly profiles = profileTable(this.ids);
  readonly balances = new BalanceTable(this.ids);
  readonly signatures = signatureTable(this.ids);
  #spamStatistics: Readonly<Record<string, SpamStatistics>> = {};
  readonly #records = new Map<VersionRules, Records>();

  add({ votes, profiles, balances, signatures, spamStatistics }: AddedRecords): void {
    this.votes.add(votes);
    for (const vote of votes) this.newestVote = Math.max(this.newestVote, writtenAt(vote));
    this.profiles.add(profiles);
    this.balances.add(balances);
    this.signatures.add(signatures);
    this.#spamStatistics = { ...this.#spamStatistics, ...spamStatistics };
    this.#records.clear();
  }

  /** The records as nodes of a version show them. */
  recordsOf(version: VersionRules): Records {
    const records: Records = this.#records.get(version) ?? {
      votes: this.votes.rows.map(({ vote }) => version.toVote(vote)),
      profiles: this.profiles.rows.map(({ profile }) => version.toProfile(profile)),
      balances: this.balances.records.map((change) => version.toBalanceChange(change)),
      signatures: this.signatures.rows.map(({ signature }) => signature),
      spamStatistics: this.#spamStatistics,
    };
    this.#records.set(version, records);
    return records;
  }

  spamStatistics(party: string): SpamStatistics | undefined {
    return Object.hasOwn(this.#spamStatistics, party) ? this.#spamStatistics[party] : undefined;
  }
}
