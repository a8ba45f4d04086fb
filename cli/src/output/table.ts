import stringWidth from "string-width";
import { printable } from "../io.js";
import { type Column, cellText, type Encoder, shortHead, type WireRecord } from "./columns.js";

const gap = "  ";

export interface TableOptions {
  readonly bold: (text: string) => string;
  /** The width of a row: columns that do not fit are left out, unless they tell rows apart. Default: any. */
  readonly width?: number | undefined;
  /** Whether values are shortened: ids, whole seconds, names of enumerations without their common prefix. */
  readonly isShort?: boolean;
  /** Whether later batches can differ in any column. */
  readonly isOpen?: boolean | undefined;
  /** The widest values that later batches can have, as far as they are known. */
  readonly widest?: WireRecord | undefined;
  readonly onHidden?: (names: readonly string[]) => void;
}

/** A table with a bold head. Its columns are as wide as the rows of the first batch need; a later row can be wider. */
export function table(columns: readonly Column[], options: TableOptions): Encoder {
  const { bold, width = Number.POSITIVE_INFINITY, isShort = false, isOpen = false, widest = {}, onHidden } = options;
  let shown: (Column & { width: number })[] | undefined;
  /** How many digits of an id are shown at its beginning and at its end. */
  let digits = isShort ? [4, 4] : undefined;

  const headOf = ({ name }: Column) => printable(isShort ? shortHead(name) : name);
  function cellOf(record: WireRecord, column: Column): string {
    const text = printable(cellText(record, column));
    if (digits === undefined) return text;
    if (column.kind === "time") return text.replace(/\.\d{9}(?=Z$|[+-]\d\d:\d\d$)/, "");
    return column.kind === "text" || column.kind === "exact" ? shorten(text, digits) : text;
  }

  function fit(records: readonly WireRecord[]) {
    const measure = () =>
      columns.map((column) => {
        const cells = records.map((record) => cellOf(record, column));
        const isSame = !isOpen && records.length > 1 && new Set(cells).size === 1;
        const texts = [headOf(column), cellOf(widest, column), ...cells];
        return { ...column, isSame, width: texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0) };
      });
    const isWide = (all: readonly { width: number }[]) =>
      all.reduce((sum, each) => sum + each.width + gap.length, -gap.length) > width;
    let all = measure();
    if (isShort && isWide(all)) {
      digits = [6, 0];
      all = measure();
    }
    const hidden: string[] = [];
    while (isWide(all)) {
      const shared = all.slice(1).find(({ name, isSame }) => isSame && name.endsWith("Id"));
      const others = all.slice(1).filter(({ name }) => !tellsApart.test(name));
      // Units that differ tell as much as the ids of assets.
      const hasUnits = all.some(({ name, isSame }) => name === "unit" && !isSame);
      const asset = hasUnits ? all.find(({ name }) => name === "assetId") : undefined;
      const last = shared ?? others.at(-1) ?? asset;
      if (last === undefined) break;
      hidden.unshift(last.name);
      all = all.filter((each) => each !== last);
    }
    if (hidden.length > 0) onHidden?.(hidden);
    return all;
  }

  const row = (cells: (column: Column) => string, all: NonNullable<typeof shown>) =>
    all
      .map((column) => {
        const text = cells(column);
        column.width = Math.max(column.width, stringWidth(text));
        const space = " ".repeat(column.width - stringWidth(text));
        return column.kind === "amount" ? space + text : text + space;
      })
      .join(gap)
      .trimEnd();

  return {
    head: "",
    encode(records) {
      if (records.length === 0) return "";
      const isFirst = shown === undefined;
      shown ??= fit(records);
      const all = shown;
      const head = isFirst ? `${bold(row(headOf, all))}\n` : "";
      return head + records.map((record) => `${row((column) => cellOf(record, column), all)}\n`).join("");
    },
    end: () => "",
  };
}

/** Columns that tell rows apart, or carry their meaning. */
const tellsApart =
  /^(?:timestamp|time|balance|change|unit|entry|value|totalGovernanceTokenBalance|accountType|url|id|.+Id)$/;

/** Shortens ids, hashes and signatures to their ends, and names of enumerations to the words of flags. */
function shorten(text: string, [first = 0, last = 0]: readonly number[]): string {
  if (/^[\w+/=-]{32,}$/.test(text) && !/^[A-Z_]+$/.test(text)) {
    return last > 0 ? `${text.slice(0, first)}…${text.slice(-last)}` : text.slice(0, first);
  }
  const [, name] = /^(?:ACCOUNT_TYPE|NODE_SIGNATURE_KIND|VALUE)_([A-Z\d_]+)$/.exec(text) ?? [];
  if (name !== undefined) return name.toLowerCase().replaceAll("_", "-");
  if (last > 0 || text.length <= 32) return text;
  // In a narrow terminal, a long text such as an alias would hide its column.
  const characters = [...text];
  return characters.length > 32 ? `${characters.slice(0, 31).join("")}…` : text;
}
