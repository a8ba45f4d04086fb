import { type BalanceChange, type Coverage, PaginationError } from "../../../src/index.js";
import type { Range, ScanReader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, earlier, earlierThan, inScanOrder, isWanted, later, show, some, timeOf } from "./records.js";

/** Scans until nothing is left, and compares each part with what the chain has. */
export async function readScan(spec: ScanReader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = world.client();
  const { filter, order, pageSize, concurrency, missingHistory } = spec;
  const isNewestFirst = order === "newest-first";
  const isStrict = missingHistory === "error";
  const wanted = isWanted(spec);
  const rows = (range: Range) => {
    const found = world.changes.filter(wanted).filter(between(range)).sort(inScanOrder);
    return isNewestFirst ? found.reverse() : found;
  };
  const oldestIn = (range: Range) => world.oldestWanted((change) => wanted(change) && between(range)(change));
  let range: Range = { start: spec.start, end: spec.end };
  for (;;) {
    const size = reading.isLate ? 5000 : pageSize;
    const scan = client.scanBalanceChanges(
      { filter, dateRange: { startTimestamp: range.start, endTimestamp: range.end } },
      { order, concurrency, missingHistory, pageSize: size },
    );
    const records: BalanceChange[] = [];
    let oldest: bigint | undefined;
    const error = await reading.take(scan, (record) => {
      if (records.push(record) === 1 && !isNewestFirst) oldest = oldestIn(range);
      return undefined;
    });
    if (error === "hang") return;
    if (isNewestFirst || records.length === 0) oldest = oldestIn(range);
    const isOpen = range.start === undefined || !isStrict;
    const ofRecords = records.map(timeOf);
    const lowest = ofRecords.reduce<bigint | undefined>(earlier, undefined);
    if (error === undefined) {
      const coverage = await scan.coverage;
      checkCoverage(reading, range, coverage, wanted);
      const end = coverage.end ?? range.end;
      const { start } = coverage;
      // Each part of a filter that takes several requests begins with a record of its own.
      const isOnePart = (filter.partyIds?.length ?? 0) < 100;
      if (isOpen && isOnePart) reading.checkStart("the scan", start, earlierThan(oldest, end ?? world.lowestHead));
      // Records before the coverage are there, too, if responses have shown them.
      const must = rows({ start, end: end ?? world.lowestHead });
      reading.compare("the scan", records, must, rows({ start: range.start, end }));
      return;
    }
    const { resume } = error as { resume?: { startTimestamp?: unknown; endTimestamp?: unknown } };
    if (resume === undefined) return reading.fail("no-resume", error.message);
    const [start, end] = [resume.startTimestamp, resume.endTimestamp].map((time) =>
      // Nothing is before 0: such a start is open.
      time === undefined || BigInt(String(time)) === 0n ? undefined : BigInt(String(time)),
    );
    const isPruned = PaginationError.is(error) && error.reason === "pruned";
    if (PaginationError.is(error) && error.reason === "too-dense") {
      reading.checkDense(error.timestamp, size, wanted);
    }
    const from = range.start ?? 0n;
    if (isPruned) reading.checkPruned(from, start);
    if (isNewestFirst) {
      if (!isPruned && start !== range.start)
        reading.fail("resume", `begins at ${show(start)} instead of ${show(range.start)}`);
      const top = range.end ?? later(world.lowestHead, (ofRecords[0] ?? -1n) + 1n);
      // An end that was open, and still is, is that of a scan that has read nothing.
      const part = end === undefined ? [] : rows({ start: end, end: top });
      reading.compare("before the error", records, part, range.end === undefined ? rows({ start: end ?? top }) : part);
    } else {
      if (range.end !== undefined && end !== range.end)
        reading.fail("resume", `ends at ${show(end)} instead of ${show(range.end)}`);
      const shown = error.coverage?.start;
      // What is left of a range can begin after records that no node keeps, also if none was yielded.
      const isWhole = lowest === undefined && isStrict;
      const first = isWhole ? range.start : later(range.start ?? 0n, shown ?? 0n);
      const begun = lowest ?? start;
      if (range.start === undefined && begun !== undefined) reading.checkStart("the scan", begun, oldest);
      const all = rows({ start: first ?? start ?? 0n });
      // Of the last time, a part can be missing.
      const top = isPruned ? ofRecords.at(-1) : start;
      const part = all.filter((change) => timeOf(change) < (top ?? 0n));
      const shownBefore = rows({ start: range.start, end: isPruned ? top && top + 1n : top });
      reading.compare("before the error", records, first === undefined ? [] : part, shownBefore);
    }
    range = { start, end };
    if (!reading.continues()) return;
  }
}

export function checkCoverage(
  reading: Reading,
  range: Range,
  { start, end }: Coverage,
  wanted: (change: BalanceChange) => boolean,
): void {
  const records = reading.world.changes.filter(wanted);
  if (range.start !== undefined && start < range.start) {
    reading.fail("coverage", `begins at ${show(start)} instead of ${show(range.start)}`);
  }
  if (range.end !== undefined && end !== undefined && end !== range.end) {
    reading.fail("coverage", `ends at ${show(end)} instead of ${show(range.end)}`);
  }
  if (range.end === undefined && end !== undefined) {
    const more = records.filter(between({ start: end, end: reading.world.lowestHead }));
    if (more.length > 0) reading.fail("coverage", `ends at ${show(end)}, but every node had more: ${some(more)}`);
  }
}
