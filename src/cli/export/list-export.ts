import { rename, rm } from "node:fs/promises";
import type { Context } from "../command.js";
import type { Connection } from "../connection.js";
import { exitCodes, type IncompleteError, UsageError } from "../exit.js";
import type { ListPlan } from "../list-plan.js";
import { createFormat } from "../output/format.js";
import { count, Progress } from "../progress.js";
import { readRecords } from "../records.js";
import { FileSink, openFile } from "./file-sink.js";
import { manifestFile, partialFile, sizeOf, stateFile } from "./files.js";
import { writeManifest } from "./manifest.js";
import { RecordDigest } from "./record-digest.js";
import { RecordWriter } from "./record-writer.js";

/** An export that cannot be continued. The file has its name once it is complete. */
export async function exportList(plan: ListPlan, file: string, connection: Connection, { io, values }: Context) {
  const { columns, start, end, quiet, force } = plan;
  const isThere = (await sizeOf(file)) !== undefined;
  if (isThere && !force) throw new UsageError(`${file} exists. Use --force to overwrite it.`);
  const partial = partialFile(file);
  const sink = new FileSink(partial, await openFile(partial, 0), 0);
  const progress = new Progress(io, !quiet && !values.has("verbose"));
  const format = createFormat(plan.format, columns, io, true);
  const digest = new RecordDigest();
  const writer = new RecordWriter({ format, columns, write: (text) => sink.write(text), progress, digest });
  let incomplete: IncompleteError | undefined;
  try {
    try {
      await writer.begin();
      incomplete = await readRecords(connection, plan, { start, end }, { signal: io.signal, onRecord: writer.add });
      await writer.end();
    } finally {
      progress.clear();
      await sink.close();
    }
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  // The manifest and the state of an overwritten file are not those of the new one.
  await Promise.all([manifestFile(file), stateFile(file)].map((each) => rm(each, { force: true })));
  await rename(partial, file);
  const result = { records: digest.records, sha256: digest.digest(), incomplete: incomplete?.message };
  await writeManifest(file, plan, connection, result);
  if (!quiet) io.stderr.write(`${file}: ${count(result.records)} records.\n`);
  if (incomplete) throw incomplete;
  return exitCodes.done;
}
