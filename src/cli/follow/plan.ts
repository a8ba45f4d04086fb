import { operationTexts } from "../../../generated/command-line.js";
import { operations } from "../../../generated/operations.js";
import type { NanosecondTime } from "../../arguments/values.js";
import { readArguments } from "../argument-flags.js";
import type { Context } from "../command.js";
import { UsageError } from "../exit.js";
import { digestOf } from "../export/state.js";
import { readTime } from "../flag-values.js";
import { type Column, readColumns } from "../output/columns.js";
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
  readonly limit: number | undefined;
  readonly columns: readonly Column[];
  readonly file: string | undefined;
  readonly force: boolean;
  readonly resume: boolean;
  /** SHA-256 of everything that decides the content of a file, apart from where it begins. */
  readonly digest: string;
}

/** Reads the flags of a follower. Every error is found before something is sent or written. */
export function readFollowPlan(id: FollowId, { values }: Context): FollowPlan {
  const query = readArguments(followArgumentFlags(id), operations[id], values);
  const presentation = {
    decimals: values.integer("decimals", { minimum: 0, maximum: 255 }),
    raw: values.has("raw"),
  };
  const columns = readColumns(operationTexts[id].columns ?? {}, values.text("columns"), presentation);
  const names = columns.map(({ name }) => name);
  const from = values.text("from") ?? "now";
  const plan: FollowPlan = {
    id,
    query,
    from: from === "now" || from === "start" ? from : readTime("from", from),
    pollInterval: values.duration("poll-interval"),
    stalledAfter: values.duration("stalled-after"),
    limit: values.integer("limit"),
    columns,
    file: values.text("output"),
    force: values.has("force"),
    resume: values.has("resume"),
    digest: digestOf([id, query, names, presentation]),
  };
  checkFile(plan);
  return plan;
}

function checkFile({ id, file, force, resume, limit, columns }: FollowPlan): void {
  const has = (name: string) => columns.some((column) => column.name === name);
  if (resume && force) throw new UsageError("Expected --resume or --force, got both.");
  if (file === undefined && (resume || force)) {
    throw new UsageError(`Expected --output FILE beside --${resume ? "resume" : "force"}.`);
  }
  if (file !== undefined && limit !== undefined) {
    throw new UsageError("--limit does not work with --output: a file ends with a complete block.");
  }
  if (file !== undefined && id === "listNodeSignatures" && !(has("sig") && has("kind"))) {
    throw new UsageError(
      "--output needs the columns sig and kind: without them, it is not known which signatures it has.",
    );
  }
}
