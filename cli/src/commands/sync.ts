import { type Command, InvalidArgumentError } from "commander";
import { PaginationError } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import { canonicalIds, kebab, listFilters, readArguments } from "../arguments.js";
import { type Definition, exampleIds, isEntered } from "../command.js";
import { connect } from "../connection.js";
import { dryFlag } from "../dry.js";
import { exitCodes, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { count, type Io, printMessage } from "../io.js";
import { largestPage } from "../operations.js";
import { listAssets } from "../other-paths.js";
import { fileId } from "../output/file.js";
import { readUnits } from "../output/units.js";
import { createMonitor } from "../progress.js";
import { explain } from "../records.js";
import { checkpointOf, type Destination, hidePassword, namedLists, type SyncList } from "../sync/destination.js";
import { isRelational } from "../sync/destinations/relational.js";
import { openDestination } from "../sync/open.js";
import type { SyncOptions, SyncStep, VotesQuery } from "../sync/run.js";
import { syncTo } from "../sync/sync.js";
import { checkTime, formatTime, isRelative } from "../times.js";
import { check, copy, describeSync, recordName, type SyncFlags, type SyncRun } from "./sync-modes.js";

const { proposal, resource } = exampleIds;

const fromText =
  "Start of the balance changes, such as 2024-02-01 or 2024-02-01T12:00:00Z. Default: the oldest one that the node keeps.";
const proposalText =
  "Store the votes on this proposal. Can be repeated. With --party, only the votes of these parties on it; --party alone stores all " +
  "votes of a party.";
const followText = "Continue and store each block as it comes, until it is interrupted.";
const checkText =
  "Compare what is stored with the node instead, and print the days that differ, each with the first record that differs. The exit code is 1 " +
  "if one differs, and 3 if not everything could be compared.";
const partialText = "Also write the day that is not over to a folder, and compare it. The next run replaces it.";
const fromDbText = "Copy an SQLite database of sync to an empty database, and compare both, instead of reading a node.";
const manyVotesText = `One block has more than ${largestPage} votes, and the node does not list all of them. Store the votes of some parties: add --party.`;

const metricsText =
  "With --follow: serve /metrics for Prometheus, such as 9464 or 0.0.0.0:9464. Default: none; HOST is 127.0.0.1.";

/** The start of a copy is the same in each run. */
function readFixedTime(text: string): string {
  if (isRelative(text))
    throw new InvalidArgumentError("Expected a time that is the same in each run, such as 2024-02-01.");
  return checkTime(text);
}

function readAddress(text: string) {
  const [, host = "127.0.0.1", port = ""] = /^(?:\[?([^[\]]+)\]?:)?(\d+)$/.exec(text) ?? [];
  return { host, port: flag.port(port) };
}

/** The largest page leaves room for the records that show where the page before it ended. */
const syncPageSize = largestPage - 100;
const { filterFlag: filter, outputFlag: output } = flag;
const repeat = { repeat: true } as const;

export const syncCommand: Definition<SyncFlags> = {
  name: "sync",
  summary: "Make a database or a folder of Parquet files equal to the node, and keep it so.",
  details:
    "DESTINATION is an SQLite database such as vega.db, a folder such as vega/, in which each complete day has a Parquet file, or " +
    "PostgreSQL such as postgres://user@localhost/vega. LIST is balances, votes, signatures or profiles. " +
    "Default: balances. The first run reads the history, each later one continues where the destination ends. A process that is killed " +
    "leaves complete blocks, or in a folder complete days. Records that the node no longer keeps stay.",
  arguments: ["<DESTINATION>", "[LIST...]"],
  flags: [
    ...listFilters("listBalanceChanges"),
    filter("--from <TIME>", fromText, { parse: readFixedTime }),
    filter("--proposal <ID>", proposalText, repeat),
    filter("--id <ID>", "Store the signatures for this resource. Can be repeated.", repeat),
    output("--follow", followText).conflicts(["check", "partialDay", "fromDb"]),
    output("--check", checkText),
    dryFlag().conflicts(["check", "follow", "fromDb"]),
    output("--partial-day", partialText),
    output("--schema <NAME>", flag.schemaText),
    output("--from-db <FILE>", fromDbText).conflicts("check"),
    output("--metrics <[HOST:]PORT>", metricsText, { parse: readAddress }),
    flag.quietFlag(),
    ...flag.nodeFlags(),
    ...flag.scanFlags(`${syncPageSize}`),
    ...flag.followFlags(),
  ],
  examples: [
    "sync vega.db",
    `sync vega.db votes signatures --proposal ${proposal} --id ${resource}`,
    "sync vega.db --dry",
    "sync vega.db --check",
    "sync vega/ balances profiles --partial-day",
  ],
  async run(io, given, [entered = "", ...names], command) {
    refuseUnused(command, given, names);
    const metrics = given.follow ? await createMetrics(io, given) : undefined;
    let connection: ReturnType<typeof connect> | undefined;
    const connected = () => (connection ??= connect(io, given, metrics));
    const list = async () => listAssets((await connected()).client, io.signal);
    const { flags } = await readUnits(io, given, { assetId: "text" }, list);
    const name = hidePassword(entered);
    const plan = readPlan(names, flags);
    if (flags.fromDb !== undefined && fileId(flags.fromDb) === fileId(entered)) {
      throw new UsageError(`Expected --from-db to be another file than DESTINATION, got "${flags.fromDb}".`);
    }
    const run: SyncRun = { io, flags, plan, entered, name, connected };
    if (flags.dry) return describeSync(run);
    const withDestination = async (perform: (destination: Destination) => Promise<number>) => {
      const mode = flags.check ? "read" : "write";
      const onNotice = (message: string) => !flags.quiet && printMessage(io, message);
      const destination = await openDestination(entered, mode, io.signal, { ...flags, onNotice }, plan.balances);
      try {
        return await perform(destination);
      } catch (error) {
        const { reason, itemsRead } = PaginationError.is(error) ? error : {};
        const isOfReading = reason === "behind" || (reason === "gap" && itemsRead !== undefined);
        throw isOfReading ? explain(error, {}) : destination.describe(error);
      } finally {
        await destination.close();
      }
    };
    if (flags.fromDb !== undefined) return copy(run, flags.fromDb, withDestination);
    // Opening a destination creates it: an error of the other flags comes before.
    await connected();
    return withDestination(async (destination) => {
      if (flags.follow && !isRelational(destination) && names.some((each) => each !== "balances")) {
        throw new UsageError("A folder follows balance changes only: its other lists are files that a run replaces.");
      }
      return flags.check ? check(run, destination) : store(run, destination, metrics);
    });
  },
};

const listsOfFlags: Readonly<Record<string, readonly SyncList[]>> = {
  ...{ from: ["balances"], asset: ["balances"], market: ["balances"], accountType: ["balances"] },
  ...{ party: ["balances", "votes"], proposal: ["votes"], id: ["signatures"] },
};

/** @throws {@link UsageError} for a flag that was entered and would do nothing. */
function refuseUnused(command: Command, { follow, fromDb }: SyncFlags, names: readonly string[]): void {
  const unused = follow ? undefined : ["metrics", "pollInterval"].find((name) => isEntered(command, name));
  if (unused !== undefined) throw new UsageError(`--${kebab(unused)} requires --follow.`);
  const stored = names.length === 0 ? ["balances"] : names;
  for (const [name, lists] of Object.entries(listsOfFlags)) {
    if (!isEntered(command, name)) continue;
    const flag = `--${kebab(name)}`;
    if (fromDb !== undefined) throw new UsageError(`--from-db copies a whole database: leave out ${flag}.`);
    if (lists.some((list) => stored.includes(list))) continue;
    throw new UsageError(`${flag} requires the list ${lists.join(" or ")} after DESTINATION.`);
  }
}

/** Reads the flags. Every error is found before something is sent or written. */
function readPlan(names: readonly string[], flags: SyncFlags): SyncOptions {
  const { party = [], proposal = [], id = [], pageSize = syncPageSize, concurrency, catchUp } = flags;
  const unknown = names.find((name) => !namedLists.some((list) => list === name));
  if (unknown !== undefined) {
    const got = hidePassword(unknown);
    throw new UsageError(`Expected names of lists after DESTINATION (${namedLists.join(", ")}), got "${got}".`);
  }
  if (flags.fromDb !== undefined && names.length > 0) {
    throw new UsageError("--from-db copies a whole database: leave out the names of lists.");
  }
  const has = (list: SyncList) => names.includes(list) || (list === "balances" && names.length === 0);
  if (has("signatures") && id.length === 0) throw new UsageError("The list signatures requires --id.");
  const argument = readArguments("listBalanceChanges", flags);
  const { filter = {}, dateRange } = argument as { filter?: object; dateRange?: { startTimestamp: bigint } };
  const balances = { filter: canonicalIds(filter), ...(dateRange && { from: dateRange.startTimestamp }) };
  return {
    balances: has("balances") ? balances : undefined,
    votes: has("votes") ? readVotes(canonicalIds(proposal), canonicalIds(party)) : [],
    signatures: has("signatures") ? canonicalIds(id) : [],
    profiles: has("profiles"),
    scan: { pageSize, concurrency, catchUp },
  };
}

function readVotes(proposals: readonly string[], parties: readonly string[]): VotesQuery[] {
  if (proposals.length === 0 && parties.length === 0) {
    throw new UsageError("The list votes requires --proposal or --party.");
  }
  if (proposals.length === 0) return parties.map((partyId) => ({ partyId }));
  if (parties.length === 0) return proposals.map((proposalId) => ({ proposalId }));
  return proposals.flatMap((proposalId) => parties.map((partyId) => ({ proposalId, partyId })));
}

async function store(
  { io, flags, plan, name, connected }: SyncRun,
  destination: Destination,
  metrics: Awaited<ReturnType<typeof createMetrics>>,
): Promise<number> {
  const { client, pool } = await connected();
  const { follow = false, pollInterval } = flags;
  const monitor = createMonitor(io, flags);
  const server = await metrics?.serve(() => pool.status);
  const stored = new Map<SyncList, SyncStep>();
  // A folder gets records once their day is over or the run ends.
  let isWritten = isRelational(destination);
  let note: string | undefined;
  try {
    await syncTo(destination, client, {
      ...plan,
      follow,
      pollInterval,
      stalledAfter: monitor.giveUpAfter,
      signal: monitor.signal,
      observe: monitor.observe,
      onConnected: () => monitor.progressed(0, undefined),
      onStored: (step) => {
        const before = stored.get(step.list)?.records ?? 0;
        stored.set(step.list, { ...step, records: before + step.records });
        server?.countStored(step);
        if (step.incomplete && follow) printMessage(io, `Warning: ${step.incomplete.message}`);
        monitor.progressed(step.records, step.checkpoint?.position);
      },
      onWritten: (unwritten) => {
        [isWritten, note] = [true, unwritten?.note];
        const step = stored.get("balances");
        if (unwritten === undefined || step === undefined) return;
        const { records, position } = unwritten;
        const { start = 0n } = step.checkpoint ?? {};
        const checkpoint = position === undefined ? undefined : { start, position };
        stored.set("balances", { ...step, records: step.records - records, checkpoint });
      },
    });
  } catch (error) {
    if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
    if (error.operation === "followVotes") throw new IncompleteError(manyVotesText, error);
    const begins = formatTime(error.availableFrom);
    const { balances } = plan;
    const isFirst = balances?.from !== undefined && error.reason === "pruned";
    const isNew = isFirst && checkpointOf(await destination.checkpoints(), "balances", balances) === undefined;
    const [missing, advice] = isNew
      ? ["the balance changes since --from", `use --from ${begins}`]
      : [`the next records of ${name}`, "make a new copy with a later --from"];
    throw new IncompleteError(
      `The node does not keep ${missing}: its history begins at ${begins}. Use a node that keeps a longer history, or ${advice}.`,
      error,
    );
  } finally {
    await server?.close();
    monitor.clear();
    const texts = [...(isWritten ? stored.values() : [])].map((step) => `${name}: ${describeStored(step)}.`);
    for (const text of flags.quiet ? [] : [...texts, ...(note ? [note] : [])]) printMessage(io, text);
  }
  return exitCodes.done;
}

/** Metrics take some megabytes: they are loaded if they are wanted. */
async function createMetrics(io: Io, { quiet, metrics: address }: SyncFlags) {
  if (address === undefined) return undefined;
  const { addNodeGauges, createNodeMetrics, createSyncMetrics, exposition, Registry } = await import("../metrics.js");
  const { startServer } = await import("../serve/server.js");
  const registry = new Registry();
  const respond = ({ url }: Request) =>
    new URL(url).pathname === "/metrics" ? exposition(registry) : new Response("Not Found\n", { status: 404 });
  return {
    count: createNodeMetrics(registry),
    async serve(status: () => NodePool["status"]) {
      addNodeGauges(registry, status);
      const countStored = createSyncMetrics(registry, status);
      const server = await startServer({ fetch: respond }, address.port, address.host);
      if (!quiet) printMessage(io, `Metrics: ${server.url}/metrics`);
      return { countStored, close: () => server.close(new AbortController(), 0) };
    },
  };
}

function describeStored({ list, records, checkpoint }: SyncStep): string {
  if (list === "assets")
    return "no assets, because the node lists none: reports do not know their symbols and decimals";
  const stored = count(records, `${list === "profiles" ? "" : "new "}${recordName(list)}`);
  if (checkpoint === undefined) return stored;
  // Nodes keep all votes and signatures.
  const from = list === "balances" ? ` from ${formatTime(checkpoint.start)}` : "";
  return `${stored}, complete${from} up to ${formatTime(checkpoint.position)}`;
}
