/** A destination in a folder of Parquet files: one for each day of balance changes, and one for each other list. */
import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, realpath, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BalanceChange } from "vegaprotocol-client";
import { ExitError, NoCopyError, UsageError } from "../../errors.js";
import { writeError } from "../../output/file.js";
import { dateOf, day, dayOf, earliest, formatTime, latest } from "../../times.js";
import { nameOfQuery } from "../check.js";
import {
  type BalancesQuery,
  type Batch,
  canonicalJson,
  type Destination,
  type OpenMode,
  type StoredList,
  type SyncList,
  syncLists,
} from "../destination.js";
import { type Row, recordOf, rowOf, tables, wantedIn, wantedOf } from "../rows.js";
import { lock, refuseMoved } from "../sqlite.js";
import {
  changedError,
  createParquet,
  openParquet,
  type ParquetFile,
  readParquet,
  type WrittenFile,
} from "./parquet-file.js";

export interface ParquetOptions {
  readonly mode: OpenMode;
  /** Which balance changes the folder must have, if it has any. Default: those that it has. */
  readonly query: BalancesQuery | undefined;
  /** Whether the day that is not over is written, too. */
  readonly hasPartialDay: boolean;
}

const endOf = (start: bigint): bigint => start + day;

const pathOf = (folder: string, list: SyncList, ...day: string[]) =>
  join(folder, tables[list].name, ...day, "part.parquet");

interface DayFile extends WrittenFile {
  readonly day: bigint;
  /**
   * Its range, in Unix nanoseconds. It begins where the file before ends, so that a missing file is noticed, and ends
   * before the day does if that was not over.
   */
  readonly start: bigint;
  readonly end: bigint;
}

interface OpenDay {
  readonly day: bigint;
  readonly start: bigint;
  readonly file: ParquetFile;
  /** The records that this run has added. */
  added: number;
}

