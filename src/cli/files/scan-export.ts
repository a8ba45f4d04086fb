import { startOfDay } from "../../source/history.js";
import type { Coverage } from "../../values/coverage.js";
import type { CommandContext } from "../command.js";
import type { ConnectedClient } from "../connection.js";
import { exitCodes, IncompleteError, UsageError } from "../exit.js";
import type { ListPlan } from "../list-plan.js";
import { printMessage } from "../message.js";
import { count, Progress } from "../progress.js";
import {
  findEnd,
  isBehind,
  type RangeEnd,
  type ReadOptions,
  type ReadOutcome,
  readRecords,
  type TimeRange,
  warnOfEnd,
} from "../records.js";
import { ErrorWithAdvice } from "../report.js";
import { type ContentFlags, describeDifferences } from "./content-flags.js";
import { ExportFile, type ExportProgress, type ExportState } from "./export-file.js";
import { recordsOf } from "./file-records.js";
import { manifestFile, sizeOf } from "./files.js";
import { type Claim, createManifest, type ExportResult, readManifest } from "./manifest.js";
import { RecordDigest } from "./record-digest.js";
import { resumeCommand } from "./resume-command.js";
import { RowWriter } from "./row-writer.js";
import { ScanWriter } from "./scan-writer.js";

/** An export that can be interrupted at any time and continued. */
export async function exportScan(
  plan: ListPlan,
  path: string,
  connection: ConnectedClient,
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  const file = await ExportFile.open({ ...plan, path });
  try {
    const state = await findState(plan, path, file.state);
    if (state === "complete") {
      if (!plan.quiet) printMessage(io, `${path} is complete.`);
      return exitCodes.done;
    }
    const end = state ? { end: BigInt(state.end), block: state.block } : await findEnd(connection, plan, io.signal);
    const digest = new RecordDigest();
    if (state) await resume(file, state, digest);
    const run = { plan, file, connection, context, state, end, digest };
    const result = await readScan(run);
    await file.finish(createManifest(plan, connection, result));
    if (!plan.quiet) printMessage(io, `${path}: ${count(result.records)} records.`);
    warnOfEnd(io, result.coverage);
    if (result.incomplete) throw result.incomplete;
    return exitCodes.done;
  } finally {
    await file.close();
  }
}

/**
 * The state of the export that is continued; `undefined` if a new one begins.
 *
 * @throws if the file cannot be continued, or must not be overwritten.
 */
async function findState(plan: ListPlan, path: string, state: ExportState | undefined) {
  const isThere = (await sizeOf(path)) !== undefined;
  const earlier = state && isScanState(state) ? state : undefined;
  if (!plan.resume) {
    if (plan.force || (!isThere && !earlier)) return undefined;
    const what = earlier ? `The export to ${path} was interrupted` : `${path} exists`;
    throw new UsageError(`${what}. Use --resume to continue it, or --force to begin again.`);
  }
  if (earlier) {
    checkFlags(path, earlier.flags, plan.flags);
    return earlier;
  }
  if (!isThere) return undefined;
  if ((await sizeOf(manifestFile(path))) === undefined) {
    throw new UsageError(`${path} cannot be continued: ${manifestFile(path)} is missing. Use --force to overwrite it.`);
  }
  const { flags, incomplete } = await readManifest(path);
  checkFlags(path, flags, plan.flags);
  if (incomplete !== undefined) throw new IncompleteError(incomplete);
  return "complete";
}

type ScanState = ExportState & { readonly end: string };

const isScanState = (state: ExportState): state is ScanState => state.end !== null;

function checkFlags(path: string, before: ContentFlags, now: ContentFlags): void {
  const differences = describeDifferences(before, now);
  if (differences === "") return;
  throw new UsageError(
    `${path} was exported with other arguments: ${differences}. Repeat the command that began it, or use --force to begin again.`,
  );
}

/** Continues the file of an earlier process. */
async function resume(file: ExportFile, state: ExportState, digest: RecordDigest): Promise<void> {
  await file.continue(state);
  if (state.size === 0) return;
  for await (const { texts } of recordsOf(file.partial, state.size)) digest.add(texts ?? []);
}

interface Run {
  readonly plan: ListPlan;
  readonly file: ExportFile;
  readonly connection: ConnectedClient;
  readonly context: CommandContext;
  readonly state: ScanState | undefined;
  readonly end: RangeEnd;
  readonly digest: RecordDigest;
}

