import { accountTypes } from "../../generated/enums.js";
import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import { formatUnits } from "../values/units.js";
import type { FakeVote } from "./lists/votes.js";
import { randomNumbers } from "./random.js";
import { noStatistics, threeAnEpoch } from "./spam-statistics.js";
import { bytesToBase64 } from "./wire.js";

/** The height of the first block, unless data has one. */
export const firstHeight = 1_234_568n;

const second = 1_000_000_000n;
const microsecond = 1000n;

/** Without the members that are `undefined`: they count as left out. */
export const withoutUndefined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

/** A record of which any member can be left out. */
export type Incomplete<T> = { [Name in keyof T]?: T[Name] | undefined };

export interface Whole {
  votes: FakeVote;
  profiles: PartyProfile;
  balances: BalanceChange;
  signatures: NodeSignature;
}

type Account = Omit<BalanceChange, "timestamp" | "balance">;

/**
 * Generates records that could be those of a network, the same ones for the same seed. Each depends on its number alone: the
 * first ten of a hundred are the ten of ten.
 */
export class RecordGenerator {
  readonly #seed: number;
  readonly #ids = new Map<string, string>();
  /** The id of the first party, if it is not generated. */
  readonly #named: string | undefined;
  readonly #accounts = new Map<number, Account>();
  /** How many records of each list were generated, and completed, before: further ones differ. */
  readonly #counts = new Map<string, number>();
  /** The members of a whole record of each list. */
  readonly #names = new Map<string, readonly string[]>();

  constructor(seed: number, party?: string) {
    this.#seed = seed;
    this.#named = party;
  }

