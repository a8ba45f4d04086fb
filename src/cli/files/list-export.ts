import type { CommandContext } from "../command.js";
import type { ConnectedClient } from "../connection.js";
import { exitCodes, UsageError } from "../exit.js";
import type { ListPlan } from "../list-plan.js";
import { printMessage } from "../message.js";
import { createFormat } from "../output/format.js";
import { count, Progress } from "../progress.js";
import { type ReadOutcome, readRecords, warnOfEnd } from "../records.js";
import { ExportFile } from "./export-file.js";
import { sizeOf } from "./files.js";
import { createManifest } from "./manifest.js";
import { RecordDigest } from "./record-digest.js";
import { RecordWriter } from "./record-writer.js";

/** An export that cannot be continued. */
export async function exportList(plan: ListPlan, path: string, connection: ConnectedClient, context: CommandContext) {
  const { flags, force, quiet } = plan;
  const file = await ExportFile.open({ ...plan, path });
  try {
    if (!force && (await sizeOf(path)) !== undefined) {
      throw new UsageError(`${path} exists. Use --force to overwrite it.`);
    }
    await file.begin(flags, undefined);
    const digest = new RecordDigest();
    const { incomplete, coverage } = await writeRecords(plan, file, digest, connection, context);
    const result = { records: digest.records, sha256: digest.digest(), incomplete, coverage };
    await file.finish(createManifest(plan, connection, result));
    if (!quiet) printMessage(context.io, `${path}: ${count(result.records)} records.`);
    warnOfEnd(context.io, coverage);
    if (incomplete) throw incomplete;
    return exitCodes.done;
  } finally {
    await file.close();
  }
}

async function writeRecords(
  plan: ListPlan,
  file: ExportFile,
  digest: RecordDigest,
  connection: ConnectedClient,
  { io, values }: CommandContext,
): Promise<ReadOutcome> {
  const { columns, start, end, quiet } = plan;
  const progress = new Progress(io, !quiet && !values.has("verbose"));
  const format = createFormat(plan.format, columns, io, true);
  const writer = new RecordWriter({ format, columns, write: (text) => file.write(text), progress, digest });
  try {
    await writer.begin();
    const options = { signal: io.signal, onRecord: writer.add };
    const outcome = await readRecords(connection, plan, { start, end }, options);
    await writer.end();
    return outcome;
  } catch (error) {
    await writer.flush().catch(() => {});
    await file.discard();
    throw error;
  } finally {
    progress.clear();
  }
}
