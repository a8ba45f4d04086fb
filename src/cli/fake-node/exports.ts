import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import type { FakeNodeData } from "../../testing/index.js";
import { isDigits } from "../../values/digits.js";
import { toNanoseconds } from "../../values/times.js";
import { UsageError } from "../exit.js";
import { readContent } from "../files/compression.js";
import type { ListedRow, Row } from "./listed-row.js";

/** The lists by a member that the records of no other list have. */
const lists = { value: "votes", alias: "profiles", balance: "balances", sig: "signatures" } as const;

/** The records of exported files and databases, and the block that the newest of them is of. */
export async function readExports(files: readonly string[]): Promise<FakeNodeData> {
  const data: Record<string, Row[]> = {};
  let block: FakeNodeData["block"];
  for (const file of files) {
    const rows = /\.(?:db|sqlite3?)$/.test(file)
      ? (await import("./database.js")).readDatabase(file)
      : await readRows(file);
    for (const { name, record } of rows) {
      data[name] ??= [];
      data[name].push(record);
    }
    const covered = await readBlock(file);
    if (covered !== undefined && (block === undefined || covered.timestamp > block.timestamp)) block = covered;
  }
  return { ...data, ...(block && { block }) };
}

async function readRows(file: string): Promise<ListedRow[]> {
  const [, compression] = /\.(?:ndjson|jsonl)(?:\.(gz|zst))?$/.exec(file) ?? [];
  if (!/\.(?:ndjson|jsonl)(?:\.(?:gz|zst))?$/.test(file)) {
    throw new UsageError(
      `Expected --from to be a file of NDJSON, as in balances.ndjson or balances.ndjson.gz, or a database of sync, as in vega.db, got ${file}.`,
    );
  }
  const content = await readText(readContent(file, compression as "gz" | "zst" | undefined));
  const lines = content.split("\n");
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [readRow(line, `${file}, line ${index + 1}`)]));
}

function readRow(line: string, place: string): ListedRow {
  const record = parse(line);
  const found = record && Object.entries(lists).find(([member]) => member in record);
  if (record === undefined || found === undefined) {
    throw new UsageError(
      `Expected ${place} to be a vote, a profile, a balance change or a signature with all its members.`,
    );
  }
  const { timestamp, balance } = record;
  if (typeof balance === "string" && !isDigits(balance)) {
    throw new UsageError(
      `Expected ${place} to have a balance in the smallest unit, as in an export without --decimals.`,
    );
  }
  // An export has times as RFC 3339, if it was not one with --raw.
  return {
    name: found[1],
    record: typeof timestamp === "string" ? { ...record, timestamp: String(toNanoseconds(timestamp)) } : record,
  };
}

function parse(line: string): Row | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === "object" && record !== null ? { ...record } : undefined;
  } catch {
    return undefined;
  }
}

/** The block that the manifest of an export names. */
async function readBlock(file: string): Promise<FakeNodeData["block"]> {
  const manifest = await readFile(`${file}.manifest.json`, "utf8").catch(() => "{}");
  const { coverage } = JSON.parse(manifest) as { coverage?: { block?: { height: string; timestamp: string } | null } };
  const { block } = coverage ?? {};
  return block ? { height: BigInt(block.height), timestamp: BigInt(block.timestamp) } : undefined;
}
