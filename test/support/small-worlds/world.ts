import type { BalanceChange, NodeSignature, PartyProfile } from "../../../src/index.js";
import { defaults } from "../../../src/testing/fake-node.js";
import { findRoute, reply } from "../../../src/testing/gateway.js";
import { type FakeVote, nodeDefects } from "../../../src/testing/index.js";
import type { DataNode } from "../../../src/testing/page.js";
import { Store } from "../../../src/testing/store.js";
import type { NodeVersion } from "../../../src/testing/versions.js";
import type { Reply } from "../../../src/testing/wire.js";
import { hex, voteAt } from "../records.js";
import type { ListQuery } from "../worlds/read-list.js";

/** A node of a small world. Blocks are numbered from 0. */
export interface SmallNode {
  /** The first block whose balance changes it keeps; the number of blocks for none. */
  from: number;
  /** How many blocks it is behind the chain. */
  lag: number;
  /** Whether it has the records of the block that its headers name. */
  shows?: boolean;
  /** Whether it has no block at all yet: height 0, time 0, no records. */
  isEmpty?: boolean;
  /** Whether its responses have no block headers. */
  isNameless?: boolean;
}

const eventNames = ["block", "shows", "drop", "lag", "fill"] as const;
/**
 * What can happen before a request: a block ends; a node commits the records of the block that its headers name, drops its oldest block, falls
 * a block behind or catches up; a node without a block gets the last one.
 */
export type EventName = (typeof eventNames)[number];

/** A network of at most three nodes, three blocks and six records, and what can happen to it: plain data. */
export interface SmallWorld {
  list: ListQuery["list"];
  /**
   * The records of each block: a letter for each party. A letter that a block repeats is another account of the party. In blocks of votes,
   * a party that has voted before votes again, and `*` closes the proposal, which writes all its votes anew.
   */
  blocks: readonly string[];
  spacing: keyof typeof spacings;
  version: NodeVersion;
  /** Whether any node can answer each request, or the client knows their addresses. */
  access: "address" | "pool";
  /** The block that has begun when the reading begins. Earlier ones have ended. */
  head: number;
  nodes: readonly SmallNode[];
  events: readonly EventName[];
  /** Whether no block comes while a client waits for one. */
  isStill?: boolean;
}

/** How a small world is read: plain data. */
export interface SmallReader {
  kind: ListQuery["kind"];
  newestFirst: boolean;
  size: number;
  isBackward?: boolean;
  /** The only party whose balance changes are read. */
  party?: string | undefined;
  start?: TimeName | undefined;
  end?: TimeName | undefined;
  concurrency?: number;
}

/** The request of a reader of a world. */
export function queryOf(world: SmallWorld, { start, end, party, ...reader }: SmallReader): ListQuery {
  const filters = {
    balances: party === undefined ? {} : { filter: { partyIds: [partyOf(party)] } },
    votes: { proposalId },
    signatures: { id: resource },
    profiles: {},
  };
  return {
    ...{ isBackward: false, concurrency: 1, missingHistory: "error", ...reader },
    list: world.list,
    filter: filters[world.list],
    start: start === undefined ? undefined : timeAt(world, start),
    end: end === undefined ? undefined : timeAt(world, end),
  };
}

const second = 1_000_000_000n;
/** The time between two blocks: within one minute, on the same day and on the next one, or more than half of the longest range of newer nodes. */
const spacings = { seconds: second, hours: 9n * 3600n * second, years: 200n * 86_400n * second };
/** 1 February 2024, 10 o'clock. */
const firstTime = 1_706_781_600n * second;

/** A time of a world: of a block, a nanosecond after it (`1+`), or half of the spacing before it (`1-`). */
export type TimeName = `${number}` | `${number}+` | `${number}-`;

export function timeAt({ spacing, blocks }: Pick<SmallWorld, "spacing" | "blocks">, name: TimeName | number): bigint {
  const [, digits = "0", sign] = /^(\d+)([+-]?)$/.exec(String(name)) ?? [];
  const block = Number(digits);
  const last = blocks.length - 1;
  // Empty blocks follow, a second apart.
  const time =
    firstTime + BigInt(Math.min(block, last)) * spacings[spacing] + BigInt(Math.max(0, block - last)) * second;
  return sign === "+" ? time + 1n : sign === "-" ? time - spacings[spacing] / 2n : time;
}

/** A record, and the block that wrote it. */
export type Written<T> = T & { readonly block: number; readonly name: string };

export const proposalId = hex(0xe0);
export const resource = hex(0xf0);
const parties = "abcdefgh";
export const partyOf = (letter: string): string => hex(0xa0 + parties.indexOf(letter));
const letterOf = (partyId: string) => parties[Number(BigInt(`0x${partyId}`)) - 0xa0] ?? partyId.slice(0, 8);

/** What a chain has written. */
export interface Truth {
  balances: readonly Written<BalanceChange>[];
  votes: readonly Written<FakeVote>[];
  signatures: readonly Written<NodeSignature>[];
  profiles: readonly Written<PartyProfile>[];
}

/** A chain, and what nodes that follow it respond. */
export interface Model {
  readonly truth: Truth;
  reply(view: View, url: URL): Reply & { readonly id: number };
}

/** What decides the responses of a node. */
export interface View {
  /** The block that its headers name; -1 if it has none. */
  head: number;
  /** How many blocks it has the records of. */
  has: number;
  from: number;
  /** What its order of votes of one block depends on. */
  node: number;
  isNameless: boolean;
}

const models = new Map<string, Model>();

