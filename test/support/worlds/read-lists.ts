import type { BalanceChange, NodeSignature } from "../../../src/index.js";
import type { FakeVote } from "../../../src/testing/index.js";
import { type Due, judgeReading, type Truth } from "./judge.js";
import { type Items, isDescending, type ListQuery, type ListReading, readList } from "./read-list.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, isWanted, show } from "./records.js";

/** Reads a list until nothing is left, or single pages of it, and compares them with what the chain has. */
export async function readLists(reader: Reader, reading: Reading, open?: (given: object) => Items): Promise<void> {
  const { query } = reader;
  const { world } = reading;
  const readings = await readList(reading, query, open);
  const truth: Truth = { dues: duesOf(reader, reading), show, nameOf, isLenient: open !== undefined };
  const fail = (kind: string, text: string) => reading.fail(kind, text);
  // A page alone has what one response has: nothing shows that its node has left out the rest.
  if (canQueriesFail(reading) && ["next", "cursor"].includes(query.kind))
    for (const chain of readings.flatMap(({ chains }) => chains)) chain.isWhole = false;
  for (const each of readings) judgeReading(truth, query, each, fail);
  const isTwice = readings.some(({ chains }) => chains.length > 1) || query.kind === "peek";
  if (isTwice) world.reached.add("a page is asked for twice");
  if (query.list === "votes" && world.hasMovedVotes) world.reached.add("a vote is cast again meanwhile");
  const last = readings.at(-1) as ListReading;
  const { error } = last.parts.at(-1) ?? {};
  if (last.isUnfinished && !error?.resume) fail("no-resume", error?.message ?? "");
  if (query.list === "balances" && last.parts.length > 0) checkBounds(reader, reading, last);
}

const canQueriesFail = ({ world: { world } }: Reading): boolean =>
  world.nodes.some(({ failedQueries }) => failedQueries !== undefined);

/** A reading is not shorter than nodes allow. */
function checkBounds(reader: Reader, reading: Reading, { start, parts }: ListReading): void {
  const { world } = reading;
  const { query, filter } = reader;
  const wanted = isWanted(reader);
  const starts = parts.flatMap(({ coverage, error, records }) =>
    coverage && (error === undefined || records.length > 0 || coverage.start !== coverage.end) ? [coverage.start] : [],
  );
  const { coverage, error } = parts.at(-1) ?? {};
  if (coverage === undefined || error) return;
  if (start !== undefined && coverage.start > start) world.reached.add("coverage begins after the start");
  // One that continues ends where it was to end at first.
  if (coverage.end !== undefined && parts.length === 1) {
    // A walk that ends at the block of its node can end before the range.
    if (query.kind === "scan" && coverage.end < (query.end ?? 0n))
      reading.fail("coverage", `ends at ${show(coverage.end)} instead of ${show(query.end)}`);
    const left = world.changes.filter(wanted).filter(between({ start: coverage.end, end: world.lowestHead }));
    if (left.some(between({ end: query.end })))
      reading.fail("coverage", `ends at ${show(coverage.end)}, but every node had more`);
  }
  // Each request that a filter takes begins with a record of its own.
  const isOnePart = (filter.partyIds?.length ?? 0) < 100;
  const isOpen = start === undefined || query.missingHistory === "ignore";
  if (!isOpen || !isOnePart) return;
  // If the query of the only page fails, nothing is claimed.
  if (coverage.start === coverage.end && canQueriesFail(reading)) return;
  const oldest = world.oldestWanted((change) => wanted(change) && between({ start, end: query.end })(change));
  reading.checkStart("the reading", starts.at(isDescending(query) ? -1 : 0), oldest, coverage.end ?? world.lowestHead);
}

function duesOf(reader: Reader, { world }: Reading): Due[] {
  const { list, filter }: ListQuery = reader.query;
  if (list === "signatures") return world.signatures.map((record) => ({ record, time: record.time }));
  if (list === "balances")
    return world.changes.filter(isWanted(reader)).map((record) => ({ record, time: BigInt(record.timestamp) }));
  const isListed = ({ vote }: { vote: FakeVote }) =>
    Object.entries(filter).every(([name, id]) => Reflect.get(vote, name) === id);
  return world.votes.filter(isListed).map(({ vote, time }) => ({ record: vote, time }));
}

function nameOf(record: object): string {
  const { balance, timestamp, partyId, sig } = record as Partial<BalanceChange & NodeSignature>;
  if (sig !== undefined) return String(sig);
  return `${balance === undefined ? partyId?.slice(-2) : `#${balance}`} of ${show(BigInt(timestamp ?? 0))}`;
}
