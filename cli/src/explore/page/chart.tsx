/** A chart of amounts over time. Below it are the amounts at the time under the pointer. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Chart as Content, isDashed, lineColor, plotOf } from "../../output/plot.js";
import { formatAmount, formatTime, zone } from "./text.js";

const height = 280;
const paint = (name: string) => `var(--${name})`;

export function Chart({ chart }: { chart: Content }) {
  const { label, times, lines, decimals, notes } = chart;
  const place = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  const [shown, setShown] = useState<number>();
  const { shapes, xs } = useMemo(() => plotOf(chart, width, height, paint), [chart, width]);
  const [first = "", last = ""] = [times[0], times.at(-1)];
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const at = Math.min(shown ?? times.length, times.length - 1);
  const point = ({ offsetX, currentTarget }: PointerEvent & { currentTarget: SVGElement }) => {
    const x = (offsetX * width) / currentTarget.clientWidth;
    setShown(Math.max(0, xs.filter((each) => each <= x).length - 1));
  };
  return (
    <figure ref={place}>
      <svg
        role="img"
        aria-label={`${label}, from ${formatTime(first)} to ${formatTime(last)} ${zone.name}`}
        viewBox={`0 0 ${width || 1} ${height}`}
        onPointerDown={point}
        onPointerMove={point}
        // A finger that is lifted leaves, too: the amounts stay.
        onPointerLeave={({ pointerType }) => pointerType === "mouse" && setShown(undefined)}
      >
        {width > 0 &&
          shapes.map(({ tag: Tag, attributes, text }, index) => (
            <Tag key={index} {...attributes}>
              {text}
            </Tag>
          ))}
        {shown !== undefined && <path d={`M${xs[at]} 12V252`} stroke="currentColor" stroke-dasharray="3" />}
      </svg>
      <figcaption>
        <bdi>{label}</bdi>
        <span class="muted">{formatTime(times[at] ?? last)}</span>
        {lines.map(({ name, values }, index) => (
          <span key={index}>
            <i style={{ borderBottom: `4px ${isDashed(index) ? "dashed" : "solid"} ${paint(lineColor(index))}` }} />{" "}
            {name} <b>{formatAmount(values[at], decimals)}</b>
          </span>
        ))}
      </figcaption>
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </figure>
  );
}
