/** The commands `statement`, `series`, `tally`, `limits` and `bundle`, and `balances --at`. */
import type { Option } from "commander";
import type { BalanceChange, BalanceChangesFilter, VegaClient, Vote } from "vegaprotocol-client";
import {
  type BalanceSeriesOptions,
  type Submission,
  signatureBundle,
  submissionLimits,
  tallyVotes,
} from "vegaprotocol-client/reports";
import { canonicalIds, kebab, listFilters, readArguments } from "../arguments.js";
import { type Definition, exampleIds } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { type Io, printMessage } from "../io.js";
import { listAssets, requireProposal } from "../other-paths.js";
import { readTarget } from "../output/file.js";
import { printObject, printRecords } from "../output/print.js";
import { readUnits } from "../output/units.js";
import { createProgress } from "../progress.js";
import { explain, leaveOutTo, startsLate, warnOfEnd } from "../records.js";
import {
  type BalanceReportName,
  balanceReport,
  groupNames,
  newestTime,
  readGroup,
  readSends,
  reportColumns,
  reportUpTo,
  seriesColumns,
  tallyRules,
} from "../reports.js";
import { createCopy } from "../sync/copy.js";
import { checkRange, checkTime, formatTime, latest, readTime } from "../times.js";

const { party, proposal, resource } = exampleIds;

const range = "--from 2024-02-09T16:54:30Z --to 2024-02-09T16:54:45Z";
const supply = "--total-supply 200000000000000000000000000";

interface BalanceFlags extends flag.Flags {
  readonly monthly?: true;
  readonly every?: BalanceSeriesOptions["every"];
  readonly groupBy?: string;
}

/** The flags of all reports: those that a report requires are there. */
interface ReportFlags extends BalanceFlags {
  readonly proposal: string;
  readonly requiredMajority?: string;
  readonly requiredParticipation?: string;
  readonly totalSupply?: string;
  readonly liquidityMajority?: string;
  readonly liquidityParticipation?: string;
  readonly market?: string;
  readonly party: string;
  readonly command: Submission["command"];
  readonly sentSince?: number;
  readonly sentByBlock?: readonly string[];
  readonly tokens?: string;
  readonly id: string;
}

const filter = flag.filterFlag;

const dbText = "Read a DESTINATION of vegaprotocol sync, such as vega.db, instead of a node.";

export const dbFlags = (more = ""): Option[] => [
  flag.nodeFlag("--db <DESTINATION>", dbText + more),
  flag.nodeFlag("--schema <NAME>", flag.schemaText),
];

const completeHistoryFlag = (): Option =>
  filter(
    "--complete-history",
    "Print 0 for accounts without an earlier record: the records go back to the first block. Default: unknown, an empty cell.",
  );

export const atFlags = (): Option[] => [
  filter("--at <TIME>", "Print the balance of each account at this time, such as 2024-12-31 or now.", {
    parse: checkTime,
  }).conflicts(["from", "to", "order", "limit"]),
  completeHistoryFlag(),
];

const mandatory = true;
const toText =
  "The time of the closing balances, such as 2024-02-01. Default: now, which is the newest complete block.";

const balanceFlags = (): Option[] => [
  filter("--from <TIME>", "Start of the report, such as 2024-01-01.", { parse: checkTime, mandatory }),
  filter("--to <TIME>", toText, { parse: checkTime }),
  ...listFilters("listBalanceChanges"),
  completeHistoryFlag(),
  ...flag.presentationFlags(reportColumns.statement, "node"),
  flag.quietFlag(),
  ...flag.scanFlags(),
];

const sentText =
  "How many transactions of any kind were sent with proof of work of the block of this height. Can be repeated. Default: those in " +
  "--sent-since count for every block.";

