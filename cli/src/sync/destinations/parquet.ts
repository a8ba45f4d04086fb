/** A destination in a folder of Parquet files: one for each day of balance changes, and one for each other list. */
import { existsSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BalanceChange, BalanceChangesFilter } from "vegaprotocol-client";
import { ExitError, UsageError } from "../../errors.js";
import { writeError } from "../../output/file.js";
import { dateOf, day, formatTime, latest } from "../../times.js";
import {
  type BalancesQuery,
  type Batch,
  canonicalJson,
  type Destination,
  type OpenMode,
  type StoredList,
  type SyncList,
  syncLists,
  type TimeRange,
  wantedOf,
} from "../destination.js";
import { type Row, recordOf, rowOf, tables } from "../rows.js";
import { lock } from "../sqlite.js";
import {
  changedError,
  createParquet,
  openParquet,
  type ParquetFile,
  type ParquetForm,
  readParquet,
  type WrittenFile,
} from "./parquet-file.js";

export interface ParquetOptions {
  readonly mode: OpenMode;
  readonly form: ParquetForm;
  /** Which balance changes the folder must have, if it has any. Default: those that it has. */
  readonly query: BalancesQuery | undefined;
  /** Whether the day that is not over is written, too, and read in a comparison. */
  readonly hasPartialDay: boolean;
}

const dayOf = (time: bigint): bigint => time - (time % day);
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
}

interface Folder {
  readonly name: string;
  readonly path: string;
  readonly options: ParquetOptions;
  readonly days: readonly DayFile[];
  readonly release: () => Promise<void>;
}

