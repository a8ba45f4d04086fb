/** The commands `votes`, `profiles`, `balances` and `signatures`: one for each list of the description. */
import { type Coverage, VegaError } from "vegaprotocol-client";
import { operationTexts } from "../../generated/operation-texts.js";
import { argumentFlags, readArguments } from "../arguments.js";
import { type Definition, exampleIds } from "../command.js";
import { connect } from "../connection.js";
import { describeReading, dryFlag } from "../dry.js";
import { ErrorWithAdvice, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { count, Interruption, type Io, printMessage, write } from "../io.js";
import { isScannable, type ListId, listOperation, lists } from "../operations.js";
import { listAssets, requireProposal } from "../other-paths.js";
import { columnsText } from "../output/columns.js";
import { readTarget, refuseOther } from "../output/file.js";
import { createEncoder, formatOf } from "../output/print.js";
import { createPrinter, type Printer } from "../output/printer.js";
import { readUnits } from "../output/units.js";
import { coverageNotes, type Reading, readRecords, startsLate, unprovenEnd } from "../records.js";
import { checkRange, formatTime } from "../times.js";
import { atFlags, dbFlags, printBalances, refuseSchema } from "./balance-reports.js";

const { party, asset, proposal, resource } = exampleIds;

const examples: Partial<Record<ListId, readonly string[]>> = {
  listVotes: [
    `votes --proposal ${proposal} -n 10`,
    `votes --party ${party} --columns timestamp,value`,
    `votes --proposal ${proposal} -o votes.json`,
  ],
  listPartiesProfiles: ["profiles", `profiles --party ${party} --format json`, "profiles -o profiles.csv.gz"],
  listBalanceChanges: [
    `balances --asset ${asset} -n 10 --columns timestamp,balance --decimals node`,
    "balances --account-type general --account-type bond -n 10",
    "balances --from 2024-02-09T16:54:30Z --to 2024-02-09T16:54:45Z -o balances.csv",
    `balances --party ${party} --at 2024-02-09T16:54:45Z`,
  ],
  listNodeSignatures: [`signatures --id ${resource}`, `signatures --id ${resource} --columns sig --format csv`],
};

const scanDetails =
  "Reads every balance change in a range of time exactly once, in order of time. `vegaprotocol sync` keeps a local copy.";
const orders = { choices: ["oldest-first", "newest-first"] };

/** The bounds of the coverage that the caller has not given. */
function boundsText({ start, end }: Coverage, reading: Reading, records: number): string {
  const upTo = reading.end === undefined && end !== undefined && start < end ? ` up to ${formatTime(end)}` : "";
  if (reading.start !== undefined) return upTo && `The records are complete${upTo}.`;
  if (records === 0) return `There are no records before ${formatTime(start)}, or the node does not keep them.`;
  return `The records are complete from ${formatTime(start)}${upTo || " on"}. Earlier ones are unknown.`;
}

/** A command for each list, named after the member of the response that holds the page. */
export const listCommands = lists.map(({ id, name }): Definition => {
  const { summary, columns = {} } = operationTexts[id];
  const isScan = isScannable(id);
  // Nodes show lists whose cursors they reject as pages of one size.
  const hasPages = listOperation(id).cursors?.rejectedWith === undefined;
  const order = isScan ? "newest-first with --limit and in a table, otherwise oldest-first" : "newest-first";
  return {
    name,
    summary: `${summary}.`,
    details: ((isScan ? scanDetails : "") + columnsText(columns, isScan)).trim(),
    flags: [
      ...argumentFlags(id).map(({ option }) => option),
      flag.filterFlag("--order <ORDER>", `The order of the records. Default: ${order}.`, orders),
      flag.limitFlag(),
      ...(isScan ? atFlags() : []),
      ...flag.fileFlags(),
      dryFlag().conflicts("at"),
      ...flag.presentationFlags(columns),
      flag.quietFlag(),
      ...(isScan ? dbFlags(" Requires --at.") : []),
      ...flag.nodeFlags(),
      ...(isScan ? flag.scanFlags() : hasPages ? [flag.pageSizeFlag("the list's page size")] : []),
    ],
    examples: examples[id] ?? [`${name} -n 10`],
    run: (io, flags) => list(id, io, flags),
  };
});

async function list(id: ListId, io: Io, entered: flag.Flags): Promise<void> {
  const { at, completeHistory, db, format, output, force = false, dry } = entered;
  // The range is the default of a configuration: commander refuses --from with --at.
  if (at !== undefined) return printBalances(io, "balances", { ...entered, from: undefined, to: undefined });
  refuseSchema(entered);
  if (completeHistory || db !== undefined) {
    throw new UsageError(`${db === undefined ? "--complete-history" : "--db"} requires --at.`);
  }
  const kinds = operationTexts[id].columns ?? {};
  // Every wrong flag is found before a request is sent, or a file is opened.
  readReading(id, io, entered);
  const target = readTarget(output, format);
  const connection = await connect(io, entered);
  const { client } = connection;
  const formatted = { html: true, table: dry ? false : "if-listed" } as const;
  const isFormatted = formatted[(target?.format ?? formatOf(format, io)) as keyof typeof formatted];
  const { flags, units } = await readUnits(io, entered, kinds, () => listAssets(client, io.signal), isFormatted);
  const reading = readReading(id, io, flags);
  const title = operationTexts[id].summary.replace(/^List (.)/, (_, letter: string) => letter.toUpperCase());
  let coverage: Coverage | undefined;
  const notes = () => coverageNotes(coverage?.start, coverage?.end);
  const encoder = createEncoder(io, flags, kinds, target?.format, { title, units, notes });
  if (flags.dry) {
    if (target) refuseOther(target, force);
    const planned = await describeReading(connection, reading, io.signal);
    await write(io.stdout, target ? `${planned}Nothing is written to ${target.name}.\n` : planned);
    return;
  }
  const printer = createPrinter(io, flags, encoder, target, isScannable(id));
  let note = "";
  try {
    const { add, limit } = printer;
    coverage = await readRecords(client, { ...reading, limit }, io.signal, add);
    await printer.end();
    const { proposalId } = reading.query;
    if (printer.read() === 0 && proposalId !== undefined) await requireProposal(client, String(proposalId), io.signal);
    // The newest records do not show whether the start is complete.
    const isCut = printer.read() === limit;
    if (coverage && !(reading.isNewestFirst && isCut)) {
      const late = startsLate(coverage.start, reading.start, reading.end);
      if (late) throw late;
      // A program that reads a pipe and knows where its range begins gets no message.
      const shown = isCut ? { ...coverage, end: undefined } : coverage;
      if (reading.start === undefined || target) note = boundsText(shown, reading, printer.read());
    }
    const unproven = unprovenEnd(coverage, reading.end ?? 0n);
    if (unproven !== undefined && reading.end !== undefined) throw new IncompleteError(unproven);
    await printer.finish();
    if (unproven !== undefined)
      printMessage(io, "Warning: the responses have no block headers, so newer records may be missing.");
  } catch (error) {
    const canContinue = error instanceof Interruption || error instanceof IncompleteError || VegaError.is(error);
    const partial = await printer.stop(canContinue);
    const failed = [error, (error as Error).cause].find((each) => VegaError.is(each));
    // The start of the range may be missing as well.
    const late = reading.isNewestFirst
      ? undefined
      : startsLate(failed?.coverage?.start ?? reading.start ?? 0n, reading.start, reading.end);
    const advice = partial === undefined ? [] : [adviceOf(reading, partial, printer.written())];
    if (late && printer.written().records > 0) advice.push(late.message);
    throw advice.length > 0 ? new ErrorWithAdvice(error, advice.join("\n")) : error;
  }
  printer.printNotes(reading.isNewestFirst ? "newest" : "first", note === "" ? [] : [note]);
}

function readReading(id: ListId, io: Io, flags: flag.Flags): Reading {
  const { dateRange, ...query } = readArguments(id, flags);
  const { startTimestamp: start, endTimestamp: end } = (dateRange ?? {}) as Record<string, bigint | undefined>;
  checkRange(start, end, flags, { isEndExcluded: true });
  const isTable = flags.output === undefined && formatOf(flags.format, io) === "table";
  const isExport = isScannable(id) && !isTable && flags.limit === undefined;
  const { order = isExport ? "oldest-first" : "newest-first", limit } = flags;
  const { pageSize, concurrency, catchUp } = flags;
  return { id, query, start, end, isNewestFirst: order === "newest-first", limit, pageSize, concurrency, catchUp };
}

function adviceOf({ isNewestFirst }: Reading, partial: string, { records, time }: ReturnType<Printer["written"]>) {
  if (time === undefined) return `${partial} has the ${count(records, "record")} that were read.`;
  const position = BigInt(String(time));
  const [flag, side, place] = isNewestFirst ? ["--to", "from", position + 1n] : ["--from", "before", position];
  const at = formatTime(place);
  return `${partial} has the ${count(records, "record")} ${side} ${at}. To export the rest, use ${flag} ${at} and another --output.`;
}
