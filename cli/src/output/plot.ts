/** A chart of amounts over time, as shapes that a page or a file of SVG can draw. What is unknown is a gap. */
import { formatUnits } from "vegaprotocol-client";
import type { BalanceSeriesRow } from "vegaprotocol-client/reports";
import { type Asset, decimalsOf, formatName, formatTime, shortId, zone } from "../explore/page/text.js";

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

type Corner = readonly [x: number, y: number];

export const lineColor = (index: number): string => `line-${(index % 6) + 1}`;
export const isDashed = (index: number): boolean => index >= 6;
const [left, right, top, bottom] = [64, 12, 12, 28];
const formats = (["compact", "scientific"] as const).map((notation) => {
  return new Intl.NumberFormat("en", { notation, maximumFractionDigits: 2 });
});

/**
 * @param paint - Draws a color by its name.
 * @returns the shapes, and the place of each time.
 */
export function plotOf(chart: Chart, width: number, height: number, paint: (name: string) => string) {
  const seconds = chart.times.map(secondsOf);
  const [from = 0, to = 0] = [seconds[0], seconds.at(-1)];
  const levels = levelsOf(chart);
  const reached = levels.flat().filter((level) => level !== null);
  const least = reached.reduce((a, b) => Math.min(a, b), 0);
  const most = reached.reduce((a, b) => Math.max(a, b), least) || 1;
  const power = 10 ** Math.floor(Math.log10((most - least) / 4));
  const step = ([1, 2, 5].find((each) => (most - least) / (each * power) <= 4) ?? 10) * power;
  const [low, high] = [Math.floor(least / step), Math.ceil(most / step)];
  // Half a pixel is as fine as screens show.
  const round = (value: number) => Math.round(value * 2) / 2;
  const x = (time: number) => round(left + ((time - from) / (to - from || 1)) * (width - left - right));
  const y = (level: number) => round(height - bottom - ((level / step - low) / (high - low)) * (height - top - bottom));
  const xs = seconds.map(x);

  const label = { "font-size": 12, "font-family": "system-ui, sans-serif", fill: paint("text-2") };
  const grid = (d: string): Shape => ({ tag: "path", attributes: { d, stroke: paint("divider") } });
  const marks = Array.from({ length: high - low + 1 }, (_, index) => (low + index) * step);
  const ticks = ticksOf(from, to, Math.max(3, Math.floor(width / 110)));
  const shapes: Shape[] = [
    ...marks.map((level) => grid(`M${left} ${y(level)}H${width - right}`)),
    ...ticks.times.map((time) => grid(`M${x(time)} ${top}V${height - bottom}`)),
    ...marks.map((level): Shape => {
      const attributes = { ...label, x: left - 8, y: y(level) + 4, "text-anchor": "end" };
      return { tag: "text", attributes, text: formats[Math.abs(level) < 1e15 ? 0 : 1]?.format(level) ?? "" };
    }),
    ...ticks.times.map((time): Shape => {
      const attributes = { ...label, x: x(time), y: height - 8, "text-anchor": "middle" };
      return { tag: "text", attributes, text: ticks.format(time) };
    }),
  ];
  const zero = chart.times.map(() => 0);
  for (const [index, own] of levels.entries()) {
    const color = paint(lineColor(index));
    const below = (chart.isStacked && levels[index - 1]) || zero;
    for (const [start, end] of runsOf(own)) {
      const corners = (line: readonly (number | null)[]) =>
        cornersOf(
          xs.slice(start, end + 1),
          line.slice(start, end).map((level) => y(level ?? 0)),
        );
      const upper = corners(own);
      const area = `M${[...upper, ...corners(below).reverse()].map((each) => each.join(" ")).join("L")}Z`;
      if (chart.isStacked) shapes.push({ tag: "path", attributes: { d: area, fill: color, "fill-opacity": 0.2 } });
      const dash = isDashed(index) ? { "stroke-dasharray": "4 3" } : {};
      const line = { fill: "none", stroke: color, "stroke-width": 2, "stroke-linecap": "round", ...dash };
      shapes.push({ tag: "path", attributes: { d: `M${upper.map((each) => each.join(" ")).join("L")}`, ...line } });
    }
  }
  return { shapes, xs };
}

/** The seconds since 1970 that a clock in the time zone shows. */
function secondsOf(time: string): number {
  const nanoseconds = BigInt(time);
  if (zone.name === "UTC") return Number(nanoseconds / 1000n) / 1e6;
  return (
    Date.parse(`${formatTime(nanoseconds).replace(" ", "T")}Z`) / 1000 + Number(nanoseconds % 1_000_000_000n) / 1e9
  );
}

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

