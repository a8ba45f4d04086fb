/** Characters of a batch. */
const batchSize = 128 * 1024;

/**
 * Writes lines in batches: one batch is written while the next one is collected. A batch is also written as soon as the
 * program waits for something else, so that the first line does not wait for a full batch.
 */
export class BatchWriter {
  readonly #write: (text: string) => Promise<void>;
  #text = "";
  #isScheduled = false;
  #writing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  /** @param write - Writes a text. It is not called again before it has resolved. */
  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  /** Adds a text. Returns a promise to wait for if a batch is full: what is held in memory stays bounded. */
  add(text: string): Promise<void> | undefined {
    this.#text += text;
    if (this.#text.length >= batchSize || this.#failure) return this.#writeBatch();
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
    await this.#idle();
  }

  /** Waits until no write is in flight. Rejects if one has failed: what it wrote is unknown, so nothing is written after it. */
  async #idle(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#failure) throw this.#failure.error;
  }

  async #writeBatch(): Promise<void> {
    await this.#idle();
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#writing = this.#write(text)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }
}
