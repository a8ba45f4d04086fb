import type { BalanceChange, NodeSignature, PartyProfile } from "../../generated/types.js";
import { formatUnits } from "../values/units.js";
import { randomNumbers } from "./random.js";
import { noStatistics } from "./spam-statistics.js";
import type { AddedRecords, FakeStatistics, FakeVote } from "./store.js";

export const second = 1_000_000_000n;

/** The lists of records, each with the type of a whole record. */
export type Whole = { [Name in Exclude<keyof AddedRecords, "spamStatistics">]: AddedRecords[Name][number] };

/** Make records up to a time, or in the block of that time. */
export type Lists = {
  readonly [Name in keyof Whole]: (count: number, newest: bigint, inBlock: boolean) => Whole[Name][];
};

/** Generates records as of a network, the same ones for the same seed. */
export class RecordGenerator implements Lists {
  readonly #seed: number;
  readonly #amounts: () => number;
  readonly #accounts: Omit<BalanceChange, "timestamp" | "balance">[] = [];
  readonly #ids = new Map<string, string>();
  /** How many records were generated before, by their list or their block: further ones differ. */
  readonly #counts = new Map<string, number>();

  constructor(seed: number, party?: string) {
    this.#seed = seed;
    if (party !== undefined) this.#ids.set("party/0", party);
    this.#amounts = this.#random("balances");
  }

  /** A whole record, of which a given one can lack any member. */
  readonly template: { readonly [Name in keyof Whole]: (time: `${bigint}`) => Whole[Name] } = {
    votes: (time) => ({
      ...this.#vote(0, this.#party(this.#count("vote templates") + 1), 1, time),
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1000000000000000000",
    }),
    profiles: () => this.#profile(this.#count("profile templates") + 1),
    balances: (time) => ({
      timestamp: time,
      ...this.#account(20 * 15 * (this.#count("balance templates") + 1)),
      balance: "1000000000000000000",
    }),
    signatures: () => this.#signature(`signature template ${this.#count("signature templates")}`, 0),
  };

  /** `network` and other parties, some without a profile. */
  profiles(count: number): PartyProfile[] {
    return this.#next("profiles", count, (index) => this.#profile(index));
  }

