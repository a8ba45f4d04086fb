/** How times, amounts, names and ids are shown. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { formatUnits } from "vegaprotocol-client";

/** What nodes say of an asset. */
export type Asset = { symbol: string; decimals: string };

export const decimalsOf = (asset: Asset | undefined): number | undefined => asset && Number(asset.decimals);

type Names = { assets: ReadonlyMap<string, Asset>; aliases: ReadonlyMap<string, string> };

export const NamesContext = createContext<Names>({ assets: new Map(), aliases: new Map() });
export const useNames = (): Names => useContext(NamesContext);

/** The asset of votes. */
export const governanceAsset = ({ assets }: Names): Asset | undefined =>
  [...assets.values()].find(({ symbol }) => symbol === "VEGA");

export const symbolOf = ({ assets }: Names, id = ""): string => assets.get(id)?.symbol || shortId(id);

const isoOf = (time: string | bigint) => new Date(Number(BigInt(time) / 1_000_000n)).toISOString();

/** Nanoseconds as `2024-02-09 16:54:55`, in UTC. */
export const formatTime = (time: string | bigint): string => isoOf(time).slice(0, 19).replace("T", " ");

/** An exact amount. Without decimals, it is in the smallest unit. */
export function formatAmount(amount: string | null | undefined, decimals = 0): string {
  if (amount === null || amount === undefined) return "unknown";
  const [whole = "", fraction] = formatUnits(amount, decimals).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);

/** As in `Vested rewards` for `ACCOUNT_TYPE_VESTED_REWARDS`. */
export function formatName(name: string | number | undefined): string {
  const words = String(name ?? "")
    .replace(/^(?:ACCOUNT_TYPE|VALUE|STATE)_/, "")
    .replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

export const Time = ({ of }: { of: string | bigint | null | undefined }) =>
  of ? (
    <time dateTime={isoOf(of)} title={`${of} ns`}>
      {formatTime(of)}
    </time>
  ) : (
    <span class="muted">unknown</span>
  );

/** An amount of an asset, or of the governance tokens. */
export function Amount({ of, asset }: { of: string | null | undefined; asset?: string | undefined }) {
  const names = useNames();
  const known = asset === undefined ? governanceAsset(names) : names.assets.get(asset);
  return <span class={of ? "" : "muted"}>{formatAmount(of, decimalsOf(known))}</span>;
}

export function Party({ id }: { id: string }) {
  const alias = useNames().aliases.get(id);
  return (
    <a href={`#/party/${encodeURIComponent(id)}`} title={id}>
      {alias ? <bdi>{alias}</bdi> : <code>{shortId(id)}</code>}
    </a>
  );
}

export const Proposal = ({ id }: { id: string }) => (
  <a href={`#/proposal/${encodeURIComponent(id)}`} title={id}>
    <code>{shortId(id)}</code>
  </a>
);

const Warning = ({ text }: { text: string }) => (
  <p class="warning" role="alert">
    {text}
  </p>
);

/** That something is being read, or why it cannot be. */
export function Status({ of: { data, error } }: { of: { readonly data?: unknown; readonly error?: string } }) {
  if (error !== undefined) return <Warning text={error.replaceAll(/\b\d{19}\b/g, formatTime)} />;
  return data === undefined ? <p class="muted">Loading…</p> : null;
}
