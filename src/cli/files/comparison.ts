import type { BalanceChange } from "../../../generated/types.js";
import { compareRecords } from "../../scan/record-order.js";
import { type Column, formatTime, type WireRecord, wireText } from "../output/columns.js";
import type { TimeRange } from "../records.js";
import type { FileRecord } from "./file-records.js";
import { RecordDigest } from "./record-digest.js";

export interface ComparisonOptions {
  readonly node: string;
  readonly columns: readonly Column[];
  readonly isNewestFirst: boolean;
  /** The records of the file. */
  readonly records: AsyncGenerator<FileRecord, undefined, undefined>;
  /** Records of the file that are not in this range are not compared. Default: all are compared. */
  readonly range?: TimeRange | undefined;
}

/** The members that decide the order of a scan. */
const key = ["timestamp", "assetId", "partyId", "marketId", "accountType"];

/** Compares the records of a node with those of a file, of which each is read once. */
export class Comparison {
  /** Of the records of the file that were compared. */
  readonly digest = new RecordDigest();
  readonly #options: ComparisonOptions;

  constructor(options: ComparisonOptions) {
    this.#options = options;
  }

  /** Compares the next record of the node with that of the file. Returns the difference, if there is one. */
  async compare(record: BalanceChange): Promise<string | undefined> {
    const { columns, node } = this.#options;
    const ofNode = columns.map((column) => wireText(record as object as WireRecord, column));
    const next = await this.#next();
    if (next === undefined) {
      return `${node} has a record that the file lacks at its end: ${this.#describe(ofNode)}.`;
    }
    const { line, texts } = next;
    if (texts === undefined) return notRecord(line);
    if (texts.every((text, index) => text === ofNode[index])) return undefined;
    const order = this.#compareOrder(texts, ofNode);
    if (order < 0) return this.#lacks(line, texts);
    if (order > 0) return `Line ${line}: before it, the file lacks the record ${this.#describe(ofNode)}.`;
    const differences = columns.flatMap(({ name }, index) =>
      texts[index] === ofNode[index] ? [] : [`${name} is ${texts[index]} in the file and ${ofNode[index]} on ${node}`],
    );
    return `Line ${line}, ${this.#describe(texts)}: ${differences.join(", ")}.`;
  }

  /** Compares the ends, once all records of the node were compared. */
  async end(): Promise<string | undefined> {
    const next = await this.#next();
    if (next === undefined) return undefined;
    return next.texts === undefined ? notRecord(next.line) : this.#lacks(next.line, next.texts);
  }

  /** The next record of the file that is compared. All others are part of the digest, too. */
  async #next(): Promise<FileRecord | undefined> {
    const { records, range } = this.#options;
    for (;;) {
      const { value: next } = await records.next();
      if (next?.texts === undefined) return next;
      this.digest.add(next.texts);
      const time = this.#timeOf(next.texts);
      const isOutside = range !== undefined && ((range.start ?? 0n) > time || (range.end ?? time + 1n) <= time);
      if (!isOutside) return next;
    }
  }

  #lacks(line: number, texts: readonly string[]): string {
    return `Line ${line}: ${this.#options.node} does not have the record ${this.#describe(texts)}.`;
  }

  #timeOf(texts: readonly string[]): bigint {
    const text = texts[this.#options.columns.findIndex(({ name }) => name === "timestamp")] ?? "";
    return /^\d+$/.test(text) ? BigInt(text) : 0n;
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#options.records.return(undefined);
  }

  /** Less than 0 if a record of the file comes first; 0 if the columns do not identify a record. */
  #compareOrder(ofFile: readonly string[], ofNode: readonly string[]): number {
    const { columns, isNewestFirst } = this.#options;
    if (!key.every((name) => columns.some((column) => column.name === name))) return 0;
    const order = compareRecords(this.#toRecord(ofFile), this.#toRecord(ofNode));
    return isNewestFirst ? -order : order;
  }

  #toRecord(texts: readonly string[]): BalanceChange {
    const record = Object.fromEntries(this.#options.columns.map(({ name }, index) => [name, texts[index] ?? ""]));
    return { balance: "", ...record, timestamp: (record["timestamp"] ?? "0") as `${bigint}` };
  }

  /** The time and the members that identify a record, as far as the file has them. */
  #describe(texts: readonly string[]): string {
    const members = this.#options.columns.flatMap(({ name }, index) => {
      const text = texts[index] ?? "";
      return !key.includes(name) || text === ""
        ? []
        : [name === "timestamp" ? `of ${formatTime(text)}` : `${name} ${text}`];
    });
    return members.join(", ");
  }
}

const notRecord = (line: number): string => `Line ${line} of the file is not a record of this export.`;
