import { statSync } from "node:fs";
import { kebab } from "../arguments.js";
import { UsageError } from "../errors.js";
import type { Destination } from "./destination.js";

/** The flags of destinations. */
export interface DestinationFlags {
  readonly check?: true;
  readonly partialDay?: true;
  readonly timestamps?: "micros" | "nanos";
  readonly textAmounts?: true;
  readonly schema?: string;
}

/** Opens a destination by its name, and locks it for this process. */
export async function openDestination(
  name: string,
  flags: DestinationFlags,
  signal: AbortSignal,
): Promise<Destination> {
  const {
    check: isCheck = false,
    partialDay: hasPartialDay = false,
    timestamps,
    textAmounts: hasTextAmounts = false,
    schema = "vega",
  } = flags;
  if (/^postgres(?:ql)?:\/\//.test(name)) {
    refuse(
      { partialDay: hasPartialDay, timestamps, textAmounts: hasTextAmounts },
      "a folder: a DESTINATION that ends with /",
    );
    const { openPostgres } = await import("./destinations/postgres.js");
    return openPostgres(name, { isCheck, schema, signal });
  }
  refuse({ schema: flags.schema }, "a DESTINATION such as postgres://localhost/vega");
  if (/[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory()) {
    const { openParquetFolder } = await import("./destinations/parquet.js");
    return openParquetFolder(name, { isCheck, hasPartialDay, timestamps: timestamps ?? "micros", hasTextAmounts });
  }
  refuse(
    { partialDay: hasPartialDay, timestamps, textAmounts: hasTextAmounts },
    "a folder: a DESTINATION that ends with /",
  );
  // SQLite reads options from a name that begins with `file:`.
  if (/^(?!file:).*\.(?:db|sqlite3?)$/i.test(name)) {
    return (await import("./destinations/sqlite.js")).openSqlite(name, isCheck);
  }
  throw new UsageError(
    "Expected DESTINATION to be an SQLite database such as vega.db or vega.sqlite, a folder such as vega/, or PostgreSQL such as " +
      `postgres://localhost/vega, got ${name || '""'}.`,
  );
}

/** Refuses flags of another destination. */
function refuse(flags: Readonly<Record<string, unknown>>, expected: string): void {
  const found = Object.keys(flags).find((name) => flags[name]);
  if (found !== undefined) throw new UsageError(`--${kebab(found)} requires ${expected}.`);
}