class ParquetDestination implements Destination {
  readonly #folder: Folder;
  #open: OpenDay | undefined;
  /** Everything before it is in a file, or in the day that is being written. */
  #position: bigint | undefined;
  #end: bigint | undefined;
  /** The records that this run has stored of the other lists. */
  readonly #batches: Batch[] = [];

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  async store(batch: Batch): Promise<void> {
    if (batch.list !== "balances") {
      this.#batches.push(batch);
      return;
    }
    const { start = 0n, position = 0n } = batch.checkpoint ?? {};
    const last = this.#folder.days.at(-1);
    if (this.#position === undefined && last && last.end < endOf(last.day)) {
      // It was not over, and is written again. Without block headers, records at its end are read again.
      this.#openDay(last.day, last.start);
      for await (const row of readParquet(last, tables.balances.columns)) {
        if (BigInt(row[0] ?? 0) < last.end) this.#open?.file.add(row);
      }
    }
    for (const record of batch.records as readonly BalanceChange[]) {
      const row = rowOf("balances", record);
      const time = BigInt(record.timestamp);
      if (this.#open && time >= endOf(this.#open.day)) await this.#finishDay(this.#open);
      // There are no records between two files.
      if (this.#open === undefined) this.#openDay(dayOf(time), latest(start, this.#end ?? last?.end ?? start));
      this.#open?.file.add(row);
    }
    this.#position = position;
    if (this.#open && position >= endOf(this.#open.day)) await this.#finishDay(this.#open);
  }

  async finish(): Promise<string | undefined> {
    const { hasPartialDay } = this.#folder.options;
    if (hasPartialDay && this.#open && this.#position !== undefined && this.#position > this.#open.day)
      await this.#finishDay(this.#open, this.#position);
    for (const list of syncLists) {
      const batches = this.#batches.filter((batch) => batch.list === list);
      if (batches.length > 0) await this.#writeList(list, batches);
    }
    if (this.#open === undefined) return undefined;
    return `Not in the folder yet: the records of ${dateOf(this.#open.day)}, which is not over. Add --partial-day to write them.`;
  }

  async checkpoints(): Promise<StoredList[]> {
    const found: StoredList[] = [];
    const { path, days } = this.#folder;
    const [first, last] = [days[0], days.at(-1)];
    if (first && last) {
      const checkpoint = { start: first.start, position: last.end };
      found.push({ list: "balances", query: JSON.parse(first.notes["query"] ?? "{}"), checkpoint });
    }
    for (const list of syncLists.filter((each) => existsSync(pathOf(path, each)))) {
      const { notes } = await openParquet(pathOf(path, list));
      const queries: string[] = JSON.parse(notes["query"] ?? "[]");
      // Each run reads them again.
      const checkpoint = { start: 0n, position: 0n };
      found.push(...queries.map((query) => ({ list, query: JSON.parse(query), checkpoint })));
    }
    return found;
  }

  async *rows(list: SyncList): AsyncGenerator<Row, undefined, undefined> {
    const path = pathOf(this.#folder.path, list);
    if (existsSync(path)) yield* readParquet(await openParquet(path), tables[list].columns);
  }

  async newest(): Promise<BalanceChange | undefined> {
    const last = this.#folder.days.at(-1);
    if (last === undefined) return undefined;
    for await (const row of readParquet(last, tables.balances.columns, true)) return recordOf("balances", row);
    return undefined;
  }

  async *read(
    filter: BalanceChangesFilter,
    { start, end }: TimeRange,
    isNewestFirst = false,
  ): AsyncGenerator<BalanceChange, undefined, undefined> {
    const { columns } = tables.balances;
    const wanted = wantedOf(filter).map(([name, ids]) => [Object.keys(columns).indexOf(name), new Set(ids)] as const);
    const files = this.#folder.days.filter(({ day }) => day < end && endOf(day) > start);
    for (const file of isNewestFirst ? files.reverse() : files) {
      for await (const row of readParquet(file, columns, isNewestFirst)) {
        const time = BigInt(row[0] ?? 0);
        if (dayOf(time) !== file.day) throw changedError(file.path, `a record at ${formatTime(time)}`);
        const isWanted = time >= start && time < end && wanted.every(([index, ids]) => ids.has(row[index] ?? ""));
        if (isWanted) yield recordOf("balances", row);
      }
    }
  }

  describe(error: unknown): unknown {
    const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
    const { name, path: own } = this.#folder;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
    return writeError(path?.replace(own, name) ?? name, error);
  }

  async close(): Promise<void> {
    await this.#open?.file.discard();
    await this.#folder.release();
  }

  /** Begins the file of a day, whose records are complete from a time on. */
  #openDay(day: bigint, start: bigint): void {
    const path = pathOf(this.#folder.path, "balances", `date=${dateOf(day)}`);
    this.#open = { day, start, file: createParquet(path, tables.balances.columns, this.#folder.options.form) };
  }

  /** Gives the file of the day its name: it has every record before its end. */
  async #finishDay({ day, start, file }: OpenDay, end = endOf(day)): Promise<void> {
    const { form, query = { filter: {} } } = this.#folder.options;
    await file.finish({ ...form, query: canonicalJson(query), start: String(start), end: String(end) });
    this.#open = undefined;
    this.#end = end;
  }

  async #writeList(list: SyncList, batches: readonly Batch[]): Promise<void> {
    const path = pathOf(this.#folder.path, list);
    const notes = {
      ...this.#folder.options.form,
      query: canonicalJson(batches.map(({ query }) => canonicalJson(query))),
    };
    if (existsSync(path)) checkNotes(await openParquet(path), notes);
    const file = createParquet(path, tables[list].columns, this.#folder.options.form);
    try {
      for (const record of batches.flatMap(({ records }) => records as readonly object[]))
        file.add(rowOf(list, record));
      await file.finish(notes);
    } finally {
      await file.discard();
    }
  }
}

/** Finds the files of days. Nothing that stands in a file leads to another one. */
async function readDays(path: string, { mode, form, query, hasPartialDay }: ParquetOptions): Promise<DayFile[]> {
  const folder = join(path, tables.balances.name);
  const names = existsSync(folder) ? await readdir(folder) : [];
  const days: DayFile[] = [];
  let previousEnd: bigint | undefined;
  for (const name of names.filter((each) => !/^[._]/.test(each)).sort()) {
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
    const file = await openParquet(path);
    const own = query ? canonicalJson(query) : (days[0] ?? file).notes["query"];
    checkNotes(file, { ...(mode === "write" && form), query: own ?? "" });
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
    if (mode === "write" || hasPartialDay || end === endOf(day)) days.push({ ...file, day, start, end });
  }
  return days;
}

/** @throws {@link UsageError} if a file was written with other flags. */
function checkNotes({ path, notes }: WrittenFile, expected: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(expected)) {
    if (notes[name] === value) continue;
    throw new UsageError(
      `${path} was written with other flags: its ${name} is ${notes[name]}, not ${value}. A folder holds one ` +
        "query: repeat its flags, or use another folder.",
    );
  }
}

/** Opens a folder, which does not have to be there, and locks it for this process unless it is only read. */
export async function openParquetFolder(name: string, options: ParquetOptions): Promise<Destination> {
  const path = await realpath(name).catch(() => resolve(name));
  const release = options.mode === "read" ? async () => {} : await lock(path);
  try {
    return new ParquetDestination({ name, path, options, days: await readDays(path, options), release });
  } catch (error) {
    await release();
    throw error;
  }
}
