import { createWriteStream } from "node:fs";
import type { ListId } from "../../pagination/list-operation.js";
import type { CommandContext } from "../command.js";
import { type ConnectedClient, connect } from "../connection.js";
import { exitCodes, UsageError } from "../exit.js";
import { exportList } from "../files/list-export.js";
import { RecordWriter } from "../files/record-writer.js";
import { exportScan } from "../files/scan-export.js";
import { isResumable, type ListPlan, readListPlan } from "../list-plan.js";
import { printMessage } from "../message.js";
import { createFormat } from "../output/format.js";
import { stdoutWriter } from "../output/stdout.js";
import { isParquet } from "../parquet/is-parquet.js";
import { Progress } from "../progress.js";
import { type ReadOutcome, readRecords, warnOfEnd } from "../records.js";
import { scannable } from "../scannable.js";

/** Prints a list, or exports it to a file. */
export async function list(id: ListId, context: CommandContext): Promise<number> {
  if (scannable.includes(id) && isParquet(context.values)) {
    return (await import("../parquet/export-parquet.js")).exportParquet(context);
  }
  if (context.values.has("text-amounts")) throw new UsageError("Expected --format parquet beside --text-amounts.");
  const plan = readListPlan(id, context);
  const connection = await connect(context);
  const { target } = plan;
  if (target === undefined) return printList(plan, connection, context, stdoutWriter(context.io.stdout));
  if (target.kind === "file")
    return (isResumable(plan) ? exportScan : exportList)(plan, target.path, connection, context);
  // A pipe or a device cannot be replaced: it is written as it is.
  const stream = createWriteStream(target.path);
  try {
    return await printList(plan, connection, context, stdoutWriter(stream));
  } finally {
    stream.end();
  }
}

type Write = (text: string) => Promise<void>;

async function printList(plan: ListPlan, connection: ConnectedClient, { io, values }: CommandContext, write: Write) {
  const { columns, start, end, isNewestFirst, isScan, quiet, target } = plan;
  const isStdout = target === undefined;
  // A line of progress would stand between the rows of a table.
  const isShown = !quiet && !values.has("verbose") && !(isStdout && io.stdout.isTTY === true);
  const range = isScan ? { start, end: end ?? BigInt(Date.now()) * 1_000_000n, isNewestFirst } : undefined;
  const progress = new Progress(io, isShown, range);
  const format = createFormat(plan.format, columns, io, !isStdout);
  const writer = new RecordWriter({ format, columns, write, progress });
  let outcome: ReadOutcome;
  try {
    await writer.begin();
    outcome = await readRecords(connection, plan, { start, end }, { signal: io.signal, onRecord: writer.add });
    await writer.end();
  } catch (error) {
    // What came before the error is printed. A JSON array stays open, so that it does not look complete.
    if (plan.format !== "json") await writer.end().catch(() => {});
    throw error;
  } finally {
    progress.clear();
  }
  warnOfEnd(io, outcome.coverage);
  if (outcome.incomplete) throw outcome.incomplete;
  if (writer.records === 0 && plan.format === "table" && !quiet) printMessage(io, "No records.");
  return exitCodes.done;
}
