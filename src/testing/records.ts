import { type AccountType, accountTypes, type NodeSignatureKind } from "../../generated/enums.js";
import type {
  BalanceChange,
  NodeSignature,
  PartyProfile,
  SpamCounter,
  SpamStatistics,
  Vote,
} from "../../generated/types.js";

/** What a node holds, each list in any order. */
export interface Records {
  votes: readonly Vote[];
  profiles: readonly PartyProfile[];
  balances: readonly BalanceChange[];
  signatures: readonly NodeSignature[];
  /** By party. */
  spamStatistics: Readonly<Record<string, SpamStatistics>>;
}

/** How long ago all made-up records are: the newest of them are of 9 February 2024. */
const newest = 1_707_497_695_123_456_000n;
const second = 1_000_000_000n;
const microsecond = 1000n;

/**
 * Records that could be those of a network, the same for the same seed. Each stands for itself: the first ten of a
 * hundred are the same as those of ten.
 */
export class MadeUp {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** `network` and everybody else, some without a profile. */
  profiles(count: number): PartyProfile[] {
    return many(count, (index) => {
      if (index === 0) return { partyId: "network", alias: "network", metadata: [] };
      const random = this.#random("profile", index);
      if (random() < 0.3) return { partyId: this.party(index - 1), alias: "", metadata: [] };
      const alias = `${pick(firstNames, random)} ${pick(callings, random)}`;
      const site = { key: "site", value: `https://${alias.split(" ")[0]?.toLowerCase()}.example/?a=1&b=<2>` };
      return { partyId: this.party(index - 1), alias, metadata: random() < 0.5 ? [site] : [] };
    });
  }

  /** Votes on three proposals. The first is closed: all votes on it carry the time of its end, as on real nodes. */
  votes(count: number): Vote[] {
    return many(count, (index) => {
      const random = this.#random("vote", index);
      const proposal = index % 3;
      const voter = Math.floor(index / 3);
      const balance = BigInt(Math.floor(random() * 1e9)) * 10n ** 15n;
      return {
        partyId: this.party(voter),
        proposalId: this.proposal(proposal),
        // A few vote in one block.
        timestamp: digits(
          proposal === 0 ? newest - 600n * second : newest - BigInt(Math.floor(voter / 4)) * 7n * second,
        ),
        value: random() < 0.7 ? "VALUE_YES" : "VALUE_NO",
        totalGovernanceTokenBalance: digits(balance),
        totalGovernanceTokenWeight: (Number(balance) / 6.5e25).toFixed(12),
        totalEquityLikeShareWeight: "0",
        perMarketEquityLikeShareWeight: {},
      };
    });
  }

  /** Changes of a few dozen accounts: some in most blocks, and every now and then very many in one. */
  balances(count: number): BalanceChange[] {
    const random = this.#random("balances", 0);
    const changes: BalanceChange[] = [];
    let time = newest;
    while (changes.length < count) {
      const inBlock = random() < 0.01 ? 50 + Math.floor(random() * 150) : 1 + Math.floor(random() * 4);
      for (let i = 0; i < inBlock && changes.length < count; i++) changes.push(this.#balance(time, random));
      time -= BigInt(700 + Math.floor(random() * 600)) * 1000n * microsecond;
    }
    return changes;
  }

  #balance(time: bigint, random: () => number): BalanceChange {
    const accountType: AccountType = pick(accountTypes.slice(3, 5), random);
    return {
      timestamp: digits(time),
      partyId: random() < 0.1 ? "network" : this.party(Math.floor(random() * 20)),
      assetId: this.resource(Math.floor(random() * 3)),
      marketId: accountType === "ACCOUNT_TYPE_MARGIN" ? this.market(Math.floor(random() * 4)) : "",
      accountType,
      balance: digits(BigInt(Math.floor(random() * 1e12)) * 10n ** 12n),
    };
  }

  /** Signatures for three resources, which are the assets of the balances. */
  signatures(count: number): NodeSignature[] {
    return many(count, (index) => {
      const random = this.#random("signature", index);
      const bytes = String.fromCharCode(...many(64, () => Math.floor(random() * 256)));
      const kind: NodeSignatureKind = "NODE_SIGNATURE_KIND_ASSET_NEW";
      return { id: this.resource(index % 3), sig: btoa(bytes), kind };
    });
  }

  spamStatistics(count: number): Record<string, SpamStatistics> {
    return Object.fromEntries(many(count, (index) => [this.party(index), this.#statistics(index)]));
  }

  #statistics(index: number): SpamStatistics {
    const random = this.#random("spam", index);
    const counter = (): SpamCounter => {
      const count = Math.floor(random() * 4);
      const blocked = count === 3 && { bannedUntil: "2024-02-09T17:54:49.123456789Z" };
      return { ...zeroCounter, countForEpoch: digits(BigInt(count)), ...blocked };
    };
    return {
      ...noStatistics(),
      proposals: counter(),
      delegations: counter(),
      transfers: counter(),
      votes: {
        statistics: [{ proposal: this.proposal(1), countForEpoch: "1", minTokensRequired: "1000000000000000000" }],
        maxForEpoch: "3",
      },
    };
  }

  party = (index: number) => this.#id("party", index);
  proposal = (index: number) => this.#id("proposal", index);
  market = (index: number) => this.#id("market", index);
  resource = (index: number) => this.#id("resource", index);

  #id(kind: string, index: number): string {
    const random = this.#random(kind, index);
    return many(8, () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    ).join("");
  }

  /** Numbers from 0 up to 1 that only depend on the seed and on what they are for (mulberry32 on an FNV-1a hash). */
  #random(purpose: string, index: number): () => number {
    let state = 0x811c9dc5;
    for (const character of `${this.#seed}/${purpose}/${index}`) {
      state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
    }
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }
}

const zeroCounter: SpamCounter = {
  countForEpoch: "0",
  maxForEpoch: "3",
  minTokensRequired: "100000000000000000000000",
};

/** What is said of a party that has sent nothing, or is not known. */
export function noStatistics(): SpamStatistics {
  return {
    epochSeq: "1234",
    applyReferralCode: zeroCounter,
    createReferralSet: zeroCounter,
    updateReferralSet: zeroCounter,
    delegations: zeroCounter,
    issueSignatures: zeroCounter,
    nodeAnnouncements: zeroCounter,
    proposals: zeroCounter,
    transfers: zeroCounter,
    votes: { statistics: [], maxForEpoch: "3" },
    pow: {
      blockStates: [
        {
          blockHeight: "1234566",
          blockHash: "5fa7f3a0ab2a9c3ce2f17e1bd1ee3e5d52ee8c9b1c7ab5b1a0e2b4f49e7e6bb1",
          transactionsSeen: "0",
          expectedDifficulty: "15",
          hashFunction: "sha3_24_rounds",
          difficulty: "15",
          txPerBlock: "2",
          increasingDifficulty: true,
        },
      ],
      numberOfPastBlocks: "500",
    },
  };
}

const firstNames = ["Ana", "Bénédicte", "Çağla", "Dieter", "Eilís", "Fatou", "Grzegorz", "Hanako", "Ítalo", "Jana"];
const callings = ["the market maker", "& friends", "<validator>", "of the treasury", "研究所", "🦊", "LP"];

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const pick = <T>(from: readonly T[], random: () => number) => from[Math.floor(random() * from.length)] as T;
const digits = (number: bigint): `${bigint}` => `${number}`;
