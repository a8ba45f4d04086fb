/** A proposal: its result, who voted, and votes over time. */
import { useMemo } from "preact/hooks";
import type { Vote } from "vegaprotocol-client";
import type { Tally } from "vegaprotocol-client/reports";
import { Chart } from "./chart.js";
import { Input, LiveBadge, type Route, useSource, useUpdates } from "./context.js";
import { loadAll, useData } from "./data.js";
import { Amount, governanceAsset, Status, useNames } from "./format.js";
import { Records } from "./records.js";
import { decimalsOf, formatName, formatShare } from "./text.js";

type Proposal = Rules & { state?: string; rationale?: { title?: string } };
export type Rules = { readonly [name in keyof typeof rules]?: string | undefined };

const rules = {
  requiredMajority: "Required majority",
  requiredParticipation: "Required participation",
  totalSupply: "Total supply of tokens",
};

export function TallyView({ tally, rules: required }: { tally: Tally; rules: Rules }) {
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
          {formatShare(majority)} for, {formatShare(required.requiredMajority)} required
        </dd>
        <dt>Participation</dt>
        <dd>
          {formatShare(participation)}, {formatShare(required.requiredParticipation)} required
        </dd>
      </dl>
    </>
  );
}

export function ProposalView({ route }: { route: Route }) {
  const { id, query } = route;
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
  const path = `/api/v2/votes?proposalId=${encodeURIComponent(id)}`;
  const votes = useData<readonly Vote[]>(path, live.version, loadAll);
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

      {votes.data && <h2>Who voted</h2>}
      {votes.data && <Records label="Votes" empty="Nobody has voted." rows={votes.data} columns={voteColumns} />}
    </>
  );
}

export const voteColumns = ["partyId", "value", "totalGovernanceTokenBalance", "timestamp"] as const;

/** The tokens of votes as they are now, by the time of each. */
export function VotesChart({ votes }: { votes: readonly Vote[] }) {
  const asset = governanceAsset(useNames());
  const chart = useMemo(() => {
    const tokens = { VALUE_YES: 0n, VALUE_NO: 0n };
    /** Those after the last vote of each time. */
    const sums = new Map<string, [yes: string, no: string]>();
    const ordered = [...votes].sort((a, b) => (BigInt(a.timestamp) < BigInt(b.timestamp) ? -1 : 1));
    for (const { value, timestamp, totalGovernanceTokenBalance } of ordered) {
      if (Object.hasOwn(tokens, value))
        tokens[value as keyof typeof tokens] += BigInt(totalGovernanceTokenBalance || 0);
      sums.set(timestamp, [`${tokens.VALUE_YES}`, `${tokens.VALUE_NO}`]);
    }
    const lines = ["For", "Against"].map((name, index) => {
      return { name, values: [...sums.values()].map((each) => each[index] ?? null) };
    });
    return { label: "Tokens for and against", times: [...sums.keys()], lines, decimals: decimalsOf(asset) };
  }, [votes, asset]);
  return (
    <>
      <Chart chart={chart} />
      <p class="muted">Votes as they are now, by the time of each. A vote that was cast again has its last time.</p>
    </>
  );
}
