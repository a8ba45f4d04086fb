/** The commands `votes`, `profiles`, `balances` and `signatures`: one for each list of the description. */
import type { Command } from "commander";
import { operationTexts } from "../../generated/operation-texts.js";
import { anyFlag, argumentFlags, hasNames, readArguments } from "../arguments.js";
import { complete, type Setup } from "../command.js";
import { ErrorWithAdvice, exitCodes, UsageError } from "../errors.js";
import {
  addFlags,
  columnFlags,
  decimalFlags,
  type FormatFlags,
  flag,
  formatFlag,
  groups,
  integer,
  type NodeFlags,
  nodeFlags,
  orders,
  type PageFlags,
  type PresentationFlags,
  pageFlags,
  quietFlag,
} from "../flags.js";
import { exampleIds } from "../ids.js";
import { count, Interruption, type Io, printMessage, write } from "../io.js";
import { isScannable, type ListId, lists } from "../operations.js";
import type { Column, WireRecord } from "../output/cells.js";
import { formatTime } from "../output/cells.js";
import type { ExportFile, Sink } from "../output/file.js";
import type { Target } from "../output/target.js";
import type { RecordWriter } from "../output/writer.js";
import type { Reading } from "../records.js";
import { atFlags, dbFlag } from "./reports.js";

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

const details: Partial<Record<ListId, string>> = {
  listBalanceChanges:
    "Reads every balance change in a range of time exactly once, in order of time. `vegaprotocol sync` keeps a local copy.",
};

/** How many records a terminal shows without further flags. */
const screenful = 30;

interface ListFlags extends NodeFlags, PageFlags, FormatFlags, PresentationFlags {
  readonly order?: (typeof orders)[number];
  readonly limit?: number;
  readonly cursor?: true;
  readonly output?: string;
  readonly force?: true;
  readonly allowIncomplete?: true;
  readonly quiet?: true;
  readonly at?: bigint;
  readonly completeHistory?: true;
  readonly db?: string;
}

/** Adds a command for each list, named after the member of the response that holds the page. */
export function addLists(program: Command, { io, action }: Setup): void {
  for (const { id, name } of lists) {
    const own = argumentFlags(id);
    const { summary, columns = {} } = operationTexts[id];
    const isScan = isScannable(id);
    const detail = details[id] === undefined ? "" : `\n\n${details[id]}`;
    const command = program
      .command(name)
      .summary(`${summary}.`)
      .description(`${summary}.${detail}\n\nThe columns are ${Object.keys(columns).join(", ")}.`)
      .usage("[flags]")
      .action(action((flags: ListFlags) => list(id, io, flags)));
    addFlags(command, [
      ...own.map(({ option }) => option),
      ...(hasNames(own) ? [anyFlag()] : []),
      flag("--order <ORDER>", `The order of the records. Default: ${isScan ? "oldest-first" : "newest-first"}.`, {
        choices: orders,
        group: groups.filter,
      }),
      flag("-n, --limit <N>", `Print at most this many records. Default: ${screenful} on a terminal, otherwise all.`, {
        parse: integer(),
        group: groups.filter,
      }),
      ...(isScan ? atFlags() : []),
      ...(isScan
        ? [
            flag("--cursor", "Read the list page by page instead of scanning it, with the newest record first.", {
              group: groups.filter,
            }),
          ]
        : []),
      formatFlag("inferred from the name of --output; otherwise a table on a terminal and NDJSON in a pipe"),
      flag(
        "-o, --output <FILE>",
        "Write all records to a file, in the format of its extension: .csv, .ndjson or .json, compressed if .gz or .zst follows. - is " +
          "stdout. The file is there when it is complete.",
        { group: groups.output },
      ),
      flag("--force", "Replace the --output file once the new one is complete.", { group: groups.output }),
      ...columnFlags(),
      ...(Object.values(columns).includes("amount") ? decimalFlags("assetId" in columns) : []),
      flag("--allow-incomplete", "Print what the node has if records are missing. The exit code is still 3.", {
        group: groups.output,
      }),
      quietFlag(),
      ...(isScan ? [dbFlag()] : []),
      ...nodeFlags(),
      ...pageFlags(isScan),
    ]);
    complete(command, { examples: examples[id] ?? [`${name} -n 10`], exits: [0, 1, 2, 3, 5, 130] });
  }
}

/** The flags of a list that have no meaning for the balances at a time. */
const listOnly = ["from", "to", "order", "limit", "cursor", "output", "force", "allowIncomplete"];

