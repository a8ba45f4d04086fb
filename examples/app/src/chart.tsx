import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { formatAmount, formatShort, formatTime } from "./format.js";

export interface Point {
  /** Unix milliseconds. */
  time: number;
  value: number;
}

const height = 280;
const margin = { top: 12, end: 12, bottom: 28, start: 52 };
const days = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const hours = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });

/** A balance over time, in steps: it stays the same until it changes. The arrow keys move from change to change. */
export function Chart({ points, label }: { points: readonly Point[]; label: string }) {
  const [element, width] = useWidth();
  const [selected, select] = useState<number>();
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return null;

  const values = points.map(({ value }) => value);
  const ticks = niceTicks(Math.min(...values), Math.max(...values));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const span = Math.max(1, last.time - first.time);
  const x = (time: number) => margin.start + ((time - first.time) / span) * (width - margin.start - margin.end);
  const y = (value: number) =>
    height - margin.bottom - ((value - low) / (high - low || 1)) * (height - margin.top - margin.bottom);
  const steps = points.slice(1).map(({ time, value }) => `H${x(time)}V${y(value)}`);
  const line = `M${x(first.time)},${y(first.value)}${steps.join("")}`;
  const base = height - margin.bottom;
  const current = selected === undefined ? undefined : points[selected];

  const onMove = (event: PointerEvent<SVGSVGElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const time = first.time + ((event.clientX - left - margin.start) / (width - margin.start - margin.end)) * span;
    const next = points.findIndex((point) => point.time > time);
    select(Math.max(0, (next === -1 ? points.length : next) - 1));
  };
  const onKey = (event: KeyboardEvent<SVGSVGElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select(Math.min(points.length - 1, Math.max(0, (selected ?? points.length - 1) + step)));
  };

  return (
    <figure ref={element} className="chart">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${label}, from ${formatAmount(Math.min(...values))} to ${formatAmount(Math.max(...values))}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the marker.
        tabIndex={0}
        onPointerMove={onMove}
        onPointerLeave={() => select(undefined)}
        onKeyDown={onKey}
        onBlur={() => select(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={margin.start} x2={width - margin.end} y1={y(tick)} y2={y(tick)} />
            <text x={margin.start - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatShort(tick)}
            </text>
          </g>
        ))}
        {timeTicks(first.time, last.time, (width - margin.start) / 90).map((time) => (
          <text key={time} x={x(time)} y={height - 8} textAnchor="middle">
            {(new Date(time).getHours() === 0 ? days : hours).format(time)}
          </text>
        ))}
        <path className="line" d={line} />
        {current && (
          <g>
            <line className="cursor" x1={x(current.time)} x2={x(current.time)} y1={margin.top} y2={base} />
            <circle className="marker" cx={x(current.time)} cy={y(current.value)} r={4} />
          </g>
        )}
      </svg>
      <figcaption aria-live="polite">
        {current ? (
          <>
            <b>{formatAmount(current.value)}</b> since {formatTime(current.time)}
          </>
        ) : (
          <span className="muted">Point at the plot, or focus it and use the arrow keys, for single changes.</span>
        )}
      </figcaption>
    </figure>
  );
}

/** Round numbers around a range. */
function niceTicks(low: number, high: number): number[] {
  const rough = (high - low || Math.abs(high) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const start = Math.floor(low / step);
  return Array.from({ length: Math.ceil(high / step) - start + 1 }, (_, index) => (start + index) * step);
}

const hour = 3_600_000;

/** Local midnights, or round hours of a short range; no more than `most` of them. */
function timeTicks(start: number, end: number, most: number): number[] {
  const step = [1, 3, 6, 12, 24, 48, 168, 720].find((hours) => (end - start) / (hours * hour) <= most) ?? 2160;
  const first = new Date(start);
  first.setHours(0, 0, 0, 0);
  const count = Math.ceil((end - first.getTime()) / (step * hour)) + 1;
  return Array.from({ length: count }, (_, index) => new Date(first).setHours(index * step)).filter(
    (time) => time >= start && time <= end,
  );
}

function useWidth() {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => setWidth(Math.max(240, current.clientWidth));
    const observer = new ResizeObserver(measure);
    measure();
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}
