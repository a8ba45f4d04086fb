import { formatUnits } from "vegaprotocol-client";
import { UsageError } from "../errors.js";
import type { Flags } from "../flags.js";
import type { ColumnKind, ColumnKinds } from "../operations.js";
import { timeFormat } from "../times.js";

export type WireRecord = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** The member that it is printed from. Default: its name. */
  readonly member?: string;
  readonly kind: ColumnKind;
  /** Converts the text of the node to the printed one. */
  readonly print: (text: string, record: WireRecord) => string;
}

export interface Units {
  /** The decimal places of a record's amounts; `undefined` if they are not known. */
  decimalsOf(record: WireRecord): number | undefined;
  /** The unit of a record's amounts: the symbol of the asset, or the smallest unit. */
  unitOf(assetId: string): string;
}

const shortHeads: Readonly<Record<string, string>> = { accountType: "type", totalGovernanceTokenBalance: "tokens" };

/** The head of a column on a terminal: `party` for `partyId`, `type` for `accountType`. */
export const shortHead = (name: string): string => shortHeads[name] ?? name.replace(/(?<=.)Id$/, "");

/** The end of the help of a command. */
export const columnsText = (columns: object, hasUnits = false): string =>
  `\n\nThe columns are ${Object.keys(columns).join(", ")}${hasUnits ? ", and unit if amounts have decimals" : ""}.`;

export interface Encoder {
  readonly head: string;
  encode(records: readonly WireRecord[]): string;
  end(): string;
}

/** The text of a member: empty if it is absent or `null`, JSON if it is an object or an array. */
export function cellText(record: WireRecord, { name, member = name, print }: Column): string {
  const value = record[member];
  if (typeof value === "string") return print(value, record);
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

export function readColumnNames({ columns }: Pick<Flags, "columns">): string[] | undefined {
  const names = columns?.split(",").map((name) => name.trim());
  const repeated = names?.find((name, index) => names.indexOf(name) < index);
  if (repeated === undefined) return names;
  throw new UsageError(`Expected --columns to have each column once, got "${repeated}" twice.`);
}

/** The columns of a list, from `--columns` or all. Amounts with decimal places are followed by their unit. */
export function readColumns(kinds: ColumnKinds, flags: Flags, units?: Units): Column[] {
  const printAmount: Column["print"] = (text, record) => {
    // v0.74 nodes can send an empty amount.
    const decimals = /^-?\d+$/.test(text) ? units?.decimalsOf(record) : undefined;
    return decimals === undefined ? text : formatUnits(text, decimals);
  };
  const prints: { [kind in ColumnKind]?: Column["print"] } = { time: timeFormat(flags), amount: printAmount };
  const all = Object.entries(kinds).map(([name, kind]): Column => {
    return { name, kind, print: prints[kind] ?? ((text) => text) };
  });
  if (units && Object.hasOwn(kinds, "assetId")) {
    const unit: Column = { name: "unit", member: "assetId", kind: "text", print: (id) => units.unitOf(id) };
    all.splice(all.map(({ kind }) => kind).lastIndexOf("amount") + 1, 0, unit);
  }
  const names = readColumnNames(flags) ?? all.map(({ name }) => name);
  return names.map((name) => {
    // Tables on a terminal have short heads.
    const column = all.find((each) => each.name === name) ?? all.find((each) => shortHead(each.name) === name);
    if (column === undefined) {
      const known = all.map((each) => each.name).join(", ");
      throw new UsageError(`There is no column ${name || '""'}. --columns takes ${known}.`);
    }
    return column;
  });
}
