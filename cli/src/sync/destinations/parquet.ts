/** A destination in a folder of Parquet files: one for each day of balance changes, and one for each other list. */
import { existsSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BalanceChange, BalanceChangesFilter } from "vegaprotocol-client";
import { ExitError, UsageError } from "../../errors.js";
import { writeError } from "../../output/file.js";
import {
  type Batch,
  type Checkpoint,
  canonicalJson,
  type Destination,
  type OpenMode,
  type StoredList,
  type SyncList,
  type SyncRecords,
  syncLists,
  type TimeRange,
  wantedOf,
} from "../destination.js";
import { lock } from "../lock.js";
import { type Row, recordOf, rowOf, tables } from "../rows.js";
import {
  type Columns,
  type Notes,
  openParquet,
  ParquetFile,
  type ParquetForm,
  readParquet,
  type WrittenFile,
} from "./parquet-file.js";

export interface ParquetOptions extends ParquetForm {
  readonly mode: OpenMode;
  /** Whether the day that is not over is written, too, and read in a comparison. */
  readonly hasPartialDay: boolean;
}

const nanosecondsPerDay = 86_400_000_000_000n;

const dayOf = (time: bigint): bigint => time - (time % nanosecondsPerDay);
const endOf = (day: bigint): bigint => day + nanosecondsPerDay;
const dateOf = (day: bigint): string => new Date(Number(day / 1_000_000n)).toISOString().slice(0, 10);

interface DayFile extends WrittenFile {
  readonly day: bigint;
  /** What it holds, in Unix nanoseconds. It ends before the day does if that was not over. */
  readonly start: bigint;
  readonly end: bigint;
}

interface OpenDay {
  readonly day: bigint;
  readonly start: bigint;
  readonly file: ParquetFile;
}

class ParquetDestination implements Destination {
  readonly followsLists = false;
  readonly #name: string;
  readonly #path: string;
  readonly #options: ParquetOptions;
  readonly #release: () => Promise<void>;
  #days: DayFile[] = [];
  #open: OpenDay | undefined;
  /** The files that are not complete. */
  readonly #files = new Set<ParquetFile>();
  /** Everything before it is in a file, or in the day that is being written. */
  #position: bigint | undefined;
  /** The query of the balance changes of this run. */
  #query = "";
  /** The rows of the other lists, with their queries. */
  readonly #lists = new Map<SyncList, { readonly queries: object[]; readonly rows: Row[] }>();

  constructor(name: string, path: string, options: ParquetOptions, release: () => Promise<void>) {
    this.#name = name;
    this.#path = path;
    this.#options = options;
    this.#release = release;
  }

