import { statSync } from "node:fs";
import { operations } from "../../../generated/operations.js";
import { PaginationError } from "../../errors/index.js";
import type { FollowVotesArguments } from "../../follow/index.js";
import {
  type ComparedDay,
  checkSync,
  type SqlDatabase,
  type SyncBalances,
  type SyncList,
  type SyncOptions,
  type SyncProgress,
  type SyncWait,
  syncTo,
} from "../../sync/index.js";
import { readArguments } from "../argument-flags.js";
import type { CommandContext } from "../command.js";
import { connect } from "../connection.js";
import { describeDuration } from "../durations.js";
import { exitCodes, IncompleteError, quote, UsageError } from "../exit.js";
import { lock } from "../files/lock.js";
import { resumeCommand } from "../files/resume-command.js";
import { readTarget } from "../files/target.js";
import { Monitor } from "../follow/monitor.js";
import { print, printMessage } from "../message.js";
import { formatTime } from "../output/columns.js";
import { count } from "../progress.js";
import { readScanFlags } from "../records.js";
import { ErrorWithAdvice } from "../report.js";
import { syncArgumentFlags } from "../sync-flags.js";
import { logFollowEvents } from "../verbose.js";

const lists: readonly SyncList[] = ["balances", "votes", "signatures", "profiles"];

/** A database that was opened. */
type OpenDatabase = SqlDatabase & { close(): void };

/** Makes a database equal to the node, or compares it. */
export async function sync(context: CommandContext): Promise<number> {
  const { positionals, values } = context;
  const [name = "", ...names] = positionals;
  const plan = readPlan(names, context);
  const open = loadSqlite();
  const path = readDatabaseFile(name, values.has("check"));
  const held = await lock(path);
  let database: OpenDatabase | undefined;
  try {
    database = open(path);
    return await (values.has("check") ? check : store)(database, name, plan, context);
  } catch (error) {
    throw describeSqlite(error, name);
  } finally {
    database?.close();
    await held.release();
  }
}

/**
 * Returns the file of a database, behind symbolic links: one lock is for all of its names.
 *
 * @throws {@link UsageError} for what is no file of its own.
 */
function readDatabaseFile(name: string, mustExist: boolean): string {
  // SQLite keeps these in memory, or reads options from them.
  if (name === "" || name === ":memory:" || /^file:/i.test(name)) {
    throw new UsageError(`Expected FILE to be the name of a file, got ${quote(name)}. Use a name such as vega.db.`);
  }
  const target = readTarget(name, "FILE");
  const path = target?.path ?? name;
  if (target?.kind === "stream") throw new UsageError(`Expected FILE to be a regular file, got ${quote(name)}.`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (mustExist && !found) throw new UsageError(`Expected FILE to be a database to check, and ${name} does not exist.`);
  const names = found?.nlink ?? 1;
  if (names > 1) {
    throw new UsageError(
      `Expected FILE to have one name, and ${name} has ${names} (hard links): SQLite would lose what is written by another one. ` +
        "Copy the file, or remove the other names.",
    );
  }
  return path;
}

/** The result code of SQLite for a full disk. */
const full = 13;

/** Names the file of an error of SQLite. */
function describeSqlite(error: unknown, name: string): unknown {
  const cause = error instanceof ErrorWithAdvice ? error.cause : error;
  const { code, errcode, message } = (cause ?? {}) as { code?: string; errcode?: number; message?: string };
  if (code !== "ERR_SQLITE_ERROR") return error;
  const advice = errcode === full ? " Free some space, and repeat the command." : "";
  return new Error(`SQLite cannot use ${name}: ${message}.${advice}`, { cause });
}

/** What is stored, and how it is read. */
type Plan = Pick<SyncOptions, "votes" | "signatures" | "profiles" | "pageSize" | "concurrency" | "catchUp"> & {
  readonly balances: SyncBalances | undefined;
  readonly giveUpAfter: number;
};

/** Reads the flags. Every error is found before something is sent or written. */
function readPlan(names: readonly string[], { values }: CommandContext): Plan {
  const unknown = names.find((name) => !lists.some((list) => list === name));
  if (unknown !== undefined)
    throw new UsageError(`Expected names of lists after FILE (${lists.join(", ")}), got ${unknown}.`);
  if (values.has("repair") && !values.has("check")) throw new UsageError("Expected --check beside --repair.");
  if (values.has("days") && !values.has("check")) throw new UsageError("Expected --check beside --days.");
  if (values.has("follow") && values.has("check")) throw new UsageError("Expected --follow or --check, got both.");
  const has = (list: SyncList) => names.includes(list) || (list === "balances" && names.length === 0);
  if (values.has("check") && !has("balances"))
    throw new UsageError("--check compares balance changes: name the list balances.");
  const argument = readArguments([...syncArgumentFlags], operations.listBalanceChanges, values);
  const { filter, dateRange } = argument as { filter?: SyncBalances["filter"]; dateRange?: { startTimestamp: bigint } };
  const balances = { ...(filter && { filter }), ...(dateRange && { from: dateRange.startTimestamp }) };
  return {
    balances: has("balances") ? balances : undefined,
    votes: has("votes") ? readVotes(values.all("proposal"), values.all("party")) : [],
    signatures: has("signatures") ? readIds(values.all("id")) : [],
    profiles: has("profiles"),
    ...readScanFlags(values),
    giveUpAfter:
      values.text("give-up-after") === "never"
        ? Number.POSITIVE_INFINITY
        : (values.duration("give-up-after") ?? 600_000),
  };
}

function readVotes(proposals: readonly string[], parties: readonly string[]): FollowVotesArguments[] {
  if (proposals.length === 0 && parties.length === 0)
    throw new UsageError("Expected --proposal or --party beside votes.");
  if (proposals.length === 0) return parties.map((partyId) => ({ partyId }));
  if (parties.length === 0) return proposals.map((proposalId) => ({ proposalId }));
  return proposals.flatMap((proposalId) => parties.map((partyId) => ({ proposalId, partyId })));
}

function readIds(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) throw new UsageError("Expected --id beside signatures.");
  return ids;
}

