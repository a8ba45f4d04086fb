/** The groups of flags, in the order of the help. */
export const flagGroups = ["FILTER FLAGS", "OUTPUT FLAGS", "NODE FLAGS", "FLAGS"] as const;
export type FlagGroup = (typeof flagGroups)[number];

export const inGroup = (group: FlagGroup, flags: readonly Flag[]): readonly Flag[] =>
  flags.map((flag) => ({ ...flag, group }));

/** A flag of a command. */
export interface Flag {
  /** Its long name, without the two dashes. */
  readonly name: string;
  readonly short?: string;
  /** The placeholder of its value in the help, as in `URL`. Absent: the flag has no value. */
  readonly value?: string;
  /** Whether it can be repeated. */
  readonly multiple?: true;
  readonly text: string;
  /** The values that it can have. */
  readonly choices?: readonly string[];
  /** The names that it can have, separated by commas. */
  readonly listOf?: readonly string[];
  /** Whether its value is the name of a file, or one after `@`. */
  readonly isFile?: true;
  /** Default: the first group. */
  readonly group?: FlagGroup;
  /** Why the command does not have the flag, although others do. It is not in the help then. */
  readonly refusedBecause?: string;
}

/** The flags that a command has. */
export const visible = (flags: readonly Flag[]): Flag[] =>
  flags.filter(({ refusedBecause }) => refusedBecause === undefined);

const help: Flag = { name: "help", short: "h", text: "Show this help." };
const verbose: Flag = {
  name: "verbose",
  short: "v",
  text: "Print each request, retry and pause, and the causes of errors, to stderr.",
};

/** Flags of every command. */
export const generalFlags: readonly Flag[] = inGroup("FLAGS", [verbose, help]);

/** Flags of a command that sends requests. */
export const nodeFlags: readonly Flag[] = inGroup("NODE FLAGS", [
  {
    name: "node",
    value: "URL",
    multiple: true,
    text:
      "The address of the data node. Repeat it for several nodes: each request goes to one that responds with fresh data. " +
      "Without a scheme, it is https, and http for this machine and private networks. Default: the addresses in the variable " +
      "VEGA_NODE.",
  },
  {
    name: "header",
    value: "HEADER",
    multiple: true,
    text:
      "A header of every request, as in 'Name: value'. @FILE reads one from each line of a file. A redirect to another origin " +
      "does not get it.",
    isFile: true,
  },
  { name: "ca-file", value: "FILE", text: "A file of additional PEM certificates to trust.", isFile: true },
  { name: "timeout", value: "TIME", text: "The deadline of one attempt, as in 30s or 500ms. Default: 30s." },
  { name: "retries", value: "N", text: "How often a request is retried after a transient failure. Default: 3." },
  { name: "no-pacing", text: "Do not delay requests to stay within the rate limit of the node." },
]);

/** The formats of the output. */
export const formats = ["table", "json", "ndjson", "csv"] as const;
export type FormatName = (typeof formats)[number];

/** Flags of a command that prints an object. */
export const outputFlags: readonly Flag[] = inGroup("OUTPUT FLAGS", [
  {
    name: "format",
    value: "FORMAT",
    choices: formats,
    text: "How records are printed. Default: inferred from the --output extension; otherwise a table on a terminal and NDJSON in a pipe.",
  },
]);

export const outputFlag: Flag = {
  name: "output",
  short: "o",
  value: "FILE",
  text: "Write to a file, in the format of its extension: .csv, .ndjson or .json, and compressed if .gz or .zst follows. - is stdout.",
  isFile: true,
};

/** @param columns - The members of a record. */
export const columnsFlag = (columns: readonly string[]): Flag => ({
  name: "columns",
  value: "NAMES",
  text: "The members of a record to print, separated by commas. Default: all.",
  listOf: columns,
});

export const presentationFlags: readonly Flag[] = [
  { name: "decimals", value: "N", text: "Print amounts as decimal numbers with this many decimal places." },
  { name: "raw", text: "Print times as Unix nanoseconds. Default: RFC 3339 with nanoseconds." },
];

export const orders = ["oldest-first", "newest-first"] as const;

/** Flags of a command that prints a list. */
export function listFlags(columns: readonly string[], isScannable: boolean): readonly Flag[] {
  const filter: readonly Flag[] = [
    {
      name: "order",
      value: "ORDER",
      choices: orders,
      text: `The order of the records. Default: ${isScannable ? "oldest-first" : "newest-first"}.`,
    },
    { name: "limit", value: "N", text: "Print at most this many records." },
    ...(isScannable ? [cursorFlag] : []),
  ];
  const output: readonly Flag[] = [
    isScannable ? { ...outputFlag, text: `${outputFlag.text} .parquet is a Parquet file.` } : outputFlag,
    ...(isScannable ? parquetFlags : []),
    isScannable ? resumeFlag : noResumeFlag,
    { name: "force", text: "Replace the --output file once the new one is complete." },
    columnsFlag(columns),
    ...presentationFlags,
    {
      name: "allow-incomplete",
      text: "Print what the node has if records are missing. The exit code is still 3.",
    },
    { name: "quiet", short: "q", text: "Do not print progress or a summary." },
  ];
  const size = `Default: ${isScannable ? "1000" : "the list's page size"}.`;
  const pages: readonly Flag[] = [
    { name: "page-size", value: "N", text: `How many records to request at once. ${size}` },
    ...(isScannable ? [concurrencyFlag, catchUpFlag] : []),
  ];
  const format = isScannable ? outputFlags.map(withParquet) : outputFlags;
  return [...filter, ...format, ...inGroup("OUTPUT FLAGS", output), ...nodeFlags, ...inGroup("NODE FLAGS", pages)];
}

const withParquet = (flag: Flag): Flag =>
  flag.choices === formats ? { ...flag, choices: [...formats, "parquet"] } : flag;

const parquetFlags: readonly Flag[] = [
  {
    name: "partition",
    value: "PERIOD",
    choices: ["day", "month"],
    text: "Write a Parquet file for each day or month into the folder of --output, once the period has ended.",
  },
  {
    name: "text-amounts",
    text: "Write amounts to Parquet as text. Default: DECIMAL(38), which has at most 38 digits.",
  },
];

const cursorFlag: Flag = {
  name: "cursor",
  text: "Read the list page by page instead of scanning it, with the newest record first.",
};

const resumeFlag: Flag = {
  name: "resume",
  text: "Continue an interrupted export to a CSV or NDJSON file. Enter the same command with it.",
};

const noResumeFlag: Flag = {
  name: "resume",
  text: "",
  refusedBecause: "--resume is for balances: an export of another list cannot be continued exactly. Run it again.",
};

export const concurrencyFlag: Flag = {
  name: "concurrency",
  value: "N",
  text: "How many requests may be in flight at once. Default: 4.",
};

export const catchUpFlag: Flag = {
  name: "catch-up",
  value: "TIME",
  text: "How long to wait for a node that has not reached the end of the range. Then the exit code is 3. Default: 15s.",
};
