/** Helpers of the files in `commands/`: how a command is defined and run. */
import type { Command, Option } from "commander";
import { type Flags, flag } from "./flags.js";
import type { Io } from "./io.js";

export interface Definition<Own = Flags> {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** Such as `<DESTINATION>`. */
  readonly arguments?: readonly string[];
  readonly flags: readonly Option[];
  /** Without the name of the program. They run in this order against `vegaprotocol fake-node --defects`. */
  readonly examples: readonly string[];
  /** Returns the exit code. Default: 0. */
  readonly run: (io: Io, flags: Own, args: readonly string[], command: Command) => Promise<number> | Promise<void>;
}

export type Perform = (command: Command, run: Definition<never>["run"]) => Promise<void>;

const verbose = "Print each request, retry and pause, and the causes of errors, to stderr.";

export function addCommand(parent: Command, definition: Definition<never>, perform: Perform): void {
  const { name, summary, details, flags, examples, run, arguments: names = [] } = definition;
  const command: Command = parent
    .command(name)
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${details}`)
    .usage(["[flags]", ...names].join(" "))
    .action(() => perform(command, run));
  for (const argument of names) command.argument(argument);
  for (const option of [...flags, flag("-v, --verbose", verbose)]) command.addOption(option);
  command.addHelpText("after", () => `\n${examplesText(examples, command)}`);
}

export const allCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(allCommands)];

export const pathOf = (command: Command): string =>
  command.parent === null ? "" : `${pathOf(command.parent)} ${command.name()}`.trim();

/** Whether a flag was entered. A default of the configuration may be meant for other runs. */
export const isEntered = (command: Command, name: string): boolean => command.getOptionValueSource(name) === "cli";

const widthOfHelp = (command: Command) => command.configureOutput().getOutHelpWidth?.() ?? 80;

/** Examples that can be copied: one that is too long has several lines. */
export function examplesText(examples: readonly string[], command: Command): string {
  const lines = examples.map((example) => {
    // A flag stays with its value.
    const [first = "", ...words] = `vegaprotocol ${example}`.split(/ (?=-)/);
    const found = [`  $ ${first}`];
    for (const word of words) {
      const last = found.at(-1) ?? "";
      if (last.length + word.length + 3 <= widthOfHelp(command)) found[found.length - 1] = `${last} ${word}`;
      else found.push(`  ${word}`);
    }
    return found.join(" \\\n");
  });
  return lines.length > 0 ? `Examples:\n${lines.join("\n")}\n` : "";
}

export function helpTable(title: string, rows: readonly (readonly [string, string])[], command: Command): string {
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: widthOfHelp(command) });
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${title}\n${rows.map(([name, text]) => helper.formatItem(name, width, text, helper)).join("\n")}\n`;
}

/** The ids in examples: a fake node with the default seed has records of them. */
export const exampleIds = {
  party: "2f166fdafb0e52176bc7dc26f492c4f06fc1b869c53e6da5b936324a3df8d18f",
  asset: "fdf6c740e53075e212c6eac7913dc0c252da69fb6f562e973b7e7dea8b646c7b",
  proposal: "f6f6901e050ff367ac337ee965f6af306317f0840cbccad5915f03e766ee22a5",
  resource: "2714a8b0c56afeaeb511b3017f7e85d188055092a2d702c4febff7be8bf6556b",
};
