/** A table whose rows exist only while they are in view. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Column<T> {
  readonly name: string;
  /** In the width of a digit. */
  readonly width: number;
  readonly cell: (row: T) => ComponentChildren;
  /** What rows are sorted by: digits if it is a number. Default: they cannot be sorted. */
  readonly sort?: (row: T) => unknown;
  readonly isNumber?: boolean;
}

type Props<T> = { label: string; columns: readonly Column<T>[]; rows: readonly T[]; empty: string };

/** The height of a row in pixels, as in the styles, and how many rows are in view. */
const [rowHeight, viewRows] = [36, 14];
const margin = 12;

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

/** Rows without a number come last, such as those of unknown amounts. */
export function sortRows<T>(rows: readonly T[], { sort, isNumber }: Column<T>, sign: 1 | -1): readonly T[] {
  if (sort === undefined) return rows;
  const keyOf = (row: T) => {
    const text = String(sort(row) ?? "");
    if (!isNumber) return text;
    return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  };
  const keyed = rows.map((row) => ({ key: keyOf(row), row }));
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return a === b ? 0 : a < b ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}

export function Table<T>({ label, columns, rows, empty }: Props<T>) {
  const [top, setTop] = useState(0);
  const [order, setOrder] = useState<{ index: number; sign: 1 | -1 }>();
  const isWhole = usePrinting();
  const view = useRef<HTMLElement>(null);
  const sorted = useMemo(() => {
    const column = order && columns[order.index];
    return column ? sortRows(rows, column, order.sign) : rows;
  }, [rows, columns, order]);
  if (rows.length === 0) return <p class="muted">{empty}</p>;

  const first = isWhole ? 0 : Math.max(0, Math.min(Math.floor(top / rowHeight), rows.length) - margin);
  const last = isWhole ? rows.length : Math.min(rows.length, first + viewRows + 2 * margin);
  const spacer = (count: number) =>
    count > 0 && (
      <tr style={{ height: `${count * rowHeight}px` }}>
        <td colSpan={columns.length} />
      </tr>
    );
  const sortBy = (index: number) => {
    setOrder({ index, sign: order?.index === index && order.sign === -1 ? 1 : -1 });
    view.current?.scrollTo({ top: 0 });
  };
  // The focus stays on a row when others arrive above it.
  const keyOf = (row: T) => columns.map(({ sort }) => sort?.(row)).join("");
  const width = columns.reduce((sum, each) => sum + each.width, 0);
  return (
    <>
      <section
        class="table"
        ref={view}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll it.
        tabIndex={0}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        <table aria-rowcount={rows.length + 1} style={{ "--width": `calc(${width}ch + ${columns.length}em)` }}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(({ name, isNumber, sort, width: own }, index) => {
                const sign = order?.index === index ? order.sign : 0;
                return (
                  <th
                    key={name}
                    scope="col"
                    class={isNumber ? "number" : ""}
                    style={{ width: `${(100 * own) / width}%` }}
                    {...(sign !== 0 && { "aria-sort": sign === 1 ? "ascending" : "descending" })}
                  >
                    {sort ? (
                      <button type="button" onClick={() => sortBy(index)}>
                        {name} <span aria-hidden="true">{"↓↕↑"[sign + 1]}</span>
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
              <tr key={keyOf(row) || first + index} aria-rowindex={first + index + 2}>
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
      {rows.length >= viewRows && <p class="muted">{rows.length.toLocaleString("en")} rows</p>}
    </>
  );
}
