/** Tables of records: how each member of a record is shown. */
import { Amount, governanceAsset, Id, symbolOf, Time, useNames } from "./format.js";
import { type Column, Table } from "./table.js";
import { decimalsOf, formatName } from "./text.js";

type Texts = "partyId" | "proposalId" | "assetId" | "marketId" | "entry" | "totalGovernanceTokenBalance" | "time";
type Values = Record<Texts, string> &
  Record<"balance" | "change" | "timestamp", string | null | undefined> &
  Record<"accountType" | "value", string | number>;
export type Row = Readonly<Partial<Values>>;

const Asset = ({ id }: { id: string | undefined }) => <bdi title={id}>{symbolOf(useNames(), id)}</bdi>;

const known: Record<keyof Row, Column<Row>> = {
  partyId: { name: "Party", width: 11, cell: ({ partyId = "" }) => <Id id={partyId} view="party" /> },
  proposalId: { name: "Proposal", width: 11, cell: ({ proposalId = "" }) => <Id id={proposalId} view="proposal" /> },
  assetId: { name: "Asset", width: 8, cell: ({ assetId }) => <Asset id={assetId} /> },
  marketId: { name: "Market", width: 11, cell: ({ marketId }) => (marketId ? <Id id={marketId} /> : "–") },
  accountType: { name: "Account", width: 16, cell: ({ accountType }) => <span>{formatName(accountType)}</span> },
  balance: {
    name: "Balance",
    width: 22,
    cell: (row) => <Amount of={row.balance} asset={row.assetId} />,
    isNumber: true,
  },
  entry: {
    ...{ name: "Entry", width: 10 },
    cell: ({ entry }) => (entry === "change" ? formatName(entry) : <b>{formatName(entry)}</b>),
  },
  change: {
    ...{ name: "Change", width: 22, isNumber: true },
    cell: ({ entry, change, assetId }) => (entry === "change" || change) && <Amount of={change} asset={assetId} />,
  },
  value: { name: "Vote", width: 7, cell: ({ value }) => formatName(value) },
  totalGovernanceTokenBalance: {
    ...{ name: "Tokens", width: 20, isNumber: true },
    cell: ({ totalGovernanceTokenBalance }) => <Amount of={totalGovernanceTokenBalance || "0"} />,
  },
  timestamp: { name: "Time", width: 17, cell: ({ timestamp }) => <Time of={timestamp} /> },
  time: { name: "Time", width: 17, cell: ({ time }) => <Time of={time} /> },
};

/** A column of a member that only some lists have. */
function columnOf(name: keyof Row, kind: string | undefined): Column<Row> {
  const cell = (row: Row) => {
    const value: unknown = row[name];
    if (value === undefined || value === null) return "";
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    if (kind === "amount") return <Amount of={text} asset={row.assetId} />;
    return kind === "time" ? <Time of={text} /> : <bdi title={text}>{text}</bdi>;
  };
  return { name: formatName(name), width: 20, cell, isNumber: kind === "amount" };
}

type Props = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly (keyof Row)[];
  readonly kinds?: Readonly<Record<string, string>>;
  readonly empty?: string;
};

export function Records({ label, rows, columns, kinds = {}, empty = "There are no records." }: Props) {
  const names = useNames();
  const isKnown = ({ assetId, totalGovernanceTokenBalance: tokens }: Row) =>
    assetId ? names.assets.has(assetId) : !tokens || governanceAsset(names) !== undefined;
  const decimalsIn = (row: Row) => decimalsOf(names.assets.get(row.assetId ?? "")) ?? 0;
  // With the same number of decimals, amounts of all assets can be compared.
  const most = Math.max(0, ...[...names.assets.values()].map(({ decimals }) => Number(decimals)));
  const amountOf = (name: "balance" | "change") => (row: Row) =>
    row[name] && row[name] + "0".repeat(most - decimalsIn(row));
  const sorts: { readonly [name in keyof Row]?: (row: Row) => unknown } = {
    partyId: ({ partyId = "" }) => names.aliases.get(partyId),
    assetId: ({ assetId }) => symbolOf(names, assetId),
    balance: amountOf("balance"),
    change: amountOf("change"),
    totalGovernanceTokenBalance: ({ totalGovernanceTokenBalance: tokens }) => tokens || "0",
  };
  const all = columns.map((name): Column<Row> => {
    // The rows of an object are its members, with their names.
    if (!Object.hasOwn(known, name) || "name" in kinds) return columnOf(name, kinds[name]);
    return { ...known[name], sort: (row) => sorts[name]?.(row) || row[name] };
  });
  return (
    <>
      <Table label={label} empty={empty} rows={rows} columns={all} />
      {!rows.every(isKnown) && <p class="muted">Amounts whose decimals are unknown are in the smallest unit.</p>}
    </>
  );
}
