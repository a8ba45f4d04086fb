/** Writes one chunk after the other. What a failed write has written is unknown, so nothing is written after it. */
export class Writes<Chunk> {
  readonly #write: (chunk: Chunk) => Promise<void>;
  #writing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(write: (chunk: Chunk) => Promise<void>) {
    this.#write = write;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Begins to write. The write before it must have ended. */
  start(chunk: Chunk): void {
    this.#writing = this.#write(chunk)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /** Waits until no write is in flight. Rejects if one has failed. */
  async idle(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#failure) throw this.#failure.error;
  }
}
