/** The first view, the results of a search, and the nodes. */
import { useEffect, useState } from "preact/hooks";
import type { NodeStatus } from "vegaprotocol-client/pool";
import { LiveBadge, useSource, useUpdates } from "./context.js";
import { load, useData } from "./data.js";
import { Id, Status, Time, useNames } from "./format.js";
import { Records, type Row } from "./records.js";
import { type Column, Table } from "./table.js";
import { formatName } from "./text.js";

type Changes = { balances: { edges: { node: Row }[] }; coverage: { startTimestamp: string } };

export function HomeView() {
  const { kind, names, proposals, stored = [] } = useSource();
  const live = useUpdates("");
  const changes = useData<Changes>("/api/v2/balance/changes?pagination.first=200", live.version);
  const ids = [...new Set([...proposals, ...stored.flatMap(({ query }) => query.proposalId ?? [])])];
  const rows = changes.data?.balances.edges.map(({ node }) => node) ?? [];
  return (
    <>
      <h1>{kind === "fake" ? "A fake node to look at" : names.join(", ")}</h1>
      <LiveBadge live={live} />
      {ids.length > 0 && <h2>Proposals</h2>}
      <p class="cards">
        {ids.slice(0, 12).map((id) => (
          <Id key={id} id={id} view="proposal" />
        ))}
      </p>
      <h2>Latest balance changes</h2>
      <Status of={changes} />
      {changes.data && (
        <Records label="Changes" rows={rows} columns={["partyId", "balance", "assetId", "accountType", "timestamp"]} />
      )}
    </>
  );
}

/** Opens an id: it is a proposal if there are votes on it. */
export async function openId(id: string): Promise<void> {
  const path = `/api/v2/votes?proposalId=${encodeURIComponent(id)}&pagination.first=1`;
  const { data } = await load<{ votes: { edges: unknown[] } }>(path, new AbortController().signal);
  location.hash = `#/${data && data.votes.edges.length > 0 ? "proposal" : "party"}/${encodeURIComponent(id)}`;
}

/** How many results are shown. */
const most = 200;

export function SearchView({ text, error }: { text: string; error: string | undefined }) {
  const wanted = text.toLowerCase();
  const found = [...useNames().aliases].filter(([id, alias]) => `${id} ${alias}`.toLowerCase().includes(wanted));
  const count = found.length === 1 ? "1 party" : `${found.length} parties`;
  return (
    <>
      <h1>
        Results for “<bdi>{text}</bdi>”
      </h1>
      {error && <p class="warning">The profiles of parties cannot be read, so that only ids are found. {error}</p>}
      <p class="muted" role="status">
        {found.length === 0 ? "No party has such an alias." : count}
        {found.length > most && `, of which the first ${most} are shown`}
      </p>
      <ul>
        {found.slice(0, most).map(([id]) => (
          <li key={id}>
            <Id id={id} view="party" /> <span class="id">{id}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

type Node = Pick<NodeStatus, "state" | "lag" | "latency" | "rateLimit" | "error"> &
  Partial<Record<"host" | "height" | "timestamp", string>>;

/** How often nodes are checked, in milliseconds. */
const interval = 5000;
const rounded = (value: number | "" | undefined, unit: string) =>
  value === undefined || value === "" ? (
    <span class="muted">unknown</span>
  ) : (
    Math.round(value).toLocaleString("en") + unit
  );
const nodeColumns: Column<Node>[] = [
  { name: "Node", width: 22, cell: ({ host }) => host, sort: ({ host }) => host },
  { name: "State", width: 13, cell: ({ state, error }) => <span title={error}>{formatName(state)}</span> },
  { name: "Lag", width: 9, cell: ({ lag }) => rounded(lag, " ms"), isNumber: true },
  { name: "Latency", width: 9, cell: ({ latency }) => rounded(latency, " ms"), isNumber: true },
  { name: "Height", width: 12, cell: ({ height }) => rounded(height && Number(height), ""), isNumber: true },
  { name: "Block", width: 19, cell: ({ timestamp }) => <Time of={timestamp} /> },
  { name: "Limit", width: 8, cell: ({ rateLimit }) => rounded(rateLimit?.limit, "/s"), isNumber: true },
];

export function NodesView() {
  const { kind, stored = [] } = useSource();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setVersion((last) => last + 1), interval);
    return () => clearInterval(timer);
  }, []);
  const nodes = useData<{ nodes: Node[] }>("/explore/nodes", version);
  const oldest = useData<Changes>("/api/v2/balance/changes?pagination.first=1&pagination.newestFirst=false");
  const storedColumns: Column<(typeof stored)[number]>[] = [
    { name: "List", width: 11, cell: ({ list }) => list },
    { name: "From", width: 19, cell: ({ start }) => start && <Time of={start} /> },
    { name: "Up to", width: 19, cell: ({ position }) => position && <Time of={position} /> },
    { name: "Of", width: 30, cell: ({ query }) => <code title={JSON.stringify(query)}>{JSON.stringify(query)}</code> },
  ];
  const start = oldest.data?.coverage.startTimestamp;
  return (
    <>
      <h1>{kind === "copy" ? "The copy" : "Nodes"}</h1>
      {kind === "copy" && <Table label="Lists" empty="It has profiles only." rows={stored} columns={storedColumns} />}
      {start && (
        <p>
          The history of balances begins at <Time of={start} /> UTC.
        </p>
      )}
      <Status of={nodes} />
      {nodes.data && (kind !== "copy" || nodes.data.nodes.length > 0) && (
        <Table label="Nodes" empty="There are no nodes." rows={nodes.data.nodes} columns={nodeColumns} />
      )}
    </>
  );
}