async function printAt(io: Io, flags: ListFlags & { readonly at: bigint }): Promise<number> {
  const found = Object.keys(flags).find((name) => listOnly.includes(name));
  if (found === undefined) return (await import("./reports.js")).printBalances(io, flags);
  throw new UsageError(`--at and --${found.replace("I", "-i")} cannot be combined.`);
}

/** A list that is printed or exported. */
interface Run {
  readonly io: Io;
  readonly flags: ListFlags;
  readonly reading: Reading;
  readonly columns: readonly Column[];
}

async function list(id: ListId, io: Io, flags: ListFlags): Promise<number> {
  const { at } = flags;
  if (at !== undefined) return printAt(io, { ...flags, at });
  if (flags.completeHistory || flags.db !== undefined)
    throw new UsageError("--complete-history and --db require --at.");
  const [{ readColumns }, { readTarget }] = await Promise.all([
    import("../output/columns.js"),
    import("../output/target.js"),
  ]);
  const reading = readReading(id, flags);
  const columns = await readColumns(operationTexts[id].columns ?? {}, flags);
  const target = readTarget(flags.output, flags.format);
  const run: Run = { io, flags, reading, columns };
  if (target === undefined) return printList(run);
  const { ExportFile, writeStream } = await import("../output/file.js");
  if (target.isStream) {
    return writeStream(target, async (sink) => finish(run, await writeRecords(run, target.format, sink)));
  }
  return exportList(run, target, new ExportFile(target, flags.force === true));
}

function readReading(id: ListId, flags: ListFlags): Reading {
  const { dateRange, ...query } = readArguments(id, argumentFlags(id), flags as object as Record<string, unknown>);
  const { startTimestamp: start, endTimestamp: end } = (dateRange ?? {}) as Record<string, bigint | undefined>;
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(
      `Expected --to to be no earlier than --from, got ${formatTime(end)} and ${formatTime(start)}.`,
    );
  }
  const { cursor, order, limit, pageSize, concurrency, catchUp } = flags;
  const isScan = isScannable(id) && !cursor;
  return {
    id,
    query,
    start,
    end,
    isScan,
    isNewestFirst: (order ?? (isScan ? "oldest-first" : "newest-first")) === "newest-first",
    limit,
    allowsIncomplete: flags.allowIncomplete === true,
    ...(pageSize !== undefined && { pageSize }),
    ...(concurrency !== undefined && { concurrency }),
    ...(catchUp !== undefined && { catchUp }),
  };
}

type Outcome = Awaited<ReturnType<typeof import("../records.js").readRecords>>;

/** Says what is not complete, and returns the exit code. */
async function finish({ io }: Run, { coverage, incomplete }: Outcome): Promise<number> {
  const { warnOfEnd } = await import("../records.js");
  warnOfEnd(io, coverage);
  if (incomplete) throw incomplete;
  return exitCodes.done;
}

async function printList(run: Run): Promise<number> {
  const { io, flags, reading } = run;
  const { formatOf } = await import("../output/encoder.js");
  const format = formatOf(flags.format, io);
  const isScreen = io.stdout.isTTY === true && flags.limit === undefined && flags.format === undefined;
  const notes: string[] = [];
  const onHidden = (names: readonly string[]) =>
    notes.push(`The terminal is too narrow for ${names.join(", ")}: choose with --columns.`);
  let records = 0;
  // One more shows whether there are more.
  const shown: Run = isScreen ? { ...run, reading: { ...reading, limit: screenful + 1 } } : run;
  const outcome = await writeRecords(
    shown,
    format,
    { write: (text) => write(io.stdout, text) },
    {
      onHidden,
      isStdout: true,
      onRecord: () => ++records <= screenful || !isScreen,
    },
  );
  if (isScreen && records > screenful) {
    notes.push(`The first ${screenful} records. For more: -n N, -o FILE, or --format ndjson|csv|json.`);
  }
  if (records === 0 && format === "table") notes.push("No records.");
  if (!flags.quiet && notes.length > 0) printMessage(io, notes.join(" "));
  return finish(run, outcome);
}

async function exportList(run: Run, target: Target, file: ExportFile): Promise<number> {
  const { io, flags } = run;
  const blocks = new CompleteBlocks();
  let outcome: Outcome;
  try {
    outcome = await writeRecords(run, target.format, file, { blocks });
    await file.finish();
  } catch (error) {
    const advice = await keepPart(run, target, file, blocks, error);
    throw advice === undefined ? error : new ErrorWithAdvice(error, advice);
  }
  if (!flags.quiet) printMessage(io, `${target.name}: ${count(blocks.records, "record")}.`);
  return finish(run, outcome);
}

