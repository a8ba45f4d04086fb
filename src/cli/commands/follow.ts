import type { VegaClient } from "../../client.js";
import type { Context } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, IncompleteError } from "../exit.js";
import { recordsOf } from "../export/file-records.js";
import { resumeCommand } from "../export/resume-command.js";
import type { FollowId } from "../follow/flags.js";
import { FollowFile } from "../follow/follow-file.js";
import { withIncompleteness } from "../follow/incomplete.js";
import { asRecord, openFollower } from "../follow/open-follower.js";
import { type FollowPlan, readFollowPlan } from "../follow/plan.js";
import { wireText } from "../output/columns.js";
import { ndjsonLine } from "../output/ndjson.js";
import { stdoutWriter } from "../output/stdout.js";
import { ErrorWithAdvice } from "../report.js";
import { logFollowEvents } from "../verbose.js";

/** Prints new records, or appends them to a file, until it is interrupted. */
export async function follow(id: FollowId, context: Context): Promise<number> {
  const plan = readFollowPlan(id, context);
  const { client } = await connect(context);
  return plan.file === undefined ? print(plan, client, context) : append(plan, plan.file, client, context);
}

async function print(plan: FollowPlan, client: VegaClient, { io, values }: Context): Promise<number> {
  const write = stdoutWriter(io.stdout);
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  let position: string | undefined;
  try {
    for await (const { records, resume } of openFollower(client, plan, optionsFor(plan.from, { io, values }))) {
      const taken = records.slice(0, left);
      if (taken.length > 0) await write(linesOf(taken, plan));
      left -= taken.length;
      if (left <= 0) break;
      position = resume;
    }
    return exitCodes.done;
  } catch (error) {
    throw withAdvice(error, plan, position && resumeCommand(io.argv, `--from ${position}`));
  }
}

async function append(plan: FollowPlan, file: string, client: VegaClient, context: Context): Promise<number> {
  const { io } = context;
  const output = await FollowFile.open(file, plan);
  try {
    const isNew = await newnessFor(plan, file);
    for await (const { records, resume } of openFollower(client, plan, optionsFor(output.from, context))) {
      await output.append(linesOf(records.filter(isNew), plan), resume);
    }
    return exitCodes.done;
  } catch (error) {
    throw withAdvice(error, plan, output.isNew ? undefined : resumeCommand(io.argv));
  } finally {
    await output.close();
  }
}

/** A follower of signatures has no position: those that the file has are left out. */
async function newnessFor({ id, columns }: FollowPlan, file: string): Promise<(record: object) => boolean> {
  if (id !== "listNodeSignatures") return () => true;
  const keyColumns = columns.filter(({ name }) => name === "sig" || name === "kind");
  const indexes = keyColumns.map((column) => columns.indexOf(column));
  const known = new Set<string>();
  for await (const { texts } of recordsOf(file, "ndjson", columns)) {
    known.add(indexes.map((index) => texts?.[index]).join(" "));
  }
  return (record) => !known.has(keyColumns.map((column) => wireText(asRecord(record), column)).join(" "));
}

const optionsFor = (from: FollowPlan["from"], { io, values }: Pick<Context, "io" | "values">) => ({
  from,
  signal: io.signal,
  observe: values.has("verbose") ? logFollowEvents(io) : undefined,
});

const linesOf = (records: readonly object[], { columns }: FollowPlan) =>
  records.map((record) => ndjsonLine(asRecord(record), columns)).join("");

/** @param command - The command to continue with, if there is a position. */
function withAdvice(error: unknown, { file }: FollowPlan, command: string | undefined): unknown {
  const reported = withIncompleteness(error, file);
  const hasAdvice = command !== undefined && !(reported instanceof IncompleteError);
  return hasAdvice ? new ErrorWithAdvice(reported, `To continue: ${command}`) : reported;
}