  #profile(index: number): PartyProfile {
    const partyId = this.#party(index);
    const random = this.#random(`profile/${index}`);
    if (index > 0 && random() < 0.3) return { partyId, alias: "", metadata: [] };
    const name = pick(firstNames, random);
    const site = { key: "site", value: `https://${name.toLowerCase()}.example/?a=1&b=<2>` };
    const alias = index === 0 ? "network" : `${name} ${pick(callings, random)}`;
    return { partyId, alias, metadata: random() < 0.5 ? [site] : [] };
  }

  /**
   * Votes up to a time on three proposals. The first is closed: its votes were cast at different times and rewritten in
   * one block, and the weight of each is its share of the tokens that voted (observed on v0.74 nodes). In a block,
   * votes of further parties on the others.
   */
  votes(count: number, newest: bigint, inBlock: boolean): FakeVote[] {
    const closing = newest - 600n * second;
    const votes = this.#next("votes", count, (index): FakeVote => {
      const [proposal, voter] = [index % 3, Math.floor(index / 3)];
      if (inBlock) return this.#vote(index, this.#id("late party", index), 1 + (index % 2), newest);
      const vote = (time: bigint) => this.#vote(index, this.#party(voter + 1), proposal, time);
      if (proposal === 0) return { ...vote(closing - BigInt(voter + 1) * 13_000_001_000n), blockTime: `${closing}` };
      // Every four parties vote in one block.
      return vote(newest - BigInt(Math.floor(voter / 4)) * 7n * second);
    });
    const tokensOf = (vote: FakeVote) => (vote.blockTime === undefined ? 0n : BigInt(vote.totalGovernanceTokenBalance));
    const total = votes.reduce((sum, vote) => sum + tokensOf(vote), 0n) || 1n;
    return votes.map((vote) => {
      const totalGovernanceTokenWeight = formatUnits((tokensOf(vote) * 10n ** 18n) / total, 18);
      return { ...vote, totalGovernanceTokenWeight };
    });
  }

  #vote(index: number, partyId: string, proposal: number, time: bigint | `${bigint}`): FakeVote {
    const random = this.#random(`vote/${index}`);
    return {
      partyId,
      proposalId: this.#id("proposal", proposal),
      timestamp: `${time}`,
      value: random() < 0.7 ? "VALUE_YES" : "VALUE_NO",
      totalGovernanceTokenBalance: `${1 + Math.floor(random() * 1e9)}000000000000000`,
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0",
      perMarketEquityLikeShareWeight: {},
    };
  }

  /** Changes up to a time, newest block first. A block has different accounts, also if it gets them in steps. */
  balances(count: number, newest: bigint, inBlock: boolean): BalanceChange[] {
    if (inBlock) return this.#block(newest, count, this.#count(`block ${newest}`, count));
    const changes: BalanceChange[] = [];
    for (let time = newest; changes.length < count; ) {
      const rows = Math.min(rowsInBlock(changes.length, this.#amounts), count - changes.length);
      for (const change of this.#block(time, rows, 0)) changes.push(change);
      time -= BigInt(700_000 + Math.floor(this.#amounts() * 600_000)) * 1000n;
    }
    return changes;
  }

  #block(time: bigint, rows: number, before: number): BalanceChange[] {
    const timestamp = `${time}` as const;
    const first = before + Math.floor(300 * this.#random(timestamp)());
    return many(rows, (row) => {
      // Appending zeros is several times faster than BigInt arithmetic, which matters with a million records.
      const balance = `${1 + Math.floor(this.#amounts() * 1e12)}000000000000` as const;
      return { timestamp, ...this.#account(first + row), balance };
    });
  }

  /** Neighbors are of different parties. Twenty have fifteen accounts: three assets, in general and in four markets. */
  #account(number: number): Omit<BalanceChange, "timestamp" | "balance"> {
    const [asset, market] = [Math.floor(number / 20) % 3, Math.floor(number / 60) % 5];
    this.#accounts[number] ??= {
      partyId: this.#party((number % 20) + 20 * Math.floor(number / 300)),
      assetId: this.#id("resource", asset),
      marketId: market === 0 ? "" : this.#id("market", market - 1),
      accountType: market === 0 ? "ACCOUNT_TYPE_GENERAL" : "ACCOUNT_TYPE_MARGIN",
    };
    return this.#accounts[number];
  }

  /** Signatures for three resources, which are the assets of the balances. */
  signatures(count: number): NodeSignature[] {
    return this.#next("signatures", count, (index) => this.#signature(`signature/${index}`, index % 3));
  }

  /** With the bytes of a signature for the bridge: `r` and `s` of 32 bytes each, and `v`, which is 0 or 1. */
  #signature(name: string, resource: number): NodeSignature {
    const random = this.#random(name);
    const bytes = [...many(64, () => Math.floor(random() * 256)), Math.floor(random() * 2)];
    const id = this.#id("resource", resource);
    return { id, sig: btoa(String.fromCharCode(...bytes)), kind: "NODE_SIGNATURE_KIND_ASSET_NEW" };
  }

  /** Statistics of the parties that voted first, which have sent a few proposals, and a vote on one. */
  spamStatistics(count: number): Record<string, FakeStatistics> {
    const proposal = this.#id("proposal", 1);
    const entries = this.#next("spamStatistics", count, (index) => {
      const proposals = {
        ...noStatistics.proposals,
        countForEpoch: `${Math.floor(this.#random(`spam ${index}`)() * 4)}`,
      };
      const vote = { proposal, countForEpoch: "1", minTokensRequired: "1000000000000000000" };
      return [this.#party(index + 1), { ...noStatistics, proposals, votes: { statistics: [vote], maxForEpoch: "3" } }];
    });
    return Object.fromEntries(entries);
  }

  #random = (name: string) => randomNumbers(`${this.#seed}/${name}`);

  #id(kind: string, index: number): string {
    const name = `${kind}/${index}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const random = this.#random(name);
    const word = () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
    const id = many(8, word).join("");
    this.#ids.set(name, id);
    return id;
  }

  #party = (index: number) => (index === 0 ? "network" : this.#id("party", index - 1));

  #count(name: string, count = 1): number {
    const before = this.#counts.get(name) ?? 0;
    this.#counts.set(name, before + count);
    return before;
  }

  #next<T>(list: string, count: number, make: (index: number) => T): T[] {
    const before = this.#count(list, count);
    return many(count, (index) => make(before + index));
  }
}

/** Most blocks have a few rows; one in a hundred has many, and a payout of rewards has thousands. */
function rowsInBlock(before: number, random: () => number): number {
  const kind = random();
  if (before >= 2000 && kind < 0.002) return 1000 + Math.floor(random() * 2000);
  return kind < 0.01 ? 50 + Math.floor(random() * 150) : 1 + Math.floor(random() * 4);
}

const firstNames = ["Ana", "Bénédicte", "Çağla", "Dieter", "Eilís", "Fatou", "Grzegorz", "Hanako", "Ítalo", "Jana"];
const callings = ["the market maker", "& friends", "<validator>", "of the treasury", "研究所", "🦊", "LP"];

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const pick = <T>(from: readonly T[], random: () => number) => from[Math.floor(random() * from.length)] as T;
