import { UsageError } from "../exit.js";
import type { ContentFlags } from "./content-flags.js";
import type { Written } from "./file-sink.js";
import { readJson, stateFile, writeJson } from "./files.js";
import type { TextDigest } from "./line-digest.js";

/** What the state of every file has: enough to continue it with the same command. */
export interface FileState extends Written {
  readonly flags: ContentFlags;
  /** Whether nothing was written behind the part that counts: the process has ended in order. */
  readonly ended?: boolean;
}

/** Reads the members of a state; `undefined` if there is none. */
export async function readFileState<State extends FileState>(
  file: string,
  isState: (value: Readonly<Record<string, unknown>>) => boolean,
): Promise<State | undefined> {
  const value = await readJson(stateFile(file));
  if (value === undefined) return undefined;
  const { flags, size, text } = value;
  if (isObject(flags) && isCount(size) && isTextDigest(text) && isState(value)) return value as object as State;
  throw new UsageError(
    `Expected ${stateFile(file)} to be the state of ${file}. Remove it, and use --force to begin again.`,
  );
}

export const writeState = <State extends FileState>(file: string, state: State): Promise<void> =>
  writeJson(stateFile(file), state);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function isTextDigest(value: unknown): value is TextDigest {
  if (!isObject(value)) return false;
  const { bytes, lines, sha256, every, marks } = value;
  return (
    isCount(bytes) && isCount(lines) && isCount(every) && [sha256, marks].every((each) => typeof each === "string")
  );
}
