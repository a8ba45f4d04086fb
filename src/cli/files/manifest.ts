import type { ListId } from "../../pagination/list-operation.js";
import type { Coverage } from "../../values/coverage.js";
import { isDigits } from "../../values/digits.js";
import type { ConnectedClient } from "../connection.js";
import { type IncompleteError, UsageError } from "../exit.js";
import { type FormatName, formats, orders } from "../flags.js";
import type { ListPlan } from "../list-plan.js";
import { readVersion } from "../version.js";
import type { ContentFlags } from "./content-flags.js";
import { manifestFile, readJson } from "./files.js";

/** What `FILE.manifest.json` says about an exported file. */
export interface Manifest {
  readonly version: string;
  /** The method of the client that read the records. */
  readonly operation: string;
  readonly query: object;
  /** The flags with which the file was exported. */
  readonly flags: ContentFlags;
  /**
   * For an export that can be continued, in Unix nanoseconds: what verify reads. The start belongs to the range, the end does not. If
   * records are missing, the file can have others outside of the range.
   */
  readonly range?: { readonly start: string | null; readonly end: string };
  /** For a scan: what the file has all records of, and the block that shows it. */
  readonly coverage?: {
    readonly start: string;
    /** `null` if no response named a block: nothing shows how far the node had come. */
    readonly end: string | null;
    readonly block: { readonly height: string; readonly timestamp: string } | null;
  };
  readonly order: string;
  readonly limit?: number | undefined;
  readonly format: string;
  readonly columns: readonly string[];
  readonly decimals?: number | undefined;
  readonly raw: boolean;
  readonly records: number;
  /** SHA-256 of the canonical lines of the records. */
  readonly sha256: string;
  /** The address of the node, or those of several. */
  readonly node: string | readonly string[];
  /** For a list that is read page by page: the blocks that the first and the last response named. */
  readonly firstBlock?: object | undefined;
  readonly lastBlock?: object | undefined;
  /** Why records are missing, if some are. */
  readonly incomplete?: string | undefined;
}

/** What the file of a scan has all records of. */
export interface Claim {
  readonly range?: { readonly start: bigint | undefined; readonly end: bigint };
  /** `undefined` if the list was not scanned. */
  readonly coverage: Coverage | undefined;
}

export interface ExportResult extends Claim {
  readonly records: number;
  readonly sha256: string;
  /** Why records are missing, if some are. */
  readonly incomplete: IncompleteError | undefined;
}

export function createManifest(plan: ListPlan, connection: ConnectedClient, result: ExportResult): Manifest {
  const { id, query, flags, isScan, isNewestFirst, limit, format, columns, presentation } = plan;
  const { records, sha256, incomplete, range, coverage } = result;
  const { nodes, blocks } = connection;
  const manifest = {
    version: `vegaprotocol-client ${readVersion()}`,
    operation: operationOf(id, isScan),
    query,
    flags,
    ...(range && { range: { start: range.start ?? null, end: range.end } }),
    ...(coverage && { coverage: describeCoverage(coverage) }),
    order: isNewestFirst ? "newest-first" : "oldest-first",
    limit,
    format,
    columns: columns.map(({ name }) => name),
    ...presentation,
    records,
    sha256,
    node: nodes.length > 1 ? nodes : (nodes[0] ?? ""),
    ...(coverage === undefined && { firstBlock: blocks.first, lastBlock: blocks.last }),
    incomplete: incomplete?.message,
  };
  return JSON.parse(JSON.stringify(manifest, bigintAsText));
}

/** JSON has no `undefined`. */
const describeCoverage = ({ start, end, block }: Coverage) => ({
  start,
  end: end ?? null,
  block: block ?? null,
});

/** JSON has no bigint. */
const bigintAsText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

const operationOf = (id: ListId, isScan: boolean) => (isScan ? id.replace(/^list/, "scan") : id);

/** What is read of the manifest of a scan. */
export interface ScanManifest {
  readonly query: object;
  readonly range: { readonly start: bigint | undefined; readonly end: bigint };
  readonly order: (typeof orders)[number];
  readonly limit: number | undefined;
  readonly format: FormatName;
  readonly columns: readonly string[];
  readonly decimals: number | undefined;
  readonly raw: boolean;
  readonly records: number;
  readonly sha256: string;
  readonly flags: ContentFlags;
  /** Why records are missing, if some are. */
  readonly incomplete: string | undefined;
}

/** Reads the manifest of an export of balances. */
export async function readManifest(file: string): Promise<ScanManifest> {
  const path = manifestFile(file);
  const manifest = await readJson(path);
  if (manifest === undefined) {
    throw new UsageError(`${path} is missing. An export writes it when it is complete.`);
  }
  const { operation, query, flags, range, limit, columns, decimals, raw, records, sha256, incomplete } = manifest;
  if (operation !== "scanBalanceChanges") {
    throw new UsageError(
      `Expected an export of balances, got one of ${operation}: the order of other lists varies by node.`,
    );
  }
  const order = orders.find((each) => each === manifest["order"]);
  const format = formats.find((each) => each === manifest["format"]);
  const { start, end } = (range ?? {}) as { start?: unknown; end?: unknown };
  if (
    order !== undefined &&
    (format === "csv" || format === "ndjson") &&
    typeof query === "object" &&
    query !== null &&
    typeof flags === "object" &&
    flags !== null &&
    (start === null || isDigits(start)) &&
    isDigits(end) &&
    (limit === undefined || typeof limit === "number") &&
    Array.isArray(columns) &&
    (decimals === undefined || typeof decimals === "number") &&
    typeof raw === "boolean" &&
    typeof records === "number" &&
    typeof sha256 === "string" &&
    (incomplete === undefined || typeof incomplete === "string")
  ) {
    const times = { start: start === null ? undefined : BigInt(start), end: BigInt(end) };
    const content = { query, flags: flags as ContentFlags, range: times, order, limit, format, columns, decimals, raw };
    return { ...content, records, sha256, incomplete };
  }
  throw new UsageError(`Expected ${path} to be the manifest of an export as csv or ndjson with the column timestamp.`);
}
