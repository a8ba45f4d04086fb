/** The commands `statement` and `series`, and `balances --at`. */
import type { Option } from "commander";
import type { BalanceChangesFilter, VegaClient } from "vegaprotocol-client";
import { kebab, listFilters, readArguments } from "../arguments.js";
import type { Definition } from "../command.js";
import { connect } from "../connection.js";
import { IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { type Io, printMessage } from "../io.js";
import { listAssets } from "../other-paths.js";
import { readTarget } from "../output/file.js";
import { printRecords } from "../output/print.js";
import { readUnits } from "../output/units.js";
import { createProgress } from "../progress.js";
import { coverageNotes, explain, leaveOutTo, startsLate, unprovenEnd } from "../records.js";
import * as shared from "../reports.js";
import { createCopy } from "../sync/copy.js";
import { checkRange, checkTime, formatTime, readTime } from "../times.js";

const { filterFlag: filter } = flag;

const dbText = "Read a DESTINATION of vegaprotocol sync, such as vega.db, instead of a node.";

export const dbFlags = (more = ""): Option[] => [
  flag.nodeFlag("--db <DESTINATION>", dbText + more),
  flag.nodeFlag("--schema <NAME>", flag.schemaText),
];

const completeText =
  "Print 0 for accounts without an earlier record: the records go back to the first block. Default: unknown, an empty cell.";
const completeAtText =
  "The records go back to the first block: accounts that are not shown had no balance. Default: that is unknown.";

const atText = "Print the balance of each account at this time, such as 2024-12-31 or now.";

export const atFlags = (): Option[] => [
  filter("--at <TIME>", atText, { parse: checkTime }).conflicts(["from", "to", "order", "limit"]),
  filter("--complete-history", completeAtText),
];

const toText =
  "The time of the closing balances, such as 2024-02-01. Default: now, which is the newest complete block.";

const incompleteText =
  " It also appears, with exit code 3, if the node does not keep all records that the report needs.";

const balanceFlags = (formats?: readonly flag.FormatName[]): Option[] => [
  filter("--from <TIME>", "Start of the report, such as 2024-01-01.", { parse: checkTime, mandatory: true }),
  filter("--to <TIME>", toText, { parse: checkTime }),
  ...listFilters("listBalanceChanges"),
  filter("--complete-history", completeText),
  ...flag.presentationFlags(shared.reportColumns.statement, "node"),
  flag.quietFlag(),
  ...flag.scanFlags(),
  ...flag.fileFlags(formats, incompleteText),
  ...dbFlags(),
  ...flag.nodeFlags(),
];

const monthlyText =
  "Add a row with the total and the last balance of each month in --time-zone, and the columns month and total.";
const groupNames = shared.groupNames.map(kebab);
const periods = { choices: ["change", "minute", "hour", "day", "week", "month"] };
const range = "--from 2024-02-09T16:54:30Z --to 2024-02-09T16:54:45Z";

export const balanceCommands: readonly Definition[] = [
  {
    name: "statement",
    summary: "Print opening balances, changes and closing balances of accounts.",
    details: "The opening balance of an account and its changes after --from up to --to add up to its closing balance.",
    flags: [filter("--monthly", monthlyText), ...balanceFlags()],
    examples: [
      `statement --asset VEGA ${range}`,
      `statement --asset VEGA ${range} --monthly --time-zone Europe/Berlin --times spreadsheet -o statement.csv`,
    ],
    run: (io, flags) => printBalances(io, "statement", flags),
  },
  {
    name: "series",
    summary: "Print balances at the end of each period, or at each change.",
    details:
      "Periods are in --time-zone, and weeks begin on Monday. With --every change, a group has a row whenever one of its accounts " +
      "changes. Balances of different assets are never added.",
    flags: [
      filter("--every <PERIOD>", "The period. Default: day.", periods),
      filter("--group-by <NAMES>", `What to sum balances by: names of ${groupNames.join(", ")}. Default: all of them.`),
      ...balanceFlags([...flag.formats, "svg"]),
    ],
    examples: [`series ${range} --every hour --group-by party,asset`],
    run: (io, flags) => printBalances(io, "series", flags),
  },
];

export async function clientOf(io: Io, flags: flag.Flags): Promise<VegaClient> {
  const { db, schema } = flags;
  refuseSchema(flags);
  return db === undefined ? (await connect(io, flags)).client : createCopy(db, schema).client;
}

export function refuseSchema({ db, schema }: flag.Flags): void {
  if (db === undefined && schema !== undefined) throw new UsageError("--schema requires --db.");
}

/** How many rows a report can have. A million of them take about half a gigabyte. */
const mostRows = 1_000_000;

const titles = { balances: "Balances", statement: "Statement", series: "Balances over time" };

/** @throws {@link IncompleteError} once the report is printed, if changes after `from` may be missing. */
export async function printBalances(io: Io, name: shared.BalanceReportName, entered: flag.Flags): Promise<void> {
  // A wrong flag is found before a request is sent.
  readArguments("listBalanceChanges", entered);
  readTarget(entered.output, entered.format);
  const { timeZone, quiet, completeHistory: isComplete = false, from, pageSize, concurrency, catchUp } = entered;
  const { at: to = entered.to, monthly: isMonthly, every, output = "-" } = entered;
  const groupBy = shared.readGroup(entered.groupBy, "--group-by", groupNames);
  const kinds = shared.columnsOf(name, { groupBy, isMonthly });
  const first = from === undefined ? undefined : readTime(from, timeZone);
  const until = to === undefined || to === "now" ? undefined : readTime(to, timeZone);
  checkRange(first, until, { from, to });
  const client = await clientOf(io, entered);
  const { flags, units } = await readUnits(io, entered, kinds, () => listAssets(client, io.signal), true);
  const { filter = {} } = readArguments("listBalanceChanges", flags) as { filter?: BalanceChangesFilter };
  const end = until ?? (await shared.newestTime(client, filter, name === "balances" ? "--at" : "--to", io.signal));
  if (first !== undefined && first > end) {
    const [reached, begin] = [end, first].map(formatTime);
    throw new IncompleteError(`The node is behind: it has reached ${reached}, and the report begins at ${begin}.`);
  }
  const start = first ?? end;
  const toNewest = name === "balances" ? " Use --at now for the newest complete block." : leaveOutTo;
  const advice = until === undefined ? "" : toNewest;
  const report = { from: first, to: end, isComplete, isMonthly, timeZone, every, groupBy, mostRows };
  let found: Awaited<ReturnType<typeof shared.readBalanceReport>> | undefined;
  const read = async () => {
    const progress = createProgress(io, flags);
    const options = { pageSize, concurrency, catchUp, signal: io.signal, onChange: progress.update };
    found = await shared
      .readBalanceReport(client, name, filter, report, options)
      .catch((error) => Promise.reject(explain(error, { start, end }, advice)))
      .finally(progress.clear);
    const { rows, coverage, kept } = found;
    if (!quiet && name === "balances" && until === undefined) printMessage(io, `Balances at ${formatTime(end)}.`);
    if (!quiet && !isComplete) {
      const known = `The records begin at ${formatTime(kept ?? coverage.start)}. Earlier balances are unknown`;
      const unknown = "accounts that have not changed since are not shown";
      printMessage(io, `${known}, and ${unknown}. If the network has no earlier records, add --complete-history.`);
    }
    return rows;
  };
  const notes = () => [
    ...(found ? coverageNotes(found.coverage.start, end) : []),
    ...(isComplete ? [] : ["Balances before the first record of an account are unknown."]),
  ];
  // "now" would mean nothing on a page that is read later.
  const shown = until === undefined ? { ...flags, [name === "balances" ? "at" : "to"]: String(end) } : flags;
  await printRecords(io, shown, kinds, read, units, { title: titles[name], notes });
  const { kept, coverage } = found ?? {};
  const source = entered.db === undefined ? "node" : "copy";
  const late = (from: bigint) =>
    startsLate(from, start, end, source)?.message ??
    (isComplete
      ? `The records are complete from ${formatTime(from)} on, and --complete-history needs those before. Use a ${source} that keeps them.`
      : undefined);
  const unknown = kept === undefined ? undefined : late(kept);
  const reason = unknown ?? unprovenEnd(coverage, end);
  if (reason === undefined) return;
  throw new IncompleteError(
    output === "-"
      ? reason
      : `${output} is written, and balances in it ${unknown ? "are unknown" : "can be older"}. ${reason}`,
  );
}
