import type { ReactNode } from "react";

/** What is shown until data are there. */
export function Loading({ what }: { what: string }) {
  return (
    <p className="notice" role="status">
      <span className="spinner" aria-hidden="true" /> Loading {what}…
    </p>
  );
}

/** A choice of ids of the fake node, or a field for an id of a real one. */
export function IdField(props: {
  label: string;
  value: string;
  known: readonly { id: string; name: string }[];
  onChange: (id: string) => void;
}) {
  const { label, value, known, onChange } = props;
  if (known.length > 0) {
    return (
      <label className="field">
        <span>{label}</span>
        <select value={value} onChange={(event) => onChange(event.target.value)}>
          {known.map(({ id, name }) => (
            <option key={id} value={id}>
              {id.slice(0, 8)}… ({name})
            </option>
          ))}
        </select>
      </label>
    );
  }
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(String(new FormData(event.currentTarget).get("id")).trim());
      }}
    >
      <label>
        <span>{label}</span>
        <input name="id" defaultValue={value} required spellCheck={false} placeholder="64 hexadecimal digits" />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

export function View({ title, controls, children }: { title: string; controls: ReactNode; children: ReactNode }) {
  return (
    <section className="view" aria-labelledby="view-title">
      <div className="view-head">
        <h2 id="view-title">{title}</h2>
        <div className="controls">{controls}</div>
      </div>
      {children}
    </section>
  );
}
