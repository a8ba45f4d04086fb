import type { Command, CommandContext } from "./command.js";
import { guideTo } from "./examples.js";
import { exitCodes, UsageError } from "./exit.js";
import { type Flag, flagGroups, generalFlags, visible } from "./flags.js";
import type { Io } from "./io.js";
import { Layout, type Rows } from "./layout.js";
import { print } from "./message.js";
import { suggest } from "./suggest.js";

const exits: Rows = [
  ["0", "Done."],
  ["1", "Failed."],
  ["2", "Wrong usage: nothing was sent, and no file was changed."],
  ["3", "The node does not have all records: it is behind, keeps a shorter history, or its pages lead no further."],
  ["4", "The node rejects the transaction."],
  ["5", "The rate limit is exceeded, or the client is banned."],
  ["130", "Interrupted by Ctrl-C; 143 by SIGTERM."],
];

const variables: Rows = [
  [
    "VEGA_NODE",
    "The addresses of data nodes, separated by spaces or commas, if there is no --node. VEGAPROTOCOL_NODE is the same.",
  ],
  ["HTTPS_PROXY, HTTP_PROXY", "The proxy of requests to nodes with https, and with http."],
  ["NO_PROXY", "Hosts and domains without a proxy, separated by commas."],
  ["NODE_EXTRA_CA_CERTS", "A file of PEM certificates that are trusted, too, as with --ca-file."],
  ["NO_COLOR, FORCE_COLOR", "Never, and always, print in color."],
  ["COLUMNS", "The width of tables and of this help, if the output is no terminal."],
];

/** Prints the help of the program. */
export function printOverview(io: Io, commands: readonly Command[]): Promise<void> {
  const sections = new Layout(io);
  sections.text("Read the data of a Vega node, export it without loss, and check transactions.");
  sections.section("USAGE", ["vegaprotocol-client COMMAND [FLAGS]"]);
  sections.table(
    "COMMANDS",
    commands.map(({ name, summary }) => [name, summary]),
  );
  sections.table("FLAGS", [
    ["-h, --help", "Show the help of the program, or of a command."],
    ["    --version", "Show the version."],
  ]);
  sections.commands("EXAMPLES", [
    "balances --from 2024-02-09T16:54:30Z --output balances.csv",
    "follow balances",
    "nodes",
  ]);
  sections.table("EXIT CODES", exits);
  sections.table("ENVIRONMENT VARIABLES", variables);
  sections.section("SEE ALSO", ["vegaprotocol-client help COMMAND"]);
  return print(io, sections.end());
}

/** Prints the help of a command. */
export function printCommandHelp(
  io: Io,
  { name, usage, summary, details, flags, subcommands, exits: own }: Command,
): Promise<void> {
  const sections = new Layout(io);
  sections.text(summary);
  if (details !== undefined) sections.text(details);
  sections.section("USAGE", [["vegaprotocol-client", name, usage, "[FLAGS]"].filter(Boolean).join(" ")]);
  if (subcommands)
    sections.table(
      "COMMANDS",
      subcommands.map((each) => [each.name, each.summary]),
    );
  const all = visible([...flags, ...generalFlags]);
  for (const group of flagGroups) {
    const ofGroup = all.filter((flag) => (flag.group ?? "FILTER FLAGS") === group);
    sections.table(
      group,
      ofGroup.map((flag) => [synopsis(flag), `${flag.text}${choicesOf(flag)}`]),
    );
  }
  const { examples, seeAlso = [] } = guideTo(name);
  if (!subcommands) sections.commands("EXAMPLES", examples);
  sections.table(
    "EXIT CODES",
    exits.flatMap(([code, text]) => (own.includes(Number(code)) ? [[code, text]] : [])),
  );
  const others = [...seeAlso, ...(name === "help" ? [] : ["help"])];
  sections.section(
    "SEE ALSO",
    others.map((each) => `vegaprotocol-client ${each === "help" ? each : `help ${each}`}`),
  );
  return print(io, sections.end());
}

/** Prints the help of the program or of a command. */
export async function help({ io, positionals }: CommandContext, commands: readonly Command[]): Promise<number> {
  if (positionals.length === 0) await printOverview(io, commands);
  else await printCommandHelp(io, findCommand(positionals, commands));
  return exitCodes.done;
}

/** Finds the command that the first words name. */
export function findCommand([name = "", next]: readonly string[], commands: readonly Command[]): Command {
  const command = commands.find((each) => each.name === name);
  if (command) return findSubcommand(command, next) ?? command;
  const hint =
    suggest(
      name,
      commands.map((each) => each.name),
    ) || " vegaprotocol-client help lists all.";
  throw new UsageError(`There is no command ${name}.${hint}`);
}

function findSubcommand({ name, usage, subcommands }: Command, next = "-"): Command | undefined {
  const subcommand = subcommands?.find((each) => each.name === `${name} ${next}`);
  if (subcommand || !subcommands || next.startsWith("-")) return subcommand;
  const names = subcommands.map((each) => each.name.slice(name.length + 1));
  throw new UsageError(`Expected ${usage} after ${name}, got ${next}.${suggest(next, names)}`);
}

const synopsis = ({ name, short, value }: Flag) =>
  `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;

const choicesOf = ({ choices }: Flag) => (choices === undefined ? "" : ` One of: ${choices.join(", ")}.`);
