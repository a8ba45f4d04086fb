/** A proposal: its result, who voted, and votes over time. */
import { useMemo } from "preact/hooks";
import { formatUnits, parseUnits, type Vote } from "vegaprotocol-client";
import type { Tally } from "vegaprotocol-client/reports";
import { Chart } from "./chart.js";
import { Input, LiveBadge, type Route, useSource, useUpdates } from "./context.js";
import { loadAll, useData } from "./data.js";
import { Amount, decimalsOf, formatName, governanceAsset, Party, Status, Time, useNames } from "./format.js";
import { tokens } from "./party.js";
import { type Column, column, Table } from "./table.js";

type Proposal = Rules & { state?: string; rationale?: { title?: string } };
type Rules = { requiredMajority?: string; requiredParticipation?: string; totalSupply?: string };

const rules = {
  requiredMajority: "Required majority",
  requiredParticipation: "Required participation",
  totalSupply: "Total supply of tokens",
};

/** A share such as `0.66125` as `66.125 %`. Digits are left out, never rounded up. */
function percentOf(share: string | null | undefined): string {
  const [percent] = share ? (/^\d+(?:\.0*\d{1,3})?/.exec(formatUnits(parseUnits(share, 18), 16)) ?? []) : [];
  return percent === undefined ? "unknown" : `${percent} %`;
}

function TallyView({ tally, rules: required }: { tally: Tally; rules: Rules }) {
  const { passes, reason, missing, majority, participation } = tally;
  const names = missing.map((name) => `the ${rules[name].toLowerCase()}`);
  const verdict = passes
    ? "It passes with these votes."
    : passes === false
      ? `It does not pass with these votes: the ${reason} is too low.`
      : `Whether it passes is unknown without ${names.join(", ")}.`;
  const side = ({ tokens, parties }: Tally["yes"]) => (
    <dd>
      <Amount of={tokens} /> tokens of {parties.toLocaleString("en")} parties
    </dd>
  );
  return (
    <>
      <h3>{verdict}</h3>
      {majority && <meter aria-label="The share for" value={Number(majority)} />}
      <dl>
        <dt>For</dt>
        {side(tally.yes)}
        <dt>Against</dt>
        {side(tally.no)}
        <dt>Majority</dt>
        <dd>
          {percentOf(majority)} for, {percentOf(required.requiredMajority)} required
        </dd>
        <dt>Participation</dt>
        <dd>
          {percentOf(participation)}, {percentOf(required.requiredParticipation)} required
        </dd>
      </dl>
    </>
  );
}

export function ProposalView({ route }: { route: Route }) {
  const { id, query } = route;
  const names = useNames();
  const source = useSource();
  const live = useUpdates(`?proposal=${encodeURIComponent(id)}`);
  const node = useData<{ data: { proposal: Proposal } }>(`/api/v2/governance?proposalId=${encodeURIComponent(id)}`);
  const known = node.data?.data.proposal;
  const title = known?.rationale?.title;
  const chosen = {
    requiredMajority: query.get("requiredMajority") ?? known?.requiredMajority ?? "",
    requiredParticipation: query.get("requiredParticipation") ?? known?.requiredParticipation ?? "",
    totalSupply: query.get("totalSupply") ?? source.totalSupply ?? "",
  };
  const parameters = new URLSearchParams([["proposal", id], ...Object.entries(chosen).filter(([, value]) => value)]);
  const report = useData<{ tally: Tally }>((known || node.error) && `/reports/tally?${parameters}`, live.version);
  const path = `/api/v2/votes?proposalId=${encodeURIComponent(id)}&pagination.newestFirst=false`;
  const votes = useData<readonly Vote[]>(path, live.version, loadAll);
  const rows = votes.data?.map((vote) => ({ ...vote, name: names.aliases.get(vote.partyId) || vote.partyId }));
  return (
    <>
      <h1>{title ? <bdi>{title}</bdi> : "Proposal"}</h1>
      <p class="id">{id}</p>
      <LiveBadge live={live} />

      <h2>Result</h2>
      {known?.state && <p>The node says: {formatName(known.state)}.</p>}
      <Status of={report} />
      {report.data && <TallyView tally={report.data.tally} rules={chosen} />}
      <form class="choices" onSubmit={(event) => event.preventDefault()}>
        {Object.entries(chosen).map(([each, value]) => (
          <Input key={each} route={route} name={each} label={rules[each as keyof typeof rules]} value={value} />
        ))}
      </form>

      <h2>Votes over time</h2>
      <Status of={votes} />
      {votes.data && <VotesChart votes={votes.data} />}
      <p class="muted">Votes as they are now, by the time of each. A vote that was cast again has its last time.</p>

      <h2>Who voted</h2>
      {rows && <Table label="Votes" empty="Nobody has voted." rows={rows} columns={columns} />}
    </>
  );
}

const columns: Column<Vote & { name: string }>[] = [
  column("Party", 14, ({ partyId }) => <Party id={partyId} />, "name"),
  column("Vote", 8, ({ value }) => formatName(value), "value"),
  tokens,
  column("Time (UTC)", 19, ({ timestamp }) => <Time of={timestamp} />, "timestamp"),
];

const tokensOf = ({ totalGovernanceTokenBalance }: Vote) => BigInt(totalGovernanceTokenBalance || 0);

/** @param votes - In order of time. */
function VotesChart({ votes }: { votes: readonly Vote[] }) {
  const { times, yes, no } = useMemo(() => {
    const sums = { yes: 0n, no: 0n };
    const points = votes.map((vote) => {
      if (vote.value === "VALUE_YES") sums.yes += tokensOf(vote);
      if (vote.value === "VALUE_NO") sums.no += tokensOf(vote);
      return [vote.timestamp, { yes: `${sums.yes}`, no: `${sums.no}` }] as const;
    });
    // The last vote of each time.
    const last = new Map(points);
    const values = [...last.values()];
    return { times: [...last.keys()], yes: values.map((each) => each.yes), no: values.map((each) => each.no) };
  }, [votes]);
  const lines = [
    { name: "For", values: yes },
    { name: "Against", values: no },
  ];
  const decimals = decimalsOf(governanceAsset(useNames()));
  return <Chart label="Tokens for and against" times={times} lines={lines} decimals={decimals} />;
}
