import { operationTexts } from "../../../generated/command-line.js";
import { operations } from "../../../generated/operations.js";
import type { Block } from "../../http/block.js";
import type { NanosecondTime } from "../../values/times.js";
import { readArguments } from "../argument-flags.js";
import type { CommandContext } from "../command.js";
import { UsageError } from "../exit.js";
import type { Compression } from "../files/compression.js";
import { type ContentFlags, contentFlags } from "../files/content-flags.js";
import { readTarget, type Target } from "../files/target.js";
import type { FormatName } from "../flags.js";
import { type Column, readColumns } from "../output/columns.js";
import { readOutput } from "../output/format.js";
import { readTime } from "../time-values.js";
import { readBlockText } from "./chain.js";
import { type FollowId, followArgumentFlags } from "./flags.js";

/** Where a follower begins. */
export type From = "now" | "start" | NanosecondTime;

/** What a command that follows a list was asked to do. */
export interface FollowPlan {
  readonly id: FollowId;
  /** The argument of the follower's function. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly from: From;
  readonly pollInterval: number | undefined;
  readonly stalledAfter: number | undefined;
  /** In milliseconds. */
  readonly giveUpAfter: number;
  /** A block of the chain that the position belongs to. */
  readonly chain: Block | undefined;
  readonly limit: number | undefined;
  readonly columns: readonly Column[];
  readonly format: FormatName;
  readonly compression: Compression | undefined;
  /** `undefined`: stdout. */
  readonly target: Target | undefined;
  readonly force: boolean;
  readonly resume: boolean;
  /** What decides the content of a file, apart from where it begins. */
  readonly flags: ContentFlags;
}

/** Reads the flags of a follower. Every error is found before something is sent or written. */
export function readFollowPlan(id: FollowId, { io, values }: CommandContext): FollowPlan {
  const argumentFlags = followArgumentFlags(id);
  const query = readArguments(argumentFlags, operations[id], values);
  const presentation = {
    decimals: values.integer("decimals", { minimum: 0, maximum: 255 }),
    raw: values.has("raw"),
  };
  const columns = readColumns(operationTexts[id].columns ?? {}, values.text("columns"), presentation);
  const chain = values.text("chain");
  const target = readTarget(values.text("output"));
  const { format, compression } = readOutput(values, io, target);
  const plan: FollowPlan = {
    id,
    query,
    from: positionOf(values.text("from") ?? "now"),
    pollInterval: values.duration("poll-interval"),
    stalledAfter: values.duration("stalled-after"),
    giveUpAfter:
      values.text("give-up-after") === "never"
        ? Number.POSITIVE_INFINITY
        : (values.duration("give-up-after") ?? 600_000),
    chain: chain === undefined ? undefined : readBlockText("--chain", chain),
    limit: values.integer("limit"),
    columns,
    format,
    compression,
    target,
    force: values.has("force"),
    resume: values.has("resume"),
    flags: contentFlags({
      command: `follow ${operations[id].envelope}`,
      arguments: argumentFlags,
      argument: query,
      format,
      columns,
      presentation,
    }),
  };
  checkFile(plan);
  return plan;
}

/** Reads where a follower begins. */
export const positionOf = (text: string): From => (text === "now" || text === "start" ? text : readTime("from", text));

function checkFile({ id, target, format, force, resume, limit, columns }: FollowPlan): void {
  const has = (name: string) => columns.some((column) => column.name === name);
  if (resume && force) throw new UsageError("--resume and --force cannot be combined.");
  if (target?.kind !== "file" && (resume || force)) {
    const reason = target === undefined ? "." : ", and FILE must be a regular file.";
    throw new UsageError(`--${resume ? "resume" : "force"} needs --output FILE${reason}`);
  }
  const isFile = target?.kind === "file";
  if (format === "json" || (target && format === "table")) {
    throw new UsageError(`Expected --format to be ndjson or csv, got ${format}: what follow writes has no end.`);
  }
  if (isFile && limit !== undefined) {
    throw new UsageError("--limit does not work with --output: a file ends with a complete block.");
  }
  if (isFile && id === "listNodeSignatures" && !(has("sig") && has("kind"))) {
    throw new UsageError(
      "--output needs the columns sig and kind: without them, it is not known which signatures it has.",
    );
  }
}
