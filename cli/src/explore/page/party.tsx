/** A party: balances now and over time, a statement, votes and limits. */
import { useMemo } from "preact/hooks";
import type { Vote } from "vegaprotocol-client";
import type { AccountBalance, BalanceSeriesRow, SubmissionLimits } from "vegaprotocol-client/reports";
import { chartsOf } from "../../output/plot.js";
import { Chart } from "./chart.js";
import { choose, chosen, Field, LiveBadge, type Route } from "./context.js";
import { type Loaded, loadAll, type Source, useData, useLive, usePolled } from "./data.js";
import { Amount, Status, symbolOf, Time, useNames } from "./format.js";
import { Records, type Row } from "./records.js";
import { formatAmount, formatName, isoOf } from "./text.js";

type Coverage = { readonly startTimestamp: string; readonly endTimestamp?: string };
type Balances = { readonly balances: readonly AccountBalance[]; readonly coverage?: Coverage };
type Series = { readonly series: readonly BalanceSeriesRow[] };
type Statement = { readonly statement: readonly Row[] };

const day = 86_400_000_000_000n;
const spans = { hour: day / 24n, day, week: 7n * day, month: 31n * day, year: 366n * day };
const last = Object.fromEntries(Object.keys(spans).map((name) => [name, `Last ${name}`]));
const periods = { ...last, all: "All", custom: "Custom" };
const steps = Object.fromEntries(["minute", "hour", "day", "week", "month"].map((name) => [name, formatName(name)]));

/** The step with which a chart has some hundred points. */
const stepOf = (span: bigint): string =>
  span <= day / 4n ? "minute" : span <= 15n * day ? "hour" : span <= 750n * day ? "day" : "week";

/** The selection for the chart and the statement, and the part of their paths that follows from it. */
function readChoices(route: Route, filter: string, asset: string, { data, block }: Loaded<Balances>, isWhole: boolean) {
  const { query } = route;
  const period = chosen(route, "period", periods) ?? "month";
  const isCustom = period === "custom";
  const span = spans[(isCustom ? "month" : period) as keyof typeof spans];
  const start = BigInt(data?.coverage?.startTimestamp ?? 0);
  const earliest = block === undefined || span === undefined ? start : block - span;
  const hasFrom = isCustom && query.has("from");
  const completeFrom = !hasFrom && !isWhole && data !== undefined && earliest < start ? `${start}` : undefined;
  const shown = completeFrom ?? `${earliest}`;
  // A custom range begins with the range before it.
  const from = isCustom ? (query.get("from") ?? isoOf(shown).slice(0, 16)) : shown;
  const to = isCustom ? (query.get("to") ?? "") : "";
  const step = chosen(route, "step", steps) ?? (hasFrom || block === undefined ? "day" : stepOf(block - BigInt(shown)));
  const isReady = data !== undefined && asset !== "";
  const range = `${filter}&asset=${asset}&from=${encodeURIComponent(from)}${to && `&to=${encodeURIComponent(to)}`}`;
  return { period, from, to, step, completeFrom, range: isReady ? range : undefined };
}

