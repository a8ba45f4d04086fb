import { InvalidArgumentError, Option } from "commander";
import { canonicalId, isId } from "vegaprotocol-client/operations";
import type { BalanceSeriesOptions } from "vegaprotocol-client/reports";
import { didYouMean, UsageError } from "./errors.js";
import { largestPage } from "./operations.js";
import { readDuration, readTimeZone, type TimeFlags } from "./times.js";

type Texts = "asset" | "db" | "schema" | "output" | "columns" | "groupBy" | "totalSupply" | "host" | Times;
type Times = "from" | "to" | "at";
type Lists = "node" | "header" | "decimals" | "assets" | "cors";
type Durations = "timeout" | "catchUp" | "pollInterval" | "giveUpAfter" | "watch" | "grace";
type Counts = "retries" | "pageSize" | "concurrency" | "limit" | "port";
type Switches = "verbose" | "quiet" | "completeHistory" | "dry" | "force" | "monthly" | "partialDay" | "trustProxy";

type Values<Names extends string, Value> = { readonly [name in Names]?: Value | undefined };

/** The values of flags, except those whose type depends on the command. */
export interface Flags
  extends TimeFlags,
    Values<Texts, string>,
    Values<Lists, readonly string[]>,
    Values<Durations | Counts, number>,
    Values<Switches, true> {
  readonly pacing?: boolean;
  readonly format?: FormatName;
  readonly order?: "oldest-first" | "newest-first";
  readonly every?: BalanceSeriesOptions["every"];
}

export interface FlagOptions {
  readonly parse?: (value: string) => unknown;
  /** Whether it can be repeated. Its value is an array. */
  readonly repeat?: boolean;
  readonly mandatory?: boolean | undefined;
  readonly choices?: readonly string[];
}

export const severalText = "Repeat the flag for several.";

/** A flag. commander would look for mandatory ones before the defaults of the configuration are known. */
export class Flag extends Option {
  isMandatory = false;
  isRepeatable = false;
}

/** @param flags - Such as `-n, --limit <N>`. */
export function flag(flags: string, text: string, options: FlagOptions = {}): Flag {
  const { parse = flags.endsWith("<ID>") ? readId : undefined, repeat, mandatory = false, choices } = options;
  const added = [...(mandatory ? ["Required."] : []), ...(choices ? [`One of: ${choices.join(", ")}.`] : [])];
  const option = new Flag(flags, [text, ...added].join(" "));
  option.isMandatory = mandatory;
  option.isRepeatable = repeat === true;
  if (!option.required) return option;
  option.argParser<unknown>((value, previous) => {
    const expected = (what: string) => new UsageError(`Expected ${option.long} to be ${what}, got "${value}".`);
    if (value === "" || /^--?[a-z]/i.test(value)) throw expected("followed by a value");
    if (choices && !choices.includes(value)) {
      throw new UsageError(`${expected(`one of ${choices.join(", ")}`).message}${didYouMean(value, choices)}`);
    }
    let parsed: unknown = value;
    try {
      if (parse) parsed = parse(value);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      const { message } = expected(error.message.replace(/^Expected |\.$/g, ""));
      throw new UsageError(repeat && value.includes(",") ? `${message} ${severalText}` : message);
    }
    if (repeat) return [...((previous as unknown[] | undefined) ?? []), parsed];
    // The last value of other flags counts, so that --from, for example, can be added to a command to continue it.
    if (previous !== undefined && /<(?:ID|ASSET)>$/.test(flags)) {
      throw new UsageError(`Expected ${option.long} once, got it again with "${value}".`);
    }
    return parsed;
  });
  return option;
}

/** Whether a text is an id with all of its 64 digits, or a name that nodes know. */
export const isWholeId = (text: string): boolean => isId(text) && (text.length === 64 || !/^[\da-f]+$/i.test(text));

/** Reads a whole id, in lower case as nodes return it. Nodes know the network and some assets by names. */
function readId(value: string): string {
  if (isWholeId(value)) return canonicalId(value);
  throw new InvalidArgumentError(
    "Expected the 64 hexadecimal digits of an id, or a name that nodes know, such as network.",
  );
}

const inGroup = (heading: string) => (flags: string, text: string, options?: FlagOptions) =>
  flag(flags, text, options).helpGroup(heading);
export const filterFlag = inGroup("Filter flags:");
export const outputFlag = inGroup("Output flags:");
export const nodeFlag = inGroup("Node flags:");

export function integer({ minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = {}): (value: string) => number {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`Expected an integer ${range}.`);
  };
}

export const port = integer({ minimum: 0, maximum: 65_535 });

export const duration = (value: string): number => {
  const milliseconds = readDuration(value);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("Expected a duration of more than 0, such as 30s, 500ms or 2m.");
};

const durationOrNever = (value: string): number => (value === "never" ? Number.POSITIVE_INFINITY : duration(value));

const header = 'A header of every request, such as "Name: value". "@FILE" reads one from each line of a file.';
const nodeText =
  "The address of a data node. Repeat it for several: each request goes to one with fresh data. Without a scheme, it is https, and " +
  "http for this machine and private networks. Default: VEGA_NODE.";

