import { operationTexts } from "../../generated/command-line.js";
import { operations } from "../../generated/operations.js";
import type { ListId } from "../pagination/list-operation.js";
import { argumentFlags, readArguments } from "./argument-flags.js";
import type { CommandContext } from "./command.js";
import { UsageError } from "./exit.js";
import type { Compression } from "./files/compression.js";
import { type ContentFlags, contentFlags } from "./files/content-flags.js";
import { readTarget, type Target } from "./files/target.js";
import { readPageFlags } from "./flag-values.js";
import { type FormatName, orders } from "./flags.js";
import { type Column, type Presentation, readColumns } from "./output/columns.js";
import { readOutput } from "./output/format.js";
import { scannable } from "./scannable.js";

/** What a command that prints a list was asked to do. */
export interface ListPlan {
  readonly id: ListId;
  /** The argument of the client's method without pagination, and for a scan without the range of time. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The range of time of a list that has one, in Unix nanoseconds. */
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  /** Whether the list is scanned by time instead of read page by page. */
  readonly isScan: boolean;
  readonly isNewestFirst: boolean;
  readonly limit: number | undefined;
  readonly pageSize: number | undefined;
  readonly concurrency: number | undefined;
  /** How long a scan waits for a node that has not reached the end of the range, in milliseconds. */
  readonly catchUp: number | undefined;
  readonly allowsIncomplete: boolean;
  readonly format: FormatName;
  readonly columns: readonly Column[];
  readonly presentation: Presentation;
  /** `undefined`: stdout. */
  readonly target: Target | undefined;
  readonly compression: Compression | undefined;
  /** What decides the content of a file. */
  readonly flags: ContentFlags;
  readonly force: boolean;
  readonly resume: boolean;
  readonly quiet: boolean;
}

/** Reads the flags of a list. Every error is found before something is sent or written. */
export function readListPlan(id: ListId, { io, values }: CommandContext): ListPlan {
  const operation = operations[id];
  const text = operationTexts[id];
  const argumentFlagsOf = argumentFlags(operation, text);
  const argument = readArguments(argumentFlagsOf, operation, values);
  const isScan = scannable.includes(id) && !values.has("cursor");
  const { start, end, others } = takeRange(argument);
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(
      `Expected --to to be no earlier than --from, ${values.text("from")}, got ${values.text("to")}.`,
    );
  }
  const target = readTarget(values.text("output"));
  const { format, compression } = readOutput(values, io, target);
  const presentation = {
    decimals: values.integer("decimals", { minimum: 0, maximum: 255 }),
    raw: values.has("raw"),
  };
  const columns = readColumns(text.columns ?? {}, values.text("columns"), presentation);
  const order = values.choice("order", orders) ?? (isScan ? "oldest-first" : "newest-first");
  const limit = values.integer("limit");
  const allowsIncomplete = values.has("allow-incomplete");
  const plan: ListPlan = {
    id,
    query: isScan ? others : argument,
    start,
    end,
    isScan,
    isNewestFirst: order === "newest-first",
    limit,
    ...readPageFlags(values),
    allowsIncomplete,
    format,
    columns,
    presentation,
    target,
    compression,
    flags: contentFlags({
      command: operation.envelope,
      arguments: argumentFlagsOf,
      argument,
      format,
      columns,
      presentation,
      others: { order, limit, "allow-incomplete": allowsIncomplete, cursor: values.has("cursor") },
    }),
    force: values.has("force"),
    resume: values.has("resume"),
    quiet: values.has("quiet"),
  };
  checkResume(plan);
  return plan;
}

/** Separates the range of time, which a scan reads piece by piece. */
function takeRange({ dateRange, ...others }: Record<string, unknown>) {
  const { startTimestamp: start, endTimestamp: end } = (dateRange ?? {}) as Record<string, bigint | undefined>;
  return { others, start, end };
}

/** Whether an export can be interrupted and continued. */
export const isResumable = ({ isScan, format, target, columns }: ListPlan): boolean =>
  isScan && target !== undefined && (format === "csv" || format === "ndjson") && hasTime(columns);

const hasTime = (columns: readonly Column[]) => columns.some(({ name }) => name === "timestamp");

function checkResume(plan: ListPlan): void {
  const { target } = plan;
  if (target && isResumable(plan) && (target.kind === "stream" || target.isLink)) {
    const what = target.kind === "stream" ? "a pipe or a device" : `a link to ${target.path}`;
    const advice = target.kind === "stream" ? "Use --output - and the shell's >" : `Use --output ${target.path}`;
    throw new UsageError(
      `Expected --output to be a regular file, which --resume can continue, got ${what}. ${advice}.`,
    );
  }
  if (plan.resume && plan.force) throw new UsageError("--resume and --force cannot be combined.");
  if (!plan.resume || isResumable(plan)) return;
  const reason =
    target === undefined
      ? "--resume needs --output FILE."
      : !plan.isScan
        ? "--resume does not work with --cursor: pages of a cursor cannot be continued exactly. Leave out --cursor."
        : plan.format === "json" || plan.format === "table"
          ? `--resume works with the formats csv and ndjson, not with ${plan.format}.`
          : "--resume needs the column timestamp: without it, the position in the file is not known.";
  throw new UsageError(reason);
}
