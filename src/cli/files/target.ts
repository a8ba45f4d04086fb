import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../exit.js";
import { type FormatName, formats } from "../flags.js";
import { type Compression, codecOf, compressions } from "./compression.js";

/** Where a name that was entered leads to. */
export interface Target {
  /**
   * - `"file"`: a regular file, or one that is not there yet.
   * - `"stream"`: a pipe or a device, which is written as it is.
   */
  readonly kind: "file" | "stream";
  /** The file itself, behind symbolic links. */
  readonly path: string;
  /** Whether the name is a symbolic link. */
  readonly isLink: boolean;
}

/**
 * Finds out what a name leads to; `undefined` for `-`, which is stdout.
 *
 * @param what - What the name was entered as, for the message.
 * @throws {@link UsageError} for a folder.
 */
export function readTarget(name: string | undefined, what = "--output"): Target | undefined {
  if (name === undefined || name === "-") return undefined;
  const found = ifThere(() => statSync(name));
  if (found?.isDirectory()) throw new UsageError(`Expected ${what} to be a file, and ${name} is a folder.`);
  const isLink = ifThere(() => lstatSync(name))?.isSymbolicLink() ?? false;
  if (found !== undefined && !found.isFile()) return { kind: "stream", path: name, isLink };
  return { kind: "file", path: isLink ? followLink(name) : name, isLink };
}

/** A link can lead to a file that is not there yet. */
const followLink = (name: string): string =>
  ifThere(() => realpathSync(name)) ?? resolve(dirname(name), readlinkSync(name));

/** Returns whether a name is that of a regular file, or is free. */
export function isReplaceable(path: string): boolean {
  const found: Stats | undefined = ifThere(() => lstatSync(path));
  return found?.isFile() ?? true;
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** What the name of a file says about its content. */
export interface NamedContent {
  readonly format: FormatName | undefined;
  readonly compression: Compression | undefined;
}

/** The suffixes of the formats of files. */
const suffixes: Readonly<Record<string, FormatName>> = { csv: "csv", ndjson: "ndjson", jsonl: "ndjson", json: "json" };

/**
 * Reads the suffixes of a name.
 *
 * @param format - The value of `--format`.
 * @throws {@link UsageError} if they are unknown, or do not fit the format.
 */
export function readSuffixes({ kind, path: name }: Target, format: FormatName | undefined): NamedContent {
  if (kind === "stream") return { format, compression: undefined };
  const [, suffix = "", last = ""] = /(?<=[^/\\])(?:\.([^./\\]*))??\.([^./\\]*)$/.exec(name.toLowerCase()) ?? [];
  const compression = compressions.find((each) => each === last);
  const named = compression === undefined ? last : suffix;
  // A name without a suffix says nothing.
  const expected = named === "" && compression === undefined ? (format ?? "ndjson") : suffixes[named];
  if (compression !== undefined && codecOf(compression) === undefined) {
    throw new UsageError(
      `${name} needs Zstandard, which Node.js has from 22.15 on, and this is ${process.version}. Use the extension .gz.`,
    );
  }
  if (format === undefined && expected === undefined) {
    const known = Object.keys(suffixes).map((each) => `.${each}`);
    throw new UsageError(
      `Expected --output to end with ${known.join(", ")}, each also with .${compressions.join(" or .")} behind it, got ${name}. ` +
        `Use one of them, or --format ${formats.join("|")}.`,
    );
  }
  if (format !== undefined && expected !== undefined && format !== expected) {
    throw new UsageError(`Expected --output to end with an extension of --format ${format}, got ${name}.`);
  }
  return { format: format ?? expected, compression };
}
