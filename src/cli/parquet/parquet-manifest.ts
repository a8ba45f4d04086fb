import { isDigits } from "../../values/digits.js";
import { UsageError } from "../exit.js";
import type { ContentFlags } from "../files/content-flags.js";
import { readJson } from "../files/files.js";
import { isCount } from "../files/state.js";
import type { WrittenFile } from "./parquet-file.js";

/** A file of an export to Parquet. It never changes. */
export interface ManifestFile extends WrittenFile {
  /** Relative to the folder of the manifest. */
  readonly path: string;
  /** Unix nanoseconds. The end does not belong to the range. */
  readonly start: string;
  readonly end: string;
}

/** What the manifest of an export to Parquet says. */
export interface ParquetManifest {
  readonly version: string;
  readonly operation: string;
  readonly query: object;
  readonly flags: ContentFlags;
  readonly columns: readonly string[];
  readonly node: readonly string[];
  /** Unix nanoseconds: the files have every record before it. */
  readonly next: string;
  readonly files: readonly ManifestFile[];
}

/** Reads a manifest; `undefined` if there is none. */
export async function readParquetManifest(path: string): Promise<ParquetManifest | undefined> {
  const manifest = await readJson(path);
  if (manifest === undefined) return undefined;
  const { query, flags, columns, next, files } = manifest;
  const isObject = (value: unknown) => typeof value === "object" && value !== null;
  if (isObject(query) && isObject(flags) && Array.isArray(columns) && isDigits(next) && Array.isArray(files)) {
    if (files.every(isManifestFile)) return manifest as object as ParquetManifest;
  }
  throw new UsageError(`Expected ${path} to be the manifest of an export to Parquet.`);
}

function isManifestFile(value: unknown): boolean {
  const { path, start, end, records, bytes, sha256, fileSha256 } = (value ?? {}) as Record<keyof ManifestFile, unknown>;
  const hasTexts = [path, sha256, fileSha256].every((each) => typeof each === "string");
  return hasTexts && isDigits(start) && isDigits(end) && isCount(records) && isCount(bytes);
}
