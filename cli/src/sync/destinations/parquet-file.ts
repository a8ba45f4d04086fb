import { mkdirSync } from "node:fs";
import { open, readFile, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from "hyparquet";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import { ExitError } from "../../errors.js";
import { followLink, replace } from "../../output/file.js";
import type { Row, StoredColumns, StoredKind } from "../rows.js";

/** Rows that are encoded at once. Readers skip groups whose times they do not need; larger ones take more memory. */
const rowGroupSize = 20_000;

/** The most digits of a `DECIMAL` that engines read. */
const mostDigits = 38;

export type Notes = Readonly<Record<string, string>>;

const text = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
const elements: Readonly<Record<StoredKind, Omit<SchemaElement, "name">>> = {
  time: { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" } },
  amount: {
    ...{ type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 },
    ...{ converted_type: "DECIMAL", precision: mostDigits, scale: 0 },
  },
  ...{ decimal: text, json: text, text },
};

function encode(kind: StoredKind, text: string | null, row: Row): unknown {
  // v0.74 nodes can send an empty amount.
  if (text === null || (text === "" && kind === "amount")) return null;
  if (kind === "time" && text.endsWith("000")) return BigInt(text) / 1000n;
  if (kind === "amount" && text.length <= mostDigits) return BigInt(text);
  if (kind !== "time" && kind !== "amount") return text;
  const expected = kind === "time" ? "a time in microseconds" : `an amount of at most ${mostDigits} digits`;
  const record = row.join(" ");
  throw new ExitError(`Expected ${expected}, got ${text} in the record ${record}. Use a database, such as vega.db.`);
}

export type ParquetFile = ReturnType<typeof createParquet>;

/** A file that is renamed when it is complete: a reader sees the earlier file or the new one. */
export function createParquet(name: string, columns: StoredColumns) {
  // A symbolic link stays one. Engines skip files whose names begin with a dot.
  const path = followLink(name);
  const partial = join(dirname(path), `.${basename(path)}.partial`);
  mkdirSync(dirname(path), { recursive: true });
  const fields = Object.entries(columns).map(([name, { kind }]): SchemaElement => {
    return { name, repetition_type: "OPTIONAL", ...elements[kind] };
  });
  const schema = [{ name: "root", num_children: fields.length }, ...fields];
  const parquet = new ParquetWriter({ writer: fileWriter(partial), schema, createdBy: "vegaprotocol-cli" });
  let rows: Row[] = [];

  function writeGroup(): void {
    const columnData = Object.entries(columns).map(([name, { kind }], index) => {
      return { name, data: rows.map((row) => encode(kind, row[index] ?? null, row)) };
    });
    rows = [];
    parquet.write({ columnData, rowGroupSize });
  }

  return {
    add(row: Row): void {
      rows.push(row);
      if (rows.length === rowGroupSize) writeGroup();
    },
    async finish(notes: Notes): Promise<void> {
      if (rows.length > 0) writeGroup();
      parquet.kvMetadata = Object.entries(notes).map(([key, value]) => ({ key: `vegaprotocol.${key}`, value }));
      parquet.finish();
      const file = await open(partial, "r+");
      await file.sync().finally(() => file.close());
      await replace(partial, path);
    },
    async discard(): Promise<void> {
      await rm(partial, { force: true });
      // The folder of the first file of a day is empty.
      await rmdir(dirname(path)).catch(() => {});
    },
  };
}

export const changedError = (path: string, got: string, cause?: unknown): ExitError =>
  new ExitError(
    `Expected ${path} to be as sync has written it, got ${got}. Restore it, or remove it and the files of later days.`,
    cause,
  );

export interface WrittenFile {
  readonly path: string;
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly notes: Notes;
}

/** @param isStable - If not, a run can replace the file. It is read at once, so that its rows fit its metadata. */
export async function openParquet(path: string, isStable = true): Promise<WrittenFile> {
  try {
    const file = isStable ? await asyncBufferFromFile(path) : new Uint8Array(await readFile(path)).buffer;
    const metadata = await parquetMetadataAsync(file, { initialFetchSize: 2 ** 16 });
    const notes = (metadata.key_value_metadata ?? []).flatMap(({ key, value = "" }) =>
      key.startsWith("vegaprotocol.") ? [[key.slice("vegaprotocol.".length), value] as const] : [],
    );
    if (notes.some(([name]) => name === "queries")) return { path, file, metadata, notes: Object.fromEntries(notes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw error;
  }
  throw new ExitError(`Expected ${path} to be a Parquet file that sync has written. Remove it, or use another folder.`);
}

/** The rows of a file, in its order or from its end on. */
export async function* readParquet({ path, file, metadata }: WrittenFile, columns: StoredColumns, isBackward = false) {
  // The library converts decimals and times to JavaScript numbers, which are not exact.
  const schema = metadata.schema.map(({ converted_type: type, logical_type: _, ...element }) =>
    type === "UTF8" ? { ...element, converted_type: type } : element,
  );
  const [names, kinds] = [Object.keys(columns), Object.values(columns).map(({ kind }) => kind)];
  const textOf = (value: unknown, index: number): string => {
    if (value === null || value === undefined) return "";
    if (kinds[index] === "time") return String((value as bigint) * 1000n);
    return String(kinds[index] === "amount" ? decimalOf(value as Uint8Array) : value);
  };
  const total = Number(metadata.num_rows);
  const starts = Array.from({ length: Math.ceil(total / rowGroupSize) }, (_, group) => group * rowGroupSize);
  for (const start of isBackward ? starts.reverse() : starts) {
    const found = await parquetReadObjects({
      file,
      metadata: { ...metadata, schema },
      columns: names,
      rowStart: start,
      rowEnd: Math.min(total, start + rowGroupSize),
    }).catch((error) => Promise.reject(changedError(path, (error as Error).message, error)));
    const rows = found.map((row) => names.map((name, index) => textOf(row[name], index)));
    yield* isBackward ? rows.reverse() : rows;
  }
}

function decimalOf({ buffer, byteOffset }: Uint8Array): bigint {
  const view = new DataView(buffer, byteOffset, 16);
  return (view.getBigInt64(0) << 64n) | view.getBigUint64(8);
}
