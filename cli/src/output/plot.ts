/** A chart of amounts over time, as shapes for a page or an SVG file. Unknown amounts are gaps. */
import { extent, group } from "d3-array";
import { scaleLinear, scaleUtc } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import { formatUnits } from "vegaprotocol-client";
import type { BalanceSeriesRow } from "vegaprotocol-client/reports";
import { type Asset, decimalsOf, formatName, formatTime, shortId } from "../explore/page/text.js";

export interface Chart {
  readonly label: string;
  /** Unix nanoseconds, in ascending order. */
  readonly times: readonly string[];
  /** Digits in the smallest unit; `null` if it is unknown. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (string | null)[] }[];
  readonly decimals: number | undefined;
  /** Whether each line begins where the one before ends. */
  readonly isStacked?: boolean;
  readonly notes: readonly string[];
}

export interface Shape {
  readonly tag: "path" | "text" | "rect";
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly text?: string;
}

export const lineColor = (index: number): string => `line-${(index % 6) + 1}`;
export const isDashed = (index: number): boolean => index >= 6;
const [left, right, top, bottom] = [64, 28, 12, 28];
const formats = (["compact", "scientific"] as const).map((notation) => {
  return new Intl.NumberFormat("en", { notation, maximumSignificantDigits: 3 });
});

/** Returns the shapes, and the place of each time. */
export function plotOf(chart: Chart, width: number, height: number, paint: (name: string) => string) {
  const times = chart.times.map(clockOf);
  const levels = levelsOf(chart);
  const [least = 0, most = 0] = extent(levels.flat().map((level) => level ?? 0));
  const x = scaleUtc()
    .domain([times[0] ?? 0, times.at(-1) ?? 0])
    .rangeRound([left, width - right]);
  const y = scaleLinear()
    .domain([Math.min(least, 0), Math.max(most, 0) || 1])
    .rangeRound([height - bottom, top])
    .nice(4);

  const label = { "font-size": 12, "font-family": "system-ui, sans-serif", fill: paint("text-2") };
  const grid = (d: string): Shape => ({ tag: "path", attributes: { d, stroke: paint("divider") } });
  const ticks = ticksOf(x, Math.max(3, Math.floor(width / 110)));
  const shapes: Shape[] = [
    ...y.ticks(4).map((level) => grid(`M${left} ${y(level)}H${width - right}`)),
    ...ticks.map((time) => grid(`M${x(time)} ${top}V${height - bottom}`)),
    ...y.ticks(4).map((level): Shape => {
      const attributes = { ...label, x: left - 8, y: y(level) + 4, "text-anchor": "end" };
      const isCompact = level === 0 || (Math.abs(level) >= 1e-3 && Math.abs(level) < 1e15);
      return { tag: "text", attributes, text: formats[isCompact ? 0 : 1]?.format(level) ?? "" };
    }),
    ...ticks.map((time): Shape => {
      const attributes = { ...label, x: x(time), y: height - 8, "text-anchor": "middle" };
      return { tag: "text", attributes, text: textOf(time, ticks) };
    }),
  ];
  const xOf = (_: unknown, index: number) => x(times[index] ?? 0);
  const yOf = (level: number | null | undefined) => y(level ?? 0);
  const isKnown = (level: number | null) => level !== null;
  for (const [index, own] of levels.entries()) {
    const color = paint(lineColor(index));
    if (chart.isStacked) {
      const below = levels[index - 1] ?? [];
      const shape = area<number | null>(xOf, (_, place) => yOf(below[place]), yOf);
      const d = shape.curve(curveStepAfter).defined(isKnown)(own) ?? "";
      shapes.push({ tag: "path", attributes: { d, fill: color, "fill-opacity": 0.2 } });
    }
    const d = line<number | null>(xOf, yOf).curve(curveStepAfter).defined(isKnown)(own) ?? "";
    const dash = isDashed(index) ? { "stroke-dasharray": "4 3" } : {};
    const stroke = { fill: "none", stroke: color, "stroke-width": 2, "stroke-linecap": "round", ...dash };
    shapes.push({ tag: "path", attributes: { d, ...stroke } });
  }
  return { shapes, xs: times.map((time) => x(time)) };
}

