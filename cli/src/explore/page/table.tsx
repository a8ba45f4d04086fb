/** A table whose rows exist only while they are in view. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Column<T> {
  readonly name: string;
  /** In the width of a digit. */
  readonly width: number;
  readonly cell: (row: T) => ComponentChildren;
  /** The member that rows are sorted by: digits if it is a number. Default: they cannot be sorted. */
  readonly key?: (keyof T & string) | undefined;
  readonly isNumber?: boolean;
}

type Cell<T> = Column<T>["cell"];
export const column = <T,>(name: string, width: number, cell: Cell<T>, key?: keyof T & string): Column<T> => {
  return { name, width, cell, key };
};
export const numbers = <T,>(name: string, width: number, cell: Cell<T>, key?: keyof T & string): Column<T> => {
  return { name, width, cell, key, isNumber: true };
};

type Props<T> = { label: string; columns: readonly Column<T>[]; rows: readonly T[]; empty: string };

/** The height of a row, as in the styles, and of the part that is in view, in pixels. */
const [rowHeight, viewHeight] = [36, 504];
/** Rows beyond the view, so that scrolling shows no gap. */
const margin = 12;

/** Whether the page is being printed, with all rows. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    addEventListener("beforeprint", () => setPrinting(true), controller);
    addEventListener("afterprint", () => setPrinting(false), controller);
    return () => controller.abort();
  }, []);
  return isPrinting;
}

export function Table<T>({ label, columns, rows, empty }: Props<T>) {
  const [top, setTop] = useState(0);
  const [sort, setSort] = useState<{ index: number; sign: 1 | -1 }>();
  const isWhole = usePrinting();
  const view = useRef<HTMLElement>(null);
  const sorted = useMemo(() => {
    const { key, isNumber } = columns[sort?.index ?? 0] ?? {};
    if (key === undefined || sort === undefined) return rows;
    const keyed = rows.map((row) => ({ row, key: isNumber ? BigInt(String(row[key] || -1)) : String(row[key] ?? "") }));
    keyed.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -sort.sign : sort.sign));
    return keyed.map(({ row }) => row);
  }, [rows, sort]);
  if (rows.length === 0) return <p class="muted">{empty}</p>;

  const first = isWhole ? 0 : Math.max(0, Math.min(Math.floor(top / rowHeight), rows.length) - margin);
  const last = isWhole ? rows.length : Math.min(rows.length, first + viewHeight / rowHeight + 2 * margin);
  const spacer = (count: number) =>
    count > 0 && (
      <tr style={{ height: `${count * rowHeight}px` }}>
        <td colSpan={columns.length} />
      </tr>
    );
  const sortBy = (index: number) => {
    setSort({ index, sign: sort?.index === index && sort.sign === -1 ? 1 : -1 });
    view.current?.scrollTo({ top: 0 });
  };
  const width = columns.reduce((sum, each) => sum + each.width, 0);
  return (
    <section
      class="table"
      ref={view}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll it.
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1} style={{ minWidth: `calc(${width}ch + ${16 * columns.length}px)` }}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, isNumber, key, width: own }, index) => {
              const order = sort?.index !== index ? undefined : sort.sign === 1 ? "ascending" : "descending";
              return (
                <th
                  key={name}
                  scope="col"
                  class={isNumber ? "number" : ""}
                  style={{ width: `${(100 * own) / width}%` }}
                  {...(order && { "aria-sort": order })}
                >
                  {key ? (
                    <button type="button" onClick={() => sortBy(index)}>
                      {name} <span aria-hidden="true">{order ? (order === "ascending" ? "↑" : "↓") : "↕"}</span>
                    </button>
                  ) : (
                    name
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {spacer(first)}
          {sorted.slice(first, last).map((row, index) => (
            <tr key={first + index} aria-rowindex={first + index + 2}>
              {columns.map(({ name, isNumber, cell }) => (
                <td key={name} class={isNumber ? "number" : ""}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {spacer(rows.length - last)}
        </tbody>
      </table>
    </section>
  );
}