export const nodeFlags = (): Option[] => [
  nodeFlag("--node <URL>", nodeText, { repeat: true }),
  nodeFlag("--header <HEADER>", header, { repeat: true }),
  nodeFlag("--timeout <TIME>", "The deadline of one attempt, such as 500ms; a number alone is seconds. Default: 30s.", {
    parse: duration,
  }),
  nodeFlag("--retries <N>", "How often to retry a failed request. Default: 3.", { parse: integer({ minimum: 0 }) }),
  nodeFlag("--no-pacing", "Do not delay requests to stay within the rate limit of the node."),
];

export const pageSizeFlag = (size: string): Option =>
  nodeFlag("--page-size <N>", `How many records to request at once, up to ${largestPage}. Default: ${size}.`, {
    parse: integer({ maximum: largestPage }),
  });

export const screenful = 30;

const limitText = `Print at most this many records. Default: ${screenful} in a table on a terminal, otherwise all.`;

export const limitFlag = (): Option => filterFlag("-n, --limit <N>", limitText, { parse: integer() });

const catchUp = "How long to wait for a node that has not reached the end of the range. Default: 15s.";

export const scanFlags = (pageSize = "1000"): Option[] => [
  pageSizeFlag(pageSize),
  nodeFlag("--concurrency <N>", "How many requests may be in flight at once. Default: 4.", { parse: integer() }),
  nodeFlag("--catch-up <TIME>", catchUp, { parse: readDuration }),
];

const pollInterval = "The time between polls. Default: 1s while records arrive, and up to 15s while none do.";
const giveUpAfterText =
  "How long to retry failures and to wait for a new block once a node has responded, such as 2h. never retries forever. Default: 10m.";
export const giveUpAfter = 600_000;

export const followFlags = (): Option[] => [
  nodeFlag("--poll-interval <TIME>", pollInterval, { parse: duration }),
  nodeFlag("--give-up-after <TIME>", giveUpAfterText, { parse: durationOrNever }),
];

export const formats = ["table", "json", "ndjson", "csv", "html"] as const;
export type FormatName = (typeof formats)[number] | "svg" | "prometheus";

export const formatFlag = (text = "a table on a terminal and NDJSON in a pipe", choices: readonly string[] = formats) =>
  outputFlag("--format <FORMAT>", `How records are printed. Default: ${text}.`, { choices });

const outputText = (all: readonly FormatName[], more: string) =>
  `Write to a file, in the format of its extension: .csv, .ndjson, .jsonl, .json${all.includes("svg") ? ", .html or .svg" : " or .html"}, each ` +
  `also with .gz. It appears once it is complete.${more} - is stdout.`;

export const fileFlags = (all: readonly FormatName[] = formats, more = ""): Option[] => [
  formatFlag(
    "the extension of --output, NDJSON without one; otherwise a table on a terminal and NDJSON in a pipe",
    all,
  ),
  outputFlag("-o, --output <FILE>", outputText(all, more), {
    parse: (name) => {
      if (all.includes("svg") || !/\.svg(?:\.gz)?$/i.test(name)) return name;
      throw new InvalidArgumentError("Expected a file without .svg: only series and tally draw a chart.");
    },
  }),
  outputFlag("--force", "Replace the --output file once the new one is complete."),
];

const rawText = "Print times as Unix nanoseconds, unless --times is given.";
const rawAmountsText =
  "Print times as Unix nanoseconds, and amounts in the smallest unit, unless --times or --decimals is given.";
const timesText = "How times are printed; spreadsheet is a date and time for LibreOffice and Excel. Default: iso.";
const zoneText =
  "The time zone of printed times, and of dates and times without one, such as Europe/Berlin. Default: UTC.";
const assetsText = "Read the decimal places and symbols of assets from the JSON of a node's /api/v2/assets.";
const decimalsText =
  "Print amounts of an asset, an id or a symbol, with N decimal places. node reads the decimal places of all assets from the node.";

/** @param fallback - The default of `--decimals`. */
export function presentationFlags(
  kinds: Readonly<Record<string, string>>,
  fallback = "node for a table and html, otherwise the smallest unit",
): Option[] {
  const hasAmounts = Object.values(kinds).includes("amount");
  const decimals = `${decimalsText} Default: ${fallback}.`;
  return [
    outputFlag("--columns <NAMES>", "The members of a record to print, separated by commas. Default: all."),
    outputFlag("--raw", hasAmounts ? rawAmountsText : rawText),
    outputFlag("--times <FORM>", timesText, { choices: ["iso", "spreadsheet", "unix"] }),
    outputFlag("--time-zone <NAME>", zoneText, { parse: readTimeZone }),
    ...(hasAmounts ? [outputFlag("--decimals <ASSET=N>", decimals, { repeat: true })] : []),
    ...(hasAmounts ? [outputFlag("--assets <FILE>", assetsText, { repeat: true })] : []),
  ];
}

export const schemaText = "The schema of PostgreSQL that has the tables. Default: vega.";

export const quietFlag = (text = "Do not print progress or a summary.") => outputFlag("-q, --quiet", text);

export const serverFlags = (more: string): Option[] => [
  flag("--port <N>", `The port to listen on${more}.`, { parse: port }),
  flag("--host <HOST>", "The address to listen on; 0.0.0.0 is all of them. Default: 127.0.0.1."),
];
