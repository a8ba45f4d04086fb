import fc from "fast-check";
import { followBalanceChangesWith } from "../../src/follow/balance-changes.js";
import type { Batch } from "../../src/follow/index.js";
import { followVotesWith } from "../../src/follow/votes.js";
import { type BalanceChange, ConnectionError, type Vote } from "../../src/index.js";
import { compareRecords } from "../../src/scan/records.js";
import { createFakeNetwork, type FakeNetwork, type FakeVote, nodeDefects } from "../../src/testing/index.js";
import { type FollowSetting, followSetting } from "./follow-setting.js";

/** What a block writes, and what happens to the nodes before it ends. */
interface Block<Record> {
  /** Microseconds until the next block begins. */
  length: number;
  /** Milliseconds that pass on the clock until then. */
  duration: number;
  records: Record[];
  /** How many of the records a node shows before the block ends. */
  early: number;
  lags: number[];
  /** A node that fails until the block ends, and then restarts. */
  failing: { node: number; way: "down" | "status" | "reset" | "truncated-body" } | undefined;
}

const blocksOf = <Record>(records: fc.Arbitrary<Record[]>) =>
  fc.array(
    fc.record<Block<Record>>({
      length: fc.constantFrom(1, 2, 700_000, 1_000_000, 5_000_000),
      duration: fc.constantFrom(1, 400, 1000, 1000, 20_000),
      records,
      early: fc.nat(8),
      lags: fc.array(fc.constantFrom(0, 0, 1, 2, 5), { minLength: 3, maxLength: 3 }),
      failing: fc.option(
        fc.record({
          node: fc.nat(2),
          way: fc.constantFrom("down" as const, "status" as const, "reset" as const, "truncated-body" as const),
        }),
        { nil: undefined },
      ),
    }),
    { minLength: 1, maxLength: 25 },
  );

const second = 1_000_000n;
const start = 1_700_000_000n * second;
/** So many blocks were written before: a node that lags has records, too. */
const earlierBlocks = 8;
const nanoseconds = (microseconds: bigint) => microseconds * 1000n;

interface Run<Record> {
  network: FakeNetwork;
  setting: FollowSetting;
  /** Resolves when all blocks have ended and every node has them. */
  chain: Promise<void>;
  blocks: { begun: bigint; records: Record[] }[];
}

/** Three nodes behind one address, each request to one of them, and a chain that moves on the clock. */
function startChain<Record>(
  blocks: readonly Block<Record>[],
  choices: fc.Stream<number>,
  name: "balances" | "votes",
  toRecord: (record: Record, time: bigint) => BalanceChange | FakeVote,
  initial: (time: bigint) => Record[],
): Run<BalanceChange | FakeVote> {
  const network = createFakeNetwork(
    { [name]: initial(start).map((record) => toRecord(record, nanoseconds(start))) },
    { defects: nodeDefects, rateLimit: false },
  );
  for (let index = 0; index < earlierBlocks; index++) network.nextBlock();
  const written: Run<BalanceChange | FakeVote>["blocks"] = [
    { begun: nanoseconds(start), records: initial(start).map((record) => toRecord(record, nanoseconds(start))) },
  ];
  const setting = followSetting(async (request) => {
    const [choice = 0] = choices.take(1);
    const node = network.nodes[choice % network.nodes.length];
    if (node === undefined) throw new ConnectionError("no node");
    return node.fetch(request);
  });
  const { clock } = setting;
  const chain = (async () => {
    for (const { length, duration, records, early, lags, failing } of blocks) {
      for (const [index, lag] of lags.entries()) network.nodes[index]?.configure({ lag });
      const node = failing && network.nodes[failing.node];
      if (failing?.way === "down") node?.configure({ down: true });
      else if (failing) node?.configure({ faults: [{ name: failing.way, status: 503 }] });
      const { height, timestamp } = network.block;
      const all = records.map((record) => toRecord(record, timestamp));
      await clock.sleep(duration / 2);
      if (early > 0) network.addRecords({ [name]: all.slice(0, early) });
      await clock.sleep(duration / 2);
      network.nextBlock({
        [name]: all.slice(early),
        block: { height: height + 1n, timestamp: timestamp + nanoseconds(BigInt(length)) },
      });
      written.push({ begun: timestamp, records: all });
      node?.configure({ down: false, faults: [] });
    }
    for (const node of network.nodes) node.configure({ lag: 0 });
  })();
  return { network, setting, chain, blocks: written };
}

