import { readFile } from "node:fs/promises";
import { formatUnits } from "vegaprotocol-client";
import { ExitError, UsageError } from "../errors.js";
import type { PresentationFlags } from "../flags.js";
import type { ColumnKind } from "../operations.js";

/** A record as a node sent it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** A member of a record and how it is printed. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Converts the text of the node to the printed one. */
  readonly print: (text: string, record: WireRecord) => string;
}

/** Turns records into text. */
export interface Encoder {
  /** What comes before the first record. */
  readonly head: string;
  encode(records: readonly WireRecord[]): string;
  /** What follows the last record. */
  end(): string;
}

/** The text of a member: empty if it is absent or `null`, JSON if it is an object or an array. */
export function cellText(record: WireRecord, { name, print }: Column): string {
  const value = record[name];
  if (typeof value === "string") return print(value, record);
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Prints Unix nanoseconds as RFC 3339. A time that RFC 3339 cannot express stays as it is. */
export function formatTime(time: bigint | string): string {
  const text = String(time);
  if (!/^\d{1,21}$/.test(text)) return text;
  const digits = text.padStart(10, "0");
  const seconds = Number(digits.slice(0, -9));
  if (seconds > lastSecond) return text;
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${digits.slice(-9)}Z`;
}

const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** The columns of a list: those of `--columns`, or all. */
export async function readColumns(
  kinds: Readonly<Record<string, ColumnKind>>,
  { columns: names, raw, decimals: entered = [], assets = [] }: PresentationFlags,
): Promise<Column[]> {
  const known = Object.keys(kinds);
  const hasAmounts = entered.length > 0 || assets.length > 0;
  const decimalsOf = hasAmounts ? await readDecimals(entered, assets, known.includes("assetId")) : undefined;
  const printOf = (kind: ColumnKind): Column["print"] => {
    if (kind === "time" && !raw) return formatTime;
    if (kind !== "amount" || decimalsOf === undefined) return (text) => text;
    // v0.74 nodes can send an empty amount.
    return (text, record) => (/^-?\d+$/.test(text) ? formatUnits(text, decimalsOf(record)) : text);
  };
  return (names?.split(",") ?? known).map((each, index, all) => {
    const name = each.trim();
    const kind = kinds[name];
    if (kind === undefined || !Object.hasOwn(kinds, name)) {
      throw new UsageError(`There is no column ${name || '""'}. The columns are ${known.join(", ")}.`);
    }
    if (all.indexOf(each) !== index) throw new UsageError(`Expected each column once, got ${name} twice.`);
    return { name, kind, print: printOf(kind) };
  });
}

/** Returns the decimal places of a record's amounts. */
async function readDecimals(
  entered: readonly string[],
  files: readonly string[],
  hasAssets: boolean,
): Promise<(record: WireRecord) => number> {
  const known = new Map((await Promise.all(files.map(readAssets))).flat());
  let bare: number | undefined;
  for (const text of entered) {
    const [, asset, digits = ""] = /^(?:([^=]+)=)?(\d+)$/.exec(text) ?? [];
    const decimals = digits === "" ? Number.NaN : Number(digits);
    if (!(decimals <= 255) || (asset !== undefined && !hasAssets)) {
      const expected = hasAssets ? "ASSET=N or N, with an N" : "an integer";
      throw new UsageError(`Expected --decimals to be ${expected} from 0 to 255, got "${text}".`);
    }
    if (asset === undefined) bare = decimals;
    else known.set(asset.toLowerCase(), decimals);
  }
  let first: unknown;
  return (record) => {
    const { assetId } = record;
    const own = known.get(String(assetId).toLowerCase());
    if (own !== undefined) return own;
    if (bare === undefined) {
      throw new ExitError(
        `The decimal places of asset ${assetId} are not known: add --decimals ${assetId}=N, or --assets FILE.`,
      );
    }
    first ??= assetId;
    // Amounts of another asset would be wrong by powers of ten.
    if (first === assetId) return bare;
    throw new ExitError(
      `--decimals ${bare} is for records of one asset, and ${assetId} comes after ${first}. Use --decimals ASSET=N for each of them, ` +
        "--assets FILE, or --asset to list only one.",
    );
  };
}

/** Reads what a node responds to `/api/v2/assets`. */
async function readAssets(file: string): Promise<[string, number][]> {
  try {
    const { edges } = JSON.parse(await readFile(file, "utf8")).assets as {
      edges: { node: { id: string; details: { decimals: string } } }[];
    };
    const assets = edges.map(({ node }): [string, number] => [node.id.toLowerCase(), Number(node.details.decimals)]);
    if (assets.every(([, decimals]) => Number.isInteger(decimals) && decimals >= 0 && decimals <= 255)) return assets;
  } catch {
    // The same error as for other JSON, or for a file that is not there.
  }
  throw new UsageError(`Expected --assets to be the JSON of a node's /api/v2/assets, got ${file}.`);
}
