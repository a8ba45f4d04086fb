/** The commands `statement`, `series`, `tally`, `limits` and `bundle`, and `balances --at`. */
import type { Command, Option } from "commander";
import type { BalanceChange, BalanceChangesFilter } from "vegaprotocol-client";
import {
  type BalanceSeriesOptions,
  balanceSeries,
  balancesAt,
  type Submission,
  signatureBundle,
  statement,
  submissionLimits,
  tallyVotes,
} from "vegaprotocol-client/reports";
import { argumentFlags, canonicalIds, filterFlags, readArguments } from "../arguments.js";
import { addCommand, type Definition, exampleIds, type Setup } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { type Io, printMessage } from "../io.js";
import { formatTime } from "../output/columns.js";
import { printObject, printRecords } from "../output/print.js";
import { Progress } from "../progress.js";
import { scanPageSize, startsLate, warnOfEnd } from "../records.js";
import { storedBalances, storedList } from "../sync/open.js";
import { readTime } from "../times.js";

const { party, asset, proposal, resource } = exampleIds;

const range = "--from 2024-02-09T16:54:30Z --to 2024-02-09T16:54:45Z";
const rules = "--required-majority 0.66 --required-participation 0.00001 --total-supply 200000000000000000000000000";

/** The flags of reports of balances. */
interface BalanceFlags extends flag.NodeFlags, flag.PageFlags, flag.PresentationFlags {
  readonly completeHistory?: true;
  readonly db?: string;
}

/** The flags of all reports: those that a report requires are there. */
interface ReportFlags extends BalanceFlags {
  readonly from: bigint;
  readonly to: bigint;
  readonly every?: BalanceSeriesOptions["every"];
  readonly groupBy?: string;
  readonly proposal: string;
  readonly requiredMajority?: string;
  readonly requiredParticipation?: string;
  readonly totalSupply?: string;
  readonly liquidityMajority: string;
  readonly liquidityParticipation: string;
  readonly market?: string;
  readonly party: string;
  readonly command: Submission["command"];
  readonly sentSince?: number;
  readonly tokens?: string;
  readonly id: string;
}

const filter = flag.filterFlag;

export const dbFlag = (): Option =>
  flag.nodeFlag("--db <DESTINATION>", "Read a DESTINATION of vegaprotocol sync, such as vega.db, instead of a node.");

const completeHistoryFlag = (): Option =>
  filter(
    "--complete-history",
    "Print 0 for accounts without an earlier record: the records go back to the first block. Default: unknown, an empty cell.",
  );

/** Flags of `balances` for the balances at a time. */
export const atFlags = (): Option[] => [
  filter("--at <TIME>", "Print the balance of each account at this time, such as 2024-12-31.", {
    parse: readTime,
  }).conflicts(["from", "to", "order", "limit", "output", "force"]),
  completeHistoryFlag(),
];

/** Flags of a list of balances, without the range of time. */
const ownFlags = () => argumentFlags("listBalanceChanges").filter(({ path }) => path[0] !== "dateRange");

const mandatory = true;
const timeOptions = { parse: readTime, mandatory };

const balanceFlags = (): Option[] => [
  filter("--from <TIME>", "The time of the opening balances, such as 2024-01-01.", timeOptions),
  filter("--to <TIME>", "The time of the closing balances, such as 2024-02-01.", timeOptions),
  ...filterFlags(ownFlags()),
  completeHistoryFlag(),
  ...flag.presentationFlags({ balance: "amount", assetId: "text" }),
  flag.quietFlag(),
  ...flag.scanFlags(),
];

/** The names in `--group-by`, with the members of an account. */
const members = { party: "partyId", asset: "assetId", market: "marketId", type: "accountType" } as const;
const accountColumns = { partyId: "text", assetId: "text", marketId: "text", accountType: "text" } as const;

