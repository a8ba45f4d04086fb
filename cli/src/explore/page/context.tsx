/** What the views share: where the records come from, the place in the address, and whether records come in. */
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { Source } from "../source.js";
import { type Live, useLive } from "./data.js";
import { Time } from "./format.js";

export const SourceContext = createContext<Source>({ kind: "node", names: [], completeHistory: false, proposals: [] });
export const useSource = (): Source => useContext(SourceContext);

/** A view, an id, and what was chosen there. */
export type Route = { view: string; id: string; query: URLSearchParams };

function readRoute(): Route {
  const [path = "", query] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", id = ""] = path.split("/");
  return { view, id: decodeURIComponent(id), query: new URLSearchParams(query) };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  // An effect runs after the page was painted: a hash that changes before would be missed.
  useLayoutEffect(() => {
    const change = () => setRoute(readRoute());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return route;
}

/** Changes what was chosen, which stays in the address. */
export function choose({ view, id, query }: Route, name: string, value: string): void {
  const next = new URLSearchParams(query);
  if (value === "") next.delete(name);
  else next.set(name, value);
  location.hash = `#/${view}/${encodeURIComponent(id)}${next.size > 0 ? `?${next}` : ""}`;
}

type ChoiceProps = { route: Route; name: string; label: string; value: string };

/** @param options - The values, and their texts. */
export const Select = ({
  route,
  name,
  label,
  value,
  options,
}: ChoiceProps & { options: Readonly<Record<string, string>> }) => (
  <label>
    {label}
    <select value={value} onChange={({ currentTarget }) => choose(route, name, currentTarget.value)}>
      {Object.entries(options).map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

export const Input = ({ route, name, label, value, placeholder = "" }: ChoiceProps & { placeholder?: string }) => (
  <label>
    {label}
    <input
      value={value}
      placeholder={placeholder}
      spellcheck={false}
      onChange={({ currentTarget }) => choose(route, name, currentTarget.value.trim())}
    />
  </label>
);

/** Follows new records, if there is a node to follow. */
export function useUpdates(query: string): Live {
  return useLive(useSource().kind === "copy" ? undefined : query);
}

export function LiveBadge({ live: { upTo, stopped } }: { live: Live }) {
  const reason = useSource().kind === "copy" ? "a local copy." : stopped;
  if (reason) return <p class="badge">Not live: {reason}</p>;
  if (!upTo) return <p class="badge">Connecting…</p>;
  return (
    <p class="badge live">
      Live, up to <Time of={upTo} /> UTC
    </p>
  );
}
