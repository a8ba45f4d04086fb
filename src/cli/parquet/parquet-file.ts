import { createHash } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { RecordDigest } from "../files/record-digest.js";
import { replaceFile } from "../files/replace-file.js";
import { type Column, type WireRecord, wireText } from "../output/columns.js";
import { type ColumnTypes, schemaOf, toParquet } from "./schema.js";

/** Rows that are encoded at once. A reader skips the groups whose times it does not need; larger ones take more memory. */
const rowGroupSize = 10_000;

type Writer = typeof import("hyparquet-writer");

export interface ParquetFileOptions extends ColumnTypes {
  readonly path: string;
  /** Where it is written until it is complete. */
  readonly partial: string;
  readonly columns: readonly Column[];
  readonly writer: Writer;
}

/** What identifies a file that was written. */
export interface WrittenFile {
  readonly records: number;
  /** SHA-256 of the canonical lines of the records. */
  readonly sha256: string;
  readonly bytes: number;
  /** SHA-256 of the file. */
  readonly fileSha256: string;
}

/** A Parquet file that takes its name when it is complete. */
export class ParquetFile {
  readonly #options: ParquetFileOptions;
  readonly #handle: Awaited<ReturnType<typeof open>>;
  readonly #bytes: ByteWriter;
  readonly #parquet: ParquetWriter;
  readonly #digest = new RecordDigest();
  readonly #hash = createHash("sha256");
  #rows: unknown[][];
  #size = 0;

  private constructor(options: ParquetFileOptions, handle: Awaited<ReturnType<typeof open>>) {
    const { writer, columns } = options;
    this.#options = options;
    this.#handle = handle;
    this.#bytes = new writer.ByteWriter();
    const schema = schemaOf(columns, options);
    this.#parquet = new writer.ParquetWriter({ writer: this.#bytes, schema, createdBy: "vegaprotocol-client" });
    this.#rows = columns.map(() => []);
  }

  static async open(options: ParquetFileOptions): Promise<ParquetFile> {
    await mkdir(dirname(options.path), { recursive: true });
    return new ParquetFile(options, await open(options.partial, "w"));
  }

  /** Returns a promise to wait for if rows are written. */
  add(record: WireRecord): Promise<void> | undefined {
    const { columns, isTextAmount } = this.#options;
    const texts = columns.map((column) => wireText(record, column));
    this.#digest.add(texts);
    for (const [index, column] of columns.entries()) {
      this.#rows[index]?.push(toParquet(texts[index] ?? "", column, isTextAmount, record));
    }
    return this.#digest.records % rowGroupSize === 0 ? this.#writeGroup() : undefined;
  }

  /** Gives the file its name. */
  async finish(): Promise<WrittenFile> {
    await this.#writeGroup();
    this.#parquet.finish();
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    await replaceFile(this.#options.partial, this.#options.path);
    const { records } = this.#digest;
    return { records, sha256: this.#digest.digest(), bytes: this.#size, fileSha256: this.#hash.digest("hex") };
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.#options.partial, { force: true });
  }

  async #writeGroup(): Promise<void> {
    const rows = this.#rows;
    if ((rows[0]?.length ?? 0) === 0) return;
    this.#rows = rows.map(() => []);
    const columnData = this.#options.columns.map(({ name }, index) => ({ name, data: rows[index] ?? [] }));
    this.#parquet.write({ columnData, rowGroupSize });
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const content = this.#bytes.getBytes();
    this.#hash.update(content);
    for (let written = 0; written < content.length; ) {
      written += (await this.#handle.write(content, written)).bytesWritten;
    }
    this.#size += content.length;
    // The buffer is used again; the offset in the file stays.
    this.#bytes.index = 0;
  }
}
