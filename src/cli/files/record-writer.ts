import { BatchWriter } from "../output/batch-writer.js";
import type { Column, WireRecord } from "../output/columns.js";
import { wireText } from "../output/columns.js";
import type { Format } from "../output/format.js";
import type { Progress } from "../progress.js";
import type { RecordDigest } from "./record-digest.js";

export interface RecordWriterOptions {
  readonly format: Format;
  readonly columns: readonly Column[];
  readonly write: (text: string) => Promise<void>;
  readonly progress: Progress;
  /** Absent: no digest is needed. */
  readonly digest?: RecordDigest | undefined;
}

/** Formats, writes and counts records. */
export class RecordWriter {
  readonly #options: RecordWriterOptions;
  readonly #writer: BatchWriter;
  #records = 0;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
    this.#writer = new BatchWriter(options.write);
  }

  get records(): number {
    return this.#records;
  }

  /** Returns a promise to wait for if the output is slower than the input. */
  readonly add = (record: WireRecord): Promise<void> | undefined => this.#write(this.#format(record));

  #format(record: WireRecord): string {
    const { format, columns, progress, digest } = this.#options;
    this.#records++;
    digest?.add(columns.map((column) => wireText(record, column)));
    progress.update(this.#records, record["timestamp"]);
    return format.line(record);
  }

  #write(text: string): Promise<void> | undefined {
    return text === "" ? undefined : this.#writer.add(text);
  }

  /** Writes what a file begins with. */
  async begin(): Promise<void> {
    if (this.#options.format.head !== "") await this.#writer.add(this.#options.format.head);
  }

  /** Writes everything that was added. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Writes everything that was added, and what follows the last record. */
  async end(): Promise<void> {
    const end = this.#options.format.end();
    if (end !== "") await this.#writer.add(end);
    await this.flush();
  }
}
