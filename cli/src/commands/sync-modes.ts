/**
 * The modes of `sync` that store no records of a node: `--check` compares a destination with a node, `--from-db`
 * copies a database, and `--dry` describes what a run would read.
 */
import { join } from "node:path";
import type { Connection } from "../connection.js";
import { describeReading } from "../dry.js";
import { exitCodes, IncompleteError, NoCopyError, UsageError } from "../errors.js";
import type { Flags } from "../flags.js";
import { count, type Io, printMessage, write } from "../io.js";
import { idOf } from "../operations.js";
import { checkSync, copyDatabase } from "../sync/check.js";
import { checkpointsBy, type Destination, hidePassword, type SyncList } from "../sync/destination.js";
import { isContinued, isRelational } from "../sync/destinations/relational.js";
import { openDestination } from "../sync/open.js";
import { tables } from "../sync/rows.js";
import { listsOf, type SyncOptions } from "../sync/run.js";
import { formatTime } from "../times.js";

export interface SyncFlags extends Flags {
  readonly party?: readonly string[];
  readonly proposal?: readonly string[];
  readonly id?: readonly string[];
  readonly follow?: true;
  readonly check?: true;
  readonly metrics?: { readonly host: string; readonly port: number };
  readonly fromDb?: string;
}

export interface SyncRun {
  readonly io: Io;
  readonly flags: SyncFlags;
  readonly plan: SyncOptions;
  /** DESTINATION as it was entered. */
  readonly entered: string;
  /** DESTINATION without its password. */
  readonly name: string;
  readonly connected: () => Promise<Connection>;
}

/** Reads the database of `--from-db` before it opens the destination, which creates it. */
export async function copy(
  { io, name }: SyncRun,
  file: string,
  withDestination: (perform: (destination: Destination) => Promise<number>) => Promise<number>,
): Promise<number> {
  const folderError = () => new UsageError("Expected --from-db and DESTINATION to be databases, got a folder.");
  const source = await openDestination(file, "read", io.signal);
  try {
    if (!isRelational(source)) throw folderError();
    return await withDestination(async (destination) => {
      if (!isRelational(destination)) throw folderError();
      const copied = await copyDatabase(source, destination);
      const counts = copied.map(([list, records]) => count(records, recordName(list)));
      await write(io.stdout, `${name} equals ${hidePassword(file)}: ${counts.join(", ")}.\n`);
      return exitCodes.done;
    });
  } finally {
    await source.close();
  }
}

export async function check({ io, flags, plan, name, connected }: SyncRun, destination: Destination): Promise<number> {
  const { client, nodes } = await connected();
  const isFolder = !isRelational(destination);
  const texts: string[] = [];
  let [isDifferent, incomplete]: [boolean, IncompleteError?] = [false];
  for await (const compared of checkSync(destination, client, { ...plan, signal: io.signal })) {
    const { list, records, uncompared, gap, different, range } = compared;
    const table = tables[list].name;
    isDifferent ||= different.length > 0;
    for (const { day, stored, node, missing, changed, surplus, first } of different) {
      const counts = `${count(stored, "record")}, ${digits(node)} in the node`;
      const what = `${digits(missing)} missing, ${digits(changed)} changed, ${digits(surplus)} that the node does not have`;
      const file = isFolder
        ? join(name, table, ...(list === "balances" ? [`date=${day}`] : []), "part.parquet")
        : table;
      const place = day === undefined || file.includes(day) ? file : `${file} ${day}`;
      printMessage(io, `${place}: ${counts}: ${what}. First: ${first.join("; ")}.`);
    }
    const times = range && ` from ${formatTime(range.start)} to ${formatTime(range.end)}`;
    if (uncompared > 0 || gap) {
      const shorter = `The node does not keep the ${digits(uncompared)} before. Use a node with a longer history.`;
      const reason = gap?.message ?? shorter;
      const names = `${recordName(list)}s${times ?? " that the node shows"}`;
      const equal = `Only the ${names} were compared, ${digits(records)}, and they are equal.`;
      incomplete = new IncompleteError(`${records > 0 ? equal : "Nothing was compared."} ${reason}`);
    }
    texts.push(`${name} equals ${nodes.join(", ")}${times ?? ""}: ${count(records, recordName(list))}.\n`);
  }
  if (isDifferent) return exitCodes.failed;
  if (incomplete) throw incomplete;
  if (!flags.quiet) await write(io.stdout, texts.join(""));
  return exitCodes.done;
}

export async function describeSync({ io, flags, plan, entered, name, connected }: SyncRun): Promise<number> {
  const destination = await openDestination(entered, "read", io.signal, flags, plan.balances).catch((error) => {
    if (!(error instanceof NoCopyError)) throw error;
  });
  const stored = (await destination?.checkpoints().finally(() => destination.close())) ?? [];
  const checkpointOf = checkpointsBy(stored);
  const connection = await connected();
  for (const [list, query] of listsOf(plan)) {
    const { from, ...filters } = query as { from?: bigint };
    const { position } = (destination && isContinued(destination, list) && checkpointOf(list, query)) || {};
    const planned = { id: idOf(list), query: filters, start: position ?? from, ...(list === "balances" && plan.scan) };
    const place = position === undefined ? undefined : `where ${name} ends`;
    await write(io.stdout, await describeReading(connection, planned, io.signal, place));
  }
  const isNew = stored.length === 0 ? ", which has no records yet" : "";
  await write(io.stdout, `Nothing is written to ${name}${isNew}.\n`);
  return exitCodes.done;
}

const digits = new Intl.NumberFormat("en").format;
export const recordName = (list: SyncList) => (list === "balances" ? "balance change" : list.slice(0, -1));
