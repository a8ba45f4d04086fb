import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CommandContext } from "../command.js";
import { type ConnectedClient, connect } from "../connection.js";
import { exitCodes, UsageError } from "../exit.js";
import { describeDifferences } from "../files/content-flags.js";
import { sizeOf, writeJson } from "../files/files.js";
import { lock } from "../files/lock.js";
import { resumeCommand } from "../files/resume-command.js";
import { printMessage } from "../message.js";
import { formatTime, type WireRecord } from "../output/columns.js";
import { count, Progress } from "../progress.js";
import { findEnd, readRecords, warnOfEnd } from "../records.js";
import { ErrorWithAdvice } from "../report.js";
import { readVersion } from "../version.js";
import { loadWriter } from "./load-writer.js";
import { ParquetFile } from "./parquet-file.js";
import { type ManifestFile, type ParquetManifest, readParquetManifest } from "./parquet-manifest.js";
import { type Period, periodOf } from "./periods.js";
import { type ParquetPlan, parquetManifestOf, placesOf, readParquetPlan } from "./plan.js";

/** Exports balance changes to a Parquet file, or to a folder with a file for each day or month. */
export async function exportParquet(context: CommandContext): Promise<number> {
  const plan = readParquetPlan(context);
  const writer = await loadWriter();
  const connection = await connect(context);
  const path = parquetManifestOf(plan.output);
  await mkdir(dirname(path), { recursive: true });
  const held = await lock(path);
  try {
    const manifest = await openManifest(plan, path, connection);
    const run = new ParquetExport(plan, manifest, writer, connection, context);
    return await run.run();
  } finally {
    await held.release();
  }
}

/** The manifest of the export that is continued, or that of a new one. */
async function openManifest(plan: ParquetPlan, path: string, { nodes }: ConnectedClient): Promise<ParquetManifest> {
  const { list, output, flags, resume, force } = plan;
  const found = await readParquetManifest(path);
  if (found !== undefined && !resume && !force) {
    throw new UsageError(`${path} exists. Use --resume to continue the export, or --force to begin again.`);
  }
  if (found !== undefined && resume) {
    const differences = describeDifferences(found.flags, flags);
    if (differences === "") return found;
    throw new UsageError(
      `${output} was exported with other arguments: ${differences}. Repeat the command that began it, or use --force to begin again.`,
    );
  }
  if (found === undefined && plan.partition === undefined && !force && (await sizeOf(output)) !== undefined) {
    throw new UsageError(`${output} exists. Use --force to overwrite it.`);
  }
  // In this order: a process that ends in between leaves no file that no manifest names.
  for (const { path: file } of found?.files ?? []) await rm(join(dirname(path), file), { force: true });
  await rm(path, { force: true });
  return {
    version: `vegaprotocol-client ${readVersion()}`,
    operation: "scanBalanceChanges",
    query: list.query,
    flags,
    columns: list.columns.map(({ name }) => name),
    node: nodes,
    next: String(list.start ?? 0n),
    files: [],
  };
}

/** One run: from the first missing file to the last complete period. */
class ParquetExport {
  readonly #plan: ParquetPlan;
  readonly #writer: Awaited<ReturnType<typeof loadWriter>>;
  readonly #connection: ConnectedClient;
  readonly #context: CommandContext;
  #manifest: ParquetManifest;
  #file: ParquetFile | undefined;
  #period: Period | undefined;
  /** The time of its first record. */
  #first = 0n;
  #end = 0n;
  #records = 0;

  constructor(
    plan: ParquetPlan,
    manifest: ParquetManifest,
    writer: Awaited<ReturnType<typeof loadWriter>>,
    connection: ConnectedClient,
    context: CommandContext,
  ) {
    this.#plan = plan;
    this.#manifest = manifest;
    this.#writer = writer;
    this.#connection = connection;
    this.#context = context;
  }

