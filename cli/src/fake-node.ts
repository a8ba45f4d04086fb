/** What the command `fake-node` serves: the records of files, the lag of each node, and faults. */
import { readFile } from "node:fs/promises";
import zlib from "node:zlib";
import { toNanoseconds } from "vegaprotocol-client";
import type { FakeNodeData, NodeFault } from "vegaprotocol-client/testing";
import { UsageError } from "./errors.js";
import { syncLists } from "./sync/destination.js";

type Row = Readonly<Record<string, unknown>>;

/** A record, and the list that it belongs to. */
interface ListedRow {
  readonly list: string;
  readonly record: Row;
}

/** The records of exported files and databases. */
export async function readExports(files: readonly string[]): Promise<FakeNodeData> {
  const data: Record<string, Row[]> = {};
  for (const file of files) {
    const rows = /\.(?:db|sqlite3?)$/.test(file) ? await readDatabase(file) : await readRows(file);
    for (const { list, record } of rows) {
      data[list] ??= [];
      data[list].push(record);
    }
  }
  return data;
}

async function readRows(file: string): Promise<ListedRow[]> {
  const [isKnown, compression] = /\.(?:ndjson|jsonl)(?:\.(gz|zst))?$/.exec(file) ?? [];
  if (isKnown === undefined) {
    throw new UsageError(
      `Expected --from to be a file of NDJSON, such as balances.ndjson or balances.ndjson.gz, or a database of sync, such as vega.db, got ${file}.`,
    );
  }
  const content = decompress(await readFile(file), compression, file).toString();
  return content
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [readRow(line, `${file}, line ${index + 1}`)]));
}

function decompress(content: Buffer, compression: string | undefined, file: string): Buffer {
  // Zstandard came with Node.js 22.15; the types of Node.js 20 do not have it.
  const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (content: Buffer) => Buffer };
  try {
    if (compression === "gz") return zlib.gunzipSync(content);
    if (compression === undefined) return content;
    if (zstdDecompressSync) return zstdDecompressSync(content);
  } catch (error) {
    throw new UsageError(`Expected ${file} to be compressed as its name says: ${(error as Error).message}.`);
  }
  throw new UsageError(`${file} needs Zstandard, which Node.js has from 22.15 on, and this is ${process.version}.`);
}

/** The lists by a member that the records of no other list have. */
const lists = { value: "votes", alias: "profiles", balance: "balances", sig: "signatures" } as const;

function readRow(line: string, place: string): ListedRow {
  const record = parse(line);
  const found = record && Object.entries(lists).find(([member]) => member in record);
  if (record === undefined || found === undefined) {
    throw new UsageError(
      `Expected ${place} to be a vote, a profile, a balance change or a signature with all its members.`,
    );
  }
  const { timestamp, balance } = record;
  if (typeof balance === "string" && !/^-?\d+$/.test(balance)) {
    throw new UsageError(`Expected ${place} to have a balance in the smallest unit: export without --decimals.`);
  }
  // An export has times as RFC 3339 unless it was one with --raw.
  const time = typeof timestamp === "string" && { timestamp: String(toNanoseconds(timestamp)) };
  return { list: found[1], record: { ...record, ...time } };
}

function parse(line: string): Row | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === "object" && record !== null ? { ...record } : undefined;
  } catch {
    return undefined;
  }
}

async function readDatabase(file: string): Promise<ListedRow[]> {
  const { storedRecords } = await import("./sync/stored.js");
  const rows: ListedRow[] = [];
  for (const list of syncLists) {
    for await (const record of storedRecords(file, list, AbortSignal.any([])))
      rows.push({ list, record: { ...record } });
  }
  return rows;
}

/** How many blocks each node is behind. Nodes without a value have that of the last one. */
export function readLags(text = "0", nodes: number): number[] {
  const refuse = (expected: string): never => {
    throw new UsageError(`Expected --lag to be ${expected}, got "${text}".`);
  };
  const lags = text
    .split(",")
    .map((each) => (/^\d+$/.test(each) ? Number(each) : refuse("numbers of blocks, such as 0,0,600")));
  if (lags.length > nodes)
    refuse(nodes === 1 ? "one number, or --nodes" : `at most ${nodes} numbers, one for each node`);
  return Array.from({ length: nodes }, (_, index) => lags[index] ?? lags.at(-1) ?? 0);
}

/** Reads what fails, as in `latency=200ms,503=5%`. */
export const readFaults = (entered: readonly string[]): NodeFault[] =>
  entered.flatMap((text) => text.split(",").map(readFault));

const plainFaults = ["reset", "html", "truncated-body"] as const;

function readFault(text: string): NodeFault {
  const [, name = "", value = ""] = /^([\w-]+)(?:=(.*))?$/.exec(text) ?? [];
  if (name === "latency") {
    const [, number, unit = "ms", percent] = /^(\d+(?:\.\d+)?)(ms|s)(?:\/(.+))?$/.exec(value) ?? [];
    if (number === undefined) return refuseFault("latency=200ms, or latency=200ms/10% for some requests", text);
    return { name, milliseconds: Number(number) * (unit === "s" ? 1000 : 1), ...shareOf(percent, text) };
  }
  const share = shareOf(value === "" ? undefined : value, text);
  if (/^[2-5]\d\d$/.test(name)) return { name: "status", status: Number(name), ...share };
  const found = plainFaults.find((each) => each === name);
  return found
    ? { name: found, ...share }
    : refuseFault(`a status, or one of latency, ${plainFaults.join(", ")}`, text);
}

function shareOf(percent: string | undefined, text: string): { share?: number } {
  if (percent === undefined) return {};
  const [, number] = /^(\d+(?:\.\d+)?)%$/.exec(percent) ?? [];
  const share = Number(number) / 100;
  return share <= 1 ? { share } : refuseFault("a share from 0% to 100%", text);
}

function refuseFault(expected: string, text: string): never {
  throw new UsageError(`Expected --fault to have ${expected}, got "${text}".`);
}
