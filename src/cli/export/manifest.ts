import type { ListId } from "../../pagination/list-operation.js";
import type { Block } from "../../http/index.js";
import type { Connection } from "../connection.js";
import type { ListPlan } from "../list-plan.js";
import { readVersion } from "../version.js";
import { manifestFile, writeJson } from "./files.js";
import { bigintAsText } from "./state.js";

/** What `FILE.manifest.json` says about an exported file. */
export interface Manifest {
  readonly version: string;
  /** The method of the client that read the records. */
  readonly operation: string;
  readonly query: object;
  /** For a scan: Unix nanoseconds. The start belongs to the range, the end does not. */
  readonly range?: { readonly start: string | null; readonly end: string };
  readonly order: string;
  readonly limit?: number | undefined;
  readonly format: string;
  readonly columns: readonly string[];
  readonly decimals?: number | undefined;
  readonly raw: boolean;
  readonly records: number;
  /** SHA-256 of the canonical lines of the records. */
  readonly sha256: string;
  readonly node: string;
  readonly firstBlock?: object | undefined;
  readonly lastBlock?: object | undefined;
  /** Why records are missing, if some are. */
  readonly incomplete?: string | undefined;
}

export interface ExportResult {
  readonly records: number;
  readonly sha256: string;
  readonly incomplete?: string | undefined;
  /** For a scan. */
  readonly range?: Manifest["range"];
}

export async function writeManifest(file: string, plan: ListPlan, connection: Connection, result: ExportResult) {
  const { id, query, isScan, isNewestFirst, limit, format, columns, presentation } = plan;
  const { records, sha256, incomplete, range } = result;
  const { first, last } = connection.blocks;
  const manifest: Manifest = {
    version: `vegaprotocol-client ${readVersion()}`,
    operation: operationOf(id, isScan),
    query: JSON.parse(JSON.stringify(query, bigintAsText)),
    ...(range && { range }),
    order: isNewestFirst ? "newest-first" : "oldest-first",
    limit,
    format,
    columns: columns.map(({ name }) => name),
    ...presentation,
    records,
    sha256,
    node: connection.node,
    firstBlock: first && blockAsText(first),
    lastBlock: last && blockAsText(last),
    incomplete,
  };
  await writeJson(manifestFile(file), manifest);
}

const operationOf = (id: ListId, isScan: boolean) => (isScan ? id.replace(/^list/, "scan") : id);
const blockAsText = ({ height, timestamp }: Block) => ({ height: String(height), timestamp: String(timestamp) });
