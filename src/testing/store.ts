import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import { type OtherLists, otherLists } from "./data.js";
import { Ids } from "./ids.js";
import { BalanceTable } from "./lists/balances.js";
import { profileTable } from "./lists/profiles.js";
import { signatureTable } from "./lists/signatures.js";
import { type StoredVote, voteTable } from "./lists/votes.js";
import type { VersionRules } from "./versions.js";
import { type Microseconds, toMicroseconds } from "./wire.js";

/** What a node holds, as the wire shows it, each list in the order in which the records were added. */
export interface Records extends OtherLists {
  votes: readonly Vote[];
  profiles: readonly PartyProfile[];
  balances: readonly BalanceChange[];
  signatures: readonly NodeSignature[];
  /** By party. */
  spamStatistics: Readonly<Record<string, SpamStatistics>>;
}

/** Records that join a node. */
export interface AddedRecords extends Pick<Records, "profiles" | "balances" | "signatures" | "spamStatistics"> {
  votes: readonly StoredVote[];
  others: ReadonlyMap<string, readonly object[]>;
}

/** The records of a node, each list with the order that it is paged in. */
export class Store {
  readonly ids = new Ids();
  readonly votes = voteTable(this.ids);
  /** The time of the newest block in which a vote was written. */
  newestVote: Microseconds = Number.NEGATIVE_INFINITY;
  readonly profiles = profileTable(this.ids);
  readonly balances = new BalanceTable(this.ids);
  readonly signatures = signatureTable(this.ids);
  #spamStatistics: Readonly<Record<string, SpamStatistics>> = {};
  readonly #others = new Map<string, readonly object[]>(otherLists.map((name) => [name, []]));
  #records: Records | undefined;
  readonly #shown = new Map<VersionRules, Records>();

  add({ votes, profiles, balances, signatures, spamStatistics, others }: AddedRecords): void {
    this.votes.add(votes);
    for (const { blockTime } of votes) this.newestVote = Math.max(this.newestVote, toMicroseconds(blockTime));
    this.profiles.add(profiles);
    this.balances.add(balances);
    this.signatures.add(signatures);
    this.#spamStatistics = { ...this.#spamStatistics, ...spamStatistics };
    for (const [name, records] of others) this.#others.set(name, [...this.list(name), ...records]);
    this.#records = undefined;
    this.#shown.clear();
  }

  get records(): Records {
    this.#records ??= {
      ...(Object.fromEntries(this.#others) as OtherLists),
      votes: this.votes.rows.map(({ vote }) => vote),
      profiles: this.profiles.rows.map(({ profile }) => profile),
      balances: this.balances.records,
      signatures: this.signatures.rows.map(({ signature }) => signature),
      spamStatistics: this.#spamStatistics,
    };
    return this.#records;
  }

  /** The records as nodes of a version show them. */
  shownBy(version: VersionRules): Records {
    const known = this.#shown.get(version);
    if (known !== undefined) return known;
    const { records } = this;
    const shown: Records = {
      ...records,
      votes: records.votes.map((vote) => version.toVote(vote)),
      profiles: records.profiles.map((profile) => version.toProfile(profile)),
      balances: records.balances.map((change) => version.toBalanceChange(change)),
    };
    this.#shown.set(version, shown);
    return shown;
  }

  /** The records of a list, by the member of the response that holds the page. */
  list(envelope: string): readonly object[] {
    const others = this.#others.get(envelope);
    if (others !== undefined) return others;
    const records: unknown = Object.entries(this.records).find(([name]) => name === envelope)?.[1];
    return Array.isArray(records) ? records : [];
  }

  spamStatistics(party: string): SpamStatistics | undefined {
    return Object.hasOwn(this.#spamStatistics, party) ? this.#spamStatistics[party] : undefined;
  }
}
