import { createHash } from "node:crypto";
import type { ListPlan } from "../list-plan.js";
import { readJson, stateFile, writeJson } from "./files.js";

/** What `FILE.state` holds: enough to continue an export with the same command. */
export interface ExportState {
  /** SHA-256 of everything that decides the content of the file. */
  readonly arguments: string;
  /** The end of the range in Unix nanoseconds. An open end is resolved once. */
  readonly end: string;
  readonly complete: boolean;
  /** Why records are missing, if some are. */
  readonly incomplete?: string | undefined;
}

export async function readState(file: string): Promise<ExportState | undefined> {
  const value = await readJson(stateFile(file));
  if (value === undefined) return undefined;
  const { arguments: digest, end, complete, incomplete } = value;
  if (
    typeof digest === "string" &&
    typeof end === "string" &&
    /^-?\d+$/.test(end) &&
    typeof complete === "boolean" &&
    (incomplete === undefined || typeof incomplete === "string")
  ) {
    return { arguments: digest, end, complete, incomplete };
  }
  throw new Error(`Expected ${stateFile(file)} to be the state of an export. Export again with --force.`);
}

export const writeState = (file: string, state: ExportState): Promise<void> => writeJson(stateFile(file), state);

/** The digest of the query, the order, the format and the columns. The node does not belong to it. */
export function argumentsDigest(plan: ListPlan): string {
  const { id, query, start, end, isNewestFirst, limit, format, columns, presentation, allowsIncomplete } = plan;
  const names = columns.map(({ name }) => name);
  const all = [id, query, start, end, isNewestFirst, limit, format, names, presentation, allowsIncomplete];
  return digestOf(all);
}

/** SHA-256 of values as JSON. */
export const digestOf = (values: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(values, bigintAsText)).digest("hex");

/** JSON has no bigint. */
export const bigintAsText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