const reports: Readonly<Record<string, Omit<Definition<ReportFlags>, "name">>> = {
  statement: {
    summary: "Print opening balances, changes and closing balances of accounts.",
    details: "The opening balance of an account and its changes after --from up to --to add up to its closing balance.",
    flags: [
      filter(
        "--monthly",
        "Add a row with the total and the last balance of each month, in the time zone of --time-zone.",
      ),
      ...balanceFlags(),
    ],
    examples: [
      `statement --asset VEGA ${range}`,
      `statement --asset VEGA ${range} --monthly --time-zone Europe/Berlin --times spreadsheet -o statement.csv`,
    ],
    run: (io, flags) => printBalances(io, "statement", flags),
  },
  series: {
    summary: "Print balances at the end of each period, or at each change.",
    details:
      "Periods are in --time-zone, and weeks begin on Monday. With --every change, a group has a row whenever one of its accounts " +
      "changes. Balances of different assets are never added.",
    flags: [
      filter("--every <PERIOD>", "The period. Default: day.", {
        choices: ["change", "minute", "hour", "day", "week", "month"],
      }),
      filter("--group-by <NAMES>", `What to add balances by: names of ${groupNames}. Default: all of them.`),
      ...balanceFlags(),
    ],
    examples: [`series ${range} --every hour --group-by party,asset`],
    run: (io, flags) => printBalances(io, "series", flags),
  },
  tally: {
    summary: "Count the votes on a proposal.",
    details:
      "The thresholds are those that the node has for the proposal, unless they are given. No node has the total supply: without it, it is " +
      "unknown whether the proposal passes.",
    flags: [
      filter("--proposal <ID>", "The proposal.", { mandatory }),
      filter("--required-majority <SHARE>", "The share of YES that is needed, such as 0.66."),
      filter("--required-participation <SHARE>", "The share of all tokens that has to vote, such as 0.00001."),
      filter("--total-supply <N>", "The governance tokens that exist, in the smallest unit."),
      filter("--liquidity-majority <SHARE>", "For the change of a market: the share of YES of liquidity providers."),
      filter("--liquidity-participation <SHARE>", "For the change of a market: the liquidity that has to vote."),
      filter("--market <ID>", "With --liquidity-majority: the market, if the proposal is one of a batch."),
    ],
    examples: [`tally --proposal ${proposal} ${supply}`],
    run: printTally,
  },
  limits: {
    summary: "Print whether a party can submit another transaction.",
    details:
      "If not, the exit code is 4. The statistics are of the last block: --sent-since and --sent-by-block add what was sent since then.",
    flags: [
      filter("--party <ID>", "The party.", { mandatory }),
      filter("--command <NAME>", "The kind of transaction. other needs proof of work alone.", {
        mandatory,
        choices: [
          ...["proposal", "delegation", "transfer", "nodeAnnouncement", "issueSignatures", "vote"],
          ...["createReferralSet", "updateReferralSet", "applyReferralCode", "other"],
        ],
      }),
      filter("--proposal <ID>", "The proposal of a vote."),
      filter("--sent-since <N>", "Transactions of this kind that were sent since the last block. Default: 0.", {
        parse: flag.integer({ minimum: 0 }),
      }),
      filter("--sent-by-block <HEIGHT=N>", sentText, { repeat: true }),
      filter("--tokens <N>", "The governance tokens of the party, in the smallest unit. Default: not compared."),
    ],
    examples: [`limits --party ${party} --command vote --proposal ${proposal}`],
    run: printLimits,
  },
  bundle: {
    summary: "Print the signatures of a resource as the bridge contract takes them.",
    details: "A withdrawal also needs its creation time, nonce and target, which the signatures do not have.",
    flags: [filter("--id <ID>", "The resource.", { mandatory })],
    examples: [`bundle --id ${resource}`],
    run: printBundle,
  },
};

const drawn = ["series", "tally"];

export const reportCommands = Object.entries(reports).map(([name, report]): Definition<ReportFlags> => {
  const flags = [
    ...report.flags,
    ...flag.fileFlags(drawn.includes(name) ? [...flag.formats, "svg"] : flag.formats),
    ...(name === "limits" ? [] : dbFlags()),
    ...flag.nodeFlags(),
  ];
  return { ...report, name, flags };
});

async function clientOf(io: Io, flags: flag.Flags): Promise<VegaClient> {
  const { db, schema } = flags;
  refuseSchema(flags);
  return db === undefined ? (await connect(io, flags)).client : createCopy(db, schema).client;
}

