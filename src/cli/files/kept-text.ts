import { describe } from "../../errors/index.js";
import { UsageError } from "../exit.js";
import { readContent } from "./compression.js";
import { type RecordFile, recordsOf } from "./file-records.js";
import { sizeOf } from "./files.js";
import { type ChangedLines, findChange, LineDigest } from "./line-digest.js";
import type { FileState } from "./state.js";

/**
 * Checks that the part of a file that counts is what was written, and returns its digest.
 *
 * @throws {@link UsageError} that names the lines that were changed.
 */
export async function checkKeptText(file: RecordFile, state: FileState): Promise<LineDigest> {
  const { path } = file;
  const size = await sizeOf(path);
  if (size === undefined) throw changed(path, "it is missing");
  const digest = new LineDigest();
  try {
    for await (const content of readContent(path, file.compression, state.size)) digest.add(content);
  } catch (error) {
    throw changed(path, `line ${digest.digest().lines + 1} cannot be read: ${describe(error)}`);
  }
  const found = digest.digest();
  const change = findChange(state.text, found);
  if (change !== undefined) {
    const isCut = found.bytes < state.text.bytes && change.first > found.lines;
    const what = `it ends in line ${change.first}, and had ${state.text.lines} lines`;
    throw changed(path, isCut ? what : await describeChange(file, state.size, change));
  }
  // A process that was killed has written more than its state says. One that has ended in order has not.
  if (state.ended && size > state.size) throw changed(path, `${size - state.size} bytes behind line ${found.lines}`);
  return digest;
}

/** A line that is not a record is named. If all are records, one of several was changed. */
async function describeChange(file: RecordFile, size: number, { first, end }: ChangedLines): Promise<string> {
  for await (const { line, texts } of recordsOf(file, size)) {
    if (end !== undefined && line >= end) break;
    if (line >= first && texts === undefined) return `line ${line} is not a record`;
  }
  if (end === undefined) return `lines from ${first} on differ`;
  return end === first + 1 ? `line ${first} differs` : `lines ${first} to ${end - 1} differ`;
}

const changed = (path: string, what: string) =>
  new UsageError(`${path} is not what was written: ${what}. Restore it, or use --force to begin again.`);
