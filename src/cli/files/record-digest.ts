import { createHash } from "node:crypto";
import { canonicalLine } from "../../values/canonical-line.js";
import { Bytes } from "../output/bytes.js";

const batchSize = 64 * 1024;

/** The number of records and the SHA-256 of their canonical lines. */
export class RecordDigest {
  readonly #hash = createHash("sha256");
  /** Where the canonical line of a record is added before {@link RecordDigest.count}. */
  readonly lines = new Bytes(2 * batchSize);
  #records = 0;

  get records(): number {
    return this.#records;
  }

  /** @param texts - The texts of the columns, as the node sent them. */
  add(texts: readonly string[]): void {
    this.lines.addText(canonicalLine(texts));
    this.count();
  }

  /** Counts a record whose canonical line was added. */
  count(): void {
    this.#records++;
    if (this.lines.length >= batchSize) this.#update();
  }

  /** In hexadecimal. Further records can be added. */
  digest(): string {
    this.#update();
    return this.#hash.copy().digest("hex");
  }

  #update(): void {
    this.#hash.update(this.lines.content);
    this.lines.clear();
  }
}
