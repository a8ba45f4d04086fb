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
export const generalFlags: readonly Flag[] = [verbose, help];

/** Flags of a command that sends requests. */
export const nodeFlags: readonly Flag[] = [
  {
    name: "node",
    value: "URL",
    multiple: true,
    text:
      "The address of the data node. Repeat it for several nodes: each request goes to one that responds with fresh data. " +
      "Without a scheme, it is https, and http for this machine and private networks. Default: the addresses in the environment " +
      "variable VEGA_NODE, separated by spaces or commas.",
  },
  {
    name: "header",
    value: "HEADER",
    multiple: true,
    text:
      "A header of every request, as in 'Name: value'. @FILE reads one from each line of a file. A redirect to another origin " +
      "does not get it.",
  },
  { name: "ca-file", value: "FILE", text: "A file of PEM certificates that are trusted, too, as those of a company." },
  { name: "timeout", value: "TIME", text: "The deadline of one attempt, as in 30s or 500ms. Default: 30s." },
  { name: "retries", value: "N", text: "How often a request is retried after a transient failure. Default: 3." },
  { name: "no-pacing", text: "Do not hold requests back to stay within the rate limit of the node." },
];

/** The formats of the output. */
export const formats = ["table", "json", "ndjson", "csv"] as const;
export type FormatName = (typeof formats)[number];

export const outputFlags: readonly Flag[] = [
  {
    name: "format",
    value: "FORMAT",
    choices: formats,
    text: "Default: by the suffix of --output; otherwise table on a terminal and ndjson elsewhere.",
  },
];

/** Flags of a command that prints a list. */
export const listFlags: readonly Flag[] = [
  ...outputFlags,
  { name: "output", short: "o", value: "FILE", text: "Write to a file, and a manifest beside it." },
  { name: "columns", value: "NAMES", text: "The members of a record to print, separated by commas. Default: all." },
  { name: "decimals", value: "N", text: "Print amounts as decimal numbers with this many decimal places." },
  { name: "raw", text: "Print times as Unix nanoseconds. Default: RFC 3339 with nanoseconds." },
  { name: "limit", value: "N", text: "Print at most this many records." },
  {
    name: "page-size",
    value: "N",
    text: "How many records to request at once. Default: that of the list; 1000 for a scan.",
  },
  { name: "force", text: "Overwrite the file of --output." },
  {
    name: "allow-incomplete",
    text: "If the node does not have all records, print those that it has. The exit code is 3 nevertheless.",
  },
  { name: "quiet", short: "q", text: "Print no progress and no summary." },
];

export const orders = ["oldest-first", "newest-first"] as const;

/** The flag for the order of a list; `standard` is the default. */
export const orderFlag = (standard: (typeof orders)[number]): Flag => ({
  name: "order",
  value: "ORDER",
  choices: orders,
  text: `Default: ${standard}.`,
});

/** Flags of a command that reads a list page by page. */
export const pageFlags: readonly Flag[] = [
  {
    name: "resume",
    text: "",
    refusedBecause: "--resume is for balances: an export of another list cannot be continued exactly. Run it again.",
  },
];

export const catchUpFlag: Flag = {
  name: "catch-up",
  value: "TIME",
  text: "How long to wait for a node that has not reached the end of the range. Then the exit code is 3. Default: 15s.",
};

/** Flags of a command that scans a range of time. */
export const scanFlags: readonly Flag[] = [
  catchUpFlag,
  { name: "resume", text: "Continue an interrupted export to a CSV or NDJSON file. Enter the same command with it." },
  { name: "concurrency", value: "N", text: "How many requests may be in flight at once. Default: 4." },
  { name: "cursor", text: "Read the list page by page instead of scanning it, with the newest record first." },
];
