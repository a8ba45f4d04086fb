import { Bytes } from "../output/bytes.js";
import type { WireRecord } from "../output/columns.js";
import { RowEncoder, type RowFormat } from "../output/row-encoder.js";
import { Writes } from "../output/writes.js";
import type { Progress } from "../progress.js";
import { headOf, type RecordFile } from "./file-records.js";
import type { RecordDigest } from "./record-digest.js";

/** Bytes of a batch. */
const batchSize = 128 * 1024;

export interface RowWriterOptions extends Pick<RecordFile, "columns"> {
  readonly format: RowFormat;
  /** Writes bytes, which change after it has resolved. */
  readonly write: (rows: Uint8Array) => Promise<void>;
  readonly progress: Progress;
  readonly digest: RecordDigest;
}

/** Writes records to a file as rows of bytes: one batch is written while the next one is collected. */
export class RowWriter {
  readonly #options: RowWriterOptions;
  readonly #writes: Writes<Uint8Array>;
  readonly #encoder: RowEncoder;
  readonly #rows = new Bytes(2 * batchSize);
  /** The batch that is written. */
  readonly #written = new Bytes(2 * batchSize);

  constructor(options: RowWriterOptions) {
    this.#options = options;
    this.#writes = new Writes(options.write);
    this.#encoder = new RowEncoder(options.format, options.columns, this.#rows, options.digest.lines);
  }

  /** Returns a promise to wait for if the file is slower than the input. */
  readonly add = (record: WireRecord): Promise<void> | undefined => {
    this.#encode(record);
    return this.#writeIfFull();
  };

  /** Adds several records, as {@link RowWriter.add} does one. */
  addAll(records: readonly WireRecord[]): Promise<void> | undefined {
    for (const record of records) this.#encode(record);
    return this.#writeIfFull();
  }

  /** Writes what a file begins with. */
  begin(): void {
    this.#rows.addText(headOf(this.#options.format, this.#options.columns));
  }

  /** Writes everything that was added. */
  async flush(): Promise<void> {
    await this.#write();
    await this.#writes.idle();
  }

  #encode(record: WireRecord): void {
    const { digest, progress } = this.#options;
    this.#encoder.add(record);
    digest.count();
    progress.update(digest.records, record["timestamp"]);
  }

  #writeIfFull(): Promise<void> | undefined {
    return this.#rows.length >= batchSize || this.#writes.hasFailed ? this.#write() : undefined;
  }

  async #write(): Promise<void> {
    await this.#writes.idle();
    if (this.#rows.length === 0) return;
    this.#rows.swap(this.#written);
    this.#rows.clear();
    this.#writes.start(this.#written.content);
  }
}
