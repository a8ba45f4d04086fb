/** A chart of amounts over time. What is unknown is a gap. */
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { formatUnits } from "vegaprotocol-client";
import { formatAmount, formatTime } from "./format.js";

interface Props {
  readonly label: string;
  /** Unix nanoseconds, in ascending order. */
  readonly times: readonly string[];
  /** Digits in the smallest unit; `null` if it is unknown. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (string | null)[] }[];
  readonly decimals: number | undefined;
  /** Whether each line begins where the one before ends. */
  readonly isStacked?: boolean;
}

const height = 280;
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const darkQuery = matchMedia("(prefers-color-scheme: dark)");
const colorOf = (index: number) => `var(--line-${(index % 6) + 1})`;

/** The heights of lines. A line above an unknown one has no place. */
function heightsOf({ lines, decimals = 0, isStacked, times }: Props): (number | null)[][] {
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

/** The times of an axis: those of a day, or dates. */
function timesOf(ticks: readonly number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const [from, to] = step < 60 ? [11, 19] : step < 86_400 ? [11, 16] : step < 28 * 86_400 ? [5, 10] : [0, 7];
  return ticks.map((tick) => new Date(tick * 1000).toISOString().slice(from, to));
}

function draw(element: HTMLElement, props: Props, onCursor: (index: number | undefined) => void): uPlot {
  const { lines, times, isStacked } = props;
  /** A color as a canvas takes it. */
  const resolve = (color: string) => {
    element.style.color = color;
    return getComputedStyle(element).color;
  };
  const grid = { stroke: resolve("var(--divider)"), width: 1 };
  const axis = { stroke: resolve("var(--text-2)"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  const paths = uPlot.paths.stepped?.({ align: 1 });
  const fillOf = (index: number) => resolve(`color-mix(in srgb, ${colorOf(index)} 20%, transparent)`);
  const series = lines.map((_, index) => ({
    stroke: resolve(colorOf(index)),
    width: 2,
    points: { show: times.length < 40, size: 5, fill: resolve(colorOf(index)) },
    ...(paths && { paths }),
    ...(isStacked && index === 0 && { fill: fillOf(0) }),
  }));
  const bands = lines
    .slice(1)
    .map((_, index) => ({ series: [index + 2, index + 1] as [number, number], fill: fillOf(index + 1) }));
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.05 : 1] } },
    series: [{}, ...series],
    bands: isStacked ? bands : [],
    axes: [
      { ...axis, values: (_, ticks) => timesOf(ticks) },
      { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => compact.format(tick)) },
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)] },
  };
  const seconds = times.map((time) => Number(BigInt(time) / 1_000_000n) / 1000);
  return new uPlot(options, [seconds, ...heightsOf(props)], element);
}

export function Chart(props: Props) {
  const { label, times, lines, decimals, isStacked } = props;
  const place = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<number>();
  const [isDark, setDark] = useState(darkQuery.matches);
  const content = JSON.stringify([times, lines, decimals, isStacked, isDark]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = draw(element, props, setShown);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const change = () => setDark(darkQuery.matches);
    darkQuery.addEventListener("change", change);
    return () => {
      darkQuery.removeEventListener("change", change);
      observer.disconnect();
      plot.destroy();
    };
  }, [content]);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return <p class="muted">There is nothing to draw.</p>;
  const at = Math.min(shown ?? times.length, times.length - 1);
  return (
    <figure>
      <div ref={place} role="img" aria-label={`${label}, from ${formatTime(first)} to ${formatTime(last)} UTC`} />
      <figcaption>
        <span class="muted">{formatTime(times[at] ?? last)}</span>
        {lines.map(({ name, values }, index) => (
          <span key={name}>
            <i style={{ background: colorOf(index) }} /> {name} <b>{formatAmount(values[at], decimals)}</b>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
