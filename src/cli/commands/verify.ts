import { operationTexts } from "../../../generated/command-line.js";
import type { Context } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes } from "../exit.js";
import { Comparison } from "../export/comparison.js";
import { recordsOf } from "../export/file-records.js";
import { manifestFile } from "../export/files.js";
import { readManifest } from "../export/manifest.js";
import { readColumns } from "../output/columns.js";
import { count, Progress } from "../progress.js";
import { incompleteness, scanPageSize } from "../records.js";

/** Compares an exported file with the records of a node, in bounded memory. */
export async function verify(context: Context): Promise<number> {
  const { io, values, positionals } = context;
  const [file = ""] = positionals;
  const { format, query, range, order, limit, records, sha256, ...manifest } = await readManifest(file);
  const names = manifest.columns.join(",");
  const columns = readColumns(operationTexts.listBalanceChanges.columns ?? {}, names, manifest);
  const { client, nodes } = await connect(context);
  const node = nodes.join(", ");
  const isNewestFirst = order === "newest-first";
  const progress = new Progress(io, !values.has("quiet") && !values.has("verbose"), { ...range, isNewestFirst });
  const comparison = new Comparison({ node, columns, isNewestFirst, records: recordsOf(file, format, columns) });
  const dateRange = { startTimestamp: range.start, endTimestamp: range.end };
  const options = {
    order,
    maxItems: limit,
    signal: io.signal,
    concurrency: values.integer("concurrency"),
    pageSize: values.integer("page-size", { maximum: 2 ** 31 - 1 }) ?? scanPageSize,
  };
  let difference: string | undefined;
  try {
    for await (const record of client.scanBalanceChanges({ ...query, dateRange }, options)) {
      progress.update(comparison.digest.records + 1, record.timestamp);
      difference = await comparison.compare(record);
      if (difference !== undefined) break;
    }
    difference ??= await comparison.end();
  } catch (error) {
    throw incompleteness(error, { id: "listBalanceChanges" }, range, file) ?? error;
  } finally {
    progress.clear();
    await comparison.close();
  }
  if (difference === undefined && comparison.digest.digest() !== sha256) {
    difference = `The file equals the node, but not the digest in ${manifestFile(file)}: the manifest was changed.`;
  }
  if (difference !== undefined) {
    io.stderr.write(`${difference}\n`);
    return exitCodes.failed;
  }
  if (!values.has("quiet")) io.stdout.write(`${file} equals ${node}: ${count(records)} records, SHA-256 ${sha256}.\n`);
  return exitCodes.done;
}