export function refuseSchema({ db, schema }: flag.Flags): void {
  if (db === undefined && schema !== undefined) throw new UsageError("--schema requires --db.");
}

/** How many rows a report can have. A million of them take about half a gigabyte. */
const mostRows = 1_000_000;

const titles = { balances: "Balances", statement: "Statement", series: "Balances over time" };

/**
 * Prints a report over the balance changes up to and including a time, from a database or a node.
 *
 * @throws {@link IncompleteError} once the report is printed, if the changes before some time after `from` are missing.
 */
export async function printBalances(io: Io, name: BalanceReportName, entered: BalanceFlags): Promise<number> {
  // A wrong flag is found before a request is sent.
  readArguments("listBalanceChanges", entered);
  const { timeZone, quiet, completeHistory: isComplete = false, from, pageSize, concurrency, catchUp } = entered;
  const { at: to = entered.to } = entered;
  const groupBy = readGroup(entered.groupBy, "--group-by");
  const kinds = name === "series" ? seriesColumns(groupBy) : reportColumns[name];
  const first = from === undefined ? undefined : readTime(from, timeZone);
  const until = to === undefined || to === "now" ? undefined : readTime(to, timeZone);
  checkRange(first, until, { from, to });
  const client = await clientOf(io, entered);
  const { flags, units } = await readUnits(io, entered, kinds, () => listAssets(client, io.signal), true);
  const { filter = {} } = readArguments("listBalanceChanges", flags) as { filter?: BalanceChangesFilter };
  const end = until ?? (await newestTime(client, filter, name === "balances" ? "--at" : "--to", io.signal));
  if (first !== undefined && first > end) {
    throw new UsageError(
      `Expected --from to be no later than the newest complete block, ${formatTime(end)}, got ${from}.`,
    );
  }
  const toNewest = name === "balances" ? " Use --at now for the newest complete block." : leaveOutTo;
  const advice = until === undefined ? "" : toNewest;
  const source = entered.db === undefined ? "node" : "copy";
  const { monthly: isMonthly, every } = entered;
  const options = { from: first, to: end, isMonthly, timeZone, every, groupBy, mostRows };
  let start: bigint | undefined;
  let kept: bigint | undefined;
  const report = async () => {
    const paging = { pageSize, concurrency, catchUp, signal: io.signal, isComplete };
    const compute = (changes: AsyncIterable<BalanceChange>, isComplete: boolean) =>
      balanceReport(name, withProgress(changes, createProgress(io, flags)), { ...options, isComplete });
    const found = await reportUpTo(client, filter, end + 1n, paging, compute).catch((error) =>
      Promise.reject(explain(error, { start: first ?? end, end }, advice)),
    );
    const { rows, coverage } = found;
    start = coverage.start;
    kept = found.kept;
    if (!quiet && !isComplete)
      printMessage(
        io,
        `The records begin at ${formatTime(latest(start, kept))}. Earlier balances are unknown, and accounts that have not changed since ` +
          "are not shown. If the network has no earlier records, add --complete-history.",
      );
    warnOfEnd(io, coverage);
    return rows;
  };
  const notes = () => [
    ...(start === undefined ? [] : [`The records are complete from ${start} to ${end}.`]),
    ...(isComplete ? [] : ["Balances before the first record of an account are unknown."]),
  ];
  const look = { title: titles[name], notes };
  const code = await printRecords(io, flags, kinds, report, units, look);
  const reason = kept === undefined ? undefined : startsLate(kept, first ?? end, end, source);
  const { output = "-" } = flags;
  if (reason) throw output === "-" ? reason : new IncompleteError(`${output} is incomplete. ${reason.message}`);
  if (kept !== undefined && isComplete) {
    throw new IncompleteError(
      `The records are complete from ${formatTime(kept)} on, and --complete-history needs those before. Use a ${source} that keeps them.`,
    );
  }
  return code;
}