  async checkpoint(list: SyncList, query: object): Promise<Checkpoint | undefined> {
    // The other lists are read anew.
    if (list !== "balances") return undefined;
    this.#query = canonicalJson(query);
    this.#days = await this.#readDays();
    const [first, last] = [this.#days[0], this.#days.at(-1)];
    this.#position = last?.end;
    return first && last && { start: first.start, position: last.end };
  }

  async store({ list, query, records, checkpoint }: Batch): Promise<number> {
    if (list !== "balances") {
      const stored = this.#lists.get(list) ?? { queries: [], rows: [] };
      this.#lists.set(list, stored);
      stored.queries.push(query);
      for (const record of records) stored.rows.push((rowOf[list] as (record: object) => Row)(record));
      return records.length;
    }
    const { start = 0n, position = 0n } = checkpoint ?? {};
    const last = this.#days.at(-1);
    // A day that was not over is written again.
    if (this.#open === undefined && last && last.end < endOf(last.day)) await this.#openDay(last.day, last.start);
    for (const record of records as readonly BalanceChange[]) {
      const row = rowOf.balances(record);
      const time = BigInt(record.timestamp);
      if (this.#open && time >= endOf(this.#open.day)) await this.#finishDay(endOf(this.#open.day));
      if (this.#open === undefined) await this.#openDay(dayOf(time), this.#days.length === 0 ? start : dayOf(time));
      this.#open?.file.add(row);
    }
    this.#position = position;
    if (this.#open && position >= endOf(this.#open.day)) await this.#finishDay(endOf(this.#open.day));
    return records.length;
  }

  async finish(): Promise<string | undefined> {
    if (this.#options.hasPartialDay && this.#position !== undefined) await this.#finishDay(this.#position);
    for (const [list, { queries, rows }] of this.#lists) {
      const { columns } = tables[list];
      const path = this.#pathOfList(list);
      const notes = { ...this.#notes, query: canonicalJson(queries.map(canonicalJson)) };
      if (existsSync(path)) this.#checkNotes(await openParquet(path), notes);
      const file = this.#create(path, columns);
      for (const row of rows) file.add(row);
      await this.#complete(file, notes);
    }
    if (this.#open === undefined) return undefined;
    return `Not in the folder yet: the records of ${dateOf(this.#open.day)}, which is not over. Add --partial-day to write them.`;
  }

  async checkpoints(): Promise<StoredList[]> {
    this.#days = await this.#readDays();
    const [first, last] = [this.#days[0], this.#days.at(-1)];
    const found: StoredList[] = [];
    if (first && last) {
      const checkpoint = { start: first.start, position: last.end };
      found.push({ list: "balances", query: JSON.parse(this.#query), checkpoint });
    }
    for (const list of syncLists.filter((each) => existsSync(this.#pathOfList(each)))) {
      const { notes } = await openParquet(this.#pathOfList(list));
      const queries: string[] = JSON.parse(notes["query"] ?? "[]");
      for (const query of queries)
        found.push({ list, query: JSON.parse(query), checkpoint: { start: 0n, position: 0n } });
    }
    return found;
  }

  async *all<List extends SyncList>(list: List): AsyncGenerator<SyncRecords[List], undefined, undefined> {
    const path = this.#pathOfList(list);
    if (!existsSync(path)) return;
    for await (const row of readParquet(await openParquet(path), tables[list].columns)) yield recordOf[list](row);
  }

  async newest(): Promise<BalanceChange | undefined> {
    const last = (this.#days.length > 0 ? this.#days : await this.#readDays()).at(-1);
    if (last === undefined) return undefined;
    const rows = readParquet(last, tables.balances.columns, Number(last.metadata.num_rows) - 1);
    for await (const row of rows) return recordOf.balances(row);
    return undefined;
  }

  async *read(
    filter: BalanceChangesFilter,
    { start, end }: TimeRange,
  ): AsyncGenerator<BalanceChange, undefined, undefined> {
    const { columns } = tables.balances;
    const wanted = wantedOf(filter).map(([name, ids]) => [Object.keys(columns).indexOf(name), new Set(ids)] as const);
    for (const file of this.#days.filter(({ day }) => day < end && endOf(day) > start)) {
      for await (const row of readParquet(file, columns)) {
        const time = BigInt(row[0] ?? 0);
        const isWanted = time >= start && time < end && wanted.every(([index, ids]) => ids.has(row[index] ?? ""));
        if (isWanted) yield recordOf.balances(row);
      }
    }
  }

  describe(error: unknown): unknown {
    const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
    return writeError(path?.replace(this.#path, this.#name) ?? this.#name, error);
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.discard();
    await this.#release();
  }

  get #notes() {
    return { timestamps: this.#options.timestamps, amounts: this.#options.hasTextAmounts ? "text" : "decimal" };
  }

  #pathOfList = (list: SyncList) => join(this.#path, tables[list].name, "part.parquet");
  #pathOf = (day: bigint) => join(this.#path, tables.balances.name, `date=${dateOf(day)}`, "part.parquet");

  /** Finds the files of days. Nothing that stands in a file leads to another one. */
  async #readDays(): Promise<DayFile[]> {
    const folder = join(this.#path, tables.balances.name);
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    const days: DayFile[] = [];
    for (const name of names.filter((each) => !/^[._]/.test(each)).sort()) {
      const path = join(folder, name, "part.parquet");
      const [, date = ""] = /^date=(\d{4}-\d\d-\d\d)$/.exec(name) ?? [];
      const entries = date === "" ? [""] : await readdir(join(folder, name));
      const other = entries.find((each) => !/^[._]|^part\.parquet$/.test(each));
      if (other !== undefined) {
        throw new UsageError(
          `${join(folder, name, other)} is not from this program. Remove it, or use another folder.`,
        );
      }
      const day = BigInt(Date.parse(date)) * 1_000_000n;
      // A process that was killed before it wrote the file.
      if (!existsSync(path)) continue;
      const file = await openParquet(path);
      // Every file is of the query of the run, or of the first file.
      this.#query ||= file.notes["query"] ?? "";
      this.#checkNotes(file, { ...(this.#options.mode === "write" && this.#notes), query: this.#query });
      const [start, end] = [BigInt(file.notes["start"] ?? -1), BigInt(file.notes["end"] ?? -1)];
      if (dayOf(start) !== day || end > endOf(day) || end < start) {
        throw new ExitError(
          `Expected ${path} to hold ${dateOf(day)}, got ${dateOf(start)}. Move it back, or remove it.`,
        );
      }
      const isOpen = end < endOf(day);
      if (this.#options.mode === "read" && isOpen && !this.#options.hasPartialDay) continue;
      days.push({ ...file, day, start, end });
    }
    return days;
  }

  /** @throws {@link UsageError} if a file was written with other flags. */
  #checkNotes({ path, notes }: WrittenFile, expected: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(expected)) {
      if (notes[name] === value) continue;
      throw new UsageError(
        `${path} was written with other flags: its ${name} is ${notes[name]}, and that of this command is ${value}. A folder holds one ` +
          "query: repeat its flags, or use another folder.",
      );
    }
  }

  /** Begins the file of a day, with what an earlier one has of it. */
  async #openDay(day: bigint, start: bigint): Promise<void> {
    const file = this.#create(this.#pathOf(day), tables.balances.columns);
    this.#open = { day, start: start > day ? start : day, file };
    const earlier = this.#days.find((each) => each.day === day);
    if (earlier === undefined) return;
    for await (const row of readParquet(earlier, tables.balances.columns)) {
      // Without block headers, records at the end are read again.
      if (BigInt(row[0] ?? 0) < earlier.end) file.add(row);
    }
  }

  /** Gives the file of the day its name: it has every record before its end. */
  async #finishDay(end: bigint): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { day, start, file } = open;
    await this.#complete(file, { ...this.#notes, query: this.#query, start: String(start), end: String(end) });
    const written = { ...(await openParquet(this.#pathOf(day))), day, start, end };
    this.#days = [...this.#days.filter((each) => each.day !== day), written];
  }

  #create(path: string, columns: Columns): ParquetFile {
    const file = new ParquetFile(path, columns, this.#options);
    this.#files.add(file);
    return file;
  }

  async #complete(file: ParquetFile, notes: Notes): Promise<void> {
    await file.finish(notes);
    this.#files.delete(file);
  }
}

/** Opens a folder, which does not have to be there, and locks it for this process unless it is only read. */
export async function openParquetFolder(name: string, options: ParquetOptions): Promise<Destination> {
  const path = await realpath(name).catch(() => resolve(name));
  if (options.mode === "read" && !existsSync(path)) {
    throw new UsageError(
      `Expected a folder of vegaprotocol sync, and there is no ${name}. Create it with: vegaprotocol sync ${name}`,
    );
  }
  return new ParquetDestination(name, path, options, options.mode === "read" ? async () => {} : await lock(path));
}
