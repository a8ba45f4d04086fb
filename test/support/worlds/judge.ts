import { type BalanceChange, PaginationError, type VegaError } from "../../../src/index.js";
import { maximum, minimum } from "../../../src/values/integers.js";
import { microsecondOf } from "../../../src/values/times.js";
import { type Chain, isDescending, type ListQuery, type ListReading, type Part } from "./read-list.js";
import { inListOrder, inScanOrder, textOf } from "./records.js";

/** What is wrong with a reading. */
export interface Violation {
  kind: string;
  text: string;
}

/** A record that a chain has written. */
export interface Due {
  record: object;
  /** The time of its block. */
  time: bigint;
}

/** What a reading can have to yield. */
export interface Truth {
  /** All records that the arguments without the range select, in the order in which they were written. */
  dues: readonly Due[];
  show(time: bigint | undefined): string;
  /** How a report names a record. */
  nameOf(record: object): string;
  /**
   * Whether it is a loop over single pages of `serve`: records are in the order of a scan, and moved votes can be missing.
   */
  isLenient: boolean;
}

export const isPruned = (error: VegaError | undefined): boolean =>
  PaginationError.is(error) && error.reason === "pruned";

/** What identifies a record; of a vote, whichever version it is. */
function keyOf({ list }: ListQuery, record: object): string {
  const { partyId, proposalId, sig } = record as Record<string, string>;
  if (list === "balances") return textOf(record as BalanceChange);
  return list === "signatures" ? (sig ?? "") : `${partyId} ${proposalId}`;
}

/** What tells two records apart. A vote keeps its time when it is written anew, and gets a weight then. */
function versionOf(query: ListQuery, record: object): string {
  const { timestamp, totalGovernanceTokenWeight: weight } = record as Record<string, string>;
  const key = keyOf(query, record);
  return query.list === "votes" ? [key, timestamp, weight].join(" ") : key;
}

/** The later one of two versions has the larger number. */
function ageOf(record: object): bigint {
  const { totalGovernanceTokenWeight: weight = "0" } = record as Record<string, string>;
  return 2n * timeIn(record) + (weight === "0" ? 0n : 1n);
}

const timeIn = (record: object): bigint => BigInt((record as { timestamp?: string }).timestamp ?? 0);