interface WriteOptions {
  readonly isStdout?: boolean;
  readonly onHidden?: (names: readonly string[]) => void;
  /** Returns whether a record is printed. */
  readonly onRecord?: () => boolean;
  /** Holds records back until their block is complete. */
  readonly blocks?: CompleteBlocks;
}

async function writeRecords(
  run: Run,
  format: Target["format"],
  sink: Sink,
  options: WriteOptions = {},
): Promise<Outcome> {
  const { io, flags, reading, columns } = run;
  const { isStdout = false, onRecord = () => true, blocks } = options;
  const [{ createEncoder }, { RecordWriter }, { Progress }, { connect }, { readRecords }] = await Promise.all([
    import("../output/encoder.js"),
    import("../output/writer.js"),
    import("../progress.js"),
    import("../connection.js"),
    import("../records.js"),
  ]);
  const { client } = await connect(io, flags);
  const { start, end = BigInt(Date.now()) * 1_000_000n, isNewestFirst, isScan } = reading;
  // A line of progress would stand between the rows of a table.
  const isShown = !flags.quiet && !flags.verbose && !(isStdout && io.stdout.isTTY === true);
  const progress = new Progress(io, isShown, isScan ? { start, end, isNewestFirst } : undefined);
  const encoder = await createEncoder(format, columns, io, {
    isStdout,
    hasChosenColumns: flags.columns !== undefined,
    ...(options.onHidden && { onHidden: options.onHidden }),
  });
  const writer = new RecordWriter(encoder, sink, progress);
  const add = (record: WireRecord) => (onRecord() ? writer.add(record) : undefined);
  try {
    const outcome = await readRecords(client, reading, {
      signal: io.signal,
      onRecord: blocks ? (record) => blocks.add(record, writer) : add,
    });
    blocks?.end(writer);
    await writer.end();
    return outcome;
  } catch (error) {
    // What came before the error is printed. A JSON array on stdout stays open, so that it does not look complete.
    await writer.end({ isComplete: !isStdout }).catch(() => {});
    throw error;
  } finally {
    progress.clear();
  }
}

/** Passes records on once the next one has another time: what was written before an error is complete up to a time. */
class CompleteBlocks {
  #held: WireRecord[] = [];
  /** How many records were passed on. */
  records = 0;
  /** The time of the records that are held back: all before it were passed on. */
  time: unknown;

  add(record: WireRecord, writer: RecordWriter): Promise<void> | undefined {
    const { timestamp } = record;
    if (timestamp === this.time && timestamp !== undefined) {
      this.#held.push(record);
      return undefined;
    }
    const wait = this.end(writer);
    this.time = timestamp;
    this.#held.push(record);
    return wait;
  }

  /** Passes on what is held back. */
  end(writer: RecordWriter): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    for (const record of this.#held) {
      const wait = writer.add(record);
      if (wait) waits.push(wait);
    }
    this.records += this.#held.length;
    this.#held = [];
    return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined;
  }
}

/**
 * Keeps the complete blocks of an export that was interrupted or has failed, and returns how to continue. What cannot be continued is
 * removed.
 */
async function keepPart(
  { io, reading }: Run,
  { name, path }: Target,
  file: ExportFile,
  { records, time }: CompleteBlocks,
  error: unknown,
): Promise<string | undefined> {
  const { VegaError } = await import("vegaprotocol-client");
  const { IncompleteError } = await import("../errors.js");
  const canContinue = error instanceof Interruption || VegaError.is(error) || error instanceof IncompleteError;
  const isKept = reading.isScan && records > 0 && !file.hasFailed && canContinue && typeof time === "string";
  if (!isKept) {
    await file.discard();
    return undefined;
  }
  await file.close();
  const partial = name.endsWith(path) ? file.partial : `${name}${file.partial.slice(path.length)}`;
  const { continueCommand } = await import("../shell.js");
  const extension = /(?:\.[^./\\]+){1,2}$/.exec(name)?.[0] ?? "";
  const rest = `${name.slice(0, name.length - extension.length)}-rest${extension}`;
  const [side, place] = reading.isNewestFirst ? ["--to", BigInt(time) + 1n] : ["--from", BigInt(time)];
  const limit = reading.limit === undefined ? [] : ["--limit", String(reading.limit - records)];
  return [
    `${partial} has the ${count(records, "record")} ${reading.isNewestFirst ? "from" : "before"} ${formatTime(place)}.`,
    `To continue: ${continueCommand(io.argv, [side, formatTime(place), ...limit, "--output", rest])}`,
  ].join("\n");
}