/** Opens a folder, which does not have to be there, and locks it for this process unless it is only read. */
export async function openParquetFolder(name: string, options: ParquetOptions): Promise<Destination> {
  const { query = { filter: {} }, hasPartialDay } = options;
  const folder = await realpath(name).catch(() => resolve(name));
  await refuseOthers(name, folder, options.mode);
  const release = options.mode === "read" ? async () => {} : await lockFolder(folder);
  const days = await readDays(folder, options).catch(async (error) => {
    await release();
    throw error;
  });
  const checkFolder = refuseMoved(folder, "folder");
  const { columns } = tables.balances;
  const last = days.at(-1);
  let openDay: OpenDay | undefined;
  /** Everything before it is in a file, or in the day that is being written. */
  let reached: bigint | undefined;
  let end = last?.end;
  /** The records that this run has stored of the other lists. */
  const others: Batch[] = [];

  /** Begins the file of a day, whose records are complete from a time on. */
  function beginDay(day: bigint, start: bigint): OpenDay {
    const path = pathOf(folder, "balances", `date=${dateOf(day)}`);
    openDay = { day, start, file: createParquet(path, columns), added: 0 };
    return openDay;
  }

  /** Gives the file of the day its name: it has every record before its end. */
  async function finishDay({ day, start, file }: OpenDay, before = endOf(day)): Promise<void> {
    await file.finish({ queries: textOf([query]), start: String(start), end: String(before) });
    openDay = undefined;
    end = before;
  }

  async function writeList(list: SyncList, batches: readonly Batch[]): Promise<void> {
    const path = pathOf(folder, list);
    const queries = textOf(batches.map(({ query }) => query));
    const end = earliest(...batches.map(({ checkpoint }) => checkpoint?.position));
    if (existsSync(path)) checkQueries(list, await openParquet(path), queries);
    const file = createParquet(path, tables[list].columns);
    try {
      for (const record of batches.flatMap(({ records }) => records as readonly object[]))
        file.add(rowOf(list, record));
      await file.finish({ queries, end: String(end ?? 0) });
    } finally {
      await file.discard();
    }
  }

  return {
    async store(batch) {
      if (batch.list !== "balances") {
        others.push(batch);
        return batch.records.length;
      }
      checkFolder();
      const { start = 0n, position = 0n } = batch.checkpoint ?? {};
      if (reached === undefined && last && last.end < endOf(last.day)) {
        // It was not over, and is written again. Without block headers, records at its end are read again.
        const { file } = beginDay(last.day, last.start);
        for await (const row of readParquet(last, columns)) if (BigInt(row[0] ?? 0) < last.end) file.add(row);
      }
      for (const record of batch.records as readonly BalanceChange[]) {
        const row = rowOf("balances", record);
        const time = BigInt(record.timestamp);
        if (openDay && time >= endOf(openDay.day)) await finishDay(openDay);
        // There are no records between two files.
        const current = openDay ?? beginDay(dayOf(time), latest(start, end));
        current.file.add(row);
        current.added++;
      }
      reached = position;
      if (openDay && position >= endOf(openDay.day)) await finishDay(openDay);
      return batch.records.length;
    },
    async finish() {
      checkFolder();
      if (hasPartialDay && openDay && reached !== undefined && reached > openDay.day) await finishDay(openDay, reached);
      for (const list of syncLists) {
        const batches = others.filter((batch) => batch.list === list);
        if (batches.length > 0) await writeList(list, batches);
      }
      if (openDay === undefined) return undefined;
      const { day } = openDay;
      const missing =
        end !== undefined && end > day ? `from ${formatTime(end)} on, because the day` : `of ${dateOf(day)}, which`;
      const note = `Not in the folder yet: the records ${missing} is not over. Add --partial-day to write them.`;
      return { records: openDay.added, position: end, note };
    },
    async checkpoints() {
      const found: StoredList[] = [];
      const [first] = days;
      if (first && last) {
        const checkpoint = { start: first.start, position: last.end };
        found.push(
          ...queriesOf(first.notes["queries"]).map((query) => ({ list: "balances", query, checkpoint }) as const),
        );
      }
      for (const list of syncLists.filter((each) => existsSync(pathOf(folder, each)))) {
        const { notes } = await openParquet(pathOf(folder, list));
        const checkpoint = { start: 0n, position: BigInt(notes["end"] ?? 0) };
        found.push(...queriesOf(notes["queries"]).map((query) => ({ list, query, checkpoint })));
      }
      return found;
    },
    async *rows(list, query = {}) {
      const path = pathOf(folder, list);
      if (!existsSync(path)) return;
      const isWanted = selectionOf(list, wantedIn(list, query));
      for await (const row of readParquet(await openParquet(path, false), tables[list].columns))
        if (isWanted(row)) yield row;
    },
    async newest() {
      if (last === undefined) return undefined;
      for await (const row of readParquet(last, columns, true)) return recordOf("balances", row);
      return undefined;
    },
    async *read(filter, range, isNewestFirst = false) {
      const isWanted = selectionOf("balances", wantedOf(filter));
      const files = days.filter(({ day }) => day < range.end && endOf(day) > range.start);
      for (const file of isNewestFirst ? files.reverse() : files) {
        for await (const row of readParquet(file, columns, isNewestFirst)) {
          const time = BigInt(row[0] ?? 0);
          if (dayOf(time) !== file.day) throw changedError(file.path, `a record at ${formatTime(time)}`);
          const isInRange = time >= range.start && time < range.end;
          if (isInRange && isWanted(row)) yield recordOf("balances", row);
        }
      }
    },
    describe(error) {
      const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
      if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
      return writeError(path?.replace(folder, name.replace(/[/\\]+$/, "")) ?? name, error);
    },
    async close() {
      await openDay?.file.discard();
      await release();
    },
  };
}

/** Returns whether a row has the wanted values of columns. */
function selectionOf(list: SyncList, wanted: readonly [column: string, values: string[]][]): (row: Row) => boolean {
  const names = Object.keys(tables[list].columns);
  const sets = wanted.map(([name, values]) => [names.indexOf(name), new Set(values)] as const);
  return (row) => sets.every(([index, values]) => values.has(row[index] ?? ""));
}

