import { balanceChanges } from "../../../src/follow/balance-changes.js";
import { nodeSignatures } from "../../../src/follow/node-signatures.js";
import { PollingFollower } from "../../../src/follow/polling-follower.js";
import { votes } from "../../../src/follow/votes.js";
import {
  type BalanceChange,
  type NodeSignature,
  PaginationError,
  type VegaError,
  type Vote,
} from "../../../src/index.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, inScanOrder, isWanted, oldestOf, type Range, show } from "./records.js";
import { Choices } from "./world.js";

/** A vote without what differs between the versions of nodes. */
export const voteText = ({ partyId, proposalId, timestamp, value, totalGovernanceTokenWeight }: Vote) =>
  [proposalId, partyId, timestamp, value, totalGovernanceTokenWeight].join(" ");

type From = "start" | bigint;

interface AnyBatch<T> {
  records: readonly T[];
  from?: bigint;
  upTo: bigint;
  resume?: string;
}

/** Follows until the head of the chain, from where the error before says. Followers that can continue are also killed now and then. */
async function follow<T>(
  reading: Reading,
  from: From,
  open: (from: From) => { batches(): AsyncIterable<AnyBatch<T>> },
  onBatch: (batch: AnyBatch<T>) => void,
  onError: (error: VegaError) => bigint | undefined = () => undefined,
): Promise<boolean> {
  const { world } = reading;
  const choose = new Choices(world.world.seed ^ 0xdead);
  world.calmAfter = 60;
  let position = from;
  for (;;) {
    let isKilled = false;
    const error = await reading.take(open(position).batches(), (batch) => {
      isKilled = batch.resume !== undefined && batch.upTo < world.head && choose.chance(0.1);
      // The batch was not stored: its records come again.
      if (isKilled && choose.chance(0.5)) return true;
      onBatch(batch);
      if (batch.resume !== undefined) position = BigInt(batch.resume);
      return isKilled || batch.upTo >= world.head;
    });
    if (error === "hang") return false;
    if (isKilled) continue;
    if (error === undefined) return true;
    const { resume } = error as { resume?: { from?: unknown } };
    const next = onError(error) ?? resume?.from ?? from;
    position = next === "start" ? next : BigInt(String(next));
    if (!reading.continues()) return false;
  }
}

export async function followSignatures({ size: pageSize }: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = reading.client;
  const options = { clock: world.clock, random: () => 1, pageSize };
  let found: NodeSignature[] = [];
  let upTo = 0n;
  const isDone = await follow<NodeSignature>(
    reading,
    "start",
    () => new PollingFollower(nodeSignatures, client, { id: world.world.resource }, {}, options),
    (batch) => {
      found.push(...batch.records);
      upTo = batch.upTo;
    },
    () => {
      // A follower of signatures begins anew after an error.
      found = [];
      return undefined;
    },
  );
  if (!isDone) return;
  const got = new Set(found.map(({ sig }) => sig));
  if (got.size < found.length) reading.fail("repeated", `${found.length - got.size} signatures came again`);
  const { signatures } = world;
  const lost = signatures.filter(({ sig, time }) => time < upTo && !got.has(sig));
  if (lost.length > 0) reading.fail("lost", `${lost.length} of ${signatures.length} signatures are missing`);
  for (const { sig } of signatures) got.delete(sig);
  if (got.size > 0) reading.fail("surplus", `${got.size} unknown signatures`);
}

export async function followVotes(_: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = reading.client;
  const options = { clock: world.clock, random: () => 1, pageSize: 5000 };
  const [proposalId = ""] = world.world.proposals;
  /** The last version of each party. */
  const found = new Map<string, string>();
  /** What the current follower has yielded last, by party. */
  const seen = new Map<string, string>();
  let upTo = 0n;
  const open = (from: From) => {
    seen.clear();
    return new PollingFollower(votes, client, { proposalId }, { from }, options);
  };
  const isDone = await follow<Vote>(reading, "start", open, (batch) => {
    if (batch.upTo <= upTo) reading.fail("order", `a batch up to ${show(batch.upTo)} after ${show(upTo)}`);
    upTo = batch.upTo;
    for (const vote of batch.records) {
      const text = voteText(vote);
      const isFinal = world.votes.some((each) => each.time < upTo && voteText(each.vote) === text);
      if (!isFinal) reading.fail("order", `a vote that nobody cast in a block that has ended before ${show(upTo)}`);
      if (seen.get(vote.partyId) === text) reading.fail("repeated", "a vote came again without a change");
      seen.set(vote.partyId, text);
      found.set(vote.partyId, text);
    }
  });
  if (!isDone) return;
  const written = world.votes.filter(({ vote }) => vote.proposalId === proposalId);
  // A vote that is cast again in the current block comes with the next batch.
  const later = new Set(written.filter(({ time }) => time >= upTo).map(({ vote }) => vote.partyId));
  const expected = new Map(written.map(({ vote }) => [vote.partyId, voteText(vote)]));
  const wrong = [...expected].filter(([party, text]) => !later.has(party) && found.get(party) !== text);
  if (wrong.length > 0)
    reading.fail("lost", `${wrong.length} of ${expected.size} votes were not followed to their last version`);
}

export async function followChanges(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  const { filter, from } = reader;
  const client = reading.client;
  const wanted = isWanted(reader);
  let part: BalanceChange[] = [];
  let start = from === "start" ? undefined : from;
  let upTo: bigint | undefined;
  let oldest: bigint | undefined;
  const gaps: Range[] = [];
  const judge = (end: bigint) => {
    const lowest = oldestOf(part);
    if (start === undefined) reading.checkStart("the follower", lowest, oldest, end);
    const range = { start: start ?? lowest ?? end, end };
    const rows = world.changes.filter(wanted).filter(between(range)).sort(inScanOrder);
    const isShown = (change: BalanceChange) => !gaps.some((gap) => between(gap)(change));
    reading.compare("the follower", part, rows.filter(isShown), rows);
  };
  const open = (from: From) => {
    const options = { clock: world.clock, random: () => 1, pageSize: reading.sizeOf(reader) };
    return new PollingFollower(balanceChanges, client, { filter }, { from }, options);
  };
  const onBatch = (batch: AnyBatch<BalanceChange>) => {
    const from = upTo ?? start;
    if (from !== undefined && batch.upTo <= from)
      reading.fail("order", `a batch up to ${show(batch.upTo)} after ${show(from)}`);
    if (!batch.records.every(between({ start: from, end: batch.upTo })))
      reading.fail("order", `records outside of a batch from ${show(from)} to ${show(batch.upTo)}`);
    // The batch says that no response has shown what is between.
    if (batch.from !== undefined) gaps.push({ start: from ?? 0n, end: batch.from });
    if (part.length === 0) oldest = world.oldestWanted(wanted);
    part.push(...batch.records);
    upTo = batch.upTo;
  };
  const onError = (error: VegaError) => {
    if (!PaginationError.is(error) || error.reason !== "pruned") return undefined;
    reading.checkPruned(upTo ?? start ?? 0n, error.availableFrom);
    if (upTo !== undefined) judge(upTo);
    part = [];
    start = error.availableFrom;
    upTo = undefined;
    return start;
  };
  if (await follow(reading, from, open, onBatch, onError)) judge(upTo ?? 0n);
}
