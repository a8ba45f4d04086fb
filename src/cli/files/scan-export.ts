import { PaginationError } from "../../errors/index.js";
import type { Context } from "../command.js";
import type { Connection } from "../connection.js";
import { exitCodes, IncompleteError, UsageError } from "../exit.js";
import type { ListPlan } from "../list-plan.js";
import { printMessage } from "../message.js";
import { createFormat } from "../output/format.js";
import { count, Progress } from "../progress.js";
import { behindError, type RangeEnd, readRecords, resolveEnd, type TimeRange } from "../records.js";
import { ErrorWithAdvice } from "../report.js";
import { type ContentFlags, describeDifferences } from "./content-flags.js";
import { ExportFile, type ExportProgress, type ExportState } from "./export-file.js";
import { recordsOf } from "./file-records.js";
import { manifestFile, sizeOf } from "./files.js";
import { createManifest, type ExportResult, readManifest } from "./manifest.js";
import { RecordDigest } from "./record-digest.js";
import { RecordWriter } from "./record-writer.js";
import { resumeCommand } from "./resume-command.js";
import { ScanWriter } from "./scan-writer.js";

/** An export that can be interrupted at any time and continued. */
export async function exportScan(
  plan: ListPlan,
  path: string,
  connection: Connection,
  context: Context,
): Promise<number> {
  const { io } = context;
  const file = await ExportFile.open({ ...plan, path });
  try {
    const state = await findState(plan, path, file.state);
    if (state === "complete") {
      if (!plan.quiet) printMessage(io, `${path} is complete.`);
      return exitCodes.done;
    }
    const end = await resolveEnd(connection, plan, state?.end ? BigInt(state.end) : plan.end, io.signal);
    const digest = new RecordDigest();
    if (state) await resume(file, state, digest);
    else await file.begin(plan.flags, String(end.end));
    const run = { plan, file, connection, context, state, end, digest };
    const result = await readScan(run);
    await file.finish(createManifest(plan, connection, result));
    if (!plan.quiet) printMessage(io, `${path}: ${count(result.records)} records.`);
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
  const earlier = state?.end ? state : undefined;
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
  readonly connection: Connection;
  readonly context: Context;
  readonly state: ExportState | undefined;
  readonly end: RangeEnd;
  readonly digest: RecordDigest;
}

/** Reads the part of the range that is not in the file. */
async function readScan({ plan, file, connection, context, state, end, digest }: Run): Promise<ExportResult> {
  const { io, values } = context;
  const { columns, start, limit, isNewestFirst, quiet } = plan;
  const progress = new Progress(io, !quiet && !values.has("verbose"), { start, end: end.end, isNewestFirst });
  const format = createFormat(plan.format, columns, io, true);
  const records = new RecordWriter({ format, columns, write: (text) => file.write(text), progress, digest });
  const writer = new ScanWriter({ file, writer: records, digest, state, now: io.now });
  try {
    if (!state?.size) await records.begin();
    const left = limit === undefined ? undefined : limit - digest.records;
    const options = { signal: io.signal, onRecord: writer.add };
    const range = unread(plan, end, state);
    const incomplete = left === 0 ? undefined : await readRecords(connection, { ...plan, limit: left }, range, options);
    const isWhole = incomplete !== undefined || end.reached === end.end;
    await writer.end(isWhole ? undefined : String(end.reached));
    if (!isWhole && digest.records !== limit) throw behindError(end.reached, end.end);
    const all = { records: digest.records, sha256: digest.digest() };
    return { ...all, incomplete, range: claimedRange(plan, end.end, writer.progress, incomplete) };
  } catch (error) {
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
function unread({ start, isNewestFirst }: ListPlan, { reached }: RangeEnd, state: ExportState | undefined): TimeRange {
  if (!state?.next) return { start, end: reached };
  const next = BigInt(state.next);
  return isNewestFirst ? { start, end: next + 1n } : { start: next, end: reached };
}

/** What the file has all records of. An open start is the time of the oldest record. */
function claimedRange(
  { start, isNewestFirst }: ListPlan,
  end: bigint,
  { first, next }: ExportProgress,
  incomplete: IncompleteError | undefined,
): ExportResult["range"] {
  const cause = incomplete?.cause;
  const { availableFrom, timestamp } = PaginationError.is(cause) ? cause : {};
  const oldest = start ?? (isNewestFirst ? next : first);
  const whole = { start: oldest === null ? null : String(oldest), end: String(end) };
  if (incomplete === undefined) return whole;
  if (availableFrom !== undefined) return { ...whole, start: String(availableFrom) };
  // The scan has ended at this time, of which it may not have read all records.
  const last = timestamp ?? next ?? String(start ?? 0n);
  return isNewestFirst ? { ...whole, start: String(BigInt(last) + 1n) } : { ...whole, end: last };
}