/** Locks a folder by a file inside it, and creates the folder. Removes a new folder again if nothing was stored in it. */
async function lockFolder(folder: string): Promise<() => Promise<void>> {
  // On a read-only file system, the error of a recursive call has another reason.
  const create = () => mkdir(folder, { recursive: true }).catch(() => mkdir(folder));
  for (;;) {
    const created = await create().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw writeError(folder, error);
    });
    try {
      const release = await lock(folder, join(folder, ".lock"));
      return async () => {
        await release();
        if (created !== undefined) await rmdir(folder).catch(() => {});
      };
    } catch (error) {
      // Another run that has stored nothing can have removed the folder. A link without a target is there.
      const isThere = await lstat(folder).then(Boolean, () => false);
      if (isThere) throw error;
    }
  }
}

/** Refuses to read a folder without a copy, and to write to one that has other files and may be named by mistake. */
async function refuseOthers(name: string, folder: string, mode: OpenMode): Promise<void> {
  const all = await readdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === "EACCES") throw new ExitError(`Cannot read ${name}. Check that you may read it.`);
    return [];
  });
  const entries = all.filter((entry) => !entry.startsWith("."));
  const own = syncLists.map((list) => tables[list].name);
  if (entries.some((entry) => own.includes(entry))) return;
  if (mode === "read") throw new NoCopyError(`${name} has no copy: run vegaprotocol sync first.`);
  if (entries.length > 0)
    throw new UsageError(`${name} has other files, such as ${entries[0]}, and no copy. Choose a new folder.`);
}

/** Finds the files of days. Nothing that stands in a file leads to another one. */
async function readDays(path: string, { mode, query }: ParquetOptions): Promise<DayFile[]> {
  const folder = join(path, tables.balances.name);
  const found = existsSync(folder) ? await readdir(folder) : [];
  const names = found.filter((each) => !/^[._]/.test(each)).sort();
  const days: DayFile[] = [];
  let previousEnd: bigint | undefined;
  for (const name of names) {
    const path = join(folder, name, "part.parquet");
    const [, date = ""] = /^date=(\d{4}-\d\d-\d\d)$/.exec(name) ?? [];
    const entries = date === "" ? [""] : await readdir(join(folder, name));
    const other = entries.find((each) => !/^[._]|^part\.parquet$/.test(each));
    if (other !== undefined) {
      throw new UsageError(`${join(folder, name, other)} is not from this program. Remove it, or use another folder.`);
    }
    const day = BigInt(Date.parse(date)) * 1_000_000n;
    // A process that was killed before it wrote the file.
    if (!existsSync(path)) continue;
    // Another process replaces the last day if that was not over.
    const file = await openParquet(path, mode === "write" || name !== names.at(-1));
    checkQueries("balances", file, query ? textOf([query]) : (days[0] ?? file).notes["queries"]);
    const [start, end] = [BigInt(file.notes["start"] ?? -1), BigInt(file.notes["end"] ?? -1)];
    if (dayOf(end - 1n) !== day || end < start) {
      throw new ExitError(
        `Expected ${path} to hold ${dateOf(day)}, got ${dateOf(end - 1n)}. Move it back, or remove it.`,
      );
    }
    if (previousEnd !== undefined && start !== previousEnd) {
      throw new ExitError(
        `Expected ${folder} to have every balance change, and the files from ${formatTime(previousEnd)} to ${formatTime(start)} are ` +
          "missing. Restore them, or remove those of later days, which sync reads again.",
      );
    }
    previousEnd = end;
    days.push({ ...file, day, start, end });
  }
  return days;
}

/** The queries of a file as text. Their order means nothing. */
const textOf = (queries: readonly object[]) => canonicalJson(queries.map(canonicalJson));
const queriesOf = (text = "[]"): object[] => JSON.parse(text).map((query: string) => JSON.parse(query));

function checkQueries(list: SyncList, { path, notes: { queries } }: WrittenFile, expected: string | undefined): void {
  if (queries === expected) return;
  const [found, own] = [queries, expected].map((text) => queriesOf(text).map((query) => nameOfQuery(list, query)));
  throw new UsageError(
    `${path} was written with other flags: its query is ${found?.join(", ")}, not ${own?.join(", ")}. ` +
      "A folder holds one query: repeat its flags, or use another folder.",
  );
}
