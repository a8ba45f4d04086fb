/** The reports over HTTP: complete, or an error. What is unknown is `null`, or an empty cell of CSV. */
import type { BalanceChange, VegaClient } from "vegaprotocol-client";
import { type Operation, operations } from "vegaprotocol-client/operations";
import * as vega from "vegaprotocol-client/reports";
import type { ColumnKind } from "../operations.js";
import { readColumns, type WireRecord } from "../output/columns.js";
import { csv } from "../output/csv.js";
import { rowsOf } from "../output/print.js";
import { readWhole, scanPageSize } from "../records.js";
import { finalTime, readTime } from "../times.js";
import { Rejection } from "./errors.js";
import type { Nodes } from "./nodes.js";
import type { Reader } from "./pages.js";
import { readParameters } from "./parameters.js";

type Arguments = Operation["arguments"];
type Query = Readonly<Record<string, string | undefined>>;

const text = { kind: "string" } as const;
const texts = { kind: "array", items: text } as const;
const { accountTypes } = operations.listBalanceChanges.arguments.filter.members;
const filters = {
  party: texts,
  asset: text,
  market: texts,
  accountType: accountTypes,
  completeHistory: { kind: "boolean" },
} as const;

/** The parameters of each report. */
const parameters: Readonly<Record<string, Arguments>> = {
  balances: { ...filters, at: text },
  statement: { ...filters, from: text, to: text },
  series: { ...filters, from: text, to: text, every: text, groupBy: text },
  tally: {
    ...{ proposal: text, requiredMajority: text, requiredParticipation: text, totalSupply: text },
    ...{ liquidityMajority: text, liquidityParticipation: text, market: text },
  },
  limits: { party: text, command: text, proposal: text, sentSince: text, tokens: text },
};

const account = { partyId: "text", assetId: "text", marketId: "text", accountType: "text" } as const;
const members = { party: "partyId", asset: "assetId", market: "marketId", type: "accountType" } as const;
const columns: Readonly<Record<string, Readonly<Record<string, ColumnKind>>>> = {
  balances: { balance: "amount", timestamp: "time", ...account },
  statement: { timestamp: "time", entry: "exact", change: "amount", balance: "amount", ...account },
  series: { time: "time", balance: "amount", ...account },
};

/** How many rows a report can have, and the seconds of the periods of a series. */
const mostRows = 100_000n;
const seconds = new Map([
  ["minute", 60n],
  ["hour", 3600n],
  ["day", 86_400n],
  ["week", 604_800n],
  ["month", 2_419_200n],
]);

function timeOf(name: string, value: string | undefined): bigint | undefined {
  try {
    return value === undefined ? undefined : readTime(value);
  } catch (error) {
    throw new Rejection(3, `${name}: ${(error as Error).message}`);
  }
}

function required(query: Query, name: string): string {
  const value = query[name];
  if (value === undefined) throw new Rejection(3, `Expected the parameter ${name}.`);
  return value;
}

export const isReport = (name: string): boolean => Object.hasOwn(parameters, name);

/** Whether a report reads balance changes, as a stream does. */
export const isOfBalances = (name: string): boolean => Object.hasOwn(columns, name);

