import { operationTexts } from "../../generated/command-line.js";
import { operations } from "../../generated/operations.js";
import type { OperationId } from "../arguments/operation.js";
import { argumentFlags } from "./argument-flags.js";

/** The flags of options of the client. */
const flagOf: ReadonlyMap<string, string> = new Map([
  ["baseUrl", "node"],
  ["headers", "header"],
  ["timeout", "timeout"],
  ["retry.attempts", "retries"],
  ["maxItems", "limit"],
  ["pageSize", "page-size"],
  ["pagination.first", "page-size"],
  ["concurrency", "concurrency"],
  ["catchUp", "catch-up"],
  ["from", "from"],
  ["pollInterval", "poll-interval"],
  ["stalledAfter", "stalled-after"],
  ...Object.entries(operations).flatMap(([name, operation]) => {
    const flags = argumentFlags(operation, operationTexts[name as OperationId]);
    return flags.map(({ path, flag }): [string, string] => [path.join("."), flag.name]);
  }),
]);

/** A message of the client with the flags in the place of its options, as in `--party` for `filter.partyIds[2]`. */
export const withFlagNames = (message: string): string =>
  message.replaceAll(/`([A-Za-z.]+)(?:\[\d+\])?`(?: of [A-Za-z]+)?/g, (all, path: string) => {
    const flag = flagOf.get(path === "urls" ? "baseUrl" : path);
    return flag === undefined ? all : `--${flag}`;
  });