function runsOf(values: readonly (number | null)[]): [start: number, end: number][] {
  const runs: [number, number][] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last?.[1] === index) last[1]++;
    else runs.push([index, index + 1]);
  }
  return runs;
}

/** The corners of a step line. If several values share a pixel, the lowest and the highest are drawn. */
function cornersOf(xs: readonly number[], ys: readonly number[]): Corner[] {
  const corners: Corner[] = [];
  let passed: number[] = [];
  for (const [index, y] of ys.entries()) {
    const x = xs[index] ?? 0;
    const next = xs[index + 1] ?? x;
    if (next === x && index < ys.length - 1) {
      passed = [Math.min(...passed, y), Math.max(...passed, y)];
      continue;
    }
    for (const each of passed) corners.push([x, each]);
    corners.push([x, y], [next, y]);
    passed = [];
  }
  return corners;
}

const parts = [1, 2, 3, 5, 10, 15, 30];
const [hour, day] = [3600, 86_400];
const steps = [
  ...parts,
  ...parts.map((part) => part * 60),
  ...[1, 2, 3, 6, 12].map((part) => part * hour),
  ...[1, 2, 4, 7, 14, 21].map((part) => part * day),
];

/** The shortest step with at most `most` ticks, or the one before it if that leaves fewer than two. */
function stepOf(steps: readonly number[], countOf: (step: number) => number, most: number): number | undefined {
  const index = steps.findIndex((step) => countOf(step) <= most);
  const step = steps[index];
  return step !== undefined && countOf(step) < 2 ? (steps[index - 1] ?? step) : step;
}

/** The times of ticks on an axis, at most one more than `most`, and their labels: times of day, or dates. */
function ticksOf(from: number, to: number, most: number) {
  const format = (start: number, end: number) => (time: number) =>
    new Date(time * 1000).toISOString().slice(start, end);
  const inRange = (step: number) => Math.floor(to / step) - Math.ceil(from / step) + 1;
  const step = stepOf(steps, inRange, most);
  if (step !== undefined) {
    const times = Array.from({ length: inRange(step) }, (_, index) => (Math.ceil(from / step) + index) * step);
    const [date, ofDay] = [format(5, 10), step < 60 ? format(11, 19) : format(11, 16)];
    return { times, format: (time: number) => (time % day === 0 ? date(time) : ofDay(time)) };
  }
  const monthOf = (time: number) => {
    const date = new Date(time * 1000);
    return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  };
  const [before, last] = [monthOf(from - 1), monthOf(to)];
  const countOf = (months: number) => Math.floor(last / months) - Math.floor(before / months);
  const months = stepOf([1, 2, 3, 6, 12, 24, 48], countOf, most) ?? 96;
  const times = Array.from({ length: countOf(months) }, (_, index) => {
    return Date.UTC(1970, (Math.floor(before / months) + 1 + index) * months) / 1000;
  });
  return { times, format: format(0, 7) };
}

type SeriesRow = Pick<BalanceSeriesRow, "time" | "assetId"> & Partial<BalanceSeriesRow>;

/** How many lines can be told apart. */
const mostLines = 12;

function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group) group.push(each);
    else groups.set(keyOf(each), [each]);
  }
  return groups;
}

export function chartsOf(rows: readonly SeriesRow[], assets: ReadonlyMap<string, Asset>) {
  return [...groupBy(rows, ({ assetId }) => assetId)].map(([assetId, own]): Chart => {
    const times = [...new Set(own.map(({ time }) => time))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    const groups = groupBy(own, ({ partyId, marketId, accountType }) => `${partyId} ${marketId} ${accountType}`);
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
      return { name: name || "All", values, end: BigInt(found.at(-1)?.balance ?? -1) };
    });
    const largest = all.sort((a, b) => (a.end > b.end ? -1 : 1)).slice(0, mostLines);
    // A gap of a line is also a gap of the lines above it.
    const gapsOf = ({ values }: Chart["lines"][number]) => values.filter((value) => value === null).length;
    const lines = largest.sort((a, b) => gapsOf(a) - gapsOf(b) || (a.name < b.name ? -1 : 1));
    const asset = assets.get(assetId);
    const label = `Balances of ${asset?.symbol || shortId(assetId)}`;
    const left = all.length - lines.length;
    const notes = [
      ...(left > 0 ? [`Not drawn: ${left} more, whose last balances are the smallest.`] : []),
      ...(lines.some((line) => gapsOf(line) > 0) ? ["A gap is a time without a known balance."] : []),
    ];
    return { label, times, lines, decimals: decimalsOf(asset), isStacked: all.length > 1, notes };
  });
}
