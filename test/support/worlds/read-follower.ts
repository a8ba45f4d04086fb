import { followBalanceChangesWith } from "../../../src/follow/balance-changes.js";
import { followNodeSignaturesWith } from "../../../src/follow/node-signatures.js";
import { followVotesWith } from "../../../src/follow/votes.js";
import {
  type BalanceChange,
  type NodeSignature,
  PaginationError,
  type VegaClient,
  type VegaError,
  type Vote,
} from "../../../src/index.js";
import { judgeSignatures, voteText } from "./read-votes.js";
import type { FollowReader, Range } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, earlier, earlierThan, inScanOrder, isWanted, show, timeOf } from "./records.js";
import { Choices } from "./world.js";

interface AnyBatch<T> {
  records: readonly T[];
  from?: bigint;
  upTo: bigint;
  resume?: string;
}

/** Follows until the head of the chain, from where the error before says. Followers that can continue are also killed now and then. */
async function follow<T>(
  reading: Reading,
  from: "start" | bigint,
  open: (client: VegaClient, from: "start" | bigint) => AsyncIterable<AnyBatch<T>>,
  onBatch: (batch: AnyBatch<T>) => void,
  onError: (error: VegaError) => bigint | undefined = () => undefined,
): Promise<boolean> {
  const { world } = reading;
  const client = world.client();
  const choose = new Choices(world.world.seed ^ 0xdead);
  world.calmAfter = 60;
  let position = from;
  for (;;) {
    let isKilled = false;
    const error = await reading.take(open(client, position), (batch) => {
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

export async function readFollower(spec: FollowReader, reading: Reading): Promise<void> {
  const { world } = reading;
  const { clock } = world;
  const { filter, pageSize, from } = spec;
  if (spec.kind === "follow-signatures") {
    const found: NodeSignature[] = [];
    let upTo = 0n;
    const open = (client: VegaClient) =>
      followNodeSignaturesWith({ clock, pageSize }, client, { id: world.world.resource }, {}).batches();
    // A follower of signatures begins anew after an error.
    const isDone = await follow<NodeSignature>(
      reading,
      "start",
      open,
      (batch) => {
        found.push(...batch.records);
        upTo = batch.upTo;
      },
      () => {
        found.length = 0;
        return undefined;
      },
    );
    if (isDone) judgeSignatures(reading, found, upTo);
    return;
  }
  if (spec.kind === "follow-votes") {
    const [proposalId = ""] = world.world.proposals;
    const found: Vote[] = [];
    /** What the current follower has yielded last, by party. */
    const seen = new Map<string, string>();
    let upTo = 0n;
    const open = (client: VegaClient, from: "start" | bigint) => {
      seen.clear();
      return followVotesWith({ clock, pageSize: 5000 }, client, { proposalId }, { from }).batches();
    };
    const isDone = await follow<Vote>(reading, "start", open, (batch) => {
      if (batch.upTo <= upTo) reading.fail("order", `a batch up to ${show(batch.upTo)} after ${show(upTo)}`);
      for (const vote of batch.records) {
        const isFinal = world.votes.some(
          ({ vote: each, time }) => time < batch.upTo && voteText(each) === voteText(vote),
        );
        if (!isFinal) reading.fail("order", `a vote of a block that has not ended before ${show(batch.upTo)}`);
        if (seen.get(vote.partyId) === voteText(vote)) reading.fail("repeated", "a vote came again without a change");
        seen.set(vote.partyId, voteText(vote));
      }
      found.push(...batch.records);
      upTo = batch.upTo;
    });
    if (isDone) judgeFollowedVotes(reading, proposalId, found, upTo);
    return;
  }
  const wanted = isWanted(spec);
  let part: BalanceChange[] = [];
  let start = from === "start" ? undefined : from;
  let upTo: bigint | undefined;
  let oldest: bigint | undefined;
  const gaps: Range[] = [];
  const judge = (end: bigint) => {
    const lowest = part.map(timeOf).reduce<bigint | undefined>(earlier, undefined);
    const range = { start: start ?? lowest ?? end, end };
    if (start === undefined) reading.checkStart("the follower", lowest, earlierThan(oldest, end));
    const rows = world.changes.filter(wanted).filter(between(range)).sort(inScanOrder);
    const isShown = (change: BalanceChange) => !gaps.some((gap) => between(gap)(change));
    reading.compare("the follower", part, rows.filter(isShown), rows);
  };
  const open = (client: VegaClient, from: "start" | bigint) =>
    followBalanceChangesWith(
      { clock, pageSize: reading.isLate ? 5000 : pageSize },
      client,
      { filter },
      { from },
    ).batches();
  const onBatch = (batch: AnyBatch<BalanceChange>) => {
    const from = upTo ?? start;
    if (from !== undefined && batch.upTo <= from)
      reading.fail("order", `a batch up to ${show(batch.upTo)} after ${show(from)}`);
    if (!batch.records.every(between({ start: from, end: batch.upTo })))
      reading.fail("order", `records outside of a batch from ${show(from)} to ${show(batch.upTo)}`);
    // The batch says that no response has shown what is between.
    if (from !== undefined && batch.from !== undefined && batch.from > from)
      gaps.push({ start: from, end: batch.from });
    if (part.length === 0) oldest = world.oldestWanted(wanted);
    part.push(...batch.records);
    upTo = batch.upTo;
  };
  const onError = (error: VegaError) => {
    if (!PaginationError.is(error) || error.reason !== "pruned") return undefined;
    const from = upTo ?? start ?? 0n;
    reading.checkPruned(from, error.availableFrom);
    if (upTo !== undefined) judge(upTo);
    part = [];
    start = error.availableFrom;
    upTo = undefined;
    return start;
  };
  if (await follow(reading, from, open, onBatch, onError)) judge(upTo ?? 0n);
}

function judgeFollowedVotes(reading: Reading, proposalId: string, found: readonly Vote[], upTo: bigint): void {
  const all = reading.world.votes.filter(({ vote }) => vote.proposalId === proposalId);
  // A vote that is cast again in the half-written block comes with the next batch.
  const later = new Set(all.filter(({ time }) => time >= upTo).map(({ vote }) => vote.partyId));
  const written = all.filter(({ vote, time }) => time < upTo && !later.has(vote.partyId));
  const known = new Set(all.map(({ vote }) => voteText(vote)));
  if (found.some((vote) => !known.has(voteText(vote)))) reading.fail("surplus", "followed votes that nobody cast");
  const lastOf = (votes: readonly Vote[]) => new Map(votes.map((vote) => [vote.partyId, voteText(vote)]));
  const [last, expected] = [lastOf(found), lastOf(written.map(({ vote }) => vote))];
  const wrong = [...expected].filter(([party, text]) => last.get(party) !== text);
  if (wrong.length > 0)
    reading.fail("lost", `${wrong.length} of ${expected.size} votes were not followed to their last version`);
}
