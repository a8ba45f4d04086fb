/** The reports over HTTP: complete, or an error. Unknown values are `null`, or empty cells of CSV. */
import type { BalanceChangesFilter, VegaClient } from "vegaprotocol-client";
import { isId, type Operation, operations } from "vegaprotocol-client/operations";
import * as vega from "vegaprotocol-client/reports";
import { canonicalIds, readParameters } from "../arguments.js";
import type { ColumnKinds } from "../operations.js";
import { findAsset, listAssets, needsAssets, type Proposal, requireProposal } from "../other-paths.js";
import { readColumns, type WireRecord } from "../output/columns.js";
import { csv } from "../output/csv.js";
import { orNull, rowsOf } from "../output/print.js";
import { readWhole, unprovenEnd } from "../records.js";
import * as shared from "../reports.js";
import { checkRange, formatTime, readTime, readTimeZone } from "../times.js";
import { Rejection } from "./errors.js";
import type { Source } from "./lists.js";
import type { Nodes } from "./nodes.js";
import type { Reader } from "./pages.js";

type Query = Readonly<Record<string, string | undefined>>;

const text = { kind: "text" } as const;
const texts = { kind: "array", items: text } as const;
const { accountTypes } = operations.listBalanceChanges.arguments.filter.members;
const filters = {
  party: texts,
  asset: text,
  market: texts,
  accountType: accountTypes,
  completeHistory: { kind: "boolean" },
} as const;

const parameters: Readonly<Record<string, Operation["arguments"]>> = {
  balances: { ...filters, at: text },
  statement: { ...filters, from: text, to: text, monthly: { kind: "boolean" }, timeZone: text },
  series: { ...filters, from: text, to: text, every: text, groupBy: text, timeZone: text },
  tally: {
    ...{ proposal: text, requiredMajority: text, requiredParticipation: text, totalSupply: text },
    ...{ liquidityMajority: text, liquidityParticipation: text, market: text },
  },
  limits: { party: text, command: text, proposal: text, sentSince: text, sentByBlock: texts, tokens: text },
  bundle: { id: text },
};

const mostRows = 100_000;

function timeParameter(name: string, value: string | undefined, timeZone?: string): bigint | undefined {
  if (value === undefined || value === "now") return undefined;
  return readParameter(name, value, () => readTime(value, timeZone));
}

function readParameter<T>(name: string, value: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const expected = (error as Error).message.replace(/^Expected |\.$/g, "");
    throw new Rejection(3, `Expected \`${name}\` to be ${expected}, got "${value}".`);
  }
}

function required(query: Query, name: string): string {
  const value = query[name];
  if (value === undefined) throw new Rejection(3, `Expected the parameter \`${name}\`.`);
  return value;
}

export const reportNames = Object.keys(parameters);

export const isOfBalances = (name: string): name is keyof typeof shared.reportColumns =>
  Object.hasOwn(shared.reportColumns, name);

const id = { has: isId, text: 'an id: an even number of hexadecimal digits, or a name such as "network"' };
const accountTypePattern = new RegExp(accountTypes.items.pattern);
const accountType = {
  has: (value: string) => accountTypePattern.test(value),
  text: "a name such as ACCOUNT_TYPE_GENERAL",
};
/** The parameters with ids and names, apart from the asset, which can be a symbol. */
const names = { party: id, market: id, proposal: id, id, accountType };

/** Refuses what the client would refuse as well, but by the names of its own arguments. */
function checkNames(query: Readonly<Record<string, unknown>>): void {
  for (const [name, { has, text }] of Object.entries(names)) {
    for (const value of [query[name] ?? []].flat().map(String))
      if (!has(value)) throw new Rejection(3, `Expected \`${name}\` to be ${text}, got "${value}".`);
  }
}

interface Report {
  readonly rows: object;
  /** The columns of its rows, if it is a list. */
  readonly columns?: ColumnKinds;
  readonly coverage?: object;
  /** Why records may be missing before the end, which CSV cannot show. */
  readonly unproven?: string | undefined;
  readonly source: Source;
}

