import { accountTypes, type NodeSignatureKind } from "../../generated/enums.js";
import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import type { FakeBlockData } from "./data.js";
import type { StoredVote } from "./lists/votes.js";
import { Seed } from "./random.js";
import { someStatistics } from "./spam-statistics.js";
import type { Records } from "./store.js";
import { bytesToBase64 } from "./wire.js";

const second = 1_000_000_000n;
const microsecond = 1000n;

/** How many records of each kind were generated before, so that further ones differ. */
type Counts = Record<"votes" | "profiles" | "balances" | "signatures" | "spamStatistics", number>;

/**
 * Generates records that could be those of a network, the same ones for the same seed. Each depends on its number alone: the
 * first ten of a hundred are the ten of ten.
 */
export class RecordGenerator {
  readonly #seed: Seed;
  readonly #accounts = new Map<number, Omit<BalanceChange, "timestamp" | "balance">>();
  /** The last block to which changes were added. */
  #begun: { time: bigint; account: (index: number) => number; used: number } | undefined;
  readonly #generated: Counts = { votes: 0, profiles: 0, balances: 0, signatures: 0, spamStatistics: 0 };

  readonly #named: string | undefined;

  /** @param party - The id of the first party. Default: a generated one. */
  constructor(seed: number, party?: string) {
    this.#seed = new Seed(seed);
    this.#named = party;
  }

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
   * one block, as on real nodes.
   */
  votes(count: number, newest: bigint): StoredVote[] {
    const votes = this.#next("votes", count, (index) => {
      const proposal = index % 3;
      const voter = Math.floor(index / 3);
      const closing = newest - 600n * second;
      // Every four parties vote in one block.
      const open = newest - BigInt(Math.floor(voter / 4)) * 7n * second;
      const cast = proposal === 0 ? closing - BigInt(voter + 1) * 13_000_001n * microsecond : open;
      return this.#vote(index, this.#party(voter), proposal, cast, proposal === 0 ? closing : open);
    });
    const weighted = withWeights(votes.filter(({ proposalId }) => proposalId === this.proposal(0)));
    return votes.map((vote) => (vote.proposalId === this.proposal(0) ? (weighted.shift() ?? vote) : vote));
  }

  /** Votes of further parties in one block, on the two open proposals. */
  votesInBlock(count: number, time: bigint): StoredVote[] {
    return this.#next("votes", count, (index) =>
      this.#vote(index, this.#id("late party", index), 1 + (index % 2), time, time),
    );
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

  /** Changes up to a time, newest block first: a few rows in most blocks, hundreds or thousands in some. */
  balances(count: number, newest: bigint): BalanceChange[] {
    const random = this.#random("balances", 0);
    const changes: BalanceChange[] = [];
    let time = newest;
    while (changes.length < count) {
      const inBlock = Math.min(rowsInBlock(changes.length, random), count - changes.length);
      changes.push(...this.#balances(inBlock, time, random));
      time -= BigInt(700_000 + Math.floor(random() * 600_000)) * microsecond;
    }
    this.#generated.balances += count;
    return changes;
  }

  /** Changes of different accounts in one block, also if they are added to it in several steps. */
  balancesInBlock(count: number, time: bigint): BalanceChange[] {
    this.#generated.balances += count;
    const random = this.#random("balances", this.#generated.balances);
    if (this.#begun?.time !== time) this.#begun = { time, account: accountsOfBlock(count, random), used: 0 };
    const { account, used } = this.#begun;
    this.#begun.used += count;
    return this.#balances(count, time, random, (index) => account(used + index));
  }

  /** A change of the general account of a party. */
  balanceOf(partyId: string, number: number, time: bigint): BalanceChange {
    const units = BigInt(Math.floor(this.#random("balance of party", number)() * 1e12));
    const account = { assetId: this.#resource(0), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };
    return { timestamp: digits(time), partyId, ...account, balance: digits(units * 10n ** 12n) };
  }

  #balances(
    count: number,
    time: bigint,
    random: () => number,
    account = accountsOfBlock(count, random),
  ): BalanceChange[] {
    const timestamp = digits(time);
    return many(count, (index) => {
      const units = Math.floor(random() * 1e12);
      // Appending zeros is several times faster than BigInt arithmetic, which matters with a million records.
      const balance: `${bigint}` = units === 0 ? "0" : (`${units}000000000000` as `${bigint}`);
      return { timestamp, ...this.#account(account(index)), balance };
    });
  }

  #account(number: number): Omit<BalanceChange, "timestamp" | "balance"> {
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
      const random = this.#random("signature", index);
      const kind: NodeSignatureKind = "NODE_SIGNATURE_KIND_ASSET_NEW";
      return { id: this.#resource(index % 3), sig: signatureOf(random), kind };
    });
  }

  /** Statistics by party, of the parties that voted first. */
  spamStatistics(count: number): Record<string, SpamStatistics> {
    const entries = this.#next("spamStatistics", count, (index) => {
      const statistics = someStatistics(this.#random("spam", index), this.#id("proposal", 1));
      return [this.#party(index), statistics] as const;
    });
    return Object.fromEntries(entries);
  }

  #random = (purpose: string, index: number) => this.#seed.random(purpose, index);
  #id = (kind: string, index: number) => this.#seed.id(kind, index);
  #party = (index: number) => (index === 0 && this.#named) || this.#id("party", index);
  #resource = (index: number) => this.#id("resource", index);

  #next<T>(list: keyof Counts, count: number, make: (index: number) => T): T[] {
    const before = this.#generated[list];
    this.#generated[list] += count;
    return many(count, (index) => make(before + index));
  }
}

/** Base64 of a signature for the bridge: `r` and `s` of 32 bytes each, and `v`, which is 0 or 1. */
export const signatureOf = (random: () => number): string =>
  bytesToBase64(Uint8Array.from([...many(64, () => Math.floor(random() * 256)), Math.floor(random() * 2)]));

/**
 * The votes of a closed proposal: the weight of each is its share of the tokens that voted. While a proposal is open, the weight
 * is "0" (observed on v0.74 nodes).
 */
function withWeights<T extends Vote>(votes: readonly T[]): T[] {
  const total = votes.reduce((sum, vote) => sum + BigInt(vote.totalGovernanceTokenBalance), 0n);
  if (total === 0n) return [...votes];
  return votes.map((vote) => ({ ...vote, totalGovernanceTokenWeight: share(vote.totalGovernanceTokenBalance, total) }));
}

/** A part of a total as a decimal of at most 18 digits. */
function share(part: string, total: bigint): string {
  const digits = ((BigInt(part) * 10n ** 18n) / total).toString().padStart(19, "0");
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, "");
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

/** How many blocks a proposal is open for. */
const blocksOfProposal = 20;

/** The proposals before the first one that opens: those of generated votes. */
const earlierProposals = 3;

/** What happens on a live chain: balances change, parties vote, and proposals open and close. */
export class Activity {
  readonly #generator: RecordGenerator;
  readonly #party: string | undefined;
  #blocks = 0;
  #voters = 0;

  /** @param party - A party that has a balance change in each block, and votes first on each proposal. */
  constructor(generator: RecordGenerator, party: string | undefined) {
    this.#generator = generator;
    this.#party = party;
  }

  /**
   * The records of the next block.
   *
   * @param time - That of the block, in Unix nanoseconds.
   * @param records - What the chain holds.
   */
  next(time: bigint, records: Records): FakeBlockData {
    const proposal = earlierProposals + Math.floor(this.#blocks / blocksOfProposal);
    const isFirst = this.#blocks % blocksOfProposal === 0;
    if (isFirst) this.#voters = 0;
    this.#blocks++;
    const count = 1 + (this.#blocks % 3);
    const votes = Array.from({ length: count }, () => this.#generator.vote(this.#voters++, proposal, time));
    const closed = isFirst ? this.#votesOn(proposal - 1, time, records) : [];
    const balances = this.#generator.balancesInBlock(2 + (this.#blocks % 5), time);
    const own = this.#party === undefined ? [] : [this.#generator.balanceOf(this.#party, this.#blocks, time)];
    return { votes: [...closed, ...votes], balances: [...balances, ...own] };
  }

  /** When a proposal closes, all its votes are rewritten in one block, with their weights (observed on v0.74 nodes). */
  #votesOn(proposal: number, time: bigint, records: Records): StoredVote[] {
    if (proposal < earlierProposals) return [];
    const id = this.#generator.proposal(proposal);
    const votes = records.votes.filter(({ proposalId }) => proposalId === id);
    return withWeights(votes).map((vote) => ({ ...vote, blockTime: digits(time) }));
  }
}
