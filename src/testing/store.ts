import { operations } from "../../generated/operations.js";
import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import { numberOf, toName } from "../values/names.js";
import { sha256Hex } from "../values/sha256.js";
import { type Row, Table } from "./sorted.js";
import { type NodeVersion, showBalanceChange, showProfile, showVote } from "./versions.js";
import { base64ToBinary, bytesOfId, type Microseconds, toMicroseconds, toNanosecondDigits } from "./wire.js";

/** A vote that a fake node holds. */
export interface FakeVote extends Vote {
  /**
   * The time of the block in which the vote was last written, in Unix nanoseconds: v0.74 nodes sort votes by it and do
   * not show it. A closing proposal rewrites all its votes. Default: the vote's `timestamp`; in `nextBlock` the time
   * of the block, if that is later.
   */
  blockTime?: `${bigint}` | undefined;
}

/** The data of a node, as in responses, each list in the order in which the records were added. */
export interface Records {
  readonly votes: readonly Vote[];
  readonly profiles: readonly PartyProfile[];
  readonly balances: readonly BalanceChange[];
  readonly signatures: readonly NodeSignature[];
  /** By party; `pow` only where it was given. */
  readonly spamStatistics: Readonly<Record<string, Omit<SpamStatistics, "pow"> & Partial<Pick<SpamStatistics, "pow">>>>;
}

/** The statistics of a party. */
export type FakeStatistics = Records["spamStatistics"][string];

export interface AddedRecords extends Records {
  readonly votes: readonly FakeVote[];
}

export const writtenAt = ({ blockTime, timestamp }: FakeVote): Microseconds => toMicroseconds(blockTime ?? timestamp);

export interface Account {
  asset: string;
  party: string;
  market: string;
  type: number;
  /** The SHA-256 of the names, in hex, by which rows of one block are sorted. */
  id: string;
}

/** The records of a node, each list with the order that it is paged in. */
export class Store {
  /** The last vote of each party on each proposal. Those of one block are sorted by proposal and party. */
  readonly votes = new Table<Row & { vote: Vote; party: string; proposal: string }>();
  /** The profiles of all parties, sorted by the bytes of their ids. */
  readonly profiles = new Table<Row & { profile: PartyProfile }>();
  /** The last change of each account in each block. They can be a million. */
  readonly balances = new Table<Row & { change: BalanceChange; account: Account }>();
  /** The signatures for all resources, sorted by their bytes. */
  readonly signatures = new Table<Row & { signature: NodeSignature; resource: string }>();
  spamStatistics: ReadonlyMap<string, FakeStatistics> = new Map();
  readonly #accounts = new Map<string, Account>();
  readonly #records = new Map<NodeVersion, Records>();

  add({ votes, profiles, balances, signatures, spamStatistics }: AddedRecords): void {
    for (const given of votes) {
      const { blockTime: _, ...vote } = { ...given, timestamp: inMicroseconds(given.timestamp) };
      const [party, proposal] = [keyOf(vote.partyId), keyOf(vote.proposalId)];
      const key = `${proposal} ${party}`;
      this.votes.add(key, { vote, time: writtenAt(given), key, party, proposal });
    }
    for (const profile of profiles) {
      const key = keyOf(profile.partyId);
      this.profiles.add(key, { profile, time: 0, key });
    }
    for (const given of balances) {
      const timestamp = inMicroseconds(given.timestamp);
      const change = timestamp === given.timestamp ? given : { ...given, timestamp };
      const account = this.#account(change);
      const row = { change, account, time: toMicroseconds(timestamp), key: account.id };
      this.balances.add(`${timestamp} ${account.id}`, row);
    }
    for (const signature of signatures) {
      const [resource, key] = [keyOf(signature.id), base64ToBinary(signature.sig ?? "") ?? ""];
      this.signatures.add(`${resource} ${key}`, { signature, time: 0, key, resource });
    }
    this.spamStatistics = new Map([...this.spamStatistics, ...Object.entries(spamStatistics)]);
    this.#records.clear();
  }

  #account({ assetId = "", partyId = "", marketId = "", accountType = "" }: BalanceChange): Account {
    const { accountType: types } = operations.listBalanceChanges.enums;
    // Nodes make the id of the name also where they no longer know the type, and send its number.
    const name = `${assetId}${partyId}${marketId}${toName(types, accountType)}`;
    const known = this.#accounts.get(name);
    if (known) return known;
    const [asset, party, market] = [keyOf(assetId), keyOf(partyId), keyOf(marketId)];
    const type = typeof accountType === "number" ? accountType : (numberOf(types, accountType) ?? 0);
    const account = { asset, party, market, type, id: sha256Hex(name) };
    this.#accounts.set(name, account);
    return account;
  }

  /** The records as nodes of a version show them. */
  recordsOf(version: NodeVersion): Records {
    const records: Records = this.#records.get(version) ?? {
      votes: this.votes.rows.map(({ vote }) => showVote(version, vote)),
      profiles: this.profiles.rows.map(({ profile }) => showProfile(version, profile)),
      balances: this.balances.rows.map(({ change }) => showBalanceChange(version, change)),
      signatures: this.signatures.rows.map(({ signature }) => signature),
      spamStatistics: Object.fromEntries(this.spamStatistics),
    };
    this.#records.set(version, records);
    return records;
  }
}

/** A record can have any text as an id, which no request selects. */
const keyOf = (id: string) => bytesOfId(id) ?? id;

const inMicroseconds = (time: string) => toNanosecondDigits(toMicroseconds(time));
