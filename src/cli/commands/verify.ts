import { operationTexts } from "../../../generated/command-line.js";
import type { CommandContext } from "../command.js";
import { type ConnectedClient, connect } from "../connection.js";
import { exitCodes, UsageError } from "../exit.js";
import { Comparison } from "../files/comparison.js";
import { recordsOf } from "../files/file-records.js";
import { manifestFile } from "../files/files.js";
import { readManifest, type ScanManifest } from "../files/manifest.js";
import { readSuffixes, readTarget } from "../files/target.js";
import { print, printMessage } from "../message.js";
import { readColumns } from "../output/columns.js";
import { isParquetExport } from "../parquet/is-parquet.js";
import { count, Progress } from "../progress.js";
import { incompleteness, maxBufferedBytes, readScanFlags } from "../records.js";

/** Compares an exported file with the records of a node, in bounded memory. */
export async function verify(context: CommandContext): Promise<number> {
  const { io, values, positionals } = context;
  const [file = ""] = positionals;
  if (isParquetExport(file)) return (await import("../parquet/verify-parquet.js")).verifyParquet(file, context);
  const manifest = await readManifest(file);
  const connection = await connect(context);
  const difference = await compare(file, manifest, connection, context);
  if (difference !== undefined) {
    printMessage(io, difference);
    return exitCodes.failed;
  }
  if (values.has("quiet")) return exitCodes.done;
  const what = manifest.incomplete === undefined ? "" : " in the range that it has all records of";
  const { records, sha256 } = manifest;
  await print(
    io,
    `${file} equals ${connection.nodes.join(", ")}${what}: ${count(records)} records, SHA-256 ${sha256}.\n`,
  );
  return exitCodes.done;
}

/** Returns the first difference, if there is one. */
async function compare(
  file: string,
  manifest: ScanManifest,
  connection: ConnectedClient,
  { io, values }: CommandContext,
) {
  const { format, query, range, order, limit, records, sha256 } = manifest;
  const names = manifest.columns.join(",");
  const columns = readColumns(operationTexts.listBalanceChanges.columns ?? {}, names, manifest);
  const target = readTarget(file);
  if (target?.kind !== "file") throw new UsageError(`Expected ${file} to be a regular file.`);
  const { compression } = readSuffixes(target, format);
  const isNewestFirst = order === "newest-first";
  const progress = new Progress(io, !values.has("quiet") && !values.has("verbose"), { ...range, isNewestFirst });
  const comparison = new Comparison({
    node: connection.nodes.join(", "),
    columns,
    isNewestFirst,
    records: recordsOf({ path: target.path, format, compression, columns }),
    // Beside a range that is complete, a file can have records of which others are missing.
    range: manifest.incomplete === undefined ? undefined : range,
  });
  const dateRange = { startTimestamp: range.start, endTimestamp: range.end };
  const options = {
    order,
    maxItems: limit,
    signal: io.signal,
    ...readScanFlags(values),
    maxBufferedBytes,
  };
  try {
    for await (const record of connection.client.scanBalanceChanges({ ...query, dateRange }, options)) {
      progress.update(comparison.digest.records + 1, record.timestamp);
      const difference = await comparison.compare(record);
      if (difference !== undefined) return difference;
    }
    const difference = await comparison.end();
    if (difference !== undefined) return difference;
  } catch (error) {
    throw incompleteness(error, { id: "listBalanceChanges" }, range, file) ?? error;
  } finally {
    progress.clear();
    await comparison.close();
  }
  if (comparison.digest.records !== records) {
    return `The file has ${count(comparison.digest.records)} records, and ${manifestFile(file)} says ${count(records)}.`;
  }
  if (comparison.digest.digest() === sha256) return undefined;
  return `The file equals the node, but not the digest in ${manifestFile(file)}: the manifest was changed.`;
}