export function createReports(client: VegaClient, nodes: Nodes) {
  /** Reads the balance changes up to a time. Its default is the end of what is final. */
  async function readChanges<T>(
    query: Query,
    { from, end, rowsOfAccount }: { from: bigint | undefined; end: bigint | undefined; rowsOfAccount: bigint },
    signal: AbortSignal,
    report: (changes: AsyncIterable<BalanceChange>, end: bigint) => Promise<T>,
  ) {
    const { party: partyIds, asset: assetId, market: marketIds, accountType } = query as Record<string, never>;
    if (!partyIds && !assetId && !marketIds) throw new Rejection(3, "Expected party, asset or market.");
    if (end !== undefined) await nodes.waitFor(end + 1n, signal);
    const to = end ?? (await newest(signal));
    const filter = { partyIds, assetId, marketIds, accountTypes: accountType };
    const options = { pageSize: scanPageSize, signal };
    const scan = client.scanBalanceChanges({ filter, dateRange: { endTimestamp: to + 1n } }, options);
    const rows = await report(limited(scan, from ?? to, rowsOfAccount), to);
    const { start, end: shown, block } = await scan.coverage;
    const since = from ?? to;
    if (start > since && !query["completeHistory"]) {
      const detail = { reason: "pruned", availableFrom: `${start}` };
      throw new Rejection(11, `The records are complete from ${start} on, and the report needs those since ${since}.`, [
        detail,
      ]);
    }
    return { rows, coverage: { startTimestamp: `${start}`, endTimestamp: shown?.toString() }, source: { block } };
  }

  async function newest(signal: AbortSignal): Promise<bigint> {
    const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
    if (block === undefined) throw new Rejection(3, "Expected a time: the responses of the nodes name no block.");
    return finalTime(block) - 1n;
  }

  const reports = {
    async balances(query: Query, { signal }: Reader) {
      const end = timeOf("at", query["at"]);
      const isComplete = Boolean(query["completeHistory"]);
      const range = { from: undefined, end, rowsOfAccount: 1n };
      return readChanges(query, range, signal, (changes, time) => vega.balancesAt(changes, time, { isComplete }));
    },
    async statement(query: Query, { signal }: Reader) {
      const [from, end] = [timeOf("from", required(query, "from")) ?? 0n, timeOf("to", query["to"])];
      const isComplete = Boolean(query["completeHistory"]);
      return readChanges(query, { from, end, rowsOfAccount: 2n }, signal, async (changes, to) => {
        const accounts = await vega.statement(changes, { from, to, isComplete });
        return accounts.flatMap(({ opening, closing, lines, ...account }) => [
          { timestamp: `${from}`, entry: "opening", change: undefined, balance: opening, ...account },
          ...lines.map((line) => ({ entry: "change", ...line, ...account })),
          { timestamp: `${to}`, entry: "closing", change: undefined, balance: closing, ...account },
        ]);
      });
    },
    async series(query: Query, { signal }: Reader) {
      const [from, end] = [timeOf("from", required(query, "from")) ?? 0n, timeOf("to", query["to"])];
      const every = (query["every"] ?? "day") as vega.BalanceSeriesOptions["every"];
      const isComplete = Boolean(query["completeHistory"]);
      const groupBy = query["groupBy"]?.split(",").map((name) => members[name.trim() as keyof typeof members]);
      const until = end ?? (await newest(signal));
      const periods = (until - from) / (1_000_000_000n * (seconds.get(every) ?? 1_000_000_000n)) + 1n;
      return readChanges(query, { from, end, rowsOfAccount: periods }, signal, (changes, to) =>
        vega.balanceSeries(changes, { from, to, every, groupBy, isComplete }),
      );
    },
    async tally(query: Query, { signal, inTurn }: Reader) {
      const { requiredMajority, requiredParticipation, totalSupply } = query;
      const { liquidityMajority, liquidityParticipation, market: marketId } = query;
      const proposalId = required(query, "proposal");
      const { records, pages } = await inTurn(5, () => readWhole(client, "listVotes", { proposalId }, { signal }));
      const hasLiquidity = liquidityMajority ?? liquidityParticipation ?? marketId;
      const liquidity = {
        requiredMajority: liquidityMajority,
        requiredParticipation: liquidityParticipation,
        marketId,
      };
      const rules = { requiredMajority, requiredParticipation, totalSupply, liquidity: hasLiquidity && liquidity };
      const tally = await vega.tallyVotes(records as never, rules as vega.TallyOptions);
      return { rows: tally, coverage: undefined, source: { block: pages[0]?.block } };
    },
    async limits(query: Query, { signal, inTurn }: Reader) {
      const { command, proposal: proposalId, sentSince, tokens } = query;
      const partyId = required(query, "party");
      const { data, block } = await inTurn(1, () => client.getSpamStatistics({ partyId }, { signal }).withResponse());
      const submission = { command, proposalId } as vega.Submission;
      const count = sentSince === undefined ? undefined : Number(sentSince);
      const limits = vega.submissionLimits(data, submission, { sentSince: count, tokens, now: new Date() });
      return { rows: limits, coverage: undefined, source: { block } };
    },
  };

  return async function readReport(
    name: string,
    parameterTexts: URLSearchParams,
    format: "json" | "csv",
    reader: Reader,
  ) {
    const query = readParameters({ arguments: parameters[name] ?? {} }, parameterTexts, {}) as Query;
    const { rows, coverage, source } = await reports[name as keyof typeof reports](query, reader);
    const known: unknown = JSON.parse(JSON.stringify(rows, orNull));
    if (format === "json") return { body: JSON.stringify({ [name]: known, coverage }), source };
    const isList = Array.isArray(known);
    const kinds = columns[name] ?? { name: "text", value: "text" };
    const first = isList ? known[0] : undefined;
    const shown = Object.keys(kinds).filter((column) => !first || column in first);
    const encoder = csv(await readColumns(kinds, { raw: true, columns: shown.join() }));
    const cells = isList
      ? known
      : rowsOf(known).map(([path, value]) => ({ name: path, value: value === "null" ? "" : value }));
    return { body: encoder.head + encoder.encode(cells as WireRecord[]) + encoder.end(), source };
  };
}

const orNull = (_: string, value: unknown): unknown =>
  value === undefined ? null : typeof value === "bigint" ? `${value}` : value;

/** Refuses reports that would take too much memory. */
async function* limited(
  changes: AsyncIterable<BalanceChange>,
  from: bigint,
  rowsOfAccount: bigint,
): AsyncGenerator<BalanceChange> {
  const accounts = new Set<string>();
  let lines = 0n;
  for await (const change of changes) {
    const { partyId, assetId, marketId, accountType, timestamp } = change;
    accounts.add(`${partyId} ${assetId} ${marketId} ${accountType}`);
    if (BigInt(timestamp) > from) lines++;
    if (lines + BigInt(accounts.size) * rowsOfAccount > mostRows) {
      throw new Rejection(11, `The report has more than ${mostRows} rows: request fewer accounts, or a shorter range.`);
    }
    yield change;
  }
}
