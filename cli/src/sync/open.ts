import { statSync } from "node:fs";
import { UsageError } from "../errors.js";
import type { Destination } from "./destination.js";

/**
 * Opens a destination by its name, and locks it for this process.
 *
 * @param mustExist - Whether one that is not there is an error.
 */
export async function openDestination(name: string, mustExist: boolean): Promise<Destination> {
  const isFile = !/[/\\]$/.test(name) && !statSync(name, { throwIfNoEntry: false })?.isDirectory();
  // SQLite reads options from a name that begins with `file:`.
  if (isFile && /^(?!file:).*\.(?:db|sqlite3?)$/i.test(name)) {
    return (await import("./destinations/sqlite.js")).openSqlite(name, mustExist);
  }
  throw new UsageError(`Expected DESTINATION to be a database such as vega.db or vega.sqlite, got ${name || '""'}.`);
}