/** The milliseconds since 1970 that a clock in the time zone shows. */
const clockOf = (time: string): number =>
  Date.parse(`${formatTime(time).replace(" ", "T")}Z`) + Number(BigInt(time) % 1_000_000_000n) / 1e6;

/** The heights of lines. A line above an unknown one has no place. */
function levelsOf({ lines, decimals = 0, isStacked, times }: Chart): (number | null)[][] {
  const tops: (number | null)[] = times.map(() => 0);
  return lines.map(({ values }) =>
    values.map((value, index) => {
      const own = value === null ? null : Number(formatUnits(value, decimals));
      const below = isStacked ? (tops[index] ?? null) : 0;
      tops[index] = own === null || below === null ? null : own + below;
      return tops[index] ?? null;
    }),
  );
}

/** Whole seconds: at least two if possible, and not many more than wanted. */
function ticksOf(x: ReturnType<typeof scaleUtc>, wanted: number): Date[] {
  const counts = [...Array.from({ length: wanted }, (_, fewer) => wanted - fewer), 2 * wanted];
  const found = counts.map((count) => x.ticks(count).filter((time) => time.getMilliseconds() === 0));
  const isFitting = ({ length }: Date[]) => length > 1 && length <= wanted + 1;
  return found.find(isFitting) ?? (found.at(-1) ?? []).filter((_, index) => index % 2 === 0);
}

/** A month, a date, or a time of day. */
function textOf(time: Date, ticks: readonly Date[]): string {
  const texts = ticks.map((each) => each.toISOString());
  const text = time.toISOString();
  if (texts.every((each) => each.includes("-01T00:00:00."))) return text.slice(0, 7);
  if (text.includes("T00:00:00.")) return text.slice(5, 10);
  return text.slice(11, texts.every((each) => each.includes(":00.")) ? 16 : 19);
}

type SeriesRow = Pick<BalanceSeriesRow, "time" | "assetId"> & Partial<BalanceSeriesRow>;

/** How many lines can be told apart. */
const mostLines = 12;

export function chartsOf(rows: readonly SeriesRow[], assets: ReadonlyMap<string, Asset>) {
  return [...group(rows, ({ assetId }) => assetId)].map(([assetId, own]): Chart => {
    const times = [...new Set(own.map(({ time }) => time))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    const groups = group(own, ({ partyId, marketId, accountType }) => `${partyId} ${marketId} ${accountType}`);
    const all = [...groups.values()].map((found) => {
      const { partyId = "", marketId = "", accountType } = found[0] ?? {};
      const name = [shortId(partyId), formatName(accountType), shortId(marketId)].filter(Boolean).join(" · ");
      const balances = new Map(found.map(({ time, balance }) => [time, balance ?? null]));
      let last: string | null = null;
      // With a row for each change, a group has none while it stays as it was.
      const values = times.map((time) => {
        last = balances.has(time) ? (balances.get(time) ?? null) : last;
        return last;
      });
      const isKnown = found.every(({ balance }) => balance != null);
      return { name: name || "All", values, isKnown, end: BigInt(found.at(-1)?.balance ?? -1) };
    });
    const largest = all.sort((a, b) => (a.end > b.end ? -1 : 1)).slice(0, mostLines);
    // A gap of a line is also a gap of the lines above it.
    const gapsOf = ({ values }: Chart["lines"][number]) => values.filter((value) => value === null).length;
    const lines = largest.sort((a, b) => gapsOf(a) - gapsOf(b) || (a.name < b.name ? -1 : 1));
    const asset = assets.get(assetId);
    const label = `Balances of ${asset?.symbol || shortId(assetId)}`;
    const left = all.length - lines.length;
    // With a row for each change, the balance of a group before its first row is not in the series.
    const isByChange = own.length < all.length * times.length;
    const notes = [
      ...(left > 0 ? [`Not drawn: ${left} more, whose last balances are the smallest.`] : []),
      ...(isByChange ? ["A line begins with the first change in the range."] : []),
      ...(lines.every(({ isKnown }) => isKnown) ? [] : ["A gap is a time without a known balance."]),
    ];
    return { label, times, lines, decimals: decimalsOf(asset), isStacked: all.length > 1 && !isByChange, notes };
  });
}
