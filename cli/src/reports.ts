/** The reports of the commands and the gateway. */
import {
  type BalanceChange,
  type BalanceChangesFilter,
  PaginationError,
  type ScanOptions,
  type SpamStatisticsResponse,
  type VegaClient,
} from "vegaprotocol-client";
import {
  type AccountStatement,
  type BalanceSeriesOptions,
  balanceSeries,
  balancesAt,
  signatureBundle,
  statement,
  type TallyOptions,
} from "vegaprotocol-client/reports";
import { didYouMean, IncompleteError, UsageError } from "./errors.js";
import type { ColumnKinds } from "./operations.js";
import type { Proposal } from "./other-paths.js";
import { historyStart, scanPageSize } from "./records.js";
import { earliest, finalTime, latest, timeFormat } from "./times.js";

const account = { partyId: "text", assetId: "text", marketId: "text", accountType: "text" } as const;

export type BalanceReportName = "balances" | "statement" | "series";

export const reportColumns: Readonly<Record<BalanceReportName, ColumnKinds>> = {
  balances: { balance: "amount", timestamp: "time", ...account },
  statement: {
    timestamp: "time",
    entry: "exact",
    month: "exact",
    change: "amount",
    total: "amount",
    balance: "amount",
    ...account,
  },
  series: { time: "time", balance: "amount", ...account },
};

/** The names by which balances are added, with the members of an account. */
const groups = { party: "partyId", asset: "assetId", market: "marketId", accountType: "accountType" } as const;
export const groupNames = Object.keys(groups);

/** @param names - The names of `groupNames` as they are entered. */
export function readGroup(text: string | undefined, option: string, names = groupNames) {
  const members = text?.split(",").map((each) => {
    const name = each.trim();
    const member = Object.values(groups)[names.indexOf(name)];
    if (member !== undefined) return member;
    const expected = `Expected ${option} to have names of ${names.join(", ")}, got "${name}".`;
    throw new UsageError(expected + didYouMean(name, names));
  });
  // The members of a group are read for each record.
  return members && [...new Set(members)];
}

/** The columns of a report, without members that are not in a group, and without those of months that are not wanted. */
export function columnsOf(
  name: BalanceReportName,
  { groupBy = Object.values(groups), isMonthly }: Pick<BalanceReportOptions, "groupBy" | "isMonthly">,
): ColumnKinds {
  const members = Object.values(groups).filter((member) => !["assetId", ...groupBy].includes(member));
  const others: readonly string[] = name === "series" ? members : isMonthly ? [] : ["month", "total"];
  return Object.fromEntries(Object.entries(reportColumns[name]).filter(([column]) => !others.includes(column)));
}

/** The end of the final records, and of a report without an end. */
export async function newestTime(
  client: VegaClient,
  filter: BalanceChangesFilter,
  option: string,
  signal: AbortSignal,
): Promise<bigint> {
  // A filter can be too long for a list. Any page of a node shows its block, and a copy reads the filter from the disk.
  const query = "isCopy" in client ? { filter } : {};
  const { block } = await client.listBalanceChanges({ ...query, pagination: { first: 1 } }, { signal });
  if (block) return finalTime(block.timestamp) - 1n;
  const advice = `pass ${option} with a time other than now, such as 2024-12-31.`;
  throw new UsageError(`The node sends no block headers, so the report needs an end: ${advice}`);
}

/** How many responses are compared for a complete history: behind one address, each can come from another node. */
const comparedHistories = 8;

/**
 * Computes a report from the oldest record of the nodes on. Records before the coverage of a scan would give wrong
 * numbers: then the records from there on are read again, and accounts without one are unknown.
 *
 * @returns `kept` is the time from which on the records are proved to be complete: accounts without a record there are
 * known to be younger. Without any record, it is at most the end of the report.
 */
