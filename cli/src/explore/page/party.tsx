/** A party: balances now and over time, a statement, votes and limits. */
import { useMemo } from "preact/hooks";
import type { Vote } from "vegaprotocol-client";
import type { AccountBalance, BalanceSeriesRow, SubmissionLimits } from "vegaprotocol-client/reports";
import { chartsOf } from "../../output/plot.js";
import { Chart } from "./chart.js";
import { choose, Input, LiveBadge, type Route, Select, useSource, useUpdates } from "./context.js";
import { type Loaded, loadAll, useData } from "./data.js";
import { Amount, Status, symbolOf, Time, useNames } from "./format.js";
import { Records, type Row } from "./records.js";

type Covered = { readonly coverage?: { readonly startTimestamp: string; readonly endTimestamp?: string } };
type Balances = { readonly balances: readonly AccountBalance[] } & Covered;
type Series = { readonly series: readonly BalanceSeriesRow[] };
type Statement = { readonly statement: readonly Row[] };

const second = 1_000_000_000n;
const day = 86_400n * second;
const spans = { hour: day / 24n, day, week: 7n * day, month: 31n * day, year: 366n * day };
const last = Object.fromEntries(Object.keys(spans).map((name) => [name, `Last ${name}`]));
const periods = { ...last, all: "All", custom: "From … to …" };
const steps = { minute: "minute", hour: "hour", day: "day", week: "week", month: "month" };

/** The step with which a chart has some hundred points. */
const stepOf = (span: bigint): string =>
  span <= day / 4n ? "minute" : span <= 15n * day ? "hour" : span <= 750n * day ? "day" : "week";

/** What was chosen for the chart and the statement, and the part of their paths that follows from it. */
function readChoices(
  { query }: Route,
  filter: string,
  asset: string,
  { data, block }: Loaded<Balances>,
  isWhole: boolean,
) {
  const period = query.get("period") ?? "month";
  const isCustom = period === "custom";
  const span = spans[period as keyof typeof spans];
  const start = BigInt(data?.coverage?.startTimestamp ?? 0);
  const earliest = block === undefined || span === undefined ? start : block - span;
  const completeFrom = !isCustom && !isWhole && data !== undefined && earliest < start ? `${start}` : undefined;
  const from = isCustom ? (query.get("from") ?? "") : (completeFrom ?? `${earliest}`);
  const to = isCustom ? (query.get("to") ?? "") : "";
  const step = query.get("step") ?? (isCustom || block === undefined ? "day" : stepOf(block - BigInt(from)));
  const isReady = data !== undefined && from !== "" && asset !== "";
  const range = `${filter}&asset=${asset}&from=${encodeURIComponent(from)}${to && `&to=${encodeURIComponent(to)}`}`;
  return { period, from, to, step, completeFrom, range: isReady ? range : undefined };
}

