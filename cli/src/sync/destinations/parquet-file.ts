/** Writes and reads one Parquet file. */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { ExitError } from "../../errors.js";
import { followLink } from "../../output/target.js";
import type { Row, RowKind } from "../rows.js";

/** Rows that are encoded at once. A reader skips the groups whose times it does not need; larger ones take more memory. */
const rowGroupSize = 20_000;

/** The most digits of a `DECIMAL` that engines read. */
const mostDigits = 38;

export interface ParquetForm {
  readonly timestamps: "micros" | "nanos";
  readonly hasTextAmounts: boolean;
}

/** What a file says of itself. */
export type Notes = Readonly<Record<string, string>>;

export type Columns = Readonly<Record<string, RowKind>>;

function schemaOf(columns: Columns, { timestamps, hasTextAmounts }: ParquetForm): SchemaElement[] {
  const elements = Object.entries(columns).map(([name, kind]): SchemaElement => {
    const element = { name, repetition_type: "OPTIONAL" } as const;
    if (kind === "time") {
      const unit = timestamps === "nanos" ? "NANOS" : "MICROS";
      return { ...element, type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit } };
    }
    if (kind === "amount" && !hasTextAmounts) {
      const size = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 } as const;
      return { ...element, ...size, converted_type: "DECIMAL", precision: mostDigits, scale: 0 };
    }
    return { ...element, type: "BYTE_ARRAY", converted_type: "UTF8" };
  });
  return [{ name: "root", num_children: elements.length }, ...elements];
}

/** A file that is written beside its name, and takes it when it is complete: a reader sees the earlier file or the new one. */
export class ParquetFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #kinds: readonly RowKind[];
  readonly #names: readonly string[];
  readonly #form: ParquetForm;
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  #handle: Awaited<ReturnType<typeof open>> | undefined;
  #columns: unknown[][];

  constructor(path: string, columns: Columns, form: ParquetForm) {
    // A symbolic link stays one. Engines skip files whose names begin with a dot.
    this.#path = followLink(path);
    this.#partial = join(dirname(this.#path), `.${basename(this.#path)}.partial`);
    this.#names = Object.keys(columns);
    this.#kinds = Object.values(columns);
    this.#form = form;
    this.#columns = this.#names.map(() => []);
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns, form),
      createdBy: "vegaprotocol-cli",
    });
  }

  /** Adds the row of a record. Returns a promise to wait for if rows are written. */
  add(row: Row): Promise<void> | undefined {
    for (const [index, text] of row.entries()) this.#columns[index]?.push(this.#valueOf(text, index, row));
    return this.#columns[0]?.length === rowGroupSize ? this.#writeGroup() : undefined;
  }

  async finish(notes: Notes): Promise<void> {
    this.#parquet.kvMetadata = Object.entries(notes).map(([key, value]) => ({ key: `vegaprotocol.${key}`, value }));
    try {
      await this.#writeGroup();
      this.#parquet.finish();
      await this.#flush();
      await this.#handle?.sync();
      await this.#handle?.close();
      await rename(this.#partial, this.#path);
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  async discard(): Promise<void> {
    await this.#handle?.close().catch(() => {});
    await rm(this.#partial, { force: true });
  }

  #valueOf(text: string | null, index: number, row: Row): unknown {
    const kind = this.#kinds[index];
    const isText = kind !== "time" && (kind !== "amount" || this.#form.hasTextAmounts);
    if (text === null || isText) return text;
    // v0.74 nodes can send an empty amount.
    if (text === "") return null;
    const value = BigInt(text);
    if (kind === "time") {
      if (this.#form.timestamps === "nanos") return value;
      if (value % 1000n === 0n) return value / 1000n;
      throw new ExitError(
        `Expected a time in microseconds, got ${text} nanoseconds in the record ${row.join(" ")}. Begin a new folder with --timestamps nanos.`,
      );
    }
    if (text.length <= mostDigits) return value;
    throw new ExitError(
      `Expected an amount of at most ${mostDigits} digits, got ${text} in the record ${row.join(" ")}. Begin a new folder with ` +
        "--text-amounts.",
    );
  }

  async #writeGroup(): Promise<void> {
    if (this.#columns[0]?.length) {
      const columnData = this.#names.map((name, index) => ({ name, data: this.#columns[index] ?? [] }));
      this.#columns = this.#names.map(() => []);
      this.#parquet.write({ columnData, rowGroupSize });
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#handle === undefined) {
      await mkdir(dirname(this.#path), { recursive: true });
      this.#handle = await open(this.#partial, "w");
    }
    await this.#handle.writeFile(this.#bytes.getBytes());
    // The buffer is used again; the offset in the file stays.
    this.#bytes.index = 0;
  }
}

/** A file that was written, and what it says of itself. */
export interface WrittenFile {
  readonly path: string;
  readonly metadata: FileMetaData;
  readonly notes: Notes;
}

/** @throws {@link ExitError} for a file that sync has not written. */
export async function openParquet(path: string): Promise<WrittenFile> {
  try {
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path), { initialFetchSize: 2 ** 16 });
    const notes = (metadata.key_value_metadata ?? []).flatMap(({ key, value = "" }) =>
      key.startsWith("vegaprotocol.") ? [[key.slice("vegaprotocol.".length), value] as const] : [],
    );
    if (notes.length > 0) return { path, metadata, notes: Object.fromEntries(notes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw error;
  }
  throw new ExitError(`Expected ${path} to be a Parquet file that sync has written. Remove it, or use another folder.`);
}

/** The rows of a file, in its order. */
export async function* readParquet(
  { path, metadata, notes }: WrittenFile,
  columns: Columns,
  rowStart = 0,
): AsyncGenerator<string[], undefined, undefined> {
  const file = await asyncBufferFromFile(path);
  // The library converts decimals and times to JavaScript numbers, which are not exact.
  const schema = metadata.schema.map(({ converted_type: type, logical_type: _, ...element }) =>
    type === "UTF8" ? { ...element, converted_type: type } : element,
  );
  const kinds = Object.values(columns);
  const unit = notes["timestamps"] === "nanos" ? 1n : 1000n;
  const textOf = (value: unknown, index: number): string => {
    if (value === null || value === undefined) return "";
    if (kinds[index] === "time") return String((value as bigint) * unit);
    return kinds[index] === "amount" && notes["amounts"] !== "text"
      ? String(decimalOf(value as Uint8Array))
      : String(value);
  };
  const total = Number(metadata.num_rows);
  for (let start = rowStart; start < total; start += rowGroupSize) {
    let rows: unknown[][] = [];
    const rowEnd = Math.min(total, start + rowGroupSize);
    const onComplete = (found: unknown[][]) => {
      rows = found;
    };
    await parquetRead({
      file,
      metadata: { ...metadata, schema },
      columns: Object.keys(columns),
      rowStart: start,
      rowEnd,
      onComplete,
    });
    for (const row of rows) yield row.map(textOf);
  }
}

/** The integer of a `DECIMAL` in 16 bytes. */
function decimalOf({ buffer, byteOffset }: Uint8Array): bigint {
  const view = new DataView(buffer, byteOffset, 16);
  return (view.getBigInt64(0) << 64n) | view.getBigUint64(8);
}