const reports = (): Readonly<Record<string, Omit<Definition<ReportFlags>, "name">>> => ({
  statement: {
    summary: "Print opening balances, changes and closing balances of accounts.",
    details: "The opening balance of an account and its changes after --from up to --to add up to its closing balance.",
    flags: balanceFlags(),
    examples: [`statement --asset ${asset} ${range}`, `statement ${range} --decimals 18 --asset ${asset}`],
    run: printStatement,
  },
  series: {
    summary: "Print balances at the end of each hour, day, week or month.",
    details: "Periods are in UTC, and weeks begin on Monday. Balances of different assets are never added.",
    flags: [
      filter("--every <PERIOD>", "The period. Default: day.", { choices: ["hour", "day", "week", "month"] }),
      filter("--group-by <NAMES>", `What to add balances by: names of ${Object.keys(members)}. Default: all of them.`),
      ...balanceFlags(),
    ],
    examples: [`series ${range} --every hour --group-by party,asset`],
    run: printSeries,
  },
  tally: {
    summary: "Count the votes on a proposal.",
    details:
      "The rules of a proposal are not part of its votes: without them, it is unknown whether the proposal passes.",
    flags: [
      filter("--proposal <ID>", "The proposal.", { mandatory }),
      filter("--required-majority <SHARE>", "The share of YES that is needed, such as 0.66."),
      filter("--required-participation <SHARE>", "The share of all tokens that has to vote, such as 0.00001."),
      filter("--total-supply <N>", "The governance tokens that exist, in the smallest unit."),
      filter("--liquidity-majority <SHARE>", "For the change of a market: the share of YES of liquidity providers."),
      filter("--liquidity-participation <SHARE>", "For the change of a market: the liquidity that has to vote."),
      filter("--market <ID>", "With --liquidity-majority: the market, if the proposal is one of a batch."),
    ],
    examples: [`tally --proposal ${proposal} ${rules}`],
    run: printTally,
  },
  limits: {
    summary: "Print whether a party can submit another transaction.",
    details: "If not, the exit code is 4. The statistics are of the last block: --sent-since adds to them.",
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
      filter("--sent-since <N>", "Transactions that were sent since the last block. Default: 0.", {
        parse: flag.integer({ minimum: 0 }),
      }),
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
});

export function addReports(program: Command, setup: Setup): void {
  for (const [name, report] of Object.entries(reports())) {
    const isOfNode = name === "limits";
    addCommand<ReportFlags>(program, setup, {
      ...report,
      name,
      flags: [...report.flags, flag.formatFlag(), ...(isOfNode ? [] : [dbFlag()]), ...flag.nodeFlags()],
    });
  }
}

const connectTo = async (io: Io, flags: flag.NodeFlags) => (await connect(io, flags)).client;

/**
 * Prints a report over the balance changes up to and including a time, from a database or a node.
 *
 * @throws {@link IncompleteError} once the report is printed, if the changes are complete only from a time on which is after `from`.
 */
async function printChanges(
  io: Io,
  flags: BalanceFlags & Partial<Pick<ReportFlags, "from">>,
  end: bigint,
  kinds: Parameters<typeof printRecords>[2],
  report: (changes: AsyncIterable<BalanceChange>) => Promise<readonly object[]>,
): Promise<number> {
  let start: bigint | undefined;
  const onStart = (time: bigint) => {
    start = time;
    if (flags.quiet || flags.completeHistory) return;
    printMessage(
      io,
      `Read the records since ${formatTime(start)}: earlier balances are unknown, and accounts that have not changed since are not shown. ` +
        "If there are no earlier records in the network, add --complete-history.",
    );
  };
  const code = await printRecords(io, flags, kinds, () => report(changesUpTo(io, flags, end, onStart)));
  const reason = start === undefined || flags.completeHistory ? undefined : startsLate(start, flags.from);
  if (reason) throw reason;
  return code;
}

/** @param onStart - Called with the time from which on no change is missing. */
async function* changesUpTo(
  io: Io,
  flags: BalanceFlags,
  end: bigint,
  onStart: (start: bigint) => void,
): AsyncGenerator<BalanceChange> {
  const { filter = {} } = readArguments("listBalanceChanges", flags) as { filter?: BalanceChangesFilter };
  if (flags.db !== undefined) {
    yield* storedBalances(flags.db, canonicalIds(filter), end, io.signal, onStart);
    return;
  }
  const client = await connectTo(io, flags);
  const { pageSize = scanPageSize, concurrency, catchUp } = flags;
  const options = { pageSize, concurrency, catchUp, signal: io.signal };
  const scan = client.scanBalanceChanges({ filter, dateRange: { endTimestamp: end + 1n } }, options);
  const progress = new Progress(io, flags);
  let records = 0;
  try {
    for await (const change of scan) {
      progress.update(++records, change.timestamp);
      yield change;
    }
  } finally {
    progress.clear();
  }
  const coverage = await scan.coverage;
  onStart(coverage.start);
  warnOfEnd(io, coverage);
}

export async function printBalances(io: Io, flags: BalanceFlags, time: bigint): Promise<number> {
  const kinds = { balance: "amount", timestamp: "time", ...accountColumns } as const;
  const isComplete = flags.completeHistory;
  return printChanges(io, flags, time, kinds, (changes) => balancesAt(changes, time, { isComplete }));
}

/** Prints a row for the opening balance of each account, for each change, and for the closing balance. */
async function printStatement(io: Io, flags: ReportFlags): Promise<number> {
  const { from, to, completeHistory: isComplete } = flags;
  const kinds = { timestamp: "time", entry: "exact", change: "amount", balance: "amount", ...accountColumns } as const;
  return printChanges(io, flags, to, kinds, async (changes) => {
    const accounts = await statement(changes, { from, to, isComplete });
    return accounts.flatMap(({ opening, closing, lines, ...account }) => [
      { timestamp: String(from), entry: "opening", balance: opening, ...account },
      ...lines.map((line) => ({ entry: "change", ...line, ...account })),
      { timestamp: String(to), entry: "closing", balance: closing, ...account },
    ]);
  });
}

async function printSeries(io: Io, flags: ReportFlags): Promise<number> {
  const { from, to, every = "day", completeHistory: isComplete } = flags;
  const names = flags.groupBy?.split(",").map((name) => name.trim()) ?? Object.keys(members);
  const unknown = names.find((name) => !Object.hasOwn(members, name));
  if (unknown !== undefined) {
    throw new UsageError(`Expected --group-by to have names of ${Object.keys(members)}, got "${unknown}".`);
  }
  const groupBy = names.map((name) => members[name as keyof typeof members]);
  const columns = Object.entries(accountColumns).filter(([name]) => ["assetId", ...groupBy].includes(name));
  return printChanges(io, flags, to, { time: "time", balance: "amount", ...Object.fromEntries(columns) }, (changes) =>
    balanceSeries(changes, { from, to, every, groupBy, isComplete }),
  );
}

async function printTally(io: Io, flags: ReportFlags): Promise<number> {
  const { requiredMajority, requiredParticipation, totalSupply, db } = flags;
  const { liquidityMajority, liquidityParticipation, market } = flags;
  const proposalId = canonicalIds(flags.proposal);
  const hasLiquidity = [liquidityMajority, liquidityParticipation, market].some((each) => each !== undefined);
  // The report refuses a share that is missing.
  const liquidity = hasLiquidity && {
    requiredMajority: liquidityMajority,
    requiredParticipation: liquidityParticipation,
    marketId: canonicalIds(market),
  };
  const votes =
    db === undefined
      ? (await connectTo(io, flags)).listVotes({ proposalId }, { signal: io.signal })
      : storedList(db, "votes", { proposalId }, io.signal);
  const options = { requiredMajority, requiredParticipation, totalSupply, liquidity: liquidity || undefined };
  return printObject(await tallyVotes(votes, options), io, flags);
}

async function printLimits(io: Io, flags: ReportFlags): Promise<number> {
  const { party: partyId, command, proposal: proposalId, sentSince, tokens } = flags;
  if (command === "vote" && proposalId === undefined) throw new UsageError("--command vote requires --proposal.");
  const statistics = await (await connectTo(io, flags)).getSpamStatistics({ partyId }, { signal: io.signal });
  const submission = { command, proposalId } as Submission;
  const limits = submissionLimits(statistics, submission, { sentSince, tokens, now: new Date() });
  await printObject({ ...limits, left: limits.left?.toString() }, io, flags);
  return limits.isAllowed ? exitCodes.done : exitCodes.rejected;
}

async function printBundle(io: Io, flags: ReportFlags): Promise<number> {
  const id = canonicalIds(flags.id);
  const bundle = await signatureBundle(
    flags.db === undefined
      ? (await connectTo(io, flags)).listNodeSignatures({ id }, { signal: io.signal })
      : storedList(flags.db, "signatures", { id }, io.signal),
  );
  if (bundle === "0x") throw new IncompleteError(`There are no signatures of ${id}, or not yet enough of them.`);
  return printObject({ id, bundle }, io, flags);
}
