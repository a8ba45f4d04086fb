import type { Sent } from "../explore/page/sent.js";
import type { Flags } from "../flags.js";
import { escapeInJson, readOwnFile } from "../io.js";
import { isRelative, readTime } from "../times.js";
import type { Column, Encoder, Units, WireRecord } from "./columns.js";
import { json } from "./json.js";
import type { TableOptions } from "./table.js";

export interface Look extends Pick<TableOptions, "isOpen" | "widest"> {
  readonly title: string;
  readonly units?: Units | undefined;
  /** Called once the records are read. */
  readonly notes?: () => readonly string[];
  readonly tally?: Sent["tally"];
}

const requested = "party proposal id asset market accountType command from to at every".split(" ");

/** The symbols and the decimals of the assets of records. Votes have amounts of the governance token alone. */
export function assetsOf(records: readonly WireRecord[], units: Units | undefined): Sent["assets"] {
  const byAsset = new Map(records.map((record) => [record["assetId"], record]));
  return [...byAsset].flatMap(([id, record]) => {
    const decimals = units?.decimalsOf(record);
    if (decimals === undefined) return [];
    const symbol = id === undefined ? "VEGA" : (units?.unitOf(String(id)) ?? "");
    return [[String(id), { symbol: symbol === "units" ? "" : symbol, decimals: String(decimals) }] as const];
  });
}

/** The page of explore as one file that contains its records. It sends no requests. */
export function html(columns: readonly Column[], flags: Flags, { title, units, notes, tally }: Look): Encoder {
  // Amounts are shown with their unit.
  const kinds = Object.fromEntries(columns.filter(({ member }) => !member).map(({ name, kind }) => [name, kind]));
  const names = new Set([...Object.keys(kinds), "assetId"]);
  // The page prints times and amounts itself.
  const members = [...names].map((name): Column => ({ name, kind: kinds[name] ?? "text", print: (text) => text }));
  const inScript = (text: string) => text.replaceAll(/[<\u2028\u2029]/g, escapeInJson);
  const rows = json(members, inScript);
  const about = requested.flatMap((name) => {
    const value = (flags as Record<string, unknown>)[name];
    if (value === undefined) return [];
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    return [[name, isRelative(text) ? String(readTime(text)) : text] as const];
  });
  const page = readOwnFile("dist/explore.html")
    .replace(/<title>.*?<\/title>/, `<title>${title}</title>`)
    .replace("connect-src 'self'; ", "");
  const [before = "", after = ""] = page.split('<div id="app"></div>');
  const assets = new Map<string, Sent["assets"][number][1]>();
  return {
    head: `${before}<div id="app"></div>\n<script id="data" type="application/json">{"rows":${rows.head}`,
    encode(records) {
      for (const [id, asset] of assetsOf(records, units)) assets.set(id, asset);
      return rows.encode(records);
    },
    end() {
      const { timeZone = "UTC" } = flags;
      const shown = { title, about, notes: notes?.() ?? [], tally };
      const rest: Omit<Sent, "rows"> = { ...shown, columns: kinds, assets: [...assets], timeZone };
      return `${rows.end()},${inScript(JSON.stringify(rest)).slice(1)}</script>${after}`;
    },
  };
}
