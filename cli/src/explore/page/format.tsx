import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Asset, decimalsOf, formatAmount, formatTime, isoOf, shortId, withTimes } from "./text.js";

type Names = {
  readonly assets: ReadonlyMap<string, Asset>;
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether parties and proposals have views. */
  readonly hasViews: boolean;
};

export const NamesContext = createContext<Names>({ assets: new Map(), aliases: new Map(), hasViews: false });
export const useNames = (): Names => useContext(NamesContext);

/** `undefined` if several assets have the symbol and differ in decimals: anybody can propose an asset. */
export function governanceAsset({ assets }: Pick<Names, "assets">): Asset | undefined {
  const [first, ...others] = [...assets.values()].filter(({ symbol }) => symbol === "VEGA");
  return others.every(({ decimals }) => decimals === first?.decimals) ? first : undefined;
}

export const symbolOf = ({ assets }: Names, id = ""): string => assets.get(id)?.symbol || shortId(id);

/** A time; text of a node that is none stays as it is. */
export function Time({ of }: { of: string | null | undefined }) {
  if (!of) return <span class="muted">unknown</span>;
  if (!/^\d{1,19}$/.test(of)) return of;
  return (
    <time dateTime={isoOf(of)} title={`${of} ns`}>
      {formatTime(of)}
    </time>
  );
}

export function Amount({ of, asset }: { of: string | null | undefined; asset?: string | undefined }) {
  const names = useNames();
  const known = asset === undefined ? governanceAsset(names) : names.assets.get(asset);
  if (of && !/^-?\d+$/.test(of)) return of;
  // A long amount breaks between groups of digits. A line of decimal places begins with the point.
  const groups = formatAmount(of, decimalsOf(known)).split(/(?<=,)|(?=\.)/);
  return (
    <span class={of ? "" : "muted"}>{groups.map((group, index) => [index > 0 && <wbr key={index} />, group])}</span>
  );
}

/** An id, or the alias of a party, which leads to its view. */
export function Id({ id, view }: { id: string; view?: "party" | "proposal" }) {
  const { aliases, hasViews } = useNames();
  const alias = view === "party" ? aliases.get(id) : undefined;
  const text = alias ? <bdi>{alias}</bdi> : <code>{shortId(id)}</code>;
  if (!hasViews || view === undefined) return <span title={id}>{text}</span>;
  return (
    <a href={`#/${view}/${encodeURIComponent(id)}`} title={id}>
      {text}
    </a>
  );
}

export function Status({ of: { data, error } }: { of: { readonly data?: unknown; readonly error?: string } }) {
  if (error === undefined) return data === undefined ? <p class="muted">Loading…</p> : null;
  return (
    <p class="warning" role="alert">
      {withTimes(error)}
    </p>
  );
}