/** Each report checks its parameters before it reads from nodes. */
export function createReports(client: VegaClient, nodes: Nodes) {
  async function assetIdOf(entered: string | undefined, { signal, inTurn }: Reader): Promise<string | undefined> {
    if (entered === undefined || !needsAssets(entered)) return entered;
    const assets = await inTurn(1, () => listAssets(client, signal));
    return findAsset("`asset`", entered, assets ?? []);
  }

  /** Reads the balance changes up to a time, by default the end of the final records. */
  async function ofBalances(name: shared.BalanceReportName, query: Query, reader: Reader): Promise<Report> {
    if (!query["party"] && !query["asset"] && !query["market"]) {
      throw new Rejection(3, "Expected at least one of the parameters `party`, `asset` and `market`.");
    }
    const { timeZone } = query;
    const isComplete = Boolean(query["completeHistory"]);
    if (timeZone !== undefined) readParameter("timeZone", timeZone, () => readTimeZone(timeZone));
    const hasRange = name !== "balances";
    const from = hasRange ? timeParameter("from", required(query, "from"), timeZone) : undefined;
    if (hasRange && from === undefined) throw new Rejection(3, "Expected `from` to be a time before now.");
    const option = hasRange ? "to" : "at";
    const end = timeParameter(option, query[option], timeZone);
    checkRange(from, end, { from: query["from"], to: query["to"] }, { show: (each) => `\`${each}\`` });
    const groupBy = shared.readGroup(query["groupBy"], "`groupBy`");
    const every = query["every"] as shared.BalanceReportOptions["every"];
    const isMonthly = Boolean(query["monthly"]);
    const report = { from, isComplete, isMonthly, timeZone, every, groupBy, mostRows };
    await shared.balanceReport(name, [], { ...report, to: end ?? from ?? 0n });

    const { signal } = reader;
    const { party: partyIds, market: marketIds, accountType: accountTypes } = query as Record<string, never>;
    const assetId = await assetIdOf(query["asset"], reader);
    const filter = { partyIds, assetId, marketIds, accountTypes } as BalanceChangesFilter;
    if (end !== undefined) await nodes.waitFor(end + 1n, signal);
    const to = end ?? (await shared.newestTime(client, filter, `the parameter \`${option}\``, signal));
    const since = from ?? to;
    if (end === undefined && since > to) {
      const [at, start] = [to, since].map(formatTime);
      throw new Rejection(14, `The node is behind: it has reached ${at}, and the report begins at ${start}.`);
    }
    const upTo = { ...report, to };
    const { rows, kept, ...found } = await shared.readBalanceReport(client, name, filter, upTo, { signal });
    const { start, end: shown, block } = found.coverage;
    if (kept !== undefined && (kept > since || isComplete)) {
      const [at, start] = [kept, since].map(formatTime);
      const needed = isComplete ? "completeHistory needs those before" : `the report needs those since ${start}`;
      const later = hasRange ? `from=${at}` : "a later at";
      const advice = isComplete ? "Leave it out." : `Pass ${later}, or completeHistory=true if nodes keep everything.`;
      const message = `The records are complete from ${at} on, and ${needed}. ${advice}`;
      const type = "vegaprotocol-client/PaginationError";
      throw new Rejection(11, message, [{ "@type": type, reason: "pruned", availableFrom: `${kept}` }]);
    }
    const columns = shared.columnsOf(name, report);
    const coverage = { startTimestamp: `${start}`, endTimestamp: shown?.toString() };
    return { rows, columns, coverage, unproven: unprovenEnd(found.coverage, to), source: { block } };
  }

  const reports = {
    async tally(query: Query, { signal, inTurn }: Reader): Promise<Report> {
      const proposalId = canonicalIds(required(query, "proposal"));
      const market = canonicalIds(query["market"]);
      const rulesOf = (proposal?: Proposal) => shared.tallyRules({ ...query, market }, String, proposal);
      await vega.tallyVotes([], rulesOf(shared.anyProposal).rules);

      const proposal = await inTurn(1, () => requireProposal(client, proposalId, signal, market));
      const { rules, thresholds } = rulesOf(proposal);
      const { records, pages } = await inTurn(5, () => readWhole(client, "listVotes", { proposalId }, { signal }));
      const tally = await vega.tallyVotes(records as never, rules);
      const rows = { state: proposal?.state, ...tally, thresholds };
      return { rows, source: { block: pages[0]?.block } };
    },
    async limits(query: Query, { signal, inTurn }: Reader): Promise<Report> {
      const { sentSince, tokens } = query;
      const [partyId, command] = [required(query, "party"), required(query, "command")];
      const proposalId = command === "vote" ? required(query, "proposal") : query["proposal"];
      const submission = { command, proposalId } as vega.Submission;
      const sends = query["sentByBlock"] as readonly string[] | undefined;
      const sentByBlock = sends && shared.readSends(sends, "`sentByBlock`");
      // The report checks the text, and its error shows it.
      const options = { sentSince: sentSince as number | undefined, sentByBlock, tokens };
      vega.submissionLimits(shared.noStatistics, submission, options);

      const { data, block } = await inTurn(1, () => client.getSpamStatistics({ partyId }, { signal }).withResponse());
      return {
        rows: vega.submissionLimits(data, submission, { ...options, now: block?.timestamp }),
        source: { block },
      };
    },
    async bundle(query: Query, { signal, inTurn }: Reader): Promise<Report> {
      const id = canonicalIds(required(query, "id"));
      const { records, pages } = await inTurn(1, () => readWhole(client, "listNodeSignatures", { id }, { signal }));
      // In the order of the list, as the command prints it.
      const rows = { id, bundle: await shared.bundleOf(id, records.reverse() as never) };
      return { rows, source: { block: pages[0]?.block } };
    },
  };

  return async function readReport(name: string, search: URLSearchParams, format: "json" | "csv", reader: Reader) {
    const query = readParameters({ arguments: parameters[name] ?? {} }, search) as Query;
    checkNames(query);
    const { rows, columns, coverage, unproven, source } = await (isOfBalances(name)
      ? ofBalances(name, query, reader)
      : reports[name as keyof typeof reports](query, reader));
    if (format === "json") {
      const known: unknown = JSON.parse(JSON.stringify(rows, orNull));
      return { body: JSON.stringify({ [name]: known, coverage }), source };
    }
    if (unproven !== undefined) throw new Rejection(14, `${unproven} With format=json, the coverage has no end.`);
    const encoder = csv(readColumns(columns ?? { name: "text", value: "text" }, { raw: true }));
    const cells = columns ? rows : rowsOf(rows);
    return { body: encoder.head + encoder.encode(cells as WireRecord[]) + encoder.end(), source };
  };
}