/** Takes batches until a time is reached; now and then the follower is dropped, and another one continues from what was saved. */
async function followUpTo<T>(
  follow: (from: string) => AsyncGenerator<Batch<T>, undefined, undefined>,
  choices: fc.Stream<number>,
  isReached: (upTo: bigint) => boolean,
): Promise<(Batch<T> & { isFirst: boolean })[]> {
  const batches: (Batch<T> & { isFirst: boolean })[] = [];
  let saved = "start";
  for (;;) {
    const followed = follow(saved);
    let isFirst = true;
    for await (const batch of followed) {
      const [choice = 0] = choices.take(1);
      // Killed before the batch is stored: its records come again, because its position was not saved either.
      if (choice % 11 === 1) break;
      batches.push({ ...batch, isFirst });
      isFirst = false;
      saved = batch.resume;
      if (isReached(batch.upTo)) return batches;
      if (choice % 7 === 1) break;
    }
  }
}

const options = { stalledAfter: Number.POSITIVE_INFINITY };

/** The assertion that a test makes of what a follower has yielded. */
export type Compare = (actual: unknown, expected: unknown) => void;

/** Of random chains, each balance change is in exactly one batch. */
export function balanceChangesProperty(compare: Compare) {
  const account = fc.nat(40);
  const blocks = blocksOf(
    fc.oneof(
      { weight: 4, arbitrary: fc.uniqueArray(account, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.uniqueArray(account, { minLength: 15, maxLength: 30 }) },
    ),
  );
  const choices = fc.infiniteStream(fc.nat(1000));
  return fc.asyncProperty(
    blocks,
    choices,
    choices,
    fc.integer({ min: 1, max: 12 }),
    async (blocks, ways, kills, pageSize) => {
      const { network, setting, chain } = startChain(blocks, ways, "balances", toChange, () => [0, 1]);
      const { clock, client } = setting;
      let hasEnded = false;
      const ended = chain.then(() => {
        hasEnded = true;
      });
      const following = followUpTo(
        (from) => followBalanceChangesWith({ clock, pageSize }, client, {}, { ...options, from }).batches(),
        kills,
        (upTo) => hasEnded && upTo >= network.block.timestamp,
      );
      const [batches] = await setting.run(Promise.all([following, ended]));
      compare(
        batches.flatMap(({ records }) => records),
        [...network.records.balances].sort(compareRecords),
      );
      checkBounds(compare, batches, ({ timestamp }) => BigInt(timestamp));
    },
  );
}

function checkBounds<T>(compare: Compare, batches: readonly Batch<T>[], timeOf?: (record: T) => bigint): void {
  for (const [index, { records, upTo, resume }] of batches.entries()) {
    const from = batches[index - 1]?.upTo ?? 0n;
    compare(upTo > from, true);
    compare(resume, `${upTo}`);
    const times = timeOf ? records.map(timeOf) : [];
    compare(
      times.filter((time) => time < from || time >= upTo),
      [],
    );
  }
}

const id = (number: number) => number.toString(16).padStart(64, "0");

const toChange = (account: number, time: bigint): BalanceChange => ({
  timestamp: `${time}`,
  assetId: id(account),
  partyId: id(account % 3),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
  balance: `${account}`,
});

/** A vote that is cast or, without a new time, written anew. */
interface VoteWrite {
  party: number;
  weight: number;
  isCast: boolean;
}

const proposalId = id(0xf0);

/** Of random chains, each vote is yielded in its last version, and again only if it differs. */
export function votesProperty(compare: Compare) {
  const write = (party: fc.Arbitrary<number>) =>
    fc.record<VoteWrite>({ party, weight: fc.nat(1), isCast: fc.boolean() });
  const some = fc.uniqueArray(write(fc.nat(9)), { maxLength: 4, selector: ({ party }) => party });
  // A closing proposal writes all its votes anew.
  const all = fc.tuple(...Array.from({ length: 10 }, (_, party) => write(fc.constant(party))));
  const blocks = blocksOf<VoteWrite>(fc.oneof({ weight: 4, arbitrary: some }, { weight: 1, arbitrary: all }));
  const choices = fc.infiniteStream(fc.nat(1000));
  return fc.asyncProperty(blocks, choices, choices, async (blocks, ways, kills) => {
    const castAt = new Map<number, bigint>();
    const toVote = ({ party, weight, isCast }: VoteWrite, time: bigint): FakeVote => {
      const cast = isCast ? time : (castAt.get(party) ?? time);
      castAt.set(party, cast);
      return { ...voteOf(party, weight, cast), blockTime: `${time}` };
    };
    const initial = () => [{ party: 0, weight: 0, isCast: true }];
    const { network, setting, chain, blocks: written } = startChain(blocks, ways, "votes", toVote, initial);
    const { clock, client } = setting;
    let hasEnded = false;
    const ended = chain.then(() => {
      hasEnded = true;
    });
    const following = followUpTo(
      (from) => followVotesWith({ clock, pageSize: 5000 }, client, { proposalId }, { ...options, from }).batches(),
      kills,
      (upTo) => hasEnded && upTo >= network.block.timestamp,
    );
    const [batches] = await setting.run(Promise.all([following, ended]));
    const versions = written.flatMap(({ begun, records }) =>
      records.map((record) => ({ time: begun, ...split(record as FakeVote) })),
    );
    checkBounds(compare, batches);
    checkVotes(compare, batches, versions);
  });
}

interface Version {
  time: bigint;
  party: string;
  text: string;
}

function checkVotes(
  compare: Compare,
  batches: readonly (Batch<Vote> & { isFirst: boolean })[],
  versions: readonly Version[],
): void {
  /** What the current follower has yielded last, by party. */
  let seen = new Map<string, string>();
  for (const [index, { records, upTo, isFirst }] of batches.entries()) {
    if (isFirst) seen = new Map();
    const from = batches[index - 1]?.upTo ?? 0n;
    const inBatch = versions.filter(({ time }) => time >= from && time < upTo);
    const isLast = ({ party, time }: Version) => !versions.some((other) => other.party === party && other.time > time);
    const expected = inBatch.filter((version) => isLast(version) && seen.get(version.party) !== version.text);
    const yielded = records.map((record) => split(record));
    for (const { party, text } of expected)
      compare(
        yielded.filter((each) => each.party === party),
        [{ party, text }],
      );
    for (const { party, text } of yielded) {
      compare(
        inBatch.some((version) => version.party === party && version.text === text),
        true,
      );
      compare(seen.get(party) === text, false);
      seen.set(party, text);
    }
  }
  // The last version of each vote was yielded last.
  const last = (all: readonly Omit<Version, "time">[]) => new Map(all.map(({ party, text }) => [party, text]));
  const lastYielded = last(batches.flatMap(({ records }) => records.map((record) => split(record))));
  compare(new Map([...lastYielded].sort()), new Map([...last(versions)].sort()));
}

function split({ blockTime: _, ...vote }: FakeVote): Omit<Version, "time"> {
  return { party: vote.partyId, text: JSON.stringify(Object.entries(vote).sort()) };
}

const voteOf = (party: number, weight: number, cast: bigint): Vote => ({
  partyId: id(party),
  proposalId,
  timestamp: `${cast}`,
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: `${weight}`,
  totalEquityLikeShareWeight: "0",
  perMarketEquityLikeShareWeight: {},
});