  async run(): Promise<number> {
    const { list, output, partition } = this.#plan;
    const { io, values } = this.#context;
    const next = BigInt(this.#manifest.next);
    const start = next === 0n ? undefined : next;
    const isComplete = list.end !== undefined ? next >= list.end : partition === undefined && next > (list.start ?? 0n);
    if (isComplete) return this.#report(`${output} is complete.`);
    const { end } = await findEnd(this.#connection, { ...list, start }, io.signal);
    // A period that has not ended would change.
    this.#end = list.end === undefined && partition !== undefined ? periodOf(end, partition).start : end;
    if (start !== undefined && start >= this.#end) {
      return this.#report(`${output} is complete up to ${formatTime(start)}: no later ${partition} has ended.`);
    }
    const range = { start, end: this.#end, isNewestFirst: false };
    const progress = new Progress(io, !list.quiet && !values.has("verbose"), range);
    const onRecord = (record: WireRecord) => {
      progress.update(++this.#records, record["timestamp"]);
      return this.#add(record);
    };
    try {
      const outcome = await readRecords(this.#connection, list, range, { signal: io.signal, onRecord });
      if (partition === undefined && this.#file === undefined) await this.#open(start ?? 0n);
      await this.#finish();
      await this.#save(this.#end);
      progress.clear();
      warnOfEnd(io, outcome.coverage);
    } catch (error) {
      await this.#file?.discard();
      throw new ErrorWithAdvice(error, `To continue: ${resumeCommand(io.argv)}`);
    } finally {
      progress.clear();
    }
    const { files } = this.#manifest;
    const total = files.reduce((sum, { records }) => sum + records, 0);
    return this.#report(
      `${output}: ${count(total)} records in ${count(files.length)} files, up to ${formatTime(this.#end)}.`,
    );
  }

  #add(record: WireRecord): Promise<void> | undefined {
    const time = BigInt(String(record["timestamp"]));
    if (this.#period !== undefined && time < this.#period.end) return this.#file?.add(record);
    return this.#turn(time, record);
  }

  async #turn(time: bigint, record: WireRecord): Promise<void> {
    await this.#finish();
    await this.#open(time);
    await this.#file?.add(record);
  }

  async #open(time: bigint): Promise<void> {
    const { partition, list, isTextAmount } = this.#plan;
    const whole = { name: "", start: BigInt(this.#manifest.next), end: this.#end };
    this.#period = partition === undefined ? whole : periodOf(time, partition);
    this.#first = time;
    const { decimals } = list.presentation;
    const places = placesOf(this.#plan, this.#period);
    this.#file = await ParquetFile.open({
      ...places,
      columns: list.columns,
      writer: this.#writer,
      isTextAmount,
      decimals,
    });
  }

  /** Completes the file of the current period, which from then on never changes. */
  async #finish(): Promise<void> {
    const [file, period] = [this.#file, this.#period];
    if (file === undefined || period === undefined) return;
    this.#file = undefined;
    const written = await file.finish();
    const next = BigInt(this.#manifest.next);
    // An open start is the time of the oldest record: of earlier ones, the node may have dropped some.
    const start = next === 0n ? this.#first : period.start > next ? period.start : next;
    const end = period.end < this.#end ? period.end : this.#end;
    const path = placesOf(this.#plan, period).relative || basename(this.#plan.output);
    const entry: ManifestFile = { path, start: String(start), end: String(end), ...written };
    await this.#save(end, [...this.#manifest.files, entry]);
  }

  async #save(next: bigint, files = this.#manifest.files): Promise<void> {
    this.#manifest = { ...this.#manifest, next: String(next), files };
    const query = JSON.parse(
      JSON.stringify(this.#manifest.query, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    );
    await writeJson(parquetManifestOf(this.#plan.output), { ...this.#manifest, query });
  }

  #report(text: string): number {
    if (!this.#plan.list.quiet) printMessage(this.#context.io, text);
    return exitCodes.done;
  }
}
