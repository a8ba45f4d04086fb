import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { operationTexts } from "../../../generated/command-line.js";
import type { CommandContext } from "../command.js";
import { type ConnectedClient, connect } from "../connection.js";
import { exitCodes, UsageError } from "../exit.js";
import { RecordDigest } from "../files/record-digest.js";
import { print, printMessage } from "../message.js";
import { formatTime, readColumns, type WireRecord, wireText } from "../output/columns.js";
import { count, Progress } from "../progress.js";
import { incompleteness, maxBufferedBytes, readScanFlags } from "../records.js";
import { type ManifestFile, type ParquetManifest, readParquetManifest } from "./parquet-manifest.js";
import { parquetManifestOf } from "./plan.js";

/** Checks that the files of an export to Parquet are what was written, and that the node has the same records. */
export async function verifyParquet(output: string, context: CommandContext): Promise<number> {
  const { io, values } = context;
  const path = parquetManifestOf(output);
  const manifest = await readParquetManifest(path);
  if (manifest === undefined) throw new UsageError(`${path} is missing. An export writes it when a file is complete.`);
  const connection = await connect(context);
  for (const file of manifest.files) {
    const difference =
      (await checkFile(join(dirname(path), file.path), file)) ?? (await compare(file, manifest, connection, context));
    if (difference === undefined) continue;
    printMessage(io, difference);
    return exitCodes.failed;
  }
  if (values.has("quiet")) return exitCodes.done;
  const records = manifest.files.reduce((sum, file) => sum + file.records, 0);
  const what = `${count(manifest.files.length)} files, ${count(records)} records`;
  await print(io, `${output} equals ${connection.nodes.join(", ")}: ${what}.\n`);
  return exitCodes.done;
}

/** Returns how a file differs from the one that was written. */
async function checkFile(path: string, { bytes, fileSha256 }: ManifestFile): Promise<string | undefined> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return `${path} is missing.`;
    throw error;
  }
  if (size !== bytes) return `${path} has ${count(size)} bytes, and had ${count(bytes)} when it was written.`;
  return hash.digest("hex") === fileSha256 ? undefined : `${path} was changed after it was written.`;
}

/** Returns how the records of the node differ from those that were written. */
async function compare(
  { path, start, end, records, sha256 }: ManifestFile,
  { query, columns: names }: ParquetManifest,
  { client, nodes }: ConnectedClient,
  { io, values }: CommandContext,
): Promise<string | undefined> {
  const columns = readColumns(operationTexts.listBalanceChanges.columns ?? {}, names.join(","), { raw: true });
  const range = { start: BigInt(start), end: BigInt(end) };
  const progress = new Progress(io, !values.has("quiet") && !values.has("verbose"), { ...range, isNewestFirst: false });
  const digest = new RecordDigest();
  const options = {
    signal: io.signal,
    ...readScanFlags(values),
    maxBufferedBytes,
  };
  try {
    const dateRange = { startTimestamp: range.start, endTimestamp: range.end };
    for await (const record of client.scanBalanceChanges({ ...query, dateRange }, options)) {
      digest.add(columns.map((column) => wireText(record as object as WireRecord, column)));
      progress.update(digest.records, record.timestamp);
    }
  } catch (error) {
    throw incompleteness(error, { id: "listBalanceChanges" }, range, path) ?? error;
  } finally {
    progress.clear();
  }
  if (digest.records === records && digest.digest() === sha256) return undefined;
  const where = `from ${formatTime(start)} to ${formatTime(end)}`;
  if (digest.records !== records) {
    return `${path} has ${count(records)} records, and ${nodes.join(", ")} has ${count(digest.records)} ${where}.`;
  }
  return `${path} has other records than ${nodes.join(", ")} ${where}.`;
}
