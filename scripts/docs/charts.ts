import { count, type Report } from "../../bench/measure.js";

/** What `npm run --silent bench -- --json` writes. */
export interface Benchmarks {
  conditions: string;
  reports: readonly Report[];
}

/** A drawing of bars. Each group has a scale of its own. */
export interface Chart {
  title: string;
  /** What is measured, and in which unit. */
  unit: string;
  groups: readonly Group[];
  conditions: string;
}

interface Group {
  title: string;
  bars: readonly Bar[];
}

interface Bar {
  name: string;
  value: number;
  /** The value with its unit. */
  text: string;
  /** Whether it is this package that was measured. */
  isOwn: boolean;
}

/** The charts, by the names of their files. */
export function charts({ conditions, reports }: Benchmarks): Record<string, Chart> {
  /** The rows of the report whose title begins so. */
  const rowsOf = (title: string): Report["rows"] => {
    const report = reports.find((each) => each.title.startsWith(title));
    if (!report) throw new Error(`Expected the benchmarks to have a report "${title}".`);
    return report.rows;
  };
  const bar = (
    name: string,
    value: number | undefined,
    toText: (value: number) => string,
    isOwn = name === "vegaprotocol-client",
  ): Bar => {
    if (value === undefined) throw new Error(`Expected the benchmarks to have a figure for "${name}".`);
    return { name, value, text: toText(value), isOwn };
  };
  const timesFetch = (report: string, title = report): Group => ({
    title,
    bars: Object.entries(rowsOf(`${report},`)).map(([name, row]) =>
      bar(name, row["CPU, times fetch"], (times) => `${times.toFixed(2)} ×`),
    ),
  });
  const records = rowsOf("CPU of a walk over");
  const perRecord = (name: string, row: string, isOwn: boolean) =>
    bar(name, records[row]?.["ns per record"], (time) => `${time} ns`, isOwn);
  const scan = rowsOf("A scan of 200,000 changes");
  const scanOf = (latency: string): Group => ({
    title: `${latency} latency`,
    bars: [1, 4, 8].map((requests) =>
      bar(
        requests === 4 ? "4 at once (default)" : `${requests} at once`,
        scan[`${latency}, ${requests} at once`]?.["ms"],
        (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`,
        requests === 4,
      ),
    ),
  });
  const read = rowsOf("Reading 1,000,000 balance changes");
  const followed = rowsOf("Records of 1,000 blocks");
  const types = rowsOf("Type check of a consumer's program");
  const milliseconds = (name: string) =>
    bar(name, types[`${name}, 300 calls`]?.["check, ms"], (time) => `${(time / 1000).toFixed(2)} s`);
  return {
    "chart-calls": {
      title: "CPU time of a call",
      unit: "Compared with fetch",
      groups: [
        timesFetch("A call, one after the other", "One after the other"),
        timesFetch("A call, 32 at once", "32 at once"),
      ],
      conditions,
    },
    "chart-walks": {
      title: "CPU time of a walk in pages of 1,000",
      unit: "Compared with a hand-written loop on fetch",
      groups: [
        timesFetch("A walk in pages of 1,000", "One walk"),
        timesFetch("A walk in pages of 1,000, 32 at once", "32 walks at once"),
      ],
      conditions,
    },
    "chart-records": {
      title: "Loops over records in memory",
      unit: "CPU time per record",
      groups: [
        {
          title: "Pages of 1,000 records",
          bars: [
            perRecord("hand-written loop", "hand-written loop", false),
            perRecord("async generator", "async generator", false),
            perRecord("pages()", "for await of listing.pages()", true),
            perRecord("for await", "for await of listing", true),
          ],
        },
      ],
      conditions,
    },
    "chart-scan": {
      title: "A scan of 200,000 balance changes",
      unit: "Time, by number of requests at once",
      groups: [scanOf("20 ms"), scanOf("100 ms")],
      conditions,
    },
    "chart-lost": {
      title: "Lost records",
      unit: "Fake nodes with the defects of v0.74 nodes",
      groups: [
        {
          title: "Reading 1,000,000 balance changes",
          bars: [
            bar("loop on endCursor", read["loop with endCursor"]?.["records lost"], count),
            bar("vegaprotocol-client", read["scan"]?.["records lost"], count),
          ],
        },
        {
          title: `Following ${count(followed["follower"]?.["written"] ?? 0)} changes on three nodes`,
          bars: [
            bar("hand-written loop", followed["hand-written loop"]?.["lost"], count),
            bar("vegaprotocol-client", followed["follower"]?.["lost"], count),
          ],
        },
      ],
      conditions,
    },
    "chart-types": {
      title: "Type check of a program with 300 calls",
      unit: "Time of the TypeScript compiler",
      groups: [{ title: "", bars: [milliseconds("openapi-fetch"), milliseconds("vegaprotocol-client")] }],
      conditions,
    },
  };
}

/** The text for readers who do not see the chart. */
export function describe({ title, unit, groups, conditions }: Chart): string {
  const texts = groups.map(({ title, bars }) => {
    const list = bars.map(({ name, text }) => `${name} ${text}`).join(", ");
    return title === "" ? list : `${title}: ${list}`;
  });
  return `Bar chart. ${title}. ${unit}. ${texts.join(". ")}. ${conditions}.`;
}

const width = 440;
const margin = 16;
/** Where bars begin, and how long they are at most. */
const [left, longest] = [176, 168];
const [rowHeight, barHeight] = [26, 16];

/** Draws a chart, with an empty style. */
export function draw({ title, unit, groups, conditions }: Chart): string {
  const lines: string[] = [
    `<text class="title" x="${margin}" y="30">${escaped(title)}</text>`,
    `<text class="note" x="${margin}" y="50">${escaped(unit)}</text>`,
  ];
  let y = 66;
  for (const { title, bars } of groups) {
    if (title !== "") {
      lines.push(`<text class="strong" x="${margin}" y="${y + 16}">${escaped(title)}</text>`);
      y += 28;
    }
    const most = Math.max(...bars.map(({ value }) => value));
    for (const { name, value, text, isOwn } of bars) {
      const length = Math.round((longest * value) / most);
      const emphasis = isOwn ? ' class="strong accent"' : "";
      lines.push(`<text${emphasis} x="${margin}" y="${y + 13}">${escaped(name)}</text>`);
      // A bar of no length would still have an outline.
      if (length > 0) {
        const shape = isOwn ? "solid" : "plain";
        lines.push(`<rect class="${shape}" x="${left}" y="${y}" width="${length}" height="${barHeight}" rx="2" />`);
      }
      lines.push(`<text${emphasis} x="${left + length + 8}" y="${y + 13}">${escaped(text)}</text>`);
      y += rowHeight;
    }
    lines.push(`<path class="line" d="M${left} ${y - bars.length * rowHeight - 5}V${y - 5}" />`);
    y += 10;
  }
  lines.push(`<text class="note" x="${margin}" y="${y + 12}">${escaped(conditions)}</text>`);
  return svg(title, y + 28, lines);
}

function svg(title: string, height: number, lines: readonly string[]): string {
  // Wider than the coordinates, so that the text is as large as that of a page.
  const scale = 480 / width;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" viewBox="0 0 ${width} ${height}" width="480" height="${Math.round(scale * height)}">
  <title>${escaped(title)}</title>
  <style></style>
  <rect class="background" width="${width}" height="${height}" rx="8" />
${lines.map((line) => `  ${line}\n`).join("")}</svg>
`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
