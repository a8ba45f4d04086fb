import { statSync } from "node:fs";
import { kebab } from "../arguments.js";
import { UsageError } from "../errors.js";
import type { Destination, OpenMode } from "./destination.js";

/** The flags of destinations. */
export interface DestinationFlags {
  readonly partialDay?: true;
  readonly timestamps?: "micros" | "nanos";
  readonly textAmounts?: true;
  readonly schema?: string;
}

/** Opens a destination by its name, and locks it for this process unless it is only read. Without flags, everything in it is read. */
export async function openDestination(
  name: string,
  mode: OpenMode,
  signal: AbortSignal,
  flags?: DestinationFlags,
): Promise<Destination> {
  const { partialDay, timestamps, textAmounts, schema } = flags ?? {};
  const isPostgres = /^postgres(?:ql)?:\/\//.test(name);
  const isFolder = !isPostgres && (/[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory());
  if (!isFolder) refuse({ partialDay, timestamps, textAmounts }, "a folder: a DESTINATION that ends with /");
  if (isPostgres) {
    return (await import("./destinations/postgres.js")).openPostgres(name, { mode, schema: schema ?? "vega", signal });
  }
  refuse({ schema }, "a DESTINATION such as postgres://localhost/vega");
  if (isFolder) {
    const { openParquetFolder } = await import("./destinations/parquet.js");
    return openParquetFolder(name, {
      mode,
      hasPartialDay: flags === undefined || partialDay === true,
      timestamps: timestamps ?? "micros",
      hasTextAmounts: textAmounts === true,
    });
  }
  // SQLite reads options from a name that begins with `file:`.
  if (/^(?!file:).*\.(?:db|sqlite3?)$/i.test(name)) {
    return (await import("./destinations/sqlite.js")).openSqlite(name, mode);
  }
  throw new UsageError(
    "Expected an SQLite database such as vega.db or vega.sqlite, a folder such as vega/, or PostgreSQL such as " +
      `postgres://localhost/vega, got ${name || '""'}.`,
  );
}

/** Refuses flags of another destination. */
function refuse(flags: object, expected: string): void {
  const found = Object.entries(flags).find(([, value]) => value)?.[0];
  if (found !== undefined) throw new UsageError(`--${kebab(found)} requires ${expected}.`);
}