/** Judges a reading by the truth: every record that it claims to cover is there once, and nothing else. */
export function judgeReading(
  { dues, show, nameOf, isLenient }: Truth,
  query: ListQuery,
  reading: ListReading,
  fail: (kind: string, text: string) => void,
): void {
  const { list } = query;
  const isDown = isDescending(query);
  // A list that is not in the order of time can get records before those that were read.
  const isInOrder = list === "balances" || list === "votes";
  const isInRange = ({ time }: Due) =>
    time >= (reading.start ?? 0n) && (reading.end === undefined || time < reading.end);
  const all = list === "balances" ? dues.filter(isInRange) : dues;
  const isMovedFrom = ({ record }: Due, time: bigint) =>
    list === "votes" && all.some((due) => due.time >= time && keyOf(query, due.record) === keyOf(query, record));
  // After an error, a loop continues from the start of a block that its last page did not have whole.
  const judged = reading.parts.flatMap(({ records, coverage: { end, block } = {}, error }): readonly object[] => {
    const isOpen = end !== undefined && (end === block?.timestamp || records.map(timeIn).reduce(maximum, 0n) > end);
    return list === "balances" && error && !isDown && isOpen
      ? records.filter((record) => timeIn(record) < end)
      : records;
  });
  if (reading.parts.length > 0) checkRecords(judged, list === "votes" && reading.parts.length > 1);
  judgeParts(reading.parts);
  for (const chain of reading.chains) judgeChain(chain);

  /** The records as of a time, from another time on, that are not among these, nor a later version of them. */
  function missing(records: readonly object[], start: bigint, end: bigint, isExcused = (_: Due) => false): string {
    const latest = new Map<string, bigint>();
    for (const record of records) {
      const key = keyOf(query, record);
      latest.set(key, maximum(latest.get(key) ?? 0n, ageOf(record)));
    }
    const versions = new Map<string, Due>();
    for (const due of all) if (due.time < end) versions.set(keyOf(query, due.record), due);
    const lost = [...versions].filter(([key, due]) => {
      const isThere = (latest.get(key) ?? -1n) >= ageOf(due.record);
      return due.time >= start && !isThere && !isExcused(due);
    });
    return some(lost.map(([, { record }]) => record));
  }

  function some(records: readonly object[]): string {
    const names = records.slice(0, 9).map(nameOf);
    return names.length < records.length ? `${names.join(" ")} … (${records.length})` : names.join(" ");
  }

  function checkRecords(records: readonly object[], repeats: boolean): void {
    const known = new Set(all.map(({ record }) => versionOf(query, record)));
    const seen = new Set<string>();
    const [surplus, twice]: [object[], object[]] = [[], []];
    for (const record of records) {
      const version = versionOf(query, record);
      if (!known.has(version)) surplus.push(record);
      if (seen.has(version)) twice.push(record);
      seen.add(version);
    }
    if (surplus.length > 0) fail("surplus", some(surplus));
    if (twice.length > 0 && !repeats) fail("repeated", some(twice));
    if (list !== "balances" || repeats) return;
    const order = isLenient || query.kind === "scan" ? inScanOrder : inListOrder;
    const isWrong = (each: object, index: number) => {
      const before = records[index - 1] as BalanceChange | undefined;
      return before !== undefined && order(before, each as BalanceChange) * (isDown ? -1 : 1) > 0;
    };
    const wrong = records.filter(isWrong);
    if (wrong.length > 0) fail("order", some(wrong));
  }

  function judgeParts(parts: readonly Part[]): void {
    const records: object[] = [];
    const covering: { start: bigint; end: bigint; from: bigint | undefined; error: VegaError | undefined }[] = [];
    for (const { records: added, coverage, error, from } of parts) {
      records.push(...added);
      if (coverage === undefined) continue;
      const { start } = coverage;
      // Without block headers, nothing shows that the newest block is complete, or a later part as new as an earlier one.
      const ends = coverage.end === undefined && list === "balances" ? (isDown ? added : records).map(timeIn) : [];
      const end = coverage.end ?? ends.reduce(maximum, start);
      // An error before the first record claims nothing.
      const isPart = error === undefined || records.length > 0;
      if (isPart) covering.push({ start, end, from, error });
      // Nodes compare microseconds.
      const latest = reading.end === undefined ? undefined : microsecondOf(reading.end + 999n) * 1000n;
      const isOutside = start < (reading.start ?? start) || (coverage.end ?? 0n) > (latest ?? end);
      if (start > end || (isOutside && (coverage.end === undefined || start < end))) {
        const range = `a range from ${show(reading.start)} to ${show(reading.end)}`;
        fail("coverage", `${show(start)} to ${show(coverage.end)} of ${range}`);
      }
      if (!isInOrder && parts.length > 1) continue;
      // What is left of the list has the votes that were cast again.
      const hasRest = error !== undefined || isLenient || query.limit !== undefined;
      const lost = missing(records, start, end, (due) => hasRest && isMovedFrom(due, end));
      if (lost !== "") fail("lost", `${lost} within the coverage from ${show(start)} to ${show(end)}`);
    }
    const [first, last] = [covering[0], covering.at(-1)];
    if (first === undefined || last === undefined || covering.length === 1 || reading.isUnfinished) return;
    // A vote that moves meanwhile is in neither part.
    if (list === "votes" && parts.at(-1)?.coverage?.end === undefined) return;
    // Only balance changes are continued after a limit.
    if (query.limit && list !== "balances") return;
    // What is between two parts is covered by none of them alone: more of the block at which the first one ended.
    const end = isInOrder ? (isDown ? first : last).end : covering.map((each) => each.end).reduce(minimum);
    const start = isInOrder ? (isDown ? last : first).start : 0n;
    const holes = covering.slice(1).flatMap(({ from, ...next }, index) => {
      const before = covering[index];
      if (from === undefined) return [];
      // The coverage of the first one can begin after the last record that it yielded.
      if (isDown) return { start: next.end, end: maximum(from, before?.start ?? from) };
      return { start: isPruned(before?.error) ? (before?.end ?? from) : from, end: next.start };
    });
    const isTold = ({ time }: Due) => isInOrder && holes.some((hole) => time >= hole.start && time < hole.end);
    const lost = missing(records, start, end, (due) => isTold(due) || (isLenient && isMovedFrom(due, end)));
    if (lost !== "") fail("lost", `${lost} between the parts, from ${show(start)} to ${show(end)}`);
  }

  /** Each chain of pages has every record between its first and its last one, and nothing shows where the history of a node begins. */
  function judgeChain({ pages, isWhole, repeats }: Chain): void {
    const records = pages.flatMap(({ nodes }) => (query.isBackward ? [...nodes].reverse() : nodes));
    checkRecords(records, repeats);
    if (list !== "balances" && !isWhole) return;
    const blocks = pages.map(({ block }) => block?.timestamp ?? 0n);
    const block = blocks.length === 0 ? 0n : blocks.reduce(minimum);
    const times = records.map(timeIn);
    const [oldest, newest] = [times.reduce(minimum, block), times.reduce(maximum, 0n)];
    const start = list !== "balances" ? 0n : !isWhole && isDown ? oldest + 1n : oldest;
    const end = !isWhole && !isDown ? minimum(newest, block) : block;
    // With the newest first, a vote that is cast again can be missing; otherwise if the last page is not later than the others.
    const latest = blocks.slice(0, -1).reduce(maximum, 0n);
    // A cursor of the node does not tell the block of its page, so that the next one can be of an earlier block.
    const moved = isDown || query.kind === "cursor" ? end : (blocks.at(-1) ?? 0n) > latest ? undefined : latest;
    const lost = missing(records, start, end, (due) => moved !== undefined && isMovedFrom(due, moved));
    if (lost !== "") fail("lost", `${lost} of a chain of pages up to ${show(end)}`);
  }
}
