import { statSync } from "node:fs";
import type { Values } from "../flag-values.js";

/** Whether a name is that of a Parquet file. */
export const isParquetName = (name: string): boolean => /\.parquet$/i.test(name);

/** Whether a command exports to Parquet. */
export const isParquet = (values: Values): boolean =>
  values.text("format") === "parquet" || values.has("partition") || isParquetName(values.text("output") ?? "");

/** Whether a name is that of an export to Parquet: a file, or a folder with one for each day or month. */
export const isParquetExport = (name: string): boolean =>
  isParquetName(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
