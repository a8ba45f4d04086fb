import { InvalidArgumentError } from "commander";
import { PaginationError, VegaError } from "vegaprotocol-client";
import { followBalanceChanges, followNodeSignatures, followVotes } from "vegaprotocol-client/follow";
import { operations } from "vegaprotocol-client/operations";
import { operationTexts } from "../../generated/operation-texts.js";
import { listFilters, readArguments } from "../arguments.js";
import { type Definition, exampleIds } from "../command.js";
import { connect } from "../connection.js";
import { ErrorWithAdvice, exitCodes, IncompleteError, NoProposalError } from "../errors.js";
import * as flag from "../flags.js";
import { type Io, isTerminal, printMessage, write } from "../io.js";
import { listAssets, requireProposal } from "../other-paths.js";
import { columnsText, type WireRecord } from "../output/columns.js";
import { createEncoder, formatOf } from "../output/print.js";
import { readUnits } from "../output/units.js";
import { createMonitor } from "../progress.js";
import { checkTime, day, formatTime, readTime } from "../times.js";

const { proposal, resource } = exampleIds;

const ids = ["listBalanceChanges", "listVotes", "listNodeSignatures"] as const;
type FollowId = (typeof ids)[number];

const texts: Readonly<Record<FollowId, { details: string; example: string }>> = {
  listBalanceChanges: {
    details: "Each balance change once, in order of time, as soon as its block is final.",
    example: "follow balances --from start -n 5",
  },
  listVotes: {
    details: "Each vote when its block is final. A rewritten vote is printed again only if a field changed.",
    example: `follow votes --proposal ${proposal} --from start -n 5`,
  },
  listNodeSignatures: {
    details: "Each signature once, starting with the existing ones.",
    example: `follow signatures --id ${resource} -n 5`,
  },
};

const fromText =
  "Where to begin: now, which is the current block; start, which is the oldest record of the node; or a time. Default: now.";

function checkFrom(text: string): string {
  if (text === "start") return text;
  // The clock of this machine can be wrong by some hours.
  if (readTime(checkTime(text, "start, or ")) <= readTime("now") + day) return text;
  throw new InvalidArgumentError("Expected a time in the past, such as 2024-02-01.");
}

const readFrom = ({ from, timeZone }: flag.Flags): "now" | "start" | bigint | undefined =>
  from === undefined || from === "now" || from === "start" ? from : readTime(from, timeZone);

export const followCommands = ids.map((id): Definition => {
  const { details, example } = texts[id];
  const { columns = {} } = operationTexts[id];
  return {
    name: operations[id].envelope,
    summary: `${operationTexts[id].summary.replace("List", "Print")} as they come.`,
    details:
      `${details} It runs until it is interrupted. \`vegaprotocol sync --follow\` stores new records.` +
      columnsText(columns, id === "listBalanceChanges"),
    flags: [
      ...listFilters(id),
      ...(id === "listNodeSignatures" ? [] : [flag.filterFlag("--from <TIME>", fromText, { parse: checkFrom })]),
      flag.filterFlag("-n, --limit <N>", "End after this many records.", { parse: flag.integer() }),
      flag.formatFlag(undefined, ["table", "ndjson", "csv"]),
      ...flag.presentationFlags(columns, "node for a table, otherwise the smallest unit"),
      flag.quietFlag("Do not print the status or failures."),
      ...flag.followFlags(),
      ...flag.nodeFlags(),
    ],
    examples: [example],
    run: (io, flags) => run(id, io, flags),
  };
});

async function run(id: FollowId, io: Io, entered: flag.Flags): Promise<number> {
  const kinds = operationTexts[id].columns ?? {};
  // A wrong flag is found before a request is sent.
  readArguments(id, { ...entered, from: undefined });
  const monitor = createMonitor(io, entered);
  const { client, pool, nodes } = await connect(io, entered);
  const isFormatted = formatOf(entered.format, io) === "table" && "if-listed";
  const { flags, units } = await readUnits(io, entered, kinds, () => listAssets(client, io.signal), isFormatted);
  const { dateRange: _, ...query } = readArguments(id, { ...flags, from: undefined });
  const from = readFrom(flags);
  const encoder = createEncoder(io, flags, kinds, undefined, { title: operations[id].envelope, units, isOpen: true });
  // If the first node to respond is behind, "now" would be its block.
  if (nodes.length > 1) await pool.check({ timeout: 2000, signal: io.signal });
  if (!flags.quiet && !flags.verbose && isTerminal(io, io.stderr)) {
    printMessage(io, `Waiting for the next block with ${operations[id].envelope}. Press Ctrl-C to stop.`);
  }
  // With a mistyped id, the command would wait in silence. Other failures do not end it.
  const { proposalId } = query as { proposalId?: string };
  if (proposalId !== undefined) {
    requireProposal(client, proposalId, io.signal).catch((error: unknown) => {
      if (error instanceof NoProposalError) printMessage(io, `Warning: ${error.message}`);
    });
  }
  let left = flags.limit ?? Number.POSITIVE_INFINITY;
  let position: string | undefined;
  let reached = typeof from === "bigint" ? from : undefined;
  let hasGap = false;
  try {
    if (encoder.head !== "") await write(io.stdout, encoder.head);
    const { giveUpAfter: stalledAfter, signal, observe } = monitor;
    const options = { pollInterval: flags.pollInterval, stalledAfter, signal, observe };
    const open: Record<FollowId, () => AsyncIterable<FollowedBatch>> = {
      listBalanceChanges: () => followBalanceChanges(client, query, { ...options, from }).batches(),
      listVotes: () => followVotes(client, query as { partyId: string }, { ...options, from }).batches(),
      listNodeSignatures: () => followNodeSignatures(client, query as { id: string }, options).batches(),
    };
    for await (const { records, from: start = 0n, upTo, resume } of open[id]()) {
      const taken = records.slice(0, left) as readonly WireRecord[];
      monitor.clear();
      if (reached !== undefined && start > reached) {
        hasGap = true;
        const range = `from ${formatTime(reached)} to ${formatTime(start)}`;
        printMessage(io, `Warning: Records ${range} may be missing: no response showed that the node keeps them.`);
      }
      reached = upTo;
      if (taken.length > 0) await write(io.stdout, encoder.encode(taken), io.signal);
      monitor.progressed(taken.length, upTo);
      left -= taken.length;
      if (left <= 0) break;
      position = resume;
    }
    return hasGap ? exitCodes.incomplete : exitCodes.done;
  } catch (error) {
    throw withAdvice(error, position, monitor.signal);
  } finally {
    monitor.clear();
  }
}

type FollowedBatch = { records: readonly object[]; from?: bigint; upTo: bigint; resume?: string };

/** @param position - The printed records are complete up to it, if it is known. */
function withAdvice(error: unknown, position: string | undefined, signal: AbortSignal): unknown {
  if (PaginationError.is(error) && error.availableFrom !== undefined) {
    const time = formatTime(error.availableFrom);
    const reason =
      error.reason === "gap"
        ? "More votes were written in one block than requests can reach. List the votes by party"
        : `The balance changes of the node begin at ${time}, after ${position === undefined ? "--from" : "the printed ones"}. ` +
          "Use a node that keeps a longer history";
    const accepted = position === undefined ? "" : "accept that records are missing and ";
    return new IncompleteError(`${reason}, or ${accepted}follow with --from ${time}.`, error);
  }
  const canContinue = error === signal.reason || (VegaError.is(error) && !PaginationError.is(error));
  if (position === undefined || !canContinue) return error;
  return new ErrorWithAdvice(error, `To continue, repeat the command with --from ${formatTime(position)}.`);
}
