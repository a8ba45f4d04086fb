import type { OperationTypes } from "../../generated/client.js";
import type { operations } from "../../generated/operations.js";
import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import type { OperationId } from "../arguments/operation.js";
import { Ids } from "./ids.js";
import { BalanceTable } from "./lists/balances.js";
import { profileTable, signatureTable } from "./lists/other-lists.js";
import { type FakeVote, voteTable, writtenAt } from "./lists/votes.js";
import { described, operationIds } from "./query.js";
import type { VersionRules } from "./versions.js";
import type { Microseconds } from "./wire.js";

/** What a fake node holds if its data has no list. */
export const defaultRecords = { votes: 100, profiles: 100, balances: 100, signatures: 100, spamStatistics: 10 };

type OwnName = keyof typeof defaultRecords | "block" | "seed" | "party";
export const ownNames: readonly string[] = [...Object.keys(defaultRecords), "block", "seed", "party"];

type Envelope<Id extends OperationId> = (typeof operations)[Id] extends { envelope: infer Name extends string }
  ? Name
  : never;

/** The records of all other lists of the description, by the member of the response that holds the page. */
export type OtherLists = {
  readonly [Id in OperationId as Exclude<Envelope<Id>, OwnName>]: readonly NonNullable<OperationTypes[Id]["record"]>[];
};

export const otherLists: readonly string[] = operationIds
  .flatMap((id) => described[id].envelope ?? [])
  .filter((name) => !ownNames.includes(name));

/** What a node holds, as the wire shows it, each list in the order in which the records were added. */
export interface Records extends OtherLists {
  readonly votes: readonly Vote[];
  readonly profiles: readonly PartyProfile[];
  readonly balances: readonly BalanceChange[];
  readonly signatures: readonly NodeSignature[];
  /** By party. */
  readonly spamStatistics: Readonly<Record<string, SpamStatistics>>;
}

export interface AddedRecords extends Pick<Records, "profiles" | "balances" | "signatures" | "spamStatistics"> {
  votes: readonly FakeVote[];
  others: ReadonlyMap<string, readonly object[]>;
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
  readonly #others = new Map<string, readonly object[]>(otherLists.map((name) => [name, []]));
  readonly #records = new Map<VersionRules, Records>();

  add({ votes, profiles, balances, signatures, spamStatistics, others }: AddedRecords): void {
    this.votes.add(votes);
    for (const vote of votes) this.newestVote = Math.max(this.newestVote, writtenAt(vote));
    this.profiles.add(profiles);
    this.balances.add(balances);
    this.signatures.add(signatures);
    this.#spamStatistics = { ...this.#spamStatistics, ...spamStatistics };
    for (const [name, records] of others) this.#others.set(name, [...this.list(name), ...records]);
    this.#records.clear();
  }

  /** The records as nodes of a version show them. */
  recordsOf(version: VersionRules): Records {
    const records: Records = this.#records.get(version) ?? {
      ...(Object.fromEntries(this.#others) as OtherLists),
      votes: this.votes.rows.map(({ vote }) => version.toVote(vote)),
      profiles: this.profiles.rows.map(({ profile }) => version.toProfile(profile)),
      balances: this.balances.records.map((change) => version.toBalanceChange(change)),
      signatures: this.signatures.rows.map(({ signature }) => signature),
      spamStatistics: this.#spamStatistics,
    };
    this.#records.set(version, records);
    return records;
  }

  list = (envelope: string): readonly object[] => this.#others.get(envelope) ?? [];

  spamStatistics(party: string): SpamStatistics | undefined {
    return Object.hasOwn(this.#spamStatistics, party) ? this.#spamStatistics[party] : undefined;
  }
}