export async function readBalanceReport(
  client: VegaClient,
  name: BalanceReportName,
  filter: BalanceChangesFilter,
  report: BalanceReportOptions,
  { onChange, ...options }: ScanOptions & { readonly onChange?: (count: number, time: string) => void },
) {
  const { from, isComplete } = report;
  const end = report.to + 1n;
  const isCopy = "isCopy" in client;
  const responses = isCopy ? 0 : isComplete ? comparedHistories : 1;
  const starts = await Promise.all(Array.from({ length: responses }, () => historyStart(client, options.signal)));
  const oldest = earliest(...starts);
  const isContested = new Set(starts).size > 1;
  const startTimestamp = oldest !== undefined && oldest < end ? oldest : undefined;
  const scanFrom = (startTimestamp: bigint | undefined, own: ScanOptions) =>
    client.scanBalanceChanges(
      { filter, dateRange: { startTimestamp, endTimestamp: end } },
      { pageSize: scanPageSize, ...options, ...own },
    );
  /** Whether a response shows that no record is missing between a start and the time from which on all were read. */
  const isProvedFrom = async (start: bigint, read: bigint) => {
    const scan = scanFrom(start, { maxItems: 1 });
    let first: BalanceChange | undefined;
    try {
      [first] = await scan.toArray();
    } catch (error) {
      if (PaginationError.is(error)) return false;
      throw error;
    }
    // The records can be of another node, which keeps less.
    return (await scan.coverage).start <= start && BigInt(first?.timestamp ?? read) >= read;
  };
  const compute = async (startTimestamp: bigint | undefined, isLate: boolean) => {
    let first: string | undefined;
    const scan = scanFrom(startTimestamp, { missingHistory: isLate ? "ignore" : "error" });
    async function* changes() {
      let count = 0;
      for await (const change of scan) {
        first ??= change.timestamp;
        onChange?.(++count, change.timestamp);
        yield change;
      }
    }
    const rows = await balanceReport(name, changes(), { ...report, isComplete: isComplete && !isLate });
    const coverage = await scan.coverage;
    if (first !== undefined && coverage.start > BigInt(first)) return compute(coverage.start, true);
    // Some nodes do not have the whole history, and the records may come from one of them.
    if (isContested && !isLate && coverage.start > (oldest ?? 0n)) return compute(startTimestamp, true);
    const shown = isLate || isCopy ? coverage.start : earliest(coverage.start, end - 1n);
    return { rows, coverage, kept: isComplete && !isLate ? undefined : latest(shown, oldest) };
  };
  const found = await compute(startTimestamp, false);
  const { kept } = found;
  if (from === undefined || oldest === undefined || kept === undefined || from < oldest || from >= kept) return found;
  // A later start has more records of other accounts before it, of which one may prove it.
  return (await isProvedFrom(from, kept))
    ? { ...found, coverage: { ...found.coverage, start: from }, kept: from }
    : found;
}

/** Adds the numbers sent on each block. */
export function readSends(texts: readonly string[], option: string): Map<bigint, bigint> {
  const wrong = texts.find((text) => !/^\d+=\d+$/.test(text));
  if (wrong !== undefined) {
    throw new UsageError(
      `Expected ${option} to be the height of a block and the number sent on it, such as 1234567=2, got "${wrong}".`,
    );
  }
  const sends = new Map<bigint, bigint>();
  for (const text of texts) {
    const [height = 0n, count = 0n] = text.split("=").map(BigInt);
    sends.set(height, (sends.get(height) ?? 0n) + count);
  }
  return sends;
}

export interface BalanceReportOptions {
  /** Balances and statements are at this time. */
  readonly to: bigint;
  /** The records of the nodes go back to the first block: accounts had 0 before their first record. */
  readonly isComplete: boolean;
  /** The time from which on all records are needed. Default: only those that are kept. */
  readonly from?: bigint | undefined;
  /** Whether each month of a statement has a row with its total, and in which time zone months are. */
  readonly isMonthly?: boolean | undefined;
  readonly timeZone?: string | undefined;
  readonly every?: BalanceSeriesOptions["every"] | undefined;
  readonly groupBy?: BalanceSeriesOptions["groupBy"] | undefined;
  readonly mostRows: number;
}

/** @throws {@link UsageError} instead of more rows than `mostRows`, which could take all memory. */
export async function balanceReport(
  name: BalanceReportName,
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  options: BalanceReportOptions,
): Promise<readonly object[]> {
  const { to, from = to, isComplete, timeZone, every = "day", groupBy } = options;
  const limited = withinRows(name, changes, { ...options, from, every });
  const rows: readonly object[] = await {
    balances: () => balancesAt(limited, to, { isComplete }),
    statement: () => statementRows(limited, { ...options, from }),
    series: () => balanceSeries(limited, { from, to, every, groupBy, isComplete, timeZone }),
  }[name]();
  // Unknown values are printed, as `null` or an empty cell.
  for (const row of rows as Record<string, unknown>[]) for (const member of Object.keys(row)) row[member] ??= null;
  return rows;
}

/** The seconds of the shortest period. */
const seconds = { minute: 60n, hour: 3600n, day: 86_400n, week: 604_800n, month: 2_419_200n };

async function* withinRows(
  name: BalanceReportName,
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  { from, to, every, isMonthly, groupBy = Object.values(groups), mostRows }: BalanceReportOptions & { from: bigint },
): AsyncGenerator<BalanceChange> {
  const hasChanges = name === "statement" || every === "change";
  const periods = (period: keyof typeof seconds) => (to - from) / (seconds[period] * 1_000_000_000n) + 1n;
  const rowsOfSeries = every === undefined || every === "change" ? 0n : periods(every);
  const rowsOfStatement = isMonthly ? 2n + periods("month") : 2n;
  const rowsOfGroup = { balances: 1n, statement: rowsOfStatement, series: rowsOfSeries }[name];
  const members = name === "series" ? groupBy : Object.values(groups);
  const found = new Set<string>();
  let rows = 0n;
  for await (const change of changes) {
    found.add([change.assetId, ...members.map((member) => change[member])].join(" "));
    if (hasChanges && BigInt(change.timestamp) > from) rows++;
    if (rows + BigInt(found.size) * rowsOfGroup > mostRows) {
      const limit = mostRows.toLocaleString("en");
      throw new UsageError(
        `The report has more than ${limit} rows. Use fewer accounts, a shorter range or longer periods.`,
      );
    }
    yield change;
  }
}

