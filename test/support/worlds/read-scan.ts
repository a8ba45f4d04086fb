import { type BalanceChange, PaginationError } from "../../../src/index.js";
import { maximum } from "../../../src/values/integers.js";
import type { Range, Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, inScanOrder, isWanted, oldestOf, show, timeOf } from "./records.js";

/** Scans until nothing is left, and compares each part with what the chain has. */
export async function readScan(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = world.client();
  const { filter, order, concurrency, missingHistory } = reader;
  const isNewestFirst = order === "newest-first";
  const isStrict = missingHistory === "error";
  const wanted = isWanted(reader);
  const rows = (range: Range) => {
    const found = world.changes.filter(wanted).filter(between(range)).sort(inScanOrder);
    return isNewestFirst ? found.reverse() : found;
  };
  const oldestIn = (range: Range) => world.oldestWanted((change) => wanted(change) && between(range)(change));
  let range: Range = { start: reader.start, end: reader.end };
  for (;;) {
    const pageSize = reading.sizeOf(reader);
    const dateRange = { startTimestamp: range.start, endTimestamp: range.end };
    const scan = client.scanBalanceChanges({ filter, dateRange }, { order, concurrency, missingHistory, pageSize });
    const records: BalanceChange[] = [];
    let oldest: bigint | undefined;
    const error = await reading.take(scan, (record) => {
      if (records.push(record) === 1 && !isNewestFirst) oldest = oldestIn(range);
      return undefined;
    });
    if (error === "hang") return;
    if (isNewestFirst || records.length === 0) oldest = oldestIn(range);
    if (error === undefined) {
      const coverage = await scan.coverage;
      reading.checkCoverage(range, coverage, wanted);
      const { start, end = range.end } = coverage;
      const isOpen = range.start === undefined || !isStrict;
      // Each part of a filter that takes several requests begins with a record of its own.
      const isOnePart = (filter.partyIds?.length ?? 0) < 100;
      if (isOpen && isOnePart) reading.checkStart("the scan", start, oldest, end ?? world.lowestHead);
      // Records before the coverage are there, too, if responses have shown them.
      const must = rows({ start, end: end ?? world.lowestHead });
      return reading.compare("the scan", records, must, rows({ start: range.start, end }));
    }
    const { resume } = error as { resume?: { startTimestamp?: unknown; endTimestamp?: unknown } };
    if (resume === undefined) return reading.fail("no-resume", error.message);
    const [start, end] = [resume.startTimestamp, resume.endTimestamp].map((time) =>
      // Nothing is before 0: such a start is open.
      time === undefined || BigInt(String(time)) === 0n ? undefined : BigInt(String(time)),
    );
    const isPruned = PaginationError.is(error) && error.reason === "pruned";
    if (isPruned) reading.checkPruned(range.start ?? 0n, start);
    if (isNewestFirst) {
      if (!isPruned && start !== range.start)
        reading.fail("resume", `begins at ${show(start)} instead of ${show(range.start)}`);
      const top = range.end ?? error.coverage?.end ?? world.lowestHead;
      // An end that was open, and still is, is that of a scan that has read nothing.
      const part = end === undefined ? [] : rows({ start: end, end: top });
      reading.compare("before the error", records, part, range.end === undefined ? rows({ start: end ?? top }) : part);
    } else {
      if (range.end !== undefined && end !== range.end)
        reading.fail("resume", `ends at ${show(end)} instead of ${show(range.end)}`);
      const lowest = oldestOf(records);
      if (range.start === undefined && (lowest ?? start) !== undefined)
        reading.checkStart("the scan", lowest ?? start, oldest);
      // Of the last time, a part can be missing.
      const last = records.at(-1);
      const top = isPruned ? last && timeOf(last) : start;
      // What is left of a range can begin after records that no node keeps, also if none was yielded.
      const isWhole = lowest === undefined && isStrict;
      const first = isWhole ? range.start : maximum(range.start ?? 0n, error.coverage?.start ?? 0n);
      const part = first === undefined ? [] : rows({ start: first, end: top ?? 0n });
      const shown = rows({ start: range.start, end: isPruned ? top && top + 1n : top });
      reading.compare("before the error", records, part, shown);
    }
    range = { start, end };
    if (!reading.continues()) return;
  }
}
