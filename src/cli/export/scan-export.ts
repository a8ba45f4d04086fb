import { rm } from "node:fs/promises";
import type { Context } from "../command.js";
import type { Connection } from "../connection.js";
import { exitCodes, IncompleteError, UsageError } from "../exit.js";
import type { ListPlan } from "../list-plan.js";
import type { WireRecord } from "../output/columns.js";
import { createFormat } from "../output/format.js";
import { count, Progress } from "../progress.js";
import { readRecords, resolveEnd, type TimeRange } from "../records.js";
import { ErrorWithAdvice } from "../report.js";
import { FileSink, openFile } from "./file-sink.js";
import { manifestFile, sizeOf, stateFile } from "./files.js";
import { findKeptRecords, type KeptRecords } from "./kept-records.js";
import { writeManifest } from "./manifest.js";
import { RecordDigest } from "./record-digest.js";
import { RecordWriter } from "./record-writer.js";
import { resumeCommand } from "./resume-command.js";
import { argumentsDigest, type ExportState, readState, writeState } from "./state.js";

/** An export that can be interrupted at any time and continued. */
export async function exportScan(
  plan: ListPlan,
  file: string,
  connection: Connection,
  context: Context,
): Promise<number> {
  const { io } = context;
  const earlier = await findEarlierExport(plan, file);
  if (earlier?.complete) {
    if (!plan.quiet) io.stderr.write(`${file} is complete.\n`);
    return exitCodes.done;
  }
  const end = earlier ? BigInt(earlier.end) : await resolveEnd(connection, plan, io.signal);
  const state: ExportState = { arguments: argumentsDigest(plan), end: String(end), complete: false };
  const kept = earlier && (await sizeOf(file)) !== undefined ? await findKeptRecords(file, plan) : undefined;
  // In this order: a process that ends in between leaves no file without its state, and no state beside another file.
  if (kept === undefined) await rm(file, { force: true });
  await rm(manifestFile(file), { force: true });
  await writeState(file, state);
  const run = new ScanExport(plan, file, connection, context, { end, kept });
  let incomplete: IncompleteError | undefined;
  try {
    incomplete = await run.write(state);
  } catch (error) {
    if (run.isEmpty && kept === undefined) {
      await Promise.all([file, stateFile(file)].map((each) => rm(each, { force: true })));
      throw error;
    }
    if (error instanceof IncompleteError) throw error;
    throw new ErrorWithAdvice(error, `To continue: ${resumeCommand(io.argv)}`);
  }
  if (incomplete) throw incomplete;
  return exitCodes.done;
}

/** The state of the export that is continued; `undefined` if a new one begins. */
async function findEarlierExport(plan: ListPlan, file: string): Promise<ExportState | undefined> {
  const isThere = (await sizeOf(file)) !== undefined;
  if (!plan.resume) {
    if (!isThere || plan.force) return undefined;
    throw new UsageError(`${file} exists. Use --resume to continue its export, or --force to overwrite it.`);
  }
  const state = await readState(file);
  if (state === undefined) {
    if (!isThere) return undefined;
    throw new UsageError(`${stateFile(file)} is missing: ${file} cannot be continued. Use --force to export it again.`);
  }
  if (state.arguments !== argumentsDigest(plan)) {
    throw new UsageError(
      `${file} was exported with other arguments. Repeat the command that began it, or use --force to export it again.`,
    );
  }
  if (state.incomplete !== undefined) throw new IncompleteError(state.incomplete);
  return state.complete && !isThere ? undefined : state;
}

interface Continuation {
  /** Unix nanoseconds. */
  readonly end: bigint;
  readonly kept: KeptRecords | undefined;
}

/** One run of an export. */
class ScanExport {
  readonly #plan: ListPlan;
  readonly #file: string;
  readonly #connection: Connection;
  readonly #context: Context;
  readonly #continuation: Continuation;
  readonly #digest: RecordDigest;
  #writer: RecordWriter | undefined;
  #first: WireRecord | undefined;
  #last: WireRecord | undefined;
  #incomplete: IncompleteError | undefined;

  constructor(plan: ListPlan, file: string, connection: Connection, context: Context, continuation: Continuation) {
    this.#plan = plan;
    this.#file = file;
    this.#connection = connection;
    this.#context = context;
    this.#continuation = continuation;
    this.#digest = continuation.kept?.digest ?? new RecordDigest();
  }

  /** Whether this run has not written a record. */
  get isEmpty(): boolean {
    return (this.#writer?.records ?? 0) === 0;
  }

  /** Writes the file. Returns why records are missing, if the plan allows that and some are. */
  async write(state: ExportState): Promise<IncompleteError | undefined> {
    const file = this.#file;
    await this.#writeRecords(state);
    const incomplete = this.#incomplete?.message;
    const result = { records: this.#digest.records, sha256: this.#digest.digest(), incomplete, range: this.#range() };
    await writeManifest(file, this.#plan, this.#connection, result);
    await writeState(file, { ...state, complete: true, ...(incomplete !== undefined && { incomplete }) });
    if (!this.#plan.quiet) this.#context.io.stderr.write(`${file}: ${count(result.records)} records.\n`);
    return this.#incomplete;
  }

  async #writeRecords(state: ExportState): Promise<void> {
    const { io, values } = this.#context;
    const { isNewestFirst, columns, start, quiet } = this.#plan;
    const { end, kept } = this.#continuation;
    const position = kept?.position ?? 0;
    const sink = new FileSink(this.#file, await openFile(this.#file, position), position);
    const isShown = !quiet && !values.has("verbose");
    const progress = new Progress(io, isShown, { start, end, isNewestFirst });
    const format = createFormat(this.#plan.format, columns, io, true);
    const write = (text: string) => sink.write(text);
    const writer = new RecordWriter({ format, columns, write, progress, digest: this.#digest });
    this.#writer = writer;
    try {
      if (position === 0) await writer.begin();
      await this.#read(writer, io.signal);
    } catch (error) {
      // What was read before an error or a signal is kept for the next run.
      await writer.flush().catch(() => {});
      if (error instanceof IncompleteError && !this.isEmpty) {
        await writeState(this.#file, { ...state, incomplete: error.message });
      }
      throw error;
    } finally {
      progress.clear();
      await sink.close();
    }
  }

  async #read(writer: RecordWriter, signal: AbortSignal): Promise<void> {
    const { limit } = this.#plan;
    const left = limit === undefined ? undefined : limit - this.#digest.records;
    this.#incomplete = await readRecords(this.#connection, { ...this.#plan, limit: left }, this.#unread(), {
      signal,
      onRecord: (record) => {
        this.#first ??= record;
        this.#last = record;
        return writer.add(record);
      },
    });
    await writer.end();
  }

  /** The range of the file. An open start is the time of the oldest record. */
  #range() {
    const { start, isNewestFirst } = this.#plan;
    const { end, kept } = this.#continuation;
    const oldest = isNewestFirst ? this.#last?.["timestamp"] : (kept?.firstTime ?? this.#first?.["timestamp"]);
    const from = start ?? oldest;
    return { start: from === undefined ? null : String(from), end: String(end) };
  }

  /** The part of the range that is not in the file. */
  #unread(): TimeRange {
    const { start, isNewestFirst } = this.#plan;
    const { end, kept } = this.#continuation;
    if (kept?.time === undefined) return { start, end };
    return isNewestFirst ? { start, end: kept.time + 1n } : { start: kept.time, end };
  }
}
