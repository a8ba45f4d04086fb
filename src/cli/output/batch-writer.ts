import { Writes } from "./writes.js";

/** Characters of a batch. */
const batchSize = 128 * 1024;

/**
 * Writes lines in batches: one batch is written while the next one is collected. A batch is also written as soon as the
 * program waits for something else, so that the first line does not wait for a full batch.
 */
export class BatchWriter {
  readonly #writes: Writes<string>;
  #text = "";
  #isScheduled = false;

  /** @param write - Writes a text. It is not called again before it has resolved. */
  constructor(write: (text: string) => Promise<void>) {
    this.#writes = new Writes(write);
  }

  /** Adds a text. Returns a promise to wait for if a batch is full: what is held in memory stays bounded. */
  add(text: string): Promise<void> | undefined {
    this.#text += text;
    if (this.#text.length >= batchSize || this.#writes.hasFailed) return this.#writeBatch();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      // Records that have arrived are yielded in microtasks: this runs when the next one has not arrived.
      setImmediate(() => {
        this.#isScheduled = false;
        this.#writeBatch().catch(() => {});
      });
    }
    return undefined;
  }

  /** Writes everything that was added. */
  async flush(): Promise<void> {
    await this.#writeBatch();
    await this.#writes.idle();
  }

  async #writeBatch(): Promise<void> {
    await this.#writes.idle();
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#writes.start(text);
  }
}
