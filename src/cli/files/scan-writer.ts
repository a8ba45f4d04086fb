import type { WireRecord } from "../output/columns.js";
import type { ExportFile, ExportProgress, ExportState } from "./export-file.js";
import type { RecordDigest } from "./record-digest.js";
import type { RowWriter } from "./row-writer.js";

/** How often what was written is made to count, in milliseconds. */
const saveInterval = 1000;

export interface ScanWriterOptions {
  readonly file: ExportFile;
  readonly writer: RowWriter;
  readonly digest: RecordDigest;
  /** What an earlier process has written. */
  readonly state: ExportState | undefined;
  /** Milliseconds that never decrease. */
  readonly now: () => number;
}

/**
 * Writes the records of a scan. Those of one time are written once a later one shows that they are complete: a scan is
 * continued at a time.
 */
export class ScanWriter {
  readonly #options: ScanWriterOptions;
  #first: string | null;
  /** The time of the records that were not written yet. */
  #next: string | null;
  #group: WireRecord[] = [];
  #savedAt: number;

  constructor(options: ScanWriterOptions) {
    this.#options = options;
    this.#first = options.state?.first ?? null;
    this.#next = options.state?.next ?? null;
    this.#savedAt = options.now();
  }

  get progress(): ExportProgress {
    return { records: this.#options.digest.records, first: this.#first, next: this.#next };
  }

  /** Returns a promise to wait for if the file is slower than the node. */
  readonly add = (record: WireRecord): Promise<void> | undefined => {
    const time = String(record["timestamp"]);
    if (this.#group.length > 0 && time !== this.#next) {
      const wait = this.#release(time);
      this.#group.push(record);
      return this.#options.now() - this.#savedAt < saveInterval ? wait : this.save();
    }
    this.#first ??= time;
    this.#next = time;
    this.#group.push(record);
    return undefined;
  };

  /** Makes what was written count. */
  async save(ended = false): Promise<void> {
    const { writer, file, now } = this.#options;
    // The group and the time belong together: a record that comes while the file is written changes neither.
    const { progress } = this;
    await writer.flush();
    await file.save(progress, ended);
    this.#savedAt = now();
  }

  /** Writes everything. @param next - Where to continue, if the range was not read to its end. */
  async end(next = this.#next): Promise<void> {
    await this.#release(next);
    await this.#options.writer.flush();
  }

  #release(next: string | null): Promise<void> | undefined {
    const group = this.#group;
    this.#group = [];
    this.#next = next;
    return this.#options.writer.addAll(group);
  }
}