export function PartyView({ route, source }: { route: Route; source: Source }) {
  const { id, query } = route;
  const names = useNames();
  const live = useLive(source, `/api/v2/balance/changes?filter.partyIds=${encodeURIComponent(id)}&`);
  const isWhole = query.has("whole") ? query.get("whole") === "yes" : source.completeHistory;
  const filter = `party=${encodeURIComponent(id)}${isWhole ? "&completeHistory=true" : ""}`;
  const balances = useData<Balances>(`/reports/balances?${filter}`, live.version);
  const rows = balances.data?.balances ?? [];
  const symbols = rows.map(({ assetId }) => [assetId, symbolOf(names, assetId)] as const);
  const assets = Object.fromEntries(symbols.sort(([, a], [, b]) => (a < b ? -1 : 1)));
  const asset = chosen(route, "asset", assets) ?? Object.keys(assets)[0] ?? "";
  const { period, from, to, step, completeFrom, range } = readChoices(route, filter, asset, balances, isWhole);
  // They follow the balances, so that all are of the same block.
  const series = useData<Series>(
    range && `/reports/series?${range}&every=${step}&groupBy=asset,accountType`,
    balances.block,
  );
  const statement = useData<Statement>(range && `/reports/statement?${range}`, balances.block);
  const cast = `/api/v2/votes?partyId=${encodeURIComponent(id)}`;
  const votes = useData<readonly Vote[]>(cast, useLive(source, `${cast}&`).version, loadAll);
  const { coverage } = balances.data ?? {};
  const csv = `/reports/statement?${range?.replace(/(?<=from=)[^&]*/, statement.completeFrom ?? "$&")}`;
  const shownFrom = series.completeFrom ?? statement.completeFrom ?? completeFrom;
  return (
    <>
      <h1>{names.aliases.get(id) ? <bdi>{names.aliases.get(id)}</bdi> : "Party"}</h1>
      <p class="id">{id}</p>
      <LiveBadge live={live} />

      <h2>Balances now</h2>
      <Status of={balances} />
      {balances.data && <Records label="Balances" empty="No accounts." rows={rows} columns={accountColumns} />}
      {coverage && (
        <p class="muted">
          Complete from <Time of={coverage.startTimestamp} /> to <Time of={coverage.endTimestamp} /> UTC.
          {!isWhole && " Balances before the first record of an account are unknown."}
        </p>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={({ currentTarget }) => choose(route, "whole", currentTarget.checked ? "yes" : "no")}
        />{" "}
        The records go back to the first block: accounts without an earlier record had 0
      </label>

      {asset && (
        <>
          <h2>Balances over time</h2>
          <div class="choices">
            <Field route={route} name="asset" label="Asset" value={asset} options={assets} />
            <Field route={route} name="period" label="Period" value={period} options={periods} />
            <Field route={route} name="step" label="Step" value={step} options={steps} />
            {period === "custom" && (
              <>
                <Field route={route} name="from" label="From (UTC)" value={from} placeholder="2024-01-31" />
                <Field route={route} name="to" label="To (UTC)" value={to} placeholder="now" />
              </>
            )}
          </div>
          {shownFrom && (
            <p class="warning">
              Records are complete from <Time of={shownFrom} /> UTC on. Earlier ones are not shown.
            </p>
          )}
          {range && <Status of={series} />}
          {series.data && <SeriesCharts rows={series.data.series} />}

          <h2>Statement</h2>
          {range && <Status of={statement} />}
          {statement.data && <Records label="Entries" rows={statement.data.statement} columns={entryColumns} />}
          {statement.data && (
            <p class="muted">
              <a class="button" href={`${csv}&format=csv`} download={`statement-${id.slice(0, 8)}.csv`}>
                Download CSV
              </a>{" "}
              with Unix nanoseconds, and amounts in the smallest unit.
            </p>
          )}
        </>
      )}

      <h2>Votes</h2>
      <Status of={votes} />
      {votes.data && <Records label="Votes of the party" empty="No votes." rows={votes.data} columns={voteColumns} />}
      <LimitsView route={route} proposal={votes.data?.[0]?.proposalId} />
    </>
  );
}

const accountColumns = ["assetId", "balance", "accountType", "timestamp", "marketId"] as const;
/** The amounts come early: a phone shows the first columns. Each entry has a balance. */
const entryColumns = ["timestamp", "balance", "change", "entry", "accountType", "marketId"] as const;
const voteColumns = ["proposalId", "value", "totalGovernanceTokenBalance", "timestamp"] as const;

export function SeriesCharts({ rows }: { rows: readonly BalanceSeriesRow[] }) {
  const { assets } = useNames();
  const charts = useMemo(() => chartsOf(rows, assets), [rows, assets]);
  return charts.map((chart) => <Chart key={chart.label} chart={chart} />);
}

const commands = {
  ...{ vote: "Vote on a proposal", proposal: "Submit a proposal", transfer: "Transfer", delegation: "Delegate" },
  ...{ issueSignatures: "Issue signatures", other: "Other" },
};

const reasons = {
  banned: "No, the party is banned",
  quota: "No, none is left in this epoch",
  tokens: "No, the party has too few tokens",
  "proof-of-work": "No, no block is left for the proof of work",
};

function LimitsView({ route, proposal: voted = "" }: { route: Route; proposal: string | undefined }) {
  const { id, query } = route;
  const command = chosen(route, "command", commands) ?? (voted === "" ? "transfer" : "vote");
  const proposal = query.get("proposal") ?? voted;
  const parameters = new URLSearchParams({ party: id, command, ...(command === "vote" && { proposal }) });
  const isReady = command !== "vote" || proposal !== "";
  const path = isReady ? `/reports/limits?${parameters}` : undefined;
  // Blocks are too old for a proof of work after a while, whether the party has new records or not.
  const report = usePolled<{ limits: SubmissionLimits }>(path);
  const limits = report.data?.limits;
  const work = limits?.proofOfWork;
  return (
    <>
      <h2>Limits</h2>
      <div class="choices">
        <Field route={route} name="command" label="Transaction" value={command} options={commands} />
        {command === "vote" && (
          <Field route={route} name="proposal" label="Proposal" value={proposal} placeholder="Id of the proposal" />
        )}
      </div>
      {isReady && <Status of={report} />}
      {limits && (
        <dl>
          <dt>Allowed now</dt>
          <dd>{limits.isAllowed ? `Yes, ${limits.left ?? "any number"} left` : reasons[limits.reason ?? "quota"]}</dd>
          <dt>Tokens needed</dt>
          <dd>
            <Amount of={limits.minTokens} />
          </dd>
          <dt>Proof of work</dt>
          <dd>
            {work ? `Difficulty ${work.difficulty} on block ${formatAmount(work.blockHeight)}` : "No block is left"}
          </dd>
        </dl>
      )}
    </>
  );
}
