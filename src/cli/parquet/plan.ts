import { statSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "../command.js";
import { UsageError } from "../exit.js";
import type { ContentFlags } from "../files/content-flags.js";
import { manifestFile, partialFile } from "../files/files.js";
import { Values } from "../flag-values.js";
import { type ListPlan, readListPlan } from "../list-plan.js";
import { isParquetName } from "./is-parquet.js";
import { type Partition, type Period, partitions } from "./periods.js";
import { mostDigits } from "./schema.js";

/** What an export to Parquet was asked to do. */
export interface ParquetPlan {
  readonly list: ListPlan;
  readonly output: string;
  readonly partition: Partition | undefined;
  readonly isTextAmount: boolean;
  readonly flags: ContentFlags;
  readonly resume: boolean;
  readonly force: boolean;
}

/** Reads the flags. Every error is found before something is sent or written. */
export function readParquetPlan(context: CommandContext): ParquetPlan {
  const { values } = context;
  const output = values.text("output");
  const partition = values.choice("partition", partitions);
  if (values.has("cursor")) throw new UsageError("--format parquet does not work with --cursor.");
  if (output === undefined || output === "-") throw new UsageError("Expected --output beside --format parquet.");
  const format = values.text("format") ?? "parquet";
  if (format !== "parquet")
    throw new UsageError(`Expected --output to end with a suffix of --format ${format}, got ${output}.`);
  checkOutput(output, partition);
  if (values.has("resume") && values.has("force")) throw new UsageError("Expected --resume or --force, got both.");
  const refused = ["raw", "order", "limit", "allow-incomplete"].find((name) => values.has(name));
  if (refused !== undefined) throw new UsageError(`--format parquet does not work with --${refused}.`);
  const own = ["output", "format", "partition", "text-amounts", "resume", "force"];
  const list = readListPlan("listBalanceChanges", { ...context, values: without(values, own) });
  const { decimals = 0 } = list.presentation;
  if (decimals > mostDigits)
    throw new UsageError(`Expected --decimals to be at most ${mostDigits} beside --format parquet, got ${decimals}.`);
  const isTextAmount = values.has("text-amounts");
  if (isTextAmount && values.has("decimals")) throw new UsageError("Expected --decimals or --text-amounts, got both.");
  if (!list.columns.some(({ name }) => name === "timestamp")) {
    throw new UsageError("--format parquet needs the column timestamp.");
  }
  const flags = {
    ...list.flags,
    format: "parquet",
    ...(partition && { partition }),
    ...(isTextAmount && { "text-amounts": "" }),
  };
  return {
    list,
    output,
    partition,
    isTextAmount,
    flags,
    resume: values.has("resume"),
    force: values.has("force"),
  };
}

function checkOutput(output: string, partition: Partition | undefined): void {
  const isFile = isParquetName(output);
  if (isFile && partition !== undefined) {
    throw new UsageError(`Expected --output to be a folder beside --partition, got ${output}.`);
  }
  if (!isFile && partition === undefined) {
    throw new UsageError(
      `Expected --output to end with .parquet, or --partition ${partitions.join("|")} beside a folder, got ${output}.`,
    );
  }
  const found = statSync(output, { throwIfNoEntry: false });
  if (found && (isFile ? !found.isFile() : !found.isDirectory())) {
    throw new UsageError(`Expected --output to be a ${isFile ? "regular file" : "folder"}, and ${output} is none.`);
  }
}

function without(values: Values, names: readonly string[]): Values {
  return new Values(new Map(values.entries().filter(([name]) => !names.includes(name))));
}

/** The manifest of a folder, or of a file. Engines skip names that begin with `_`. */
export const parquetManifestOf = (output: string): string =>
  isParquetName(output) ? manifestFile(output) : join(output, "_manifest.json");

/** Where the records of a period are written, and until they are complete. */
export function placesOf({ output, partition }: ParquetPlan, { name }: Period) {
  if (partition === undefined) return { relative: "", path: output, partial: partialFile(output) };
  const relative = `${name}/part.parquet`;
  return { relative, path: join(output, relative), partial: join(output, name, "_part.parquet.partial") };
}