/** Worlds of one chain share the responses of their nodes, each of which is made once. */
export function modelOf(world: SmallWorld): Model {
  const { list, blocks, spacing, version } = world;
  const key = JSON.stringify([list, blocks, spacing, version]);
  const known = models.get(key);
  if (known) return known;
  if (models.size > 50) models.clear();
  const model = createModel(world);
  models.set(key, model);
  return model;
}

function createModel(world: SmallWorld): Model {
  const { blocks, version } = world;
  const truth = truthOf(world);
  const stores = Array.from({ length: blocks.length + 1 }, (_, has) => {
    const store = new Store();
    const plain = <T>(records: readonly Written<T>[]) =>
      records.flatMap(({ block, name: _, ...record }) => (block < has ? [record as unknown as T] : []));
    store.add({
      balances: plain(truth.balances),
      votes: plain(truth.votes),
      signatures: plain(truth.signatures),
      profiles: plain(truth.profiles),
      spamStatistics: {},
    });
    return store;
  });
  const replies = new Map<string, Reply & { id: number }>();
  const ids = new Map<string, number>();
  const now = Number(timeAt(world, blocks.length) / 1_000_000n) + 1000;
  const make = ({ head, has, from, node, isNameless }: View, url: URL): Reply => {
    const dataNode: DataNode = {
      ...defaults,
      version,
      defects: nodeDefects,
      now: () => now,
      blockHeaders: !isNameless,
      limiter: undefined,
      checkTransaction: () => {
        throw new Error("A small world checks no transactions.");
      },
      store: stores[has] ?? new Store(),
      block:
        head < 0 ? { height: 0n, timestamp: 0n } : { height: 1000n + BigInt(head), timestamp: timeAt(world, head) },
      history: timeAt(world, from),
      tieSeed: node === 0 ? undefined : `ties ${node}`,
    };
    return reply({ method: "GET", url: url.href }, "", findRoute(url.pathname), dataNode);
  };
  return {
    truth,
    reply(view, url) {
      const key = `${view.head} ${view.has} ${view.from} ${view.node} ${view.isNameless} ${url.pathname}${url.search}`;
      const known = replies.get(key);
      if (known) return known;
      const made = make(view, url);
      // Equal responses of different nodes have one number: a reader cannot tell them apart.
      const text = JSON.stringify(made);
      const id = ids.get(text) ?? ids.size;
      ids.set(text, id);
      const whole = { ...made, id };
      replies.set(key, whole);
      return whole;
    },
  };
}

function truthOf(world: SmallWorld): Truth {
  const truth = { balances: [], votes: [], signatures: [], profiles: [] } as {
    [Name in keyof Truth]: Truth[Name][number][];
  };
  const votes = new Map<string, FakeVote>();
  for (const [block, letters] of world.blocks.entries()) {
    const time = `${timeAt(world, block)}` as const;
    for (const [index, letter] of [...letters].entries()) {
      const partyId = partyOf(letter);
      const account = [...letters.slice(0, index)].filter((each) => each === letter).length;
      const name = `${letter.repeat(account + 1)}${block}`;
      const written = { block, name };
      if (world.list === "balances") {
        const balance = String(truth.balances.length + 1);
        const accountType = "ACCOUNT_TYPE_GENERAL";
        const change = { timestamp: time, partyId, assetId: hex(0xc0 + account), marketId: "", accountType, balance };
        truth.balances.push({ ...change, ...written });
      }
      if (world.list === "signatures") {
        const sig = btoa(String.fromCharCode(parties.indexOf(letter), block));
        truth.signatures.push({ id: resource, sig, kind: "NODE_SIGNATURE_KIND_ASSET_NEW", ...written });
      }
      if (world.list === "profiles") truth.profiles.push({ partyId, alias: name, metadata: [], ...written });
      if (world.list !== "votes") continue;
      if (letter === "*") {
        for (const [key, vote] of votes) {
          const rewritten = { ...vote, blockTime: time, totalGovernanceTokenWeight: "0.5" };
          votes.set(key, rewritten);
          truth.votes.push({ ...rewritten, block, name: `${letterOf(key)}${block}*` });
        }
        continue;
      }
      const value = truth.votes.length % 2 === 0 ? "VALUE_YES" : "VALUE_NO";
      const vote = voteAt(timeAt(world, block), proposalId, { partyId, value });
      votes.set(partyId, vote);
      truth.votes.push({ ...vote, ...written });
    }
  }
  return truth;
}

/** A time as a reader of a report wants it: by its block. */
export function showTime(world: SmallWorld, time: bigint | undefined): string {
  if (time === undefined) return "?";
  if (time < firstTime) return time <= 0n ? String(time) : "before block 0";
  let block = 0;
  while (timeAt(world, block + 1) <= time) block++;
  const rest = time - timeAt(world, block);
  if (rest === 0n) return `block ${block}`;
  return rest < 1_000_000n ? `block ${block} + ${rest} ns` : `between blocks ${block} and ${block + 1}`;
}

/** The name of a record: `a0` is of party a in block 0, and `aa0` of another account of it. */
export function showRecord(world: SmallWorld, record: object): string {
  const { partyId, assetId, timestamp, sig, alias } = record as Record<string, string>;
  if (sig !== undefined) {
    const [party = 0, block = 0] = [...atob(sig)].map((each) => each.charCodeAt(0));
    return `${parties[party]}${block}`;
  }
  if (alias !== undefined) return alias;
  const account = assetId === undefined ? 0 : Number(BigInt(`0x${assetId}`)) - 0xc0;
  const block = world.blocks.findIndex((_, index) => String(timeAt(world, index)) === timestamp);
  return `${letterOf(partyId ?? "").repeat(account + 1)}${block}`;
}
