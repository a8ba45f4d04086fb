/** The commands `votes`, `profiles`, `balances` and `signatures`: one for each list of the description. */
import type { Command } from "commander";
import { VegaError } from "vegaprotocol-client";
import { operationTexts } from "../../generated/operation-texts.js";
import { argumentFlags, filterFlags, readArguments } from "../arguments.js";
import { addCommand, exampleIds, type Setup } from "../command.js";
import { connect } from "../connection.js";
import { describeReading, dryFlag } from "../dry.js";
import { ErrorWithAdvice, exitCodes, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { count, Interruption, type Io, printMessage, write } from "../io.js";
import { isScannable, type ListId, listOperation, lists } from "../operations.js";
import { listAssets, requireProposal } from "../other-paths.js";
import { readColumns, type WireRecord } from "../output/columns.js";
import { OutputFile, refuseOther } from "../output/file.js";
import { createEncoder, formatOf } from "../output/print.js";
import { readTarget } from "../output/target.js";
import { formatTime } from "../output/time-format.js";
import { readUnits } from "../output/units.js";
import { RecordWriter } from "../output/writer.js";
import { Progress } from "../progress.js";
import { type Reading, readRecords, startsLate, warnOfEnd } from "../records.js";
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

/** How many records a terminal shows. */
export const screenful = 30;
export const moreText = (which: "first" | "newest") =>
  `The ${which} ${screenful} records. For more: -n N, -o FILE, or --format ndjson|csv|json.`;

interface ListFlags extends flag.NodeFlags, flag.PageFlags, flag.PresentationFlags {
  readonly order?: "oldest-first" | "newest-first";
  readonly limit?: number;
  readonly at?: string;
  readonly completeHistory?: true;
  readonly db?: string;
  readonly dry?: true;
}

const scanDetails =
  "Reads every balance change in a range of time exactly once, in order of time. `vegaprotocol sync` keeps a local copy.";
const orders = { choices: ["oldest-first", "newest-first"] };

const startText = (start: bigint) => `The records are complete from ${formatTime(start)} on. Earlier ones are unknown.`;

/** Nodes show lists whose cursors they reject as pages of one size. */
const hasPages = (id: ListId) => listOperation(id).cursors?.rejectedWith === undefined;

/** Adds a command for each list, named after the member of the response that holds the page. */
export function addLists(program: Command, setup: Setup): void {
  const { filterFlag: filter } = flag;
  for (const { id, name } of lists) {
    const { summary, columns = {} } = operationTexts[id];
    const isScan = isScannable(id);
    const order = isScan ? "newest-first in a table, otherwise oldest-first" : "newest-first";
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
        ...flag.fileFlags(),
        dryFlag().conflicts("at"),
        ...flag.presentationFlags(columns),
        flag.quietFlag(),
        ...(isScan ? [dbFlag()] : []),
        ...flag.nodeFlags(),
        ...(isScan ? flag.scanFlags() : hasPages(id) ? [flag.pageSizeFlag("the list's page size")] : []),
      ],
      examples: examples[id] ?? [`${name} -n 10`],
      run: (io, flags) => list(id, io, flags),
    });
  }
}

