import { createWriteStream } from "node:fs";
import type { FollowEvent } from "../../follow/index.js";
import type { CommandContext } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, IncompleteError } from "../exit.js";
import { recordsOf } from "../files/file-records.js";
import { resumeCommand } from "../files/resume-command.js";
import { printBlock } from "../follow/chain.js";
import type { FollowId } from "../follow/flags.js";
import { FollowFile } from "../follow/follow-file.js";
import { withIncompleteness } from "../follow/incomplete.js";
import { Monitor } from "../follow/monitor.js";
import { asRecord, openFollower } from "../follow/open-follower.js";
import { type FollowPlan, readFollowPlan } from "../follow/plan.js";
import { wireText } from "../output/columns.js";
import { createFormat } from "../output/format.js";
import { stdoutWriter } from "../output/stdout.js";
import { ErrorWithAdvice } from "../report.js";
import { logFollowEvents } from "../verbose.js";

/** Prints new records, or appends them to a file, until it is interrupted. */
export async function follow(id: FollowId, context: CommandContext): Promise<number> {
  const plan = readFollowPlan(id, context);
  const { target } = plan;
  if (target === undefined) return print(plan, context, stdoutWriter(context.io.stdout));
  if (target.kind === "file") return append(plan, target.path, context);
  // A pipe or a device cannot be continued: it is written as it is.
  const stream = createWriteStream(target.path);
  try {
    return await print(plan, context, stdoutWriter(stream));
  } finally {
    stream.end();
  }
}

type Write = (text: string) => Promise<void>;

async function print(plan: FollowPlan, context: CommandContext, write: Write): Promise<number> {
  const { io } = context;
  const { monitor, open } = await prepare(plan, plan, context);
  const format = createFormat(plan.format, plan.columns, io, plan.target !== undefined);
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  let position: string | undefined;
  try {
    if (format.head !== "") await write(format.head);
    for await (const { records, resume } of open()) {
      const taken = records.slice(0, left);
      const text = taken.map((record) => format.line(asRecord(record))).join("") + format.flush();
      if (text !== "") await monitor.write(taken.length, () => write(text));
      left -= taken.length;
      if (left <= 0) break;
      position = resume;
    }
    return exitCodes.done;
  } catch (error) {
    const chain = monitor.chain && plan.chain === undefined ? `--chain ${printBlock(monitor.chain)} ` : "";
    throw withAdvice(error, plan, position && resumeCommand(io.argv, `${chain}--from ${position}`));
  } finally {
    monitor.clear();
  }
}

async function append(plan: FollowPlan, path: string, context: CommandContext): Promise<number> {
  const { io } = context;
  const output = await FollowFile.open(path, plan);
  try {
    const { monitor, open } = await prepare(plan, output, context);
    try {
      const isNew = await newnessFor(plan, output);
      const format = createFormat(plan.format, plan.columns, io, true);
      for await (const { records, resume } of open()) {
        const lines = records.filter(isNew).map((record) => format.line(asRecord(record)));
        await monitor.write(lines.length, () =>
          output.append(lines.join(""), { position: resume, chain: monitor.chain }),
        );
      }
      return exitCodes.done;
    } finally {
      monitor.clear();
    }
  } catch (error) {
    throw withAdvice(error, plan, output.isNew ? undefined : resumeCommand(io.argv));
  } finally {
    await output.close();
  }
}

/** @param start - Where to begin, and a block of the chain that it is on. */
async function prepare(plan: FollowPlan, start: Pick<FollowPlan, "from" | "chain">, context: CommandContext) {
  const { io, values } = context;
  const { from, chain } = start;
  const isVerbose = values.has("verbose");
  const isQuiet = values.has("quiet") || isVerbose;
  const monitor = new Monitor({ io, isQuiet, giveUpAfter: plan.giveUpAfter, from, chain });
  const { client } = await connect(context, monitor);
  const log = logFollowEvents(io);
  const observe = (event: FollowEvent) => {
    if (isVerbose) log(event);
    monitor.observe(event);
  };
  return { monitor, open: () => openFollower(client, plan, { from, signal: monitor.signal, observe }) };
}

/** A follower of signatures has no position: those that the file has are left out. */
async function newnessFor({ id, columns }: FollowPlan, { kept }: FollowFile): Promise<(record: object) => boolean> {
  if (id !== "listNodeSignatures" || kept === undefined) return () => true;
  const keyColumns = columns.filter(({ name }) => name === "sig" || name === "kind");
  const indexes = keyColumns.map((column) => columns.indexOf(column));
  const known = new Set<string>();
  for await (const { texts } of recordsOf(kept.file, kept.size)) {
    known.add(indexes.map((index) => texts?.[index]).join(" "));
  }
  return (record) => !known.has(keyColumns.map((column) => wireText(asRecord(record), column)).join(" "));
}

/** @param command - The command to continue with, if there is a position. */
function withAdvice(error: unknown, { target }: FollowPlan, command: string | undefined): unknown {
  const reported = withIncompleteness(error, target !== undefined);
  const hasAdvice = command !== undefined && !(reported instanceof IncompleteError);
  return hasAdvice ? new ErrorWithAdvice(reported, `To continue: ${command}`) : reported;
}