async function* withProgress(
  changes: AsyncIterable<BalanceChange>,
  progress: ReturnType<typeof createProgress>,
): AsyncGenerator<BalanceChange> {
  let records = 0;
  try {
    for await (const change of changes) {
      progress.update(++records, change.timestamp);
      yield change;
    }
  } finally {
    progress.clear();
  }
}

const anyProposal = { requiredLiquidityProviderMajority: "1", requiredLiquidityProviderParticipation: "1" };

const voteKinds: Parameters<typeof printRecords>[2] = {
  ...{ partyId: "text", value: "text", totalGovernanceTokenBalance: "amount", timestamp: "time" },
};

async function printTally(io: Io, flags: ReportFlags): Promise<number> {
  const [proposalId, market] = [canonicalIds(flags.proposal), canonicalIds(flags.market)];
  // A wrong flag is found before a request is sent.
  const format = readTarget(flags.output, flags.format)?.format ?? flags.format;
  await tallyVotes([], tallyRules({ ...flags, market }, anyProposal).rules);
  const client = await clientOf(io, flags);
  // A copy has no proposals.
  const node = flags.db === undefined || !flags.node ? client : (await connect(io, flags)).client;
  const proposal = await requireProposal(node, proposalId, io.signal, market);
  const { rules, thresholds } = tallyRules({ ...flags, market }, proposal);
  const records: Vote[] = [];
  for await (const vote of client.listVotes({ proposalId }, { signal: io.signal })) records.push(vote);
  const tally = await tallyVotes(records, rules);
  const state = proposal?.state;
  const printPage = async () => {
    const { units } = await readUnits(io, flags, voteKinds, () => listAssets(client, io.signal), true);
    return printRecords(io, flags, voteKinds, async () => records, units, {
      title: "Votes on a proposal",
      tally: { tally, rules: { ...rules, totalSupply: flags.totalSupply }, state },
    });
  };
  const isPage = format === "html" || format === "svg";
  const code = await (isPage ? printPage() : printObject({ state, ...tally, thresholds }, io, flags));
  if (tally.yes.parties + tally.no.parties === 0) printMessage(io, "Nobody has voted on the proposal.");
  const missing = tally.missing.map((name) => `--${kebab(name)}`);
  if (missing.length > 0) printMessage(io, `Whether it passes is unknown without ${missing.join(", ")}.`);
  return code;
}

async function printLimits(io: Io, flags: ReportFlags): Promise<number> {
  const { party: partyId, command, proposal: proposalId, sentSince, tokens } = flags;
  if (command === "vote" && proposalId === undefined) throw new UsageError("--command vote requires --proposal.");
  const sentByBlock = flags.sentByBlock && readSends(flags.sentByBlock, "--sent-by-block");
  const statistics = await (await clientOf(io, flags)).getSpamStatistics({ partyId }, { signal: io.signal });
  const submission = { command, proposalId } as Submission;
  const options = { sentSince, sentByBlock, tokens, now: new Date() };
  const limits = submissionLimits(statistics, submission, options);
  const bannedUntil = limits.bannedUntil && formatTime(limits.bannedUntil);
  await printObject({ ...limits, left: limits.left?.toString(), bannedUntil }, io, flags);
  if (limits.reason === undefined) return exitCodes.done;
  const reasons = {
    banned: `the party is banned until ${bannedUntil}`,
    quota: `none is left in this epoch`,
    tokens: `it takes ${limits.minTokens} governance tokens in the smallest unit`,
    "proof-of-work": "every block has as many transactions as the network accepts; wait for the next one",
  };
  printMessage(io, `No further transaction of this kind is accepted: ${reasons[limits.reason]}.`);
  return exitCodes.rejected;
}

async function printBundle(io: Io, flags: ReportFlags): Promise<number> {
  const id = canonicalIds(flags.id);
  const client = await clientOf(io, flags);
  const bundle = await signatureBundle(client.listNodeSignatures({ id }, { signal: io.signal }));
  if (bundle === "0x") throw new IncompleteError(`There are no signatures of ${id}, or not yet enough of them.`);
  return printObject({ id, bundle }, io, flags);
}
