/** The commands of the command line as pages of the site, one each, and as a manual page. */
import { Readable, Writable } from "node:stream";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { exitCodeTexts } from "../../cli/src/errors.js";
import { withOtherPaths } from "../../cli/src/fake-node.js";
import type { Io } from "../../cli/src/io.js";
import { createProgram, run } from "../../cli/src/program.js";

type Command = ReturnType<typeof createProgram>;

/** The content of a command's page. */
export interface CommandPage {
  name: string;
  summary: string;
  details: string;
  usage: string;
  flags: readonly { flags: string; description: string }[];
  examples: readonly string[];
}

// With the assets and proposals that `fake-node` serves.
const node = withOtherPaths(
  createFakeNode({ balances: 20_000, votes: 600, profiles: 50, signatures: 40 }, { defects: nodeDefects }),
);
/** How many lines of the output of an example are shown. */
const shownLines = 12;
/** Commands that end by themselves and write nothing but their output. */
const isShown = (example: string) =>
  !/^(?:sync|serve|follow|fake-node|explore|nodes|audit|check|completion)\b| -o | --output /.test(example);

function ioOf(argv: readonly string[], write: (text: string) => void): Io {
  const stream = () =>
    new Writable({
      write: (chunk, _, done) => done(void write(String(chunk))),
    }) as unknown as Io["stdout"];
  const terminal = Object.assign(stream(), { isTTY: true, columns: 100 });
  return {
    argv,
    env: { VEGA_NODE: "https://node.example", COLUMNS: "100", NO_COLOR: "1" },
    stdin: Readable.from([]) as unknown as Io["stdin"],
    stdout: terminal,
    stderr: stream(),
    fetch: node.fetch,
    now: () => performance.now(),
    signal: new AbortController().signal,
  };
}

/** All commands that can be run, in the order of the help. */
export function readCommands(): CommandPage[] {
  let help = "";
  const io = ioOf([], () => {});
  const program = createProgram(io, (text) => {
    help += text;
  });
  const pageOf = (command: Command, name: string): CommandPage => {
    help = "";
    command.outputHelp();
    const [, examples = ""] = help.split("Examples:\n");
    const [summary = "", ...details] = command.description().split("\n\n");
    return {
      name,
      summary,
      details: details.join("\n\n"),
      usage: `vegaprotocol ${name} ${command.usage()}`,
      flags: command.options.filter(({ hidden }) => !hidden),
      examples: examples
        .split(/^ {2}\$ /m)
        .slice(1)
        .map((example) => example.replaceAll(/ \\\n\s*/g, " ").trim()),
    };
  };
  const pagesOf = (command: Command, parents = ""): CommandPage[] => {
    const name = parents + command.name();
    if (command.commands.length === 0) return [pageOf(command, name)];
    return command.commands.flatMap((each) => pagesOf(each, `${name} `));
  };
  return program.commands.filter((each) => !["help", "version"].includes(each.name())).flatMap((each) => pagesOf(each));
}

/** The page of a command, with the output of its examples. */
export async function printCommand({ name, summary, details, usage, flags, examples }: CommandPage): Promise<string> {
  const [first = ""] = examples;
  const argv = first.replace(/^vegaprotocol /, "");
  const output = isShown(argv) ? await outputOf(argv.split(" ")) : "";
  return [
    `# ${name}\n`,
    `${summary}\n`,
    ...(examples.length > 0 ? [fence("sh", examples.join("\n"))] : []),
    ...(output ? [examples.length > 1 ? "The first one prints:\n" : "It prints:\n", fence("text", output)] : []),
    ...(details ? [`${details}\n`] : []),
    "## Flags\n",
    `\`${usage}\`\n`,
    "| Flag | Meaning |\n|---|---|",
    ...flags.map(({ flags, description }) => `| \`${flags}\` | ${cellOf(description)} |`),
    "\n## Exit codes\n",
    "| Code | Meaning |\n|---|---|",
    ...Object.entries(exitCodeTexts).map(([code, text]) => `| ${code} | ${cellOf(text)} |`),
    "\n**Next:** [Command line](../command-line.md)\n",
  ].join("\n");
}

/** The page that lists the commands. */
export const printIndex = (commands: readonly CommandPage[]): string =>
  [
    "# Commands\n",
    "Each command of `vegaprotocol`, with examples, flags and exit codes. [Command line](../command-line.md) is the guide to them.\n",
    "| Command | What it does |\n|---|---|",
    ...commands.map(({ name, summary }) => `| [\`${name}\`](${fileOf(name)}) | ${cellOf(summary)} |`),
    "",
  ].join("\n");

export const fileOf = (name: string): string => `${name.replaceAll(" ", "-")}.md`;

async function outputOf(argv: readonly string[]): Promise<string> {
  let output = "";
  const io = ioOf(argv, (text) => {
    output += text;
  });
  await run(io);
  const lines = output.replaceAll("\r\n", "\n").trimEnd().split("\n");
  return [...lines.slice(0, shownLines), ...(lines.length > shownLines ? ["…"] : [])].join("\n");
}

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;
const cellOf = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** The manual page of the program. */
export function printManual(commands: readonly CommandPage[], version: string): string {
  const roff = (text: string) =>
    text
      .replaceAll("\\", "\\e")
      .replaceAll("-", "\\-")
      .replaceAll(/^([.'])/gm, "\\&$1");
  const section = ({ name, summary, details, usage, flags, examples }: CommandPage) => [
    `.SS ${roff(name)}`,
    roff(summary),
    `.PP\n.B ${roff(usage)}`,
    ...(details ? [`.PP\n${roff(details)}`] : []),
    ...flags.map(({ flags, description }) => `.TP\n.B ${roff(flags)}\n${roff(description)}`),
    ...examples.map((example) => `.PP\n.EX\n${roff(`$ ${example}`)}\n.EE`),
  ];
  return [
    `.TH VEGAPROTOCOL 1 "" "vegaprotocol-cli ${version}"`,
    ".SH NAME\nvegaprotocol \\- read the data of Vega nodes",
    ".SH SYNOPSIS\n.B vegaprotocol COMMAND [flags]",
    ".SH COMMANDS",
    ...commands.flatMap(section),
    ".SH EXIT STATUS",
    ...Object.entries(exitCodeTexts).map(([code, text]) => `.TP\n.B ${code}\n${roff(text)}`),
    "",
  ].join("\n");
}
