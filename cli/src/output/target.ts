import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../errors.js";
import { type FormatName, formats } from "../flags.js";

export interface Target {
  /** The name that the user gave, which errors show. */
  readonly name: string;
  /** The file itself, behind symbolic links. */
  readonly path: string;
  /** A pipe or a device cannot be replaced: it is written as it is. */
  readonly isStream: boolean;
  readonly format: FormatName;
  readonly isCompressed: boolean;
}

const extensions = new Map<string, FormatName>(
  Object.entries({ csv: "csv", ndjson: "ndjson", jsonl: "ndjson", json: "json", html: "html", svg: "svg" }),
);

/**
 * Returns the target of `--output` and its format; `undefined` for `-`, which is stdout.
 *
 * @throws {@link UsageError} if it cannot be written, or if its name does not fit the format.
 */
export function readTarget(name: string | undefined, format: FormatName | undefined): Target | undefined {
  if (name === undefined || name === "-") return undefined;
  const found = ifThere(() => statSync(name));
  if (found?.isDirectory() || /[/\\]$/.test(name) || /\.parquet$/i.test(name)) {
    throw new UsageError(
      `Expected --output to be a file of CSV, NDJSON, JSON or HTML, got ${name}. For a folder of Parquet files: vegaprotocol sync FOLDER/`,
    );
  }
  const isStream = found !== undefined && !found.isFile();
  const path = isStream ? name : followLink(name);
  return { name, path, isStream, ...readExtensions(name, format, isStream) };
}

/** The file behind a name. A symbolic link can lead to a file that does not exist yet. */
export const followLink = (name: string): string =>
  ifThere(() => lstatSync(name))?.isSymbolicLink()
    ? (ifThere(() => realpathSync(name)) ?? resolve(dirname(name), readlinkSync(name)))
    : name;

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The extensions of a name, and the format that belongs to them. */
export function extensionsOf(name: string) {
  const [, first = "", last = ""] = /(?<=[^/\\])(?:\.([^./\\]*))??\.([^./\\]*)$/.exec(name.toLowerCase()) ?? [];
  const isCompressed = last === "gz";
  const extension = isCompressed ? first : last;
  return { extension, isCompressed, named: extensions.get(extension) };
}

function readExtensions(name: string, format: FormatName | undefined, isStream: boolean) {
  const { extension, isCompressed, named } = extensionsOf(name);
  // The extension of a device such as /dev/stdout.1 is not a format.
  const isUnnamed = (extension === "" && !isCompressed) || (isStream && named === undefined);
  if (format === undefined && named === undefined && !isUnnamed) {
    const known = [...extensions.keys()].filter((each) => each !== "svg").map((each) => `.${each}`);
    throw new UsageError(
      `Expected --output to end with ${known.join(", ")}, or one of them and .gz, got ${name}. ` +
        `Use one of them, or --format ${formats.join("|")}.`,
    );
  }
  if (format !== undefined && named !== undefined && format !== named) {
    throw new UsageError(`Expected --output to end with an extension of --format ${format}, got ${name}.`);
  }
  return { format: format ?? named ?? ("ndjson" as const), isCompressed };
}
