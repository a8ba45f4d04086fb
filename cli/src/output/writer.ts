import type { Progress } from "../progress.js";
import type { Encoder, WireRecord } from "./cells.js";
import type { Sink } from "./file.js";

/** Characters of a batch. */
const batchSize = 128 * 1024;

export interface WriterOptions {
  /** Whether records are written once their block is complete: the next one has another time then. */
  readonly isByBlock: boolean;
  /** Whether the end of the text is written after an error, too. */
  readonly hasEnd: boolean;
}

/**
 * Encodes records and writes them in batches: one batch is written while the next one is collected. A batch is also written as soon as
 * the program waits for something else, so that the first line does not wait for a full batch.
 */
export class RecordWriter {
  readonly #encoder: Encoder;
  readonly #sink: Sink;
  readonly #progress: Progress;
  readonly #options: WriterOptions;
  #text: string;
  /** How much of the text is of complete blocks. */
  #completeText = 0;
  #records = 0;
  /** How many records are of complete blocks, and the time of the block after them. */
  complete: { readonly records: number; readonly time: unknown } = { records: 0, time: undefined };
  #writing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;
  #isScheduled = false;

  constructor(encoder: Encoder, sink: Sink, progress: Progress, options: WriterOptions) {
    this.#encoder = encoder;
    this.#sink = sink;
    this.#progress = progress;
    this.#options = options;
    this.#text = encoder.head;
  }

  /** Returns a promise to wait for if a batch is full: what is held in memory stays bounded. */
  add(record: WireRecord): Promise<void> | undefined {
    const { timestamp } = record;
    if (this.#options.isByBlock && timestamp !== this.complete.time) this.#completeBlock(timestamp);
    this.#text += this.#encoder.encode(record);
    this.#progress.update(++this.#records, timestamp);
    if (this.#text.length >= batchSize || this.#failure) return this.#write();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      // Records that have arrived are yielded in microtasks: this runs when the next one has not arrived.
      setImmediate(() => {
        this.#isScheduled = false;
        if (!this.#writing) this.#write().catch(() => {});
      });
    }
    return undefined;
  }

  /** Writes everything that was added, and what follows the last record. */
  async end(): Promise<void> {
    this.#completeBlock(undefined);
    this.#text += this.#encoder.end();
    await this.#flush();
  }

  /** Writes what is complete when no further record can be read. */
  async stop(): Promise<void> {
    this.#text = this.#text.slice(0, this.#options.isByBlock ? this.#completeText : undefined);
    this.#text += this.#options.hasEnd ? this.#encoder.end() : this.#encoder.flush();
    await this.#flush();
  }

  #completeBlock(time: unknown): void {
    this.#completeText = this.#text.length;
    this.complete = { records: this.#records, time };
  }

  async #flush(): Promise<void> {
    this.#progress.clear();
    this.#completeText = this.#text.length;
    await this.#write();
    await this.#idle();
  }

  async #write(): Promise<void> {
    await this.#idle();
    const end = this.#options.isByBlock ? this.#completeText : this.#text.length;
    const text = this.#text.slice(0, end);
    if (text === "") return;
    this.#text = this.#text.slice(end);
    this.#completeText = 0;
    this.#writing = this.#sink
      .write(text)
      // What a failed write has written is unknown, so nothing is written after it.
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /** Waits until no write is in flight. Rejects if one has failed. */
  async #idle(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#failure) throw this.#failure.error;
  }
}