/** Reads the part of the range that is not in the file. */
async function readScan(run: Run): Promise<ExportResult> {
  const { plan, file, connection, context, state, end, digest } = run;
  const { io, values } = context;
  const { columns, start, limit, isNewestFirst, quiet } = plan;
  const progress = new Progress(io, !quiet && !values.has("verbose"), { start, end: end.end, isNewestFirst });
  const format = plan.format === "csv" ? "csv" : "ndjson";
  const records = new RowWriter({ format, columns, write: (rows) => file.write(rows), progress, digest });
  const writer = new ScanWriter({ file, writer: records, digest, state, now: io.now });
  let isBegun = false;
  const begin = async () => {
    if (state === undefined) await file.begin(plan.flags, end);
    isBegun = true;
    if (!state?.size) records.begin();
  };
  const onRecord: ReadOptions["onRecord"] = (record) => {
    const wait = writer.add(record);
    return isBegun ? wait : begin();
  };
  try {
    // An export that --force overwrites stays until a record has come.
    if (state !== undefined || file.state === undefined) await begin();
    const left = limit === undefined ? undefined : limit - digest.records;
    const range = unread(plan, end, state);
    const outcome: ReadOutcome =
      left === 0
        ? { coverage: undefined, incomplete: undefined }
        : await readRecords(connection, { ...plan, limit: left }, range, { signal: io.signal, onRecord });
    const { incomplete } = outcome;
    if (incomplete && isBehind(incomplete)) throw incomplete;
    if (!isBegun) await begin();
    await writer.end();
    return {
      records: digest.records,
      sha256: digest.digest(),
      incomplete,
      ...claim(run, range, writer.progress, outcome),
    };
  } catch (error) {
    if (!isBegun) throw error;
    if (digest.records === 0 && !state) {
      await file.discard();
      throw error;
    }
    // What is not saved is read again.
    await writer.save(true).catch(() => {});
    throw new ErrorWithAdvice(error, `To continue: ${resumeCommand(io.argv)}`);
  } finally {
    progress.clear();
  }
}

/** The part of the range that is not in the file. */
function unread({ start, isNewestFirst }: ListPlan, { end }: RangeEnd, state: ScanState | undefined): TimeRange {
  if (!state?.next) return { start, end };
  const next = BigInt(state.next);
  return isNewestFirst ? { start, end: next + 1n } : { start: next, end };
}

/**
 * What the file has all records of. An open start is that of the day of the oldest record, as in a scan.
 *
 * @param range - What was read in the end; an earlier process has read the rest.
 */
function claim(
  { plan, end, state, digest }: Run,
  range: TimeRange,
  { first, next }: ExportProgress,
  { coverage, incomplete }: ReadOutcome,
): Claim {
  const { start, limit, isNewestFirst } = plan;
  const oldest = isNewestFirst ? next : first;
  const whole = { start: start ?? (oldest === null ? undefined : startOfDay(BigInt(oldest))), end: end.end };
  const shown = coverage ?? coverageTo(range, next, isNewestFirst);
  const isStartLater = shown.start !== undefined && (range.start === undefined || shown.start > range.start);
  const isEndEarlier = shown.end !== undefined && range.end !== undefined && shown.end < range.end;
  const covered = {
    start: isStartLater ? shown.start : whole.start,
    end: isEndEarlier ? (shown.end as bigint) : whole.end,
  };
  // The end of a range that is read from there was shown to an earlier process.
  const isEndShown = shown.end !== undefined && !(isNewestFirst && state?.next && !state.block);
  const isLimited = incomplete === undefined && digest.records === limit;
  return {
    range: isLimited ? whole : covered,
    coverage: {
      ...covered,
      start: covered.start ?? 0n,
      end: isEndShown ? covered.end : undefined,
      block: latest(shown.block, end.block),
    },
  };
}

/** What was read if a limit ends with the records of the last time. */
const coverageTo = (range: TimeRange, next: string | null, isNewestFirst: boolean): Coverage => {
  const last = next === null ? undefined : BigInt(next);
  const part = isNewestFirst ? { start: last && last + 1n } : { end: last };
  return { ...range, ...part, start: part.start ?? range.start ?? 0n, block: undefined };
};

const latest = (a: Coverage["block"], b: Coverage["block"]) =>
  a && b ? (a.timestamp >= b.timestamp ? a : b) : (a ?? b);
