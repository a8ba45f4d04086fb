/** The commands `votes`, `profiles`, `balances` and `signatures`: one for each list of the description. */
import type { Command } from "commander";
import { VegaError } from "vegaprotocol-client";
import { operationTexts } from "../../generated/operation-texts.js";
import { argumentFlags, filterFlags, readArguments } from "../arguments.js";
import { addCommand, exampleIds, type Setup } from "../command.js";
import { connect } from "../connection.js";
import { ErrorWithAdvice, exitCodes, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { count, Interruption, type Io, printMessage, write } from "../io.js";
import { isScannable, type ListId, listOperation, lists } from "../operations.js";
import { type Column, formatTime, readColumns, type WireRecord } from "../output/columns.js";
import { ExportFile, OutputFile } from "../output/file.js";
import { createEncoder, describeHidden, formatOf } from "../output/print.js";
import { readTarget, type Target } from "../output/target.js";
import { RecordWriter } from "../output/writer.js";
import { Progress } from "../progress.js";
import { type Reading, readRecords, warnOfEnd } from "../records.js";
import { atFlags, dbFlag, printBalances } from "./reports.js";

const { party, asset, proposal, resource } = exampleIds;

const examples: Partial<Record<ListId, readonly string[]>> = {
  listVotes: [
    `votes --proposal ${proposal} -n 10`,
    `votes --party ${party} --columns timestamp,value`,
    `votes --proposal ${proposal} -o votes.json`,
  ],
  listPartiesProfiles: ["profiles", `profiles --party ${party} --format json`, "profiles -o profiles.csv.gz"],
  listBalanceChanges: [
    `balances --asset ${asset} -n 10 --columns timestamp,balance --decimals 18`,
    "balances --account-type general --account-type bond --order newest-first -n 10",
    "balances --from 2024-02-09T16:54:30Z --to 2024-02-09T16:54:45Z -o balances.csv",
    `balances --party ${party} --at 2024-02-09T16:54:45Z`,
  ],
  listNodeSignatures: [`signatures --id ${resource}`, `signatures --id ${resource} --columns sig --format csv`],
};

const screenful = 30;

interface ListFlags extends flag.NodeFlags, flag.PageFlags, flag.PresentationFlags {
  readonly order?: "oldest-first" | "newest-first";
  readonly limit?: number;
  readonly output?: string;
  readonly force?: true;
  readonly at?: bigint;
  readonly completeHistory?: true;
  readonly db?: string;
}

const scanDetails =
  "Reads every balance change in a range of time exactly once, in order of time. `vegaprotocol sync` keeps a local copy.";
const outputText =
  "Write all records to a file, in the format of its extension: .csv, .ndjson or .json, each also with .gz. It is there once it is " +
  "complete. - is stdout.";
const orders = { choices: ["oldest-first", "newest-first"] };

/** Nodes show lists whose cursors they reject as pages of one size. */
const hasPages = (id: ListId) => listOperation(id).cursors?.rejectedWith === undefined;

/** Adds a command for each list, named after the member of the response that holds the page. */
export function addLists(program: Command, setup: Setup): void {
  const { filterFlag: filter, outputFlag: output } = flag;
  for (const { id, name } of lists) {
    const { summary, columns = {} } = operationTexts[id];
    const isScan = isScannable(id);
    const order = isScan ? "oldest-first" : "newest-first";
    const most = `Print at most this many records. Default: ${screenful} on a terminal, otherwise all.`;
    addCommand<ListFlags>(program, setup, {
      name,
      summary: `${summary}.`,
      details: `${isScan ? scanDetails : ""}\n\nThe columns are ${Object.keys(columns).join(", ")}.`.trim(),
      flags: [
        ...filterFlags(argumentFlags(id)),
        filter("--order <ORDER>", `The order of the records. Default: ${order}.`, orders),
        filter("-n, --limit <N>", most, { parse: flag.integer() }),
        ...(isScan ? atFlags() : []),
        flag.formatFlag("inferred from the name of --output; otherwise a table on a terminal and NDJSON in a pipe"),
        output("-o, --output <FILE>", outputText),
        output("--force", "Replace the --output file once the new one is complete."),
        ...flag.presentationFlags(columns),
        flag.quietFlag(),
        ...(isScan ? [dbFlag()] : []),
        ...flag.nodeFlags(),
        ...(isScan ? flag.scanFlags() : hasPages(id) ? [flag.pageSizeFlag("the list's page size")] : []),
      ],
      examples: examples[id] ?? [`${name} -n 10`],
      exits: [0, 1, 2, 3, 5, 130],
      run: (flags) => list(id, setup.io, flags),
    });
  }
}

/** The flags of a list that have no meaning for the balances at a time. */
const listOnly = { from: 0, to: 0, order: 0, limit: 0, output: 0, force: 0 };

interface Run {
  readonly io: Io;
  readonly flags: ListFlags;
  readonly reading: Reading;
  readonly columns: readonly Column[];
}

async function list(id: ListId, io: Io, flags: ListFlags): Promise<number> {
  const { at, completeHistory, db, format, output } = flags;
  if (at !== undefined) {
    const found = Object.keys(flags).find((name) => name in listOnly);
    if (found === undefined) return printBalances(io, { ...flags, at });
    throw new UsageError(`--at and --${found} cannot be combined.`);
  }
  if (completeHistory || db !== undefined) throw new UsageError("--complete-history and --db require --at.");
  const reading = readReading(id, flags);
  const columns = await readColumns(operationTexts[id].columns ?? {}, flags);
  const target = readTarget(output, format);
  const run: Run = { io, flags, reading, columns };
  if (target === undefined) return printList(run);
  return target.isStream ? printToStream(run, target) : exportList(run, target);
}

function readReading(id: ListId, flags: ListFlags): Reading {
  const { dateRange, ...query } = readArguments(id, argumentFlags(id), flags);
  const { startTimestamp: start, endTimestamp: end } = (dateRange ?? {}) as Record<string, bigint | undefined>;
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(
      `Expected --to to be no earlier than --from, got ${formatTime(end)} and ${formatTime(start)}.`,
    );
  }
  const { order = isScannable(id) ? "oldest-first" : "newest-first", limit } = flags;
  const { pageSize, concurrency, catchUp } = flags;
  const range = { start, end, isNewestFirst: order === "newest-first", limit };
  return { id, query, ...range, pageSize, concurrency, catchUp };
}

