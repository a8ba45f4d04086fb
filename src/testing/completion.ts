import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics } from "../../generated/types.js";
import { checkRecord } from "./arguments.js";
import type { FakeBlockData, FakeVote, Incomplete, PartialBlockData } from "./data.js";
import { signatureOf } from "./generator.js";
import { Seed } from "./random.js";
import { noStatistics } from "./spam-statistics.js";

/** The time of a record, by its index and the number of records. */
export type TimeOf = (index: number, count: number) => `${bigint}`;

/** Completes records: what is left out has a value that could be that of a network. Natural keys differ. */
export class RecordCompletion {
  readonly #seed: Seed;
  /** How many records of each list were completed before. */
  readonly #completed = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = new Seed(seed);
  }

  /**
   * @param timeOf - The times of records without one.
   * @param height - The height of the current block.
   */
  complete(data: PartialBlockData, timeOf: TimeOf, height: bigint): FakeBlockData {
    const { votes, profiles, balances, signatures, spamStatistics, ...others } = data;
    return {
      ...others,
      votes: this.#list("votes", votes, timeOf, (index, time, { blockTime }) => this.#vote(index, blockTime ?? time)),
      profiles: this.#list("profiles", profiles, timeOf, (index) => this.#profile(index)),
      balances: this.#list("balances", balances, timeOf, (index, time) => this.#balance(index, time)),
      signatures: this.#list("signatures", signatures, timeOf, (index) => this.#signature(index)),
      spamStatistics: completeStatistics(spamStatistics, height),
    };
  }

  #list<T extends object>(
    name: string,
    given: readonly Incomplete<T>[] | number | undefined,
    timeOf: TimeOf,
    make: (index: number, time: `${bigint}`, record: Incomplete<T>) => T,
  ): readonly T[] | number | undefined {
    // Reading the records refuses what is neither a list nor a number.
    if (!Array.isArray(given)) return given as number | undefined;
    const before = this.#completed.get(name) ?? 0;
    this.#completed.set(name, before + given.length);
    return given.map((record: Incomplete<T>, index) => {
      checkRecord(`data.${name}[${index}]`, record);
      return complete(make(before + index, timeOf(index, given.length), record), record);
    });
  }

  #vote(index: number, timestamp: `${bigint}`): FakeVote {
    return {
      partyId: this.#seed.id("party", index),
      proposalId: this.#seed.id("proposal", 1),
      timestamp,
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1000000000000000000",
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0",
      perMarketEquityLikeShareWeight: {},
    };
  }

  #profile(index: number): PartyProfile {
    return { partyId: this.#seed.id("party", index), alias: `Party ${index + 1}`, metadata: [] };
  }

  #balance(index: number, timestamp: `${bigint}`): BalanceChange {
    return {
      timestamp,
      partyId: this.#seed.id("party", index),
      assetId: this.#seed.id("resource", 0),
      marketId: "",
      accountType: "ACCOUNT_TYPE_GENERAL",
      balance: "1000000000000000000",
    };
  }

  #signature(index: number): NodeSignature {
    return {
      id: this.#seed.id("resource", 0),
      sig: signatureOf(this.#seed.random("completed signature", index)),
      kind: "NODE_SIGNATURE_KIND_ASSET_NEW",
    };
  }
}

function completeStatistics(
  given: PartialBlockData["spamStatistics"],
  height: bigint,
): FakeBlockData["spamStatistics"] {
  if (typeof given !== "object" || given === null) return given;
  const entries = Object.entries(given).map(([party, statistics]) => {
    checkRecord(`data.spamStatistics.${party}`, statistics);
    return [party, complete<SpamStatistics>(noStatistics(height), statistics)] as const;
  });
  return Object.fromEntries(entries);
}

const complete = <T extends object>(record: T, given: Incomplete<T>): T => ({ ...record, ...withoutUndefined(given) });

/** A member that is `undefined` counts as left out. */
export function withoutUndefined<T extends object>(record: Incomplete<T>): Partial<T> {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