async function list(id: ListId, io: Io, entered: ListFlags): Promise<number> {
  const { at, completeHistory, db, format, output, limit, force = false } = entered;
  if (at !== undefined) return printBalances(io, "balances", entered);
  if (completeHistory || db !== undefined) throw new UsageError("--complete-history and --db require --at.");
  const kinds = operationTexts[id].columns ?? {};
  // Every wrong flag is found before a request is sent, or a file is opened.
  readReading(id, io, entered);
  const target = readTarget(output, format);
  const connection = await connect(io, entered);
  const { client } = connection;
  const { flags, units } = await readUnits(io, entered, kinds, () => listAssets(client, io.signal));
  const reading = readReading(id, io, flags);
  const title = operationTexts[id].summary.replace(/^List (.)/, (_, letter: string) => letter.toUpperCase());
  const encoder = createEncoder(io, flags, readColumns(kinds, flags, units), target?.format, { title, units });
  if (flags.dry) {
    if (target) refuseOther(target, force);
    const planned = await describeReading(connection, reading, io.signal);
    await write(io.stdout, `${planned}Nothing is written to ${target?.name ?? "stdout"}.\n`);
    return exitCodes.done;
  }
  const file = target && new OutputFile(target, force);
  const isTerminal = file === undefined && io.stdout.isTTY === true;
  const isScreen = isTerminal && limit === undefined && format === undefined;
  // A line of progress would stand between the rows of a table.
  const progress = new Progress(io, flags, !isTerminal);
  const writeText = (text: string) => (file ? file.write(text) : write(io.stdout, text));
  // An incomplete file that stays has whole blocks.
  const isByBlock = file !== undefined && isScannable(id);
  const writer = new RecordWriter(encoder, writeText, progress, isByBlock);
  let records = 0;
  /** The records are complete from this time on. */
  let start: bigint | undefined;
  const onRecord = (record: WireRecord) => (++records > screenful && isScreen ? undefined : writer.add(record));
  try {
    // One more shows whether there are more.
    const wanted = isScreen ? { ...reading, limit: screenful + 1 } : reading;
    const coverage = await readRecords(client, wanted, { signal: io.signal, onRecord });
    await writer.end();
    const { proposalId } = reading.query;
    if (records === 0 && proposalId !== undefined) await requireProposal(client, String(proposalId), io.signal);
    // The newest records alone say nothing of the start.
    if (coverage && !(reading.isNewestFirst && records === wanted.limit)) {
      const late = startsLate(coverage.start, reading.start);
      if (late) throw late;
      start = coverage.start;
    }
    await file?.finish();
    warnOfEnd(io, coverage);
  } catch (error) {
    // Records before the error are printed.
    await writer.end(true).catch(() => {});
    const canContinue = error instanceof Interruption || error instanceof IncompleteError || VegaError.is(error);
    const isKept = await file?.stop(isByBlock && canContinue && writer.records > 0);
    const { coverage } = [error, (error as Error).cause].find((each) => VegaError.is(each)) ?? {};
    // The rest lacks the part at the start that was not proved.
    const late = reading.isNewestFirst ? undefined : startsLate(coverage?.start ?? 0n, reading.start);
    const advice = file && isKept ? [adviceOf(reading, file.path, writer)] : [];
    if (late && writer.records > 0) advice.push(late.message);
    throw advice.length > 0 ? new ErrorWithAdvice(error, advice.join("\n")) : error;
  }
  const notes = [
    ...(start !== undefined && reading.start === undefined ? [startText(start)] : []),
    ...(target ? [`${target.name}: ${count(records, "record")}.`] : []),
    ...(isTerminal && records === 0 ? ["No records."] : []),
    ...(isScreen && records > screenful ? [moreText(reading.isNewestFirst ? "newest" : "first")] : []),
  ];
  for (const note of flags.quiet ? [] : notes) printMessage(io, note);
  return exitCodes.done;
}

function readReading(id: ListId, io: Io, flags: ListFlags): Reading {
  const { dateRange, ...query } = readArguments(id, flags);
  const { startTimestamp: start, endTimestamp: end } = (dateRange ?? {}) as Record<string, bigint | undefined>;
  const isTable = flags.output === undefined && formatOf(flags.format, io) === "table";
  const { order = isScannable(id) && !isTable ? "oldest-first" : "newest-first", limit } = flags;
  const { pageSize, concurrency, catchUp } = flags;
  const range = { start, end, isNewestFirst: order === "newest-first", limit };
  return { id, query, ...range, pageSize, concurrency, catchUp };
}

/** Tells which file an interrupted or failed export leaves, and how to export the rest. */
function adviceOf({ isNewestFirst }: Reading, partial: string, { records, time }: RecordWriter): string {
  if (time === undefined) return `${partial} has the ${count(records, "record")} that were read.`;
  const position = BigInt(String(time));
  const [flag, side, place] = isNewestFirst ? ["--to", "from", position + 1n] : ["--from", "before", position];
  const at = formatTime(place);
  return `${partial} has the ${count(records, "record")} ${side} ${at}. To export the rest, use ${flag} ${at} and another --output.`;
}
