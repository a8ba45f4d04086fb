import type { BalanceChange } from "../../../generated/types.js";
import { compareRecords } from "../../scan/record-order.js";
import { type Column, formatTime, type WireRecord, wireText } from "../output/columns.js";
import type { FileRecord } from "./file-records.js";
import { RecordDigest } from "./record-digest.js";

export interface ComparisonOptions {
  readonly node: string;
  readonly columns: readonly Column[];
  readonly isNewestFirst: boolean;
  /** The records of the file. */
  readonly records: AsyncGenerator<FileRecord, undefined, undefined>;
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
    const { columns, records, node } = this.#options;
    const ofNode = columns.map((column) => wireText(record as object as WireRecord, column));
    const { value: next } = await records.next();
    if (next === undefined) return `${node} has a record that the file lacks at its end: ${this.#describe(ofNode)}.`;
    const { line, texts } = next;
    if (texts === undefined) return `Line ${line} of the file is not a record of this export.`;
    this.digest.add(texts);
    if (texts.every((text, index) => text === ofNode[index])) return undefined;
    const order = this.#compareOrder(texts, ofNode);
    if (order < 0) return `Line ${line}: ${node} does not have the record ${this.#describe(texts)}.`;
    if (order > 0) return `Line ${line}: before it, the file lacks the record ${this.#describe(ofNode)}.`;
    const differences = columns.flatMap(({ name }, index) =>
      texts[index] === ofNode[index] ? [] : [`${name} is ${texts[index]} in the file and ${ofNode[index]} on ${node}`],
    );
    return `Line ${line}, ${this.#describe(texts)}: ${differences.join(", ")}.`;
  }

  /** Compares the ends, once all records of the node were compared. */
  async end(): Promise<string | undefined> {
    const { records, node } = this.#options;
    const { value: next } = await records.next();
    if (next === undefined) return undefined;
    const { line, texts } = next;
    if (texts === undefined) return `Line ${line} of the file is not a record of this export.`;
    return `Line ${line}: ${node} does not have the record ${this.#describe(texts)}.`;
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
