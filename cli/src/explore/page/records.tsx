/** Tables of records: how each member of a record is shown. */
import { Amount, Id, symbolOf, Time, useNames } from "./format.js";
import { type Column, Table } from "./table.js";
import { formatName } from "./text.js";

/** The members of records, in a list, a report or a file. */
export interface Row {
  readonly partyId?: string;
  readonly proposalId?: string;
  readonly assetId?: string;
  readonly marketId?: string;
  readonly accountType?: string | number;
  readonly balance?: string | null | undefined;
  readonly entry?: string;
  readonly change?: string | null | undefined;
  readonly value?: string | number;
  readonly totalGovernanceTokenBalance?: string;
  readonly timestamp?: string | null | undefined;
  readonly time?: string;
}

const Asset = ({ id }: { id: string | undefined }) => <bdi title={id}>{symbolOf(useNames(), id)}</bdi>;

const known: Record<keyof Row, Column<Row>> = {
  partyId: { name: "Party", width: 14, cell: ({ partyId = "" }) => <Id id={partyId} view="party" /> },
  proposalId: { name: "Proposal", width: 14, cell: ({ proposalId = "" }) => <Id id={proposalId} view="proposal" /> },
  assetId: { name: "Asset", width: 12, cell: ({ assetId }) => <Asset id={assetId} /> },
  marketId: { name: "Market", width: 12, cell: ({ marketId }) => (marketId ? <Id id={marketId} /> : "–") },
  accountType: { name: "Account", width: 12, cell: ({ accountType }) => formatName(accountType) },
  balance: {
    ...{ name: "Balance", width: 22, isNumber: true },
    cell: ({ balance, assetId }) => <Amount of={balance} asset={assetId} />,
  },
  entry: { name: "Entry", width: 14, cell: ({ entry }) => entry },
  change: {
    ...{ name: "Change", width: 20, isNumber: true },
    cell: ({ entry, change, assetId }) => (entry === "change" || change) && <Amount of={change} asset={assetId} />,
  },
  value: { name: "Vote", width: 8, cell: ({ value }) => formatName(value) },
  totalGovernanceTokenBalance: {
    ...{ name: "Tokens", width: 18, isNumber: true },
    cell: ({ totalGovernanceTokenBalance }) => <Amount of={totalGovernanceTokenBalance || "0"} />,
  },
  timestamp: { name: "Time", width: 19, cell: ({ timestamp }) => <Time of={timestamp} /> },
  time: { name: "Time", width: 19, cell: ({ time }) => <Time of={time} /> },
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
  return { name, width: 20, cell, isNumber: kind === "amount" };
}

type Props = {
  readonly label: string;
  readonly rows: readonly Row[];
  /** The members to show. */
  readonly columns: readonly (keyof Row)[];
  readonly kinds?: Readonly<Record<string, string>>;
  readonly empty?: string;
};

export function Records({ label, rows, columns, kinds = {}, empty = "There are no records." }: Props) {
  const { aliases } = useNames();
  const all = columns.map((name): Column<Row> => {
    // The values of an object have names.
    if (!Object.hasOwn(known, name) || "name" in kinds) return columnOf(name, kinds[name]);
    const sort = (row: Row) => (name === "partyId" && aliases.get(row.partyId ?? "")) || row[name];
    return { ...known[name], sort };
  });
  return <Table label={label} empty={empty} rows={rows} columns={all} />;
}
