import { accountTypes } from "../../generated/enums.js";
import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import { formatUnits } from "../values/units.js";
import type { FakeVote, StoredVote } from "./lists/votes.js";
import { randomNumbers } from "./random.js";
import { bytesToBase64 } from "./wire.js";

/** The height of the first block, unless data has one. */
export const firstHeight = 1_234_568n;

const second = 1_000_000_000n;
const microsecond = 1000n;

/** A record of which any member can be left out. */
export type Incomplete<T> = { [Name in keyof T]?: T[Name] | undefined };

/** The records that can be completed, by their list. */
export interface Whole {
  votes: FakeVote;
  profiles: PartyProfile;
  balances: BalanceChange;
  signatures: NodeSignature;
}

/** The values of members that a record lacks, by the number of the record in its list and by its time. */
type Defaults<T> = { readonly [Name in keyof T]?: (index: number, time: bigint, record: Incomplete<T>) => T[Name] };

type Account = Omit<BalanceChange, "timestamp" | "balance">;

/**
 * Generates records that could be those of a network, the same ones for the same seed. Each depends on its number alone: the
 * first ten of a hundred are the ten of ten.
 */
export class RecordGenerator {
  readonly #seed: number;
  readonly #ids = new Map<string, string>();
  readonly #named: string | undefined;
  readonly #accounts = new Map<number, Account>();
  /** The last block to which changes were added. */
  #begun: { time: bigint; account: (index: number) => number; used: number } | undefined;
  /** How many records of each list were generated, and completed, before: further ones differ. */
  readonly #counts = new Map<string, number>();

  /** @param party - The id of the first party. Default: a generated one. */
  constructor(seed: number, party?: string) {
    this.#seed = seed;
    this.#named = party;
  }

  /** A record with all its members: what it lacks could be that of a network. Natural keys of completed records differ. */
  complete<Name extends keyof Whole>(list: Name, record: Incomplete<Whole[Name]>, time: bigint): Whole[Name] {
    const defaults: Defaults<Whole[Name]> = this.#defaults[list];
    const index = this.#count(`completed ${list}`, 1);
    let whole = record;
    for (const name in defaults) {
      if (whole[name] === undefined) whole = { ...whole, [name]: defaults[name]?.(index, time, record) };
    }
    return whole as Whole[Name];
  }

