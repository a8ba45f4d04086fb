/** A party: balances now and over time, a statement, votes and limits. */
import type { Vote } from "vegaprotocol-client";
import type { AccountBalance, BalanceSeriesRow, SubmissionLimits } from "vegaprotocol-client/reports";
import { Chart } from "./chart.js";
import { choose, Input, LiveBadge, type Route, Select, useSource, useUpdates } from "./context.js";
import { type Loaded, loadAll, useData } from "./data.js";
import { Amount, decimalsOf, formatName, Proposal, Status, symbolOf, Time, useNames } from "./format.js";
import { type Column, column, numbers, Table } from "./table.js";

type Covered = { readonly coverage?: { readonly startTimestamp: string; readonly endTimestamp?: string } };
type Balances = { readonly balances: readonly AccountBalance[] } & Covered;
type Series = { readonly series: readonly BalanceSeriesRow[] };
type Entry = AccountBalance & { readonly entry: string; readonly change: string | null };
type Statement = { readonly statement: readonly Entry[] };

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
function readChoices({ query }: Route, filter: string, asset: string, { data, block }: Loaded<Balances>) {
  const period = query.get("period") ?? "month";
  const isCustom = period === "custom";
  const span = spans[period as keyof typeof spans];
  const start = BigInt(data?.coverage?.startTimestamp ?? 0);
  const earliest = block === undefined || span === undefined ? start : block - span;
  const from = isCustom ? (query.get("from") ?? "") : `${earliest}`;
  const to = isCustom ? (query.get("to") ?? "") : "";
  const step = query.get("step") ?? (isCustom || block === undefined ? "day" : stepOf(block - earliest));
  const isReady = data !== undefined && from !== "" && asset !== "";
  const range = `${filter}&asset=${asset}&from=${encodeURIComponent(from)}${to && `&to=${encodeURIComponent(to)}`}`;
  return { period, from, to, step, range: isReady ? range : undefined };
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
  const { period, from, to, step, range } = readChoices(route, filter, asset, balances);
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
      {balances.data && <BalanceTable rows={rows} />}
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
      <CutOff loaded={series} />
      {series.data && <SeriesChart rows={series.data.series} asset={asset} />}

      <h2>Statement</h2>
      {range && <Status of={statement} />}
      <CutOff loaded={statement} />
      {statement.data && <StatementTable rows={statement.data.statement} />}
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
      {votes.data && <VotesTable rows={votes.data} />}
      <LimitsView route={route} proposal={votes.data?.[0]?.proposalId} />
    </>
  );
}

const CutOff = ({ loaded: { completeFrom } }: { loaded: Loaded<unknown> }) =>
  completeFrom ? (
    <p class="warning">
      The records are complete from <Time of={completeFrom} /> UTC on. What was before is not shown.
    </p>
  ) : null;

const Market = ({ id }: { id: string }) => (id === "" ? "–" : <code title={id}>{id.slice(0, 8)}…</code>);

function BalanceTable({ rows }: { rows: readonly AccountBalance[] }) {
  const names = useNames();
  const columns: Column<AccountBalance>[] = [
    column("Asset", 9, ({ assetId }) => symbolOf(names, assetId), "assetId"),
    numbers("Balance", 22, ({ balance, assetId }) => <Amount of={balance} asset={assetId} />, "balance"),
    column("Account", 12, ({ accountType }) => formatName(accountType), "accountType"),
    column("Since (UTC)", 19, ({ timestamp }) => <Time of={timestamp} />, "timestamp"),
    column("Market", 12, ({ marketId }) => <Market id={marketId} />, "marketId"),
  ];
  return <Table label="Balances" empty="There are no balances." rows={rows} columns={columns} />;
}

function SeriesChart({ rows, asset }: { rows: Series["series"]; asset: string }) {
  const names = useNames();
  const times = [...new Set(rows.map(({ time }) => time))];
  const types = [...new Set(rows.map(({ accountType }) => accountType))].sort();
  const found = new Map(rows.map(({ time, accountType, balance }) => [`${time} ${accountType}`, balance]));
  const lines = types.map((type) => {
    return { name: formatName(type), values: times.map((time) => found.get(`${time} ${type}`) ?? null) };
  });
  const label = `Balances of ${symbolOf(names, asset)} by account type`;
  const decimals = decimalsOf(names.assets.get(asset));
  return (
    <>
      <Chart label={label} times={times} lines={lines} decimals={decimals} isStacked={true} />
      {lines.some(({ values }) => values.includes(null)) && <p class="muted">A gap is a time of unknown balances.</p>}
    </>
  );
}

function StatementTable({ rows }: { rows: readonly Entry[] }) {
  const names = useNames();
  const change = ({ entry, change, assetId }: Entry) =>
    entry === "change" ? <Amount of={change} asset={assetId} /> : entry;
  const columns: Column<Entry>[] = [
    column("Time (UTC)", 19, ({ timestamp }) => <Time of={timestamp} />, "timestamp"),
    numbers("Change", 20, change),
    numbers("Balance", 22, ({ balance, assetId }) => <Amount of={balance} asset={assetId} />, "balance"),
    column("Account", 12, ({ accountType }) => formatName(accountType), "accountType"),
    column("Asset", 9, ({ assetId }) => symbolOf(names, assetId)),
    column("Market", 12, ({ marketId }) => <Market id={marketId} />, "marketId"),
  ];
  return <Table label="Entries" empty="There are no accounts in this period." rows={rows} columns={columns} />;
}

const tokensOf = (vote: Vote) => <Amount of={vote.totalGovernanceTokenBalance || "0"} />;
export const tokens: Column<Vote> = numbers("Tokens", 18, tokensOf, "totalGovernanceTokenBalance");
const voteColumns: Column<Vote>[] = [
  column("Proposal", 14, ({ proposalId }) => <Proposal id={proposalId} />),
  column("Vote", 8, ({ value }) => formatName(value), "value"),
  tokens,
  column("Time (UTC)", 19, ({ timestamp }) => <Time of={timestamp} />, "timestamp"),
];
const VotesTable = ({ rows }: { rows: readonly Vote[] }) => (
  <Table label="Votes of the party" empty="This party has not voted." rows={rows} columns={voteColumns} />
);

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