/** Rows for the opening balance, each change, each month with `isMonthly`, and the closing balance of accounts. */
async function statementRows(
  changes: AsyncIterable<BalanceChange>,
  { from, to, isComplete, isMonthly, timeZone }: BalanceReportOptions & { readonly from: bigint },
) {
  const accounts = await statement(changes, { from, to, isComplete });
  const anyRecord = { timestamp: "0", balance: "0", assetId: "any" } as BalanceChange;
  const months = isMonthly ? await balanceSeries([anyRecord], { from, to, every: "month", timeZone }) : [];
  const print = timeFormat({ timeZone });
  const monthOf = (end: string) => print(String(BigInt(end) - 1n)).slice(0, "2024-01".length);
  const others = isMonthly ? { month: undefined, total: undefined } : {};
  return accounts.flatMap(({ opening, closing, lines, ...account }) => {
    let [balance, next] = [opening, 0];
    const ofMonths = months.flatMap(({ time }) => {
      const [before, first] = [balance, next];
      for (; BigInt(lines[next]?.timestamp ?? to + 1n) <= BigInt(time); next++) balance = lines[next]?.balance;
      const total = before && balance && String(BigInt(balance) - BigInt(before));
      const row = { timestamp: time, entry: "month", month: monthOf(time), change: undefined, total, balance };
      return [...changesOf(lines.slice(first, next)), row];
    });
    return [
      { timestamp: String(from), entry: "opening", change: undefined, balance: opening },
      ...(isMonthly ? ofMonths : changesOf(lines)),
      { timestamp: String(to), entry: "closing", change: undefined, balance: closing },
    ].map((row) => ({ ...others, ...row, ...account }));
  });
}

const changesOf = (lines: AccountStatement["lines"]) => lines.map((line) => ({ entry: "change", ...line }));

/** The thresholds of a vote, with the members of a proposal that have them. No node has the total supply. */
const members = {
  requiredMajority: "requiredMajority",
  requiredParticipation: "requiredParticipation",
  totalSupply: undefined,
  liquidityMajority: "requiredLiquidityProviderMajority",
  liquidityParticipation: "requiredLiquidityProviderParticipation",
} as const;
type Threshold = keyof typeof members;

export type TallyRules = { readonly [name in Threshold | "market"]?: string | undefined };

/** A proposal and statistics with which a report finds invalid options before anything is sent. */
export const anyProposal = { requiredLiquidityProviderMajority: "1", requiredLiquidityProviderParticipation: "1" };
export const noStatistics: SpamStatisticsResponse = { chainId: "", statistics: null };

/**
 * The given rules of a vote, otherwise the rules of the proposal. `thresholds` has the origin of each one.
 *
 * @param show - Writes the name of a rule in errors.
 */
export function tallyRules(given: TallyRules, show: (name: string) => string, proposal: Proposal = {}) {
  const thresholds: { [name in Threshold]?: { value: string; from: "given" | "node" } } = {};
  const shares = ["liquidityMajority", "liquidityParticipation"] as const;
  // Nodes also send the thresholds of liquidity providers for a change of a market's state, in which only tokens count.
  const isOfState = "updateMarketState" in (proposal.terms ?? {});
  for (const [key, member] of Object.entries(members)) {
    const name = key as Threshold;
    const isUsed = !(isOfState && shares.some((each) => each === name));
    const value = given[name] ?? (member && isUsed ? proposal[member] : undefined);
    if (value !== undefined) thresholds[name] = { value, from: given[name] === undefined ? "node" : "given" };
  }
  const shareOf = (name: Threshold) => thresholds[name]?.value;
  const [requiredMajority, requiredParticipation] = shares.map(shareOf);
  const asking = ([...shares, "market"] as const).find((name) => given[name] !== undefined);
  const missing = shares.filter((name) => shareOf(name) === undefined);
  if (asking !== undefined && missing.length > 0) {
    const names = missing.map(show).join(" and ");
    throw new UsageError(`${show(asking)} requires ${names}: the node has no such threshold for the proposal.`);
  }
  const hasLiquidity = requiredMajority !== undefined && requiredParticipation !== undefined;
  const rules: TallyOptions = {
    requiredMajority: shareOf("requiredMajority"),
    requiredParticipation: shareOf("requiredParticipation"),
    totalSupply: shareOf("totalSupply"),
    liquidity: hasLiquidity ? { requiredMajority, requiredParticipation, marketId: given.market } : undefined,
  };
  return { rules, thresholds };
}

export async function bundleOf(id: string, signatures: Parameters<typeof signatureBundle>[0]): Promise<string> {
  const bundle = await signatureBundle(signatures);
  if (bundle === "0x") throw new IncompleteError(`There are no signatures of ${id}, or not yet enough of them.`);
  return bundle;
}
