/** A proposal: its result, who voted, and votes over time. */
import { useMemo } from "preact/hooks";
import type { Vote } from "vegaprotocol-client";
import type { Tally } from "vegaprotocol-client/reports";
import { Chart } from "./chart.js";
import { Field, LiveBadge, type Route } from "./context.js";
import { loadAll, type Source, useData, useLive, usePolled } from "./data.js";
import { governanceAsset, Status, useNames } from "./format.js";
import { Records } from "./records.js";
import { decimalsOf, formatName, formatShares, formatSide, thresholds, verdictOf } from "./text.js";

type Proposal = Rules & { state?: string; rationale?: { title?: string } };
export type Rules = { readonly [name in keyof typeof thresholds]?: string | undefined };

export type TallyProps = { readonly tally: Tally; readonly rules: Rules; readonly state?: string | undefined };

export function TallyView({ tally, rules, state }: TallyProps) {
  const { majority, participation } = tally;
  const decimals = decimalsOf(governanceAsset(useNames()));
  return (
    <>
      <h3>{verdictOf(tally)}</h3>
      <dl>
        {state && <dt>State</dt>}
        {state && <dd>{formatName(state)}</dd>}
        <dt>For</dt>
        <dd>{formatSide(tally.yes, decimals)}</dd>
        <dt>Against</dt>
        <dd>{formatSide(tally.no, decimals)}</dd>
        <dt>Majority</dt>
        <dd>
          {formatShares(majority, rules.requiredMajority)}{" "}
          {majority && <meter aria-label="The share for" value={Number(majority)} />}
        </dd>
        <dt>Participation</dt>
        <dd>{formatShares(participation, rules.requiredParticipation)}</dd>
      </dl>
    </>
  );
}

const labels = { ...thresholds, totalSupply: "Total supply, in the smallest unit" };

export function ProposalView({ route, source }: { route: Route; source: Source }) {
  const { id, query } = route;
  const path = `/api/v2/votes?proposalId=${encodeURIComponent(id)}`;
  const live = useLive(source, `${path}&`);
  const governance = `/api/v2/governance?proposalId=${encodeURIComponent(id)}`;
  const node = usePolled<{ data: { proposal: Proposal } }>(governance);
  const known = node.data?.data.proposal;
  const title = known?.rationale?.title;
  const chosen = {
    requiredMajority: query.get("requiredMajority") ?? known?.requiredMajority ?? "",
    requiredParticipation: query.get("requiredParticipation") ?? known?.requiredParticipation ?? "",
    totalSupply: query.get("totalSupply") ?? source.totalSupply ?? "",
  };
  const parameters = new URLSearchParams([["proposal", id], ...Object.entries(chosen).filter(([, value]) => value)]);
  const report = useData<{ tally: Tally }>((known || node.error) && `/reports/tally?${parameters}`, live.version);
  const votes = useData<readonly Vote[]>(path, live.version, loadAll);
  return (
    <>
      <h1>{title ? <bdi>{title}</bdi> : "Proposal"}</h1>
      <p class="id">{id}</p>
      <LiveBadge live={live} />

      <h2>Result</h2>
      <Status of={report} />
      {report.data && <TallyView tally={report.data.tally} rules={chosen} state={known?.state} />}
      <div class="choices">
        {Object.entries(chosen).map(([each, value]) => (
          <Field key={each} route={route} name={each} label={labels[each as keyof Rules]} value={value} />
        ))}
      </div>

      <h2>Votes</h2>
      <Status of={votes} />
      {votes.data && <VotesChart votes={votes.data} />}
      {votes.data && <Records label="Votes" empty="Nobody has voted." rows={votes.data} columns={voteColumns} />}
    </>
  );
}

export const voteColumns = ["partyId", "value", "totalGovernanceTokenBalance", "timestamp"] as const;

export function VotesChart({ votes }: { votes: readonly Vote[] }) {
  const asset = governanceAsset(useNames());
  const chart = useMemo(() => {
    const ordered = [...votes].sort((a, b) => (BigInt(a.timestamp) < BigInt(b.timestamp) ? -1 : 1));
    const times = [...new Set(ordered.map(({ timestamp }) => timestamp))];
    const lineOf = (name: string, side: string) => {
      let sum = 0n;
      /** The sum after the last vote of each time. */
      const sums = new Map<string, string>();
      for (const { value, timestamp, totalGovernanceTokenBalance } of ordered) {
        if (value === side) sum += BigInt(totalGovernanceTokenBalance || 0);
        sums.set(timestamp, `${sum}`);
      }
      return { name, values: [...sums.values()] };
    };
    const lines = [lineOf("For", "VALUE_YES"), lineOf("Against", "VALUE_NO")];
    const notes = ["Votes as they are now, by the time of each. A vote that was cast again has its last time."];
    return { label: "Tokens for and against", times, lines, decimals: decimalsOf(asset), notes };
  }, [votes, asset]);
  return votes.length > 0 ? <Chart chart={chart} /> : null;
}
