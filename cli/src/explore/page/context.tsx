/** Shared by the views: the route, the fields of forms, and whether new records arrive. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Live } from "./data.js";
import { Time } from "./format.js";

export type Route = { view: string; id: string; query: URLSearchParams };

function readRoute(): Route {
  const [path = "", query] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", id = ""] = path.split("/");
  // An address can be typed: unlike `decodeURIComponent`, this reads a single "%" as it is.
  const decoded = new URLSearchParams(`id=${id}`).get("id") ?? "";
  return { view, id: decoded, query: new URLSearchParams(query) };
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

/** Changes the selection, which is kept in the address. */
export function choose({ view, id, query }: Route, name: string, value: string): void {
  const next = new URLSearchParams(query);
  if (value === "") next.delete(name);
  else next.set(name, value);
  location.hash = `#/${view}/${encodeURIComponent(id)}${next.size > 0 ? `?${next}` : ""}`;
}

/** The selected value, if it is one of the options: an address can have any text. */
export function chosen({ query }: Route, name: string, options: Readonly<Record<string, string>>): string | undefined {
  const value = query.get(name) ?? "";
  return Object.hasOwn(options, value) ? value : undefined;
}

type FieldProps = {
  route: Route;
  name: string;
  label: string;
  value: string;
  /** The values, and their texts. Default: any text. */
  options?: Readonly<Record<string, string>>;
  placeholder?: string;
};

export function Field({ route, name, label, value, options, placeholder = "" }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const show = () => {
    if (input.current) input.current.value = value;
  };
  // The view is rendered again with each response, also while someone types.
  useLayoutEffect(show, [value]);
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    const text = currentTarget.value.trim();
    // Without a text, the default applies.
    if (text === "") show();
    choose(route, name, text);
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: it has one of the two.
    <label>
      {label}
      {options === undefined ? (
        <input ref={input} placeholder={placeholder} spellcheck={false} onChange={onChange} />
      ) : (
        <select value={value} onChange={onChange}>
          {Object.entries(options).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}

export function LiveBadge({ live: { upTo, stopped } }: { live: Live }) {
  if (stopped) return <p class="badge">Not live. {stopped}</p>;
  if (!upTo) return <p class="badge">Connecting…</p>;
  return (
    <p class="badge live">
      Live, up to <Time of={`${upTo}`} /> UTC
    </p>
  );
}
