import { existsSync, statSync } from "node:fs";
import { NoCopyError, UsageError } from "../errors.js";
import type { Flags } from "../flags.js";
import { type BalancesQuery, type Destination, hidePassword, type OpenMode } from "./destination.js";
import { openSqlite } from "./destinations/sqlite.js";

/**
 * Opens a destination, and locks it for this process unless it is only read. Without flags, everything is read.
 *
 * @param query - Which balance changes a folder must have, if it has any.
 */
export async function openDestination(
  name: string,
  mode: OpenMode,
  signal: AbortSignal,
  flags?: Pick<Flags, "partialDay" | "schema"> & { readonly onNotice?: (message: string) => void },
  query?: BalancesQuery,
): Promise<Destination> {
  const { partialDay = false, schema, onNotice } = flags ?? {};
  const options = { mode, signal, onNotice };
  const isPostgres = /^postgres(?:ql)?:/.test(name);
  // SQLite reads options from a name that begins with `file:`. One letter is a drive of Windows.
  const isFile = !/^[a-z][a-z\d+.-]+:/i.test(name);
  const isFolder = isFile && (/[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory());
  if (partialDay && !isFolder) throw new UsageError("--partial-day requires a folder: a DESTINATION that ends with /.");
  if (isPostgres) {
    const { openPostgres } = await import("./destinations/postgres.js");
    return openPostgres(name, { ...options, schema });
  }
  if (schema !== undefined) {
    throw new UsageError("--schema requires a PostgreSQL database, such as postgres://localhost/vega.");
  }
  const isDatabase = isFile && !isFolder && /\.(?:db|sqlite3?)$/i.test(name);
  if (!isFolder && !isDatabase) {
    throw new UsageError(
      "Expected an SQLite database such as vega.db or vega.sqlite, a folder such as vega/, or PostgreSQL such as " +
        `postgres://localhost/vega, got "${hidePassword(name)}".`,
    );
  }
  if (mode === "read" && !existsSync(name)) {
    throw new NoCopyError(
      `Expected a copy of vegaprotocol sync, and there is no ${name}. Create it with: vegaprotocol sync ${name}`,
    );
  }
  if (isDatabase) {
    // A process that is killed as it starts leaves an empty file. If the file had a copy before, its records are lost.
    const isEmpty = statSync(name, { throwIfNoEntry: false })?.size === 0;
    if (mode === "write" && isEmpty) onNotice?.(`${name} is an empty file: a new copy begins in it.`);
    return openSqlite(name, options);
  }
  const { openParquetFolder } = await import("./destinations/parquet.js");
  return openParquetFolder(name, { mode, query, hasPartialDay: partialDay });
}
