import type { Progress } from "../progress.js";
import type { Encoder, WireRecord } from "./columns.js";

/** Records of a batch. */
const batchSize = 1000;

/**
 * Encodes records and writes them in batches, while the next ones are read. A batch is also written as soon as the program waits for
 * something else, so that the first line does not wait for a full batch.
 */
export class RecordWriter {
  readonly #encoder: Encoder;
  readonly #write: (text: string) => Promise<void>;
  readonly #progress: Progress;
  readonly #isByBlock: boolean;
  readonly #batch: WireRecord[] = [];
  /** How many records of the batch can be written. */
  #ready = 0;
  #head: string;
  /** The writes so far, and those that nobody has waited for. */
  #writing = Promise.resolve();
  #unseen: Promise<void> | undefined;
  #timer: NodeJS.Immediate | undefined;
  /** How many records were written. */
  records = 0;

  /** @param isByBlock - Whether records are written once their block is complete: the next one has another time then. */
  constructor(encoder: Encoder, write: (text: string) => Promise<void>, progress: Progress, isByBlock: boolean) {
    this.#encoder = encoder;
    this.#write = write;
    this.#progress = progress;
    this.#isByBlock = isByBlock;
    this.#head = encoder.head;
  }

  /** The time of the block that is not complete, and not written. */
  get time(): unknown {
    return this.#batch[0]?.["timestamp"];
  }

  /** Returns a promise to wait for if something is being written: the memory stays bounded. */
  add(record: WireRecord): Promise<void> | undefined {
    const isNewBlock = record["timestamp"] !== this.#batch.at(-1)?.["timestamp"];
    if (this.#isByBlock && isNewBlock) this.#ready = this.#batch.length;
    this.#batch.push(record);
    if (!this.#isByBlock) this.#ready = this.#batch.length;
    if (this.#batch.length >= batchSize) this.#flush();
    // Records that have arrived are yielded in microtasks: this runs when the next one has not arrived.
    else this.#timer ??= setImmediate(() => this.#flush());
    const unseen = this.#unseen;
    this.#unseen = undefined;
    return unseen;
  }

  /** Writes everything that was added, and the text after the last record; only complete blocks if the reading has failed. */
  async end(hasFailed = false): Promise<void> {
    if (!hasFailed) this.#ready = this.#batch.length;
    this.#flush(!hasFailed);
    await this.#writing.finally(() => this.#progress.clear());
  }

  #flush(hasEnd = false): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    const records = this.#batch.splice(0, this.#ready);
    this.#ready = 0;
    if (records.length === 0 && this.#head === "" && !hasEnd) return;
    // It is unknown how much a failed write has written: nothing is written after it. An encoder can refuse a record.
    this.#writing = this.#writing.then(async () => {
      const text = `${this.#head}${this.#encoder.encode(records)}${hasEnd ? this.#encoder.end() : ""}`;
      this.#head = "";
      if (text !== "") await this.#write(text);
      this.records += records.length;
      this.#progress.update(this.records, records.at(-1)?.["timestamp"]);
    });
    this.#unseen = this.#writing;
    this.#writing.catch(() => {});
  }
}
