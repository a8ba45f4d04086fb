/** Writes and reads one Parquet file. */
import { mkdirSync } from "node:fs";
import { open, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from "hyparquet";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
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
  readonly #columns: readonly { readonly name: string; readonly kind: RowKind }[];
  readonly #form: ParquetForm;
  readonly #parquet: ParquetWriter;
  #data: unknown[][];

  constructor(path: string, columns: Columns, form: ParquetForm) {
    // A symbolic link stays one. Engines skip files whose names begin with a dot.
    this.#path = followLink(path);
    this.#partial = join(dirname(this.#path), `.${basename(this.#path)}.partial`);
    this.#columns = Object.entries(columns).map(([name, kind]) => ({ name, kind }));
    this.#form = form;
    this.#data = this.#columns.map(() => []);
    mkdirSync(dirname(this.#path), { recursive: true });
    const writer = fileWriter(this.#partial);
    this.#parquet = new ParquetWriter({ writer, schema: schemaOf(columns, form), createdBy: "vegaprotocol-cli" });
  }

  add(row: Row): void {
    for (const [index, { kind }] of this.#columns.entries()) {
      const text = row[index];
      // v0.74 nodes can send an empty amount.
      const isEmpty = text === null || text === undefined || (text === "" && kind === "amount");
      this.#data[index]?.push(isEmpty ? null : this.#valueOf(kind, text, row));
    }
    if (this.#data[0]?.length === rowGroupSize) this.#writeGroup();
  }

  async finish(notes: Notes): Promise<void> {
    this.#writeGroup();
    this.#parquet.kvMetadata = Object.entries(notes).map(([key, value]) => ({ key: `vegaprotocol.${key}`, value }));
    this.#parquet.finish();
    const file = await open(this.#partial, "r+");
    await file.sync().finally(() => file.close());
    await rename(this.#partial, this.#path);
  }

  async discard(): Promise<void> {
    await rm(this.#partial, { force: true });
    // The folder of the first file of a day is empty.
    await rmdir(dirname(this.#path)).catch(() => {});
  }

  #valueOf(kind: RowKind, text: string, row: Row): unknown {
    const { timestamps, hasTextAmounts } = this.#form;
    const refuse = (expected: string, flag: string): never => {
      const record = row.join(" ");
      throw new ExitError(
        `Expected ${expected}, got ${text} in the record ${record}. Begin a new folder with ${flag}.`,
      );
    };
    if (kind === "time") {
      const time = BigInt(text);
      if (timestamps === "nanos") return time;
      return time % 1000n === 0n ? time / 1000n : refuse("a time in microseconds", "--timestamps nanos");
    }
    if (kind !== "amount" || hasTextAmounts) return text;
    return text.length <= mostDigits
      ? BigInt(text)
      : refuse(`an amount of at most ${mostDigits} digits`, "--text-amounts");
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name }, index) => ({ name, data: this.#data[index] ?? [] }));
    this.#data = this.#columns.map(() => []);
    if (columnData[0]?.data.length) this.#parquet.write({ columnData, rowGroupSize });
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
    await parquetRead({
      file,
      metadata: { ...metadata, schema },
      columns: Object.keys(columns),
      rowStart: start,
      rowEnd: Math.min(total, start + rowGroupSize),
      onComplete: (found: unknown[][]) => {
        rows = found;
      },
    });
    for (const row of rows) yield row.map(textOf);
  }
}

/** The integer of a `DECIMAL` in 16 bytes. */
function decimalOf({ buffer, byteOffset }: Uint8Array): bigint {
  const view = new DataView(buffer, byteOffset, 16);
  return (view.getBigInt64(0) << 64n) | view.getBigUint64(8);
}