async function printList(run: Run): Promise<number> {
  const { io, flags } = run;
  const format = formatOf(flags.format, io);
  const isScreen = io.stdout.isTTY === true && flags.limit === undefined && flags.format === undefined;
  const notes: string[] = [];
  const onHidden = (names: readonly string[]) => notes.push(describeHidden(names));
  let records = 0;
  // One more shows whether there are more.
  const shown: Run = isScreen ? { ...run, reading: { ...run.reading, limit: screenful + 1 } } : run;
  const writer = openWriter(shown, format, (text) => write(io.stdout, text), { isStdout: true, onHidden });
  await readTo(shown, writer, () => ++records <= screenful || !isScreen);
  if (isScreen && records > screenful) {
    notes.push(`The first ${screenful} records. For more: -n N, -o FILE, or --format ndjson|csv|json.`);
  }
  if (records === 0 && format === "table") notes.push("No records.");
  if (!flags.quiet && notes.length > 0) printMessage(io, notes.join(" "));
  return exitCodes.done;
}

/** Writes to a pipe or a device. */
async function printToStream(run: Run, target: Target): Promise<number> {
  const stream = new OutputFile(target.name, target.path, target.isCompressed);
  try {
    const write = (text: string) => stream.write(text);
    await readTo(run, openWriter(run, target.format, write));
    return exitCodes.done;
  } finally {
    await stream.close();
  }
}

async function exportList(run: Run, target: Target): Promise<number> {
  const { io, flags, reading } = run;
  const file = new ExportFile(target, flags.force === true);
  // The widths of a table are those of its first rows.
  const isByBlock = isScannable(reading.id) && target.format !== "table";
  const writer = openWriter(run, target.format, (text) => file.write(text), { isByBlock });
  try {
    await readTo(run, writer);
    await file.finish();
  } catch (error) {
    const canContinue = error instanceof Interruption || error instanceof IncompleteError || VegaError.is(error);
    const isKept = isByBlock && canContinue && writer.records > 0 && (await file.keep());
    if (!isKept) await file.discard();
    throw isKept ? new ErrorWithAdvice(error, adviceOf(reading, file.partial, writer)) : error;
  }
  if (!flags.quiet) printMessage(io, `${target.name}: ${count(writer.records, "record")}.`);
  return exitCodes.done;
}

/** Says what an export that was interrupted or has failed leaves beside the file, and how to export the rest. */
function adviceOf({ isNewestFirst }: Reading, partial: string, { records, time }: RecordWriter): string {
  const position = BigInt(String(time));
  const [flag, side, place] = isNewestFirst ? ["--to", "from", position + 1n] : ["--from", "before", position];
  const at = formatTime(place);
  return `${partial} has the ${count(records, "record")} ${side} ${at}. To export the rest, use ${flag} ${at} and another --output.`;
}

interface WriterOptions {
  readonly isStdout?: boolean;
  readonly isByBlock?: boolean;
  readonly onHidden?: (names: readonly string[]) => void;
}

function openWriter(
  { io, flags, columns }: Run,
  format: Target["format"],
  writeText: (text: string) => Promise<void>,
  { isStdout = false, isByBlock = false, onHidden = () => {} }: WriterOptions = {},
): RecordWriter {
  // A line of progress would stand between the rows of a table.
  const progress = new Progress(io, !flags.quiet && !flags.verbose && !(isStdout && io.stdout.isTTY === true));
  const hasChosenColumns = flags.columns !== undefined;
  const encoder = createEncoder(format, columns, io, { isStdout, hasChosenColumns, onHidden });
  // A JSON array on stdout stays open after an error, so that it does not look complete.
  return new RecordWriter(encoder, writeText, progress, { isByBlock, hasEnd: !isStdout });
}

/** @param isPrinted - Called for each record. */
async function readTo({ io, flags, reading }: Run, writer: RecordWriter, isPrinted = () => true): Promise<void> {
  const { client } = await connect(io, flags);
  const onRecord = (record: WireRecord) => (isPrinted() ? writer.add(record) : undefined);
  try {
    const coverage = await readRecords(client, reading, { signal: io.signal, onRecord });
    await writer.end();
    warnOfEnd(io, coverage);
  } catch (error) {
    // What came before the error is printed.
    await writer.stop().catch(() => {});
    throw error;
  }
}