  readonly #defaults: { readonly [Name in keyof Whole]: Defaults<Whole[Name]> } = {
    votes: {
      partyId: (index) => this.#id("party", index),
      proposalId: () => this.#id("proposal", 1),
      timestamp: (_, time, { blockTime }) => blockTime ?? digits(time),
      value: () => "VALUE_YES",
      totalGovernanceTokenBalance: () => "1000000000000000000",
      totalGovernanceTokenWeight: () => "0",
      totalEquityLikeShareWeight: () => "0",
      perMarketEquityLikeShareWeight: () => ({}),
    },
    profiles: {
      partyId: (index) => this.#id("party", index),
      alias: (index) => `Party ${index + 1}`,
      metadata: () => [],
    },
    balances: {
      timestamp: (_, time) => digits(time),
      partyId: (index) => this.#id("party", index),
      assetId: () => this.#resource(0),
      marketId: () => "",
      accountType: () => "ACCOUNT_TYPE_GENERAL",
      balance: () => "1000000000000000000",
    },
    signatures: {
      id: () => this.#resource(0),
      sig: (index) => signatureOf(this.#random("completed signature", index)),
      kind: () => "NODE_SIGNATURE_KIND_ASSET_NEW",
    },
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
  votes(count: number, time: bigint, inBlock: boolean): StoredVote[] {
    const closing = time - 600n * second;
    const votes = this.#next("votes", count, (index) => {
      if (inBlock) return this.#vote(index, this.#id("late party", index), 1 + (index % 2), time, time);
      const proposal = index % 3;
      const voter = Math.floor(index / 3);
      // Every four parties vote in one block.
      const open = time - BigInt(Math.floor(voter / 4)) * 7n * second;
      const cast = proposal === 0 ? closing - BigInt(voter + 1) * 13_000_001n * microsecond : open;
      return this.#vote(index, this.#party(voter), proposal, cast, proposal === 0 ? closing : open);
    });
    return withWeights(votes, this.proposal(0));
  }

  /** A vote of one of the parties on a proposal, cast in a block. */
  vote(voter: number, proposal: number, time: bigint): StoredVote {
    return this.#vote(1000 * proposal + voter, this.#party(voter), proposal, time, time);
  }

  /** The id of a proposal. */
  proposal = (index: number): string => this.#id("proposal", index);

  #vote(index: number, partyId: string, proposal: number, cast: bigint, written: bigint): StoredVote {
    const random = this.#random("vote", index);
    const balance = BigInt(Math.floor(random() * 1e9)) * 10n ** 15n;
    return {
      partyId,
      proposalId: this.proposal(proposal),
      timestamp: digits(cast),
      value: random() < 0.7 ? "VALUE_YES" : "VALUE_NO",
      totalGovernanceTokenBalance: digits(balance),
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0",
      perMarketEquityLikeShareWeight: {},
      blockTime: digits(written),
    };
  }

  /**
   * Changes up to a time, newest block first: a few rows in most blocks, hundreds or thousands in some. In a block, changes of
   * different accounts, also if they are added to it in several steps.
   */
  balances(count: number, newest: bigint, inBlock: boolean): BalanceChange[] {
    const before = this.#count("balances", count);
    const random = this.#random("balances", inBlock ? before + count : 0);
    if (inBlock) {
      if (this.#begun?.time !== newest)
        this.#begun = { time: newest, account: accountsOfBlock(count, random), used: 0 };
      const { account, used } = this.#begun;
      this.#begun.used += count;
      return this.#balances(count, newest, random, (index) => account(used + index));
    }
    const changes: BalanceChange[] = [];
    let time = newest;
    while (changes.length < count) {
      const rows = Math.min(rowsInBlock(changes.length, random), count - changes.length);
      changes.push(...this.#balances(rows, time, random, accountsOfBlock(rows, random)));
      time -= BigInt(700_000 + Math.floor(random() * 600_000)) * microsecond;
    }
    return changes;
  }

  /** A change of the general account of a party. */
  balanceOf(partyId: string, number: number, time: bigint): BalanceChange {
    const units = BigInt(Math.floor(this.#random("balance of party", number)() * 1e12));
    const account = { assetId: this.#resource(0), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };
    return { timestamp: digits(time), partyId, ...account, balance: digits(units * 10n ** 12n) };
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
    return this.#next("signatures", count, (index) => {
      const sig = signatureOf(this.#random("signature", index));
      return { id: this.#resource(index % 3), sig, kind: "NODE_SIGNATURE_KIND_ASSET_NEW" };
    });
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
          statistics: [{ proposal: this.proposal(1), countForEpoch: "1", minTokensRequired: "1000000000000000000" }],
          maxForEpoch: "3",
        },
      };
      return [this.#party(index), statistics] as const;
    });
    return Object.fromEntries(entries);
  }

  #random = (purpose: string, index: number) => randomNumbers(`${this.#seed}/${purpose}/${index}`);

  /** An id of 32 bytes in hex. */
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

  /** How many there were before these. */
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

/** Base64 of a signature for the bridge: `r` and `s` of 32 bytes each, and `v`, which is 0 or 1. */
const signatureOf = (random: () => number): string =>
  bytesToBase64(Uint8Array.from([...many(64, () => Math.floor(random() * 256)), Math.floor(random() * 2)]));

/**
 * Votes with those on a closed proposal weighted: the weight of each is its share of the tokens that voted. While a proposal is
 * open, the weight is "0" (observed on v0.74 nodes).
 */
export function withWeights<T extends Vote>(votes: readonly T[], closed: string): T[] {
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

const counter = (maxForEpoch: `${bigint}`, minTokensRequired: string) => ({
  countForEpoch: "0" as const,
  maxForEpoch,
  minTokensRequired,
});
const threeAnEpoch = counter("3", "100000000000000000000000");

/**
 * The statistics of a party that has sent nothing or is unknown, with the limits of a new network (observed on v0.74 nodes).
 *
 * @param height - The height of the last block.
 */
export const noStatistics = (height: bigint): SpamStatistics => ({
  proposals: threeAnEpoch,
  delegations: counter("390", "1000000000000000000"),
  transfers: counter("20", "0"),
  nodeAnnouncements: counter("1", "0"),
  votes: { statistics: [], maxForEpoch: "3" },
  pow: {
    blockStates: [
      {
        blockHeight: `${height}`,
        blockHash: height.toString(16).padStart(64, "0"),
        transactionsSeen: "0",
        expectedDifficulty: "15",
        hashFunction: "sha3_24_rounds",
        difficulty: "15",
        txPerBlock: "2",
        increasingDifficulty: false,
      },
    ],
    numberOfPastBlocks: "100",
  },
  issueSignatures: counter("1", "100000000000000000000"),
  epochSeq: "1",
  createReferralSet: counter("3", "0"),
  updateReferralSet: counter("3", "0"),
  applyReferralCode: counter("5", "0"),
});

const firstNames = ["Ana", "Bénédicte", "Çağla", "Dieter", "Eilís", "Fatou", "Grzegorz", "Hanako", "Ítalo", "Jana"];
const callings = ["the market maker", "& friends", "<validator>", "of the treasury", "研究所", "🦊", "LP"];

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const pick = <T>(from: readonly T[], random: () => number) => from[Math.floor(random() * from.length)] as T;
const digits = (number: bigint): `${bigint}` => `${number}`;
