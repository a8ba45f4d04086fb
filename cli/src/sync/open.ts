import { statSync } from "node:fs";
import { UsageError } from "../errors.js";
import type { Destination } from "./destination.js";

/** The flags of destinations. */
export interface DestinationFlags {
  readonly check?: true;
  readonly partialDay?: true;
  readonly timestamps?: "micros" | "nanos";
  readonly textAmounts?: true;
}

/** Opens a destination by its name, and locks it for this process. */
export async function openDestination(name: string, flags: DestinationFlags): Promise<Destination> {
  const {
    check: isCheck = false,
    partialDay: hasPartialDay = false,
    timestamps,
    textAmounts: hasTextAmounts = false,
  } = flags;
  if (/[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory()) {
    const { openParquetFolder } = await import("./destinations/parquet.js");
    return openParquetFolder(name, { isCheck, hasPartialDay, timestamps: timestamps ?? "micros", hasTextAmounts });
  }
  for (const [flag, value] of Object.entries({
    "--partial-day": hasPartialDay,
    "--timestamps": timestamps,
    "--text-amounts": hasTextAmounts,
  })) {
    if (value) throw new UsageError(`${flag} requires a folder: a DESTINATION that ends with /.`);
  }
  // SQLite reads options from a name that begins with `file:`.
  if (/^(?!file:).*\.(?:db|sqlite3?)$/i.test(name)) {
    return (await import("./destinations/sqlite.js")).openSqlite(name, isCheck);
  }
  throw new UsageError(
    `Expected DESTINATION to be a database such as vega.db or vega.sqlite, or a folder such as vega/, got ${name || '""'}.`,
  );
}
