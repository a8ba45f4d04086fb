import type { ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { readArguments } from "../arguments/read-arguments.js";
import { take } from "../arguments/take.js";
import type { Connection } from "../evidence/connection.js";
import { readCallOptions, type Settings } from "../http/call-options.js";
import { onDemand } from "../http/on-demand.js";
import type { OperationRoute } from "../http/operation-route.js";
import { type Scan, scan } from "./scan.js";
import { readScanOptions, type ScanOptions, scanChecks } from "./scan-options.js";

/** The argument of `scanBalanceChanges`. */
export interface ScanBalanceChangesArguments extends Omit<ListBalanceChangesArguments, "pagination"> {}

/** How the client sends the requests of a scan. */
export interface ScanMethod {
  connection: Connection;
  /** Of the list operation, which a scan reads by ranges of time. */
  route: OperationRoute;
  /** The defaults of calls. */
  settings: Settings;
}

const operation = "scanBalanceChanges";
const { pagination: _, ...scanArguments } = operations.listBalanceChanges.arguments;
const { range } = operations.listBalanceChanges;

const load = onDemand(() => import("./open-scan.js"));

/** The scan of balance changes. */
export function scanOperation(
  { connection, route, settings }: ScanMethod,
  argument: ScanBalanceChangesArguments | undefined,
  options: ScanOptions | undefined,
): Scan<BalanceChange> {
  const taken = take(() => ({
    call: readCallOptions(operation, options, settings, scanChecks),
    options: readScanOptions(options),
    checked: readArguments(operation, { arguments: scanArguments, range }, argument),
  }));
  return scan(() => {
    const { call, options, checked } = taken();
    const list = { connection, route: { ...route, operation }, call };
    return { options, open: async (controller) => (await load()).openScan(list, checked, options, controller) };
  });
}
