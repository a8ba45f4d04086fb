import { createHash } from "node:crypto";

/** More marks than this are thinned out: each second one stays. */
const mostMarks = 1024;
/** Characters of a mark. A mark finds a change; the digest as a whole proves that there is none. */
const markLength = 8;
const marksPattern = new RegExp(`.{${markLength}}`, "g");
const lineFeed = 0x0a;

/** What identifies a text, and the lines at which it first differs from another one. */
export interface TextDigest {
  readonly bytes: number;
  readonly lines: number;
  /** In hexadecimal. */
  readonly sha256: string;
  /** How many lines are between two marks. */
  readonly every: number;
  /** The beginnings of the digests after each of so many lines, one after the other. */
  readonly marks: string;
}

/** The running digest of a text that is written line by line. */
export class LineDigest {
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #lines = 0;
  #every = 1;
  #marks: string[] = [];

  get bytes(): number {
    return this.#bytes;
  }

  add(content: Uint8Array): void {
    let [start, position] = [0, 0];
    for (;;) {
      position = content.indexOf(lineFeed, position) + 1;
      if (position === 0) break;
      this.#lines++;
      if (this.#lines % this.#every !== 0) continue;
      this.#hash.update(content.subarray(start, position));
      start = position;
      this.#mark();
    }
    this.#hash.update(content.subarray(start));
    this.#bytes += content.length;
  }

  /** The digest of what was added. Further lines can be added. */
  digest(): TextDigest {
    const [bytes, lines, every] = [this.#bytes, this.#lines, this.#every];
    return { bytes, lines, sha256: this.#hash.copy().digest("hex"), every, marks: this.#marks.join("") };
  }

  #mark(): void {
    this.#marks.push(this.#hash.copy().digest("hex").slice(0, markLength));
    if (this.#marks.length < mostMarks) return;
    this.#marks = this.#marks.filter((_, index) => index % 2 === 1);
    this.#every *= 2;
  }
}

/** The lines, counted from 1, of which at least one differs. */
export interface ChangedLines {
  readonly first: number;
  /** Not part of the range; `undefined`: up to the end of the text. */
  readonly end: number | undefined;
}

/** Finds the first lines in which a text differs from the one that was written; `undefined` if both are the same. */
export function findChange(written: TextDigest, found: TextDigest): ChangedLines | undefined {
  if (written.sha256 === found.sha256 && written.bytes === found.bytes) return undefined;
  // Marks of a text that has become longer or shorter can be further apart.
  const every = Math.max(written.every, found.every);
  const marksOf = ({ marks, every: own }: TextDigest) =>
    (marks.match(marksPattern) ?? []).filter((_, index) => ((index + 1) * own) % every === 0);
  const [before, now] = [marksOf(written), marksOf(found)];
  const same = before.findIndex((mark, index) => mark !== now[index]);
  const first = (same === -1 ? before.length : same) * every + 1;
  return { first, end: same === -1 ? undefined : first + every };
}
