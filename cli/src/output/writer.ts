import type { Progress } from "../progress.js";
import type { Encoder, WireRecord } from "./cells.js";
import type { Sink } from "./file.js";

/** Characters of a batch. */
const batchSize = 128 * 1024;

/**
 * Encodes records and writes them in batches: one batch is written while the next one is collected. A batch is also written as soon as
 * the program waits for something else, so that the first line does not wait for a full batch.
 */
export class RecordWriter {
  readonly #encoder: Encoder;
  readonly #sink: Sink;
  readonly #progress: Progress;
  #text: string;
  #writing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;
  #isScheduled = false;
  records = 0;

  constructor(encoder: Encoder, sink: Sink, progress: Progress) {
    this.#encoder = encoder;
    this.#sink = sink;
    this.#progress = progress;
    this.#text = encoder.head;
  }

  /** Returns a promise to wait for if a batch is full: what is held in memory stays bounded. */
  add(record: WireRecord): Promise<void> | undefined {
    this.records++;
    this.#text += this.#encoder.encode(record);
    this.#progress.update(this.records, record["timestamp"]);
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
  async end({ isComplete = true } = {}): Promise<void> {
    this.#text += isComplete ? this.#encoder.end() : this.#encoder.flush();
    await this.#write();
    await this.#idle();
  }

  async #write(): Promise<void> {
    await this.#idle();
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
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
