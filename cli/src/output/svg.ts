import { UsageError } from "../errors.js";
import type { Sent } from "../explore/page/sent.js";
import {
  decimalsOf,
  formatAmount,
  formatShares,
  formatSide,
  formatTime,
  verdictOf,
  withTimes,
  zone,
} from "../explore/page/text.js";
import { printable } from "../io.js";
import type { Encoder, WireRecord } from "./columns.js";
import { assetsOf, type Look } from "./html.js";
import { type Chart, chartsOf, isDashed, lineColor, plotOf, type Shape } from "./plot.js";

/** The light colors of the page. Many programs that show SVG files do not support CSS variables. */
const colors: Readonly<Record<string, string>> = {
  ...{ "text-1": "#3c3c43", "text-2": "#67676c", divider: "#e2e2e3" },
  ...{ "line-1": "#3451b2", "line-2": "#b45309", "line-3": "#0f766e" },
  ...{ "line-4": "#9d174d", "line-5": "#6d28d9", "line-6": "#4d7c0f" },
};
const paint = (name: string) => colors[name] ?? "none";
const [width, plotHeight, lineHeight] = [960, 320, 20];

const escapeXml = (text: string | number) =>
  printable(String(text)).replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const font = { "font-size": 13, "font-family": "system-ui, sans-serif", fill: paint("text-1") };
const textAt = (x: number, y: number, text: string, others: Shape["attributes"] = {}): Shape => {
  return { tag: "text", attributes: { x, y, ...font, ...others }, text };
};
const bold = { "font-weight": "bold" };

function draw(label: string, height: number, shapes: readonly Shape[]): string {
  const elements = shapes.map(({ tag, attributes, text = "" }) => {
    const all = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
    return `<${tag}${all.join("")}>${escapeXml(text)}</${tag}>`;
  });
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n<title>${escapeXml(label)}</title>`;
  return [head, `<rect width="100%" height="100%" fill="#ffffff"></rect>`, ...elements, "</svg>\n"].join("\n");
}

function drawSeries(chart: Chart, notes: readonly string[]): string {
  const [from, to] = [chart.times[0] ?? "", chart.times.at(-1) ?? ""];
  const label = `${chart.label}, from ${formatTime(from)} to ${formatTime(to)} ${zone.name}`;
  const legend = chart.lines.flatMap(({ name, values }, index): Shape[] => {
    const y = 24 + plotHeight + lineHeight * (index + 1);
    const dash = isDashed(index) ? { "stroke-dasharray": "5 3" } : {};
    const line = { d: `M64 ${y - 4}h13`, stroke: paint(lineColor(index)), "stroke-width": 4, ...dash };
    return [
      { tag: "path", attributes: line },
      textAt(84, y, `${name}: ${formatAmount(values.at(-1), chart.decimals)}`),
    ];
  });
  const below = notes.map((note, index) => {
    return textAt(64, 24 + plotHeight + lineHeight * (chart.lines.length + 1 + index), withTimes(note), {
      fill: paint("text-2"),
    });
  });
  const plot = plotOf(chart, width, plotHeight, paint).shapes.map((shape): Shape => {
    return { ...shape, attributes: { ...shape.attributes, transform: "translate(0 24)" } };
  });
  const height = 24 + plotHeight + lineHeight * (chart.lines.length + notes.length) + 12;
  return draw(label, height, [textAt(64, 20, label, bold), ...plot, ...legend, ...below]);
}

function drawTally({ tally, rules }: NonNullable<Sent["tally"]>, proposalId: string, decimals?: number): string {
  const sides = [
    ["For", tally.yes],
    ["Against", tally.no],
  ] as const;
  const most = Math.max(Number(tally.yes.tokens), Number(tally.no.tokens)) || 1;
  const bars = sides.flatMap(([name, side], index): Shape[] => {
    const y = 64 + 56 * index;
    const length = Math.round((Number(side.tokens) / most) * (width - 32));
    const bar = { x: 16, y: y + 8, width: length, height: 20, fill: paint(lineColor(index)) };
    return [textAt(16, y, `${name}: ${formatSide(side, decimals)}`), { tag: "rect", attributes: bar }];
  });
  const lines = [
    `Majority: ${formatShares(tally.majority, rules.requiredMajority)}`,
    `Participation: ${formatShares(tally.participation, rules.requiredParticipation)}`,
  ];
  const texts = lines.map((line, index) => textAt(16, 184 + lineHeight * index, line));
  const title = [textAt(16, 20, `Proposal ${proposalId}`, bold), textAt(16, 40, verdictOf(tally))];
  return draw("Tokens for and against", 224, [...title, ...bars, ...texts]);
}

export function svg(timeZone: string | undefined, { units, notes, tally }: Look): Encoder {
  zone.name = timeZone ?? "UTC";
  const rows: WireRecord[] = [];
  return {
    head: "",
    encode: (records) => {
      rows.push(...records);
      return "";
    },
    end() {
      const assets = assetsOf(rows, units);
      if (tally) return drawTally(tally, String(rows[0]?.["proposalId"] ?? ""), decimalsOf(assets[0]?.[1]));
      const charts = chartsOf(rows as unknown as Parameters<typeof chartsOf>[0], new Map(assets));
      const [first] = charts;
      if (first === undefined) throw new UsageError("There is nothing to draw: the report has no rows.");
      if (charts.length > 1)
        throw new UsageError(`A chart shows one asset, and the records have ${charts.length}. Pass --asset.`);
      return drawSeries(first, [...(notes?.() ?? []), ...first.notes]);
    },
  };
}