export function PartyView({ route }: { route: Route }) {
  const { id, query } = route;
  const names = useNames();
  const { completeHistory } = useSource();
  const live = useUpdates(`?party=${encodeURIComponent(id)}`);
  const isWhole = query.has("whole") ? query.get("whole") === "yes" : completeHistory;
  const filter = `party=${encodeURIComponent(id)}${isWhole ? "&completeHistory=true" : ""}`;
  const balances = useData<Balances>(`/reports/balances?${filter}`, live.version);
  const rows = balances.data?.balances ?? [];
  const symbols = rows.map(({ assetId }) => [assetId, symbolOf(names, assetId)] as const);
  const assets = Object.fromEntries(symbols.sort(([, a], [, b]) => (a < b ? -1 : 1)));
  const asset = query.get("asset") ?? Object.keys(assets)[0] ?? "";
  const { period, from, to, step, completeFrom, range } = readChoices(route, filter, asset, balances, isWhole);
  // They follow the balances, so that all are of the same block.
  const version = balances.block;
  const series = useData<Series>(range && `/reports/series?${range}&every=${step}&groupBy=asset,type`, version);
  const statement = useData<Statement>(range && `/reports/statement?${range}`, version);
  const votes = useData<readonly Vote[]>(`/api/v2/votes?partyId=${encodeURIComponent(id)}`, live.version, loadAll);
  const { coverage } = balances.data ?? {};
  return (
    <>
      <h1>{names.aliases.get(id) ? <bdi>{names.aliases.get(id)}</bdi> : "Party"}</h1>
      <p class="id">{id}</p>
      <LiveBadge live={live} />

      <h2>Balances now</h2>
      <Status of={balances} />
      {balances.data && <Records label="Balances" rows={rows} columns={accountColumns} />}
      {rows.some(({ assetId }) => !names.assets.has(assetId)) && (
        <p class="muted">Amounts of assets without a symbol are in the smallest unit: their decimals are not known.</p>
      )}
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

      <h2>Balances over time</h2>
      <form class="choices" onSubmit={(event) => event.preventDefault()}>
        <Select route={route} name="asset" label="Asset" value={asset} options={assets} />
        <Select route={route} name="period" label="Period" value={period} options={periods} />
        <Select route={route} name="step" label="Step" value={step} options={steps} />
        {period === "custom" && (
          <>
            <Input route={route} name="from" label="From (UTC)" value={from} placeholder="2024-01-31" />
            <Input route={route} name="to" label="To (UTC)" value={to} placeholder="now" />
          </>
        )}
      </form>
      {range && <Status of={series} />}
      <CutOff time={series.completeFrom ?? completeFrom} />
      {series.data && <SeriesCharts rows={series.data.series} />}

      <h2>Statement</h2>
      {range && <Status of={statement} />}
      <CutOff time={statement.completeFrom ?? completeFrom} />
      {statement.data && <Records label="Entries" rows={statement.data.statement} columns={entryColumns} />}
      {statement.data && range && (
        <p class="muted">
          <a
            class="button"
            href={`/reports/statement?${range.replace(/(?<=from=)[^&]*/, statement.completeFrom ?? "$&")}&format=csv`}
            download={`statement-${id.slice(0, 8)}.csv`}
          >
            Download CSV
          </a>{" "}
          with Unix nanoseconds, and amounts in the smallest unit.
        </p>
      )}

      <h2>Votes</h2>
      <Status of={votes} />
      {votes.data && <Records label="Votes of the party" rows={votes.data} columns={voteColumns} />}
      <LimitsView route={route} proposal={votes.data?.[0]?.proposalId} />
    </>
  );
}

const CutOff = ({ time }: { time: string | undefined }) =>
  time ? (
    <p class="warning">
      The records are complete from <Time of={time} /> UTC on. What was before is not shown.
    </p>
  ) : null;

const accountColumns = ["assetId", "balance", "accountType", "timestamp", "marketId"] as const;
const entryColumns = ["timestamp", "entry", "change", "balance", "accountType", "assetId", "marketId"] as const;
const voteColumns = ["proposalId", "value", "totalGovernanceTokenBalance", "timestamp"] as const;

/** A chart of each asset. */
export function SeriesCharts({ rows }: { rows: readonly BalanceSeriesRow[] }) {
  const { assets } = useNames();
  const charts = useMemo(() => chartsOf(rows, assets), [rows, assets]);
  return (
    <>
      {charts.map(({ chart, left }) => (
        <div key={chart.label}>
          <Chart chart={chart} />
          {left > 0 && <p class="warning">{left} more are not drawn: those that are smallest at the end.</p>}
        </div>
      ))}
    </>
  );
}

const commands = {
  ...{ vote: "Vote on a proposal", proposal: "Make a proposal", transfer: "Transfer", delegation: "Delegate" },
  ...{ issueSignatures: "Issue signatures", other: "Another one" },
};

function LimitsView({ route, proposal: voted = "" }: { route: Route; proposal: string | undefined }) {
  const { id, query } = route;
  const command = query.get("command") ?? (voted === "" ? "transfer" : "vote");
  const proposal = query.get("proposal") ?? voted;
  const parameters = new URLSearchParams({ party: id, command, ...(command === "vote" && { proposal }) });
  const isReady = command !== "vote" || proposal !== "";
  const report = useData<{ limits: SubmissionLimits }>(isReady ? `/reports/limits?${parameters}` : undefined);
  const limits = report.data?.limits;
  const work = limits?.proofOfWork;
  return (
    <>
      <h2>Limits</h2>
      <form class="choices" onSubmit={(event) => event.preventDefault()}>
        <Select route={route} name="command" label="Transaction" value={command} options={commands} />
        {command === "vote" && <Input route={route} name="proposal" label="Proposal" value={proposal} />}
      </form>
      {isReady && <Status of={report} />}
      {limits && (
        <dl>
          <dt>May submit it</dt>
          <dd>{limits.isAllowed ? `Yes, ${limits.left ?? "any number"} left` : `No: ${limits.reason}`}</dd>
          <dt>Tokens needed</dt>
          <dd>
            <Amount of={limits.minTokens} />
          </dd>
          <dt>Proof of work</dt>
          <dd>{work ? `Difficulty ${work.difficulty} on block ${work.blockHeight}` : "No block is left"}</dd>
        </dl>
      )}
    </>
  );
}