/** Returns what opens a database. Older versions of Node.js, and some other runtimes, do not have it. */
/** @param what - What needs it, for the message. */
export function loadSqlite(what = "sync"): (path: string) => OpenDatabase {
  const sqlite = process.getBuiltinModule?.("node:sqlite") as
    | { DatabaseSync: new (path: string) => OpenDatabase }
    | undefined;
  if (sqlite === undefined) {
    throw new UsageError(`${what} needs SQLite, which Node.js has from 22.13 on, and this is ${process.version}.`);
  }
  return (path) => new sqlite.DatabaseSync(path);
}

async function store(database: OpenDatabase, name: string, plan: Plan, context: CommandContext): Promise<number> {
  const { io, values } = context;
  const { giveUpAfter, ...options } = plan;
  const isVerbose = values.has("verbose");
  const isQuiet = values.has("quiet");
  const monitor = new Monitor({ io, isQuiet: isQuiet || isVerbose, giveUpAfter, from: "start", chain: undefined });
  const { client } = await connect(context, monitor);
  const log = logFollowEvents(io);
  const stored = new Map<SyncList, SyncProgress>();
  try {
    await syncTo(database, client, {
      ...options,
      follow: values.has("follow"),
      pollInterval: values.duration("poll-interval"),
      signal: monitor.signal,
      observe: (event) => {
        if (isVerbose) log(event);
        monitor.observe(event);
      },
      onStored: (progress) => {
        const before = stored.get(progress.list)?.records ?? 0;
        stored.set(progress.list, progress);
        monitor.write(progress.records - before, async () => {
          if (progress.incomplete && values.has("follow")) printMessage(io, `Warning: ${progress.incomplete.message}`);
        });
      },
      onBehind: sayBehind(name, context),
    });
  } catch (error) {
    if (PaginationError.is(error) && [...stored.values()].some(({ incomplete }) => incomplete === error)) throw error;
    throw new ErrorWithAdvice(error, `To continue: ${resumeCommand(io.argv, "").trimEnd()}`);
  } finally {
    monitor.clear();
    if (!isQuiet) for (const progress of stored.values()) printMessage(io, `${name}: ${describeProgress(progress)}.`);
  }
  return exitCodes.done;
}

/** Says what is waited for. */
const sayBehind =
  (name: string, { io, values }: CommandContext) =>
  ({ block, position, catchUp }: SyncWait): void => {
    if (values.has("quiet") || catchUp === 0) return;
    const [reached, stored] = [formatTime(block.timestamp), formatTime(position)];
    printMessage(
      io,
      `The node has reached ${reached}, and ${name} ${stored}: waiting for it for ${describeDuration(catchUp)}.`,
    );
  };

function describeProgress({ list, records, upTo }: SyncProgress): string {
  return `${count(records)} ${list} stored${upTo === undefined ? "" : `, complete up to ${formatTime(upTo)}`}`;
}

async function check(database: OpenDatabase, name: string, plan: Plan, context: CommandContext): Promise<number> {
  const { io, values } = context;
  const { balances, pageSize, concurrency, catchUp } = plan;
  const isRepaired = values.has("repair");
  const { client, nodes } = await connect(context);
  const reading = { pageSize, concurrency, catchUp, signal: io.signal };
  const options = { balances, ...reading, repair: isRepaired, onBehind: sayBehind(name, context) };
  const { days, different, unrepaired, records, uncompared, start, end } = await checkSync(database, client, options);
  if (values.has("days")) await print(io, days.map(describeDay).join(""));
  for (const { day, stored, node, surplus, missing } of different) {
    const counts = `${count(stored.records)} records, ${count(node.records)} in the node`;
    const what = `${count(missing)} missing, ${count(surplus)} that the node does not have`;
    printMessage(io, `${day}: ${counts}: ${what}${isRepaired ? "; read again" : ""}.`);
  }
  for (const { day } of unrepaired) {
    printMessage(io, `${day}: still differs after it was read again. Repeat the command, or use another node.`);
  }
  if ((isRepaired ? unrepaired : different).length > 0) return exitCodes.failed;
  const range = `from ${formatTime(start)} to ${formatTime(end)}`;
  if (uncompared > 0) {
    throw new IncompleteError(
      `Only the balance changes ${range} were compared, ${count(records)}, and they are equal: the node does not keep the ` +
        `${count(uncompared)} before. Use a node with a longer history.`,
    );
  }
  if (values.has("quiet")) return exitCodes.done;
  await print(io, `${name} equals ${nodes.join(", ")} ${range}: ${count(records)} balance changes.\n`);
  return exitCodes.done;
}

/** A line with the number of records and their digest, and those of the node if they differ. */
function describeDay({ day, stored, node }: ComparedDay): string {
  const others = stored.sha256 === node.sha256 ? [] : [node.records, node.sha256];
  return `${[day, stored.records, stored.sha256, ...others].join(" ")}\n`;
}
