import type { Command, Context } from "./command.js";
import { exitCodes, UsageError } from "./exit.js";
import { type Flag, generalFlags, visible } from "./flags.js";
import { print } from "./message.js";
import { suggest } from "./suggest.js";

const exitCodeHelp = `Exit codes: 0 done, 1 failed, 2 wrong usage, 3 incomplete: the node does not have all records, 4 transaction
rejected, 5 rate limit or ban, 130 interrupted.`;

/** The help of the program. */
export const overview = (commands: readonly Command[]): string => `Usage: vegaprotocol-client COMMAND [FLAGS]

Reads the data of a Vega node, exports it without loss, and checks transactions.

Commands:
${table(commands.map(({ name, summary }) => [name, summary]))}

vegaprotocol-client help COMMAND shows the flags of a command. --version shows the version.

${exitCodeHelp}
`;

/** The help of a command. */
export function commandHelp({ name, usage, summary, details, flags }: Command): string {
  const usageLine = ["Usage: vegaprotocol-client", name, ...(usage === "" ? [] : [usage]), "[FLAGS]"].join(" ");
  return [
    usageLine,
    "",
    wrap(summary, ""),
    ...(details === undefined ? [] : ["", wrap(details, "")]),
    "",
    "Flags:",
    table(visible([...flags, ...generalFlags]).map((flag) => [synopsis(flag), `${flag.text}${choicesOf(flag)}`])),
    "",
  ].join("\n");
}

/** Prints the help of the program or of a command. */
export async function help({ io, positionals }: Context, commands: readonly Command[]): Promise<number> {
  await print(io, positionals.length === 0 ? overview(commands) : commandHelp(findCommand(positionals, commands)));
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

const width = 100;
const column = 28;

function table(rows: readonly (readonly [name: string, text: string])[]): string {
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, " ".repeat(column));
      return name.length + 4 > column ? `  ${name}\n${lines}` : `  ${name}`.padEnd(column) + lines.trimStart();
    })
    .join("\n");
}

function wrap(text: string, indent: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last === "") lines[lines.length - 1] = word;
    else if (indent.length + last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => indent + line).join("\n");
}