  /** A record with all its members: what it lacks could be that of a network. Natural keys of completed records differ. */
  complete<Name extends keyof Whole>(list: Name, record: Incomplete<Whole[Name]>, time: bigint): Whole[Name] {
    const index = this.#count(`completed ${list}`, 1);
    const names = this.#names.get(list) ?? Object.keys(this.#templates[list](0, 0n, {}));
    this.#names.set(list, names);
    // There can be a million records: those that lack nothing are not copied.
    if (names.every((name) => Reflect.get(record, name) !== undefined)) return record as Whole[Name];
    return { ...this.#templates[list](index, time, record), ...withoutUndefined(record) };
  }

  readonly #templates: {
    readonly [Name in keyof Whole]: (index: number, time: bigint, given: Incomplete<Whole[Name]>) => Whole[Name];
  } = {
    votes: (index, time, { blockTime }) => ({
      ...this.#vote(index, this.#id("party", index), 1, time),
      ...(blockTime !== undefined && { timestamp: blockTime }),
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1000000000000000000",
    }),
    profiles: (index) => ({ partyId: this.#id("party", index), alias: `Party ${index + 1}`, metadata: [] }),
    balances: (index, time) => this.#generalAccount(this.#id("party", index), time, "1000000000000000000"),
    signatures: (index) => this.#signature(0, this.#random("completed signature", index)),
  };

  /** `network` and other parties, some without a profile. */
  profiles(count: number): PartyProfile[] {
    return this.#next("profiles", count, (index) => {
      if (index === 0) return { partyId: "network", alias: "network", metadata: [] };
      const random = this.#random("profile", index);
      if (random() < 0.3) return { partyId: this.#party(index - 1), alias: "", metadata: [] };
      const alias = `${pick(firstNames, random)} ${pick(callings, random)}`;
      const site = { key: "site", value: `https://${alias.split(" ")[0]?.toLowerCase()}.example/?a=1&b=<2>` };
      return { partyId: this.#party(index - 1), alias, metadata: random() < 0.5 ? [site] : [] };
    });
  }

  /**
   * Votes up to a time on three proposals. The first is closed: its votes were cast at different times and rewritten in
   * one block, as on real nodes. In a block, votes of further parties on the two open proposals.
   */
  votes(count: number, time: bigint, inBlock: boolean): FakeVote[] {
    const closing = time - 600n * second;
    const votes = this.#next("votes", count, (index) => {
      if (inBlock) return this.#vote(index, this.#id("late party", index), 1 + (index % 2), time);
      const proposal = index % 3;
      const voter = Math.floor(index / 3);
      // Every four parties vote in one block.
      const open = time - BigInt(Math.floor(voter / 4)) * 7n * second;
      if (proposal !== 0) return this.#vote(index, this.#party(voter), proposal, open);
      const cast = closing - BigInt(voter + 1) * 13_000_001n * microsecond;
      return { ...this.#vote(index, this.#party(voter), proposal, cast), blockTime: digits(closing) };
    });
    return withWeights(votes, this.#id("proposal", 0));
  }

  #vote(index: number, partyId: string, proposal: number, time: bigint): Vote {
    const random = this.#random("vote", index);
    const balance = BigInt(Math.floor(random() * 1e9)) * 10n ** 15n;
    return {
      partyId,
      proposalId: this.#id("proposal", proposal),
      timestamp: digits(time),
      value: random() < 0.7 ? "VALUE_YES" : "VALUE_NO",
      totalGovernanceTokenBalance: digits(balance),
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0",
      perMarketEquityLikeShareWeight: {},
    };
  }

  /**
   * Changes up to a time, newest block first: a few rows in most blocks, hundreds or thousands in some. In a block, changes of
   * different accounts, also if they are added to it in several steps.
   */
  balances(count: number, newest: bigint, inBlock: boolean): BalanceChange[] {
    if (inBlock) {
      const name = `balances at ${newest}`;
      const first = Math.floor(300 * this.#random(`accounts of ${name}`, 0)());
      const used = this.#count(name, count);
      return this.#balances(count, newest, this.#random(name, used), (index) => first + used + index);
    }
    const random = this.#random("balances", 0);
    const changes: BalanceChange[] = [];
    let time = newest;
    while (changes.length < count) {
      const rows = Math.min(rowsInBlock(changes.length, random), count - changes.length);
      changes.push(...this.#balances(rows, time, random, accountsOfBlock(rows, random)));
      time -= BigInt(700_000 + Math.floor(random() * 600_000)) * microsecond;
    }
    return changes;
  }

  #generalAccount(partyId: string, time: bigint, balance: `${bigint}`): BalanceChange {
    const account = { partyId, assetId: this.#resource(0), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };
    return { timestamp: digits(time), ...account, balance };
  }

  #balances(count: number, time: bigint, random: () => number, account: (index: number) => number): BalanceChange[] {
    const timestamp = digits(time);
    return many(count, (index) => {
      const units = Math.floor(random() * 1e12);
      // Appending zeros is several times faster than BigInt arithmetic, which matters with a million records.
      const balance: `${bigint}` = units === 0 ? "0" : (`${units}000000000000` as `${bigint}`);
      return { timestamp, ...this.#account(account(index)), balance };
    });
  }

  #account(number: number): Account {
    const known = this.#accounts.get(number);
    if (known !== undefined) return known;
    const [market, asset, party] = [number % 5, Math.floor(number / 5) % 3, Math.floor(number / 15)];
    const account = {
      partyId: party === 0 ? "network" : (party === 1 && this.#named) || this.#party(party),
      assetId: this.#resource(asset),
      marketId: market === 0 ? "" : this.#id("market", market - 1),
      accountType: accountTypes[market === 0 ? 4 : 3] ?? "ACCOUNT_TYPE_UNSPECIFIED",
    };
    this.#accounts.set(number, account);
    return account;
  }

  /** Signatures for three resources, which are the assets of the balances. */
  signatures(count: number): NodeSignature[] {
    return this.#next("signatures", count, (index) => this.#signature(index % 3, this.#random("signature", index)));
  }

  /** With the bytes of a signature for the bridge: `r` and `s` of 32 bytes each, and `v`, which is 0 or 1. */
  #signature(resource: number, random: () => number): NodeSignature {
    const bytes = [...many(64, () => Math.floor(random() * 256)), Math.floor(random() * 2)];
    const sig = bytesToBase64(Uint8Array.from(bytes));
    return { id: this.#resource(resource), sig, kind: "NODE_SIGNATURE_KIND_ASSET_NEW" };
  }

  /** Statistics of the parties that voted first, which have sent a few proposals, and a vote on one. */
  spamStatistics(count: number): Record<string, SpamStatistics> {
    const entries = this.#next("spamStatistics", count, (index) => {
      const sent = Math.floor(this.#random("spam", index)() * 4);
      const banned = sent === 3 && { bannedUntil: "2024-02-09T17:54:49.123456789Z" };
      const statistics: SpamStatistics = {
        ...noStatistics(firstHeight - 1n),
        proposals: { ...threeAnEpoch, countForEpoch: digits(BigInt(sent)), ...banned },
        votes: {
          statistics: [
            { proposal: this.#id("proposal", 1), countForEpoch: "1", minTokensRequired: "1000000000000000000" },
          ],
          maxForEpoch: "3",
        },
      };
      return [this.#party(index), statistics] as const;
    });
    return Object.fromEntries(entries);
  }

  #random = (purpose: string, index: number) => randomNumbers(`${this.#seed}/${purpose}/${index}`);

  #id = (kind: string, index: number): string => {
    const name = `${kind} ${index}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const random = this.#random(kind, index);
    const words = many(8, () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    );
    this.#ids.set(name, words.join(""));
    return words.join("");
  };

  #party = (index: number) => (index === 0 && this.#named) || this.#id("party", index);
  #resource = (index: number) => this.#id("resource", index);

  #count(name: string, count: number): number {
    const before = this.#counts.get(name) ?? 0;
    this.#counts.set(name, before + count);
    return before;
  }

  #next<T>(list: string, count: number, make: (index: number) => T): T[] {
    const before = this.#count(list, count);
    return many(count, (index) => make(before + index));
  }
}

/**
 * Votes with those on a closed proposal weighted: the weight of each is its share of the tokens that voted. While a proposal is
 * open, the weight is "0" (observed on v0.74 nodes).
 */
function withWeights<T extends Vote>(votes: readonly T[], closed: string): T[] {
  const isCounted = ({ proposalId }: Vote) => proposalId === closed;
  const total = votes.filter(isCounted).reduce((sum, vote) => sum + BigInt(vote.totalGovernanceTokenBalance), 0n);
  return votes.map((vote) => {
    if (!isCounted(vote) || total === 0n) return vote;
    const share = (BigInt(vote.totalGovernanceTokenBalance) * 10n ** 18n) / total;
    return { ...vote, totalGovernanceTokenWeight: formatUnits(share, 18) };
  });
}

/** Numbers of accounts for the rows of a block, no two of them equal: the step has no divisor of the number of accounts. */
function accountsOfBlock(count: number, random: () => number): (index: number) => number {
  const [accounts, step] = count <= 300 ? [300, 77] : [count, 1];
  const first = Math.floor(random() * accounts);
  return (index) => (index < accounts ? (first + step * index) % accounts : index);
}

/** Most blocks have a few rows; one in a hundred has many, and a payout of rewards has thousands. */
function rowsInBlock(before: number, random: () => number): number {
  const kind = random();
  if (before >= 2000 && kind < 0.002) return 1000 + Math.floor(random() * 2000);
  if (kind < 0.01) return 50 + Math.floor(random() * 150);
  return 1 + Math.floor(random() * 4);
}

const firstNames = ["Ana", "Bénédicte", "Çağla", "Dieter", "Eilís", "Fatou", "Grzegorz", "Hanako", "Ítalo", "Jana"];
const callings = ["the market maker", "& friends", "<validator>", "of the treasury", "研究所", "🦊", "LP"];

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const pick = <T>(from: readonly T[], random: () => number) => from[Math.floor(random() * from.length)] as T;
const digits = (number: bigint): `${bigint}` => `${number}`;
