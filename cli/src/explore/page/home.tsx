import { useEffect } from "preact/hooks";
import type { NodeStatus } from "vegaprotocol-client/pool";
import { LiveBadge } from "./context.js";
import { type Source, useData, useLive, usePolled } from "./data.js";
import { Id, Status, Time, useNames } from "./format.js";
import { Records, type Row } from "./records.js";
import { type Column, Table } from "./table.js";
import { formatAmount, formatName } from "./text.js";

type Changes = { balances: { edges: { node: Row }[] }; coverage: { startTimestamp: string } };

export function HomeView({ source }: { source: Source }) {
  const { names, proposals, stored = [] } = source;
  const list = "/api/v2/balance/changes?";
  const live = useLive(source, list);
  const changes = useData<Changes>(`${list}pagination.first=200`, live.version);
  const ids = [...new Set([...proposals, ...stored.flatMap(({ query }) => query.proposalId ?? [])])];
  const rows = changes.data?.balances.edges.map(({ node }) => node) ?? [];
  return (
    <>
      <h1>{names.join(", ")}</h1>
      <LiveBadge live={live} />
      {ids.length > 0 && <h2>Proposals</h2>}
      <div class="cards">
        {ids.slice(0, 12).map((id) => (
          <Id key={id} id={id} view="proposal" />
        ))}
      </div>
      <h2>Latest balance changes</h2>
      <Status of={changes} />
      {changes.data && (
        <Records label="Changes" rows={rows} columns={["partyId", "balance", "assetId", "accountType", "timestamp"]} />
      )}
    </>
  );
}

const resultColumns: Column<readonly [id: string, alias: string]>[] = [
  { name: "Party", width: 20, cell: ([id]) => <Id id={id} view="party" /> },
  { name: "Id", width: 60, cell: ([id]) => <code>{id}</code> },
];
const noResult = "No profile matches. A party without a profile is found by its whole id.";

type SearchProps = { text: string; source: Source; error: string | undefined };

export function SearchView({ text, source: { isCopy, stored = [] }, error }: SearchProps) {
  const wanted = text.toLowerCase();
  const isId = /^[\da-f]{64}$/.test(wanted) || wanted === "network";
  const path = `/api/v2/votes?proposalId=${encodeURIComponent(wanted)}&pagination.first=1`;
  const votes = useData<{ votes: { edges: unknown[] } }>(isId && !isCopy ? path : undefined);
  const proposal = useData(isId ? `/api/v2/governance?proposalId=${encodeURIComponent(wanted)}` : undefined);
  // A copy has no proposals, and a node can have forgotten one: votes show that there is one.
  const hasVotes = isCopy
    ? stored.some(({ query }) => query.proposalId === wanted)
    : votes.data?.votes.edges.length !== 0;
  const isRead = (isCopy || votes.data) && (proposal.data || proposal.error);
  const view = proposal.data || hasVotes ? "proposal" : "party";
  useEffect(() => {
    if (isRead) location.replace(`#/${view}/${encodeURIComponent(wanted)}`);
  }, [isRead, view, wanted]);
  const found = [...useNames().aliases].filter(([id, alias]) => `${id} ${alias}`.toLowerCase().includes(wanted));
  return (
    <>
      <h1>
        Results for “<bdi>{text}</bdi>”
      </h1>
      {error && <p class="warning">The profiles of parties cannot be read, so that only ids are found. {error}</p>}
      {isId ? <Status of={votes} /> : <Table label="Results" empty={noResult} rows={found} columns={resultColumns} />}
    </>
  );
}

type Node = Pick<NodeStatus, "state" | "lag" | "latency" | "rateLimit" | "error"> &
  Partial<Record<"host" | "height" | "timestamp", string>>;

const rounded = (value: number | undefined, unit = "") =>
  value === undefined ? "unknown" : Math.round(value).toLocaleString("en") + unit;
const nodeColumns: Column<Node>[] = [
  { name: "Node", width: 22, cell: ({ host }) => host },
  { name: "State", width: 12, cell: ({ state }) => formatName(state) },
  { name: "Lag", width: 9, cell: ({ lag }) => rounded(lag, " ms"), isNumber: true },
  { name: "Latency", width: 9, cell: ({ latency }) => rounded(latency, " ms"), isNumber: true },
  { name: "Height", width: 12, cell: ({ height }) => formatAmount(height), isNumber: true },
  { name: "Block", width: 17, cell: ({ timestamp }) => <Time of={timestamp} /> },
  { name: "Rate limit", width: 11, cell: ({ rateLimit }) => rounded(rateLimit?.limit, "/s"), isNumber: true },
];
const storedColumns: Column<NonNullable<Source["stored"]>[number]>[] = [
  { name: "List", width: 11, cell: ({ list }) => list },
  { name: "From", width: 17, cell: ({ start }) => (start ? <Time of={start} /> : "–") },
  { name: "Up to", width: 17, cell: ({ position }) => (position ? <Time of={position} /> : "–") },
  {
    name: "Filter",
    width: 30,
    cell: ({ query }) => {
      const members = Object.entries(query.filter ?? query);
      return members.map(([name, value]) => `${formatName(name)} ${[value].flat().join(", ")}`).join("; ") || "–";
    },
  },
];

export function NodesView({ source: { isCopy, stored = [] } }: { source: Source }) {
  const nodes = usePolled<{ nodes: Node[] }>("/explore/nodes");
  const oldest = useData<Changes>("/api/v2/balance/changes?pagination.first=1&pagination.newestFirst=false");
  const start = oldest.data?.coverage.startTimestamp;
  return (
    <>
      <h1>{isCopy ? "Local copy" : "Nodes"}</h1>
      {isCopy && <Table label="Lists" empty="It has profiles only." rows={stored} columns={storedColumns} />}
      {start && (
        <p>
          The history of balances begins at <Time of={start} /> UTC.
        </p>
      )}
      <Status of={nodes} />
      {nodes.data && (!isCopy || nodes.data.nodes.length > 0) && (
        <Table label="Nodes" empty="There are no nodes." rows={nodes.data.nodes} columns={nodeColumns} />
      )}
      {nodes.data?.nodes.map(({ host, error }) => error && <p key={host} class="muted">{`${host}: ${error}.`}</p>)}
    </>
  );
}
