import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { ArgumentError, PaginationError, RateLimitError, VegaError } from "vegaprotocol-client";
import { withFlagNames } from "./arguments.js";
import { examplesText, helpTable, type Setup } from "./command.js";
import { addExplore } from "./commands/explore.js";
import { addFakeNode } from "./commands/fake-node.js";
import { addFollow } from "./commands/follow.js";
import { addGet } from "./commands/get.js";
import { addLists } from "./commands/list.js";
import { addNodes } from "./commands/nodes.js";
import { addReports } from "./commands/reports.js";
import { addServe } from "./commands/serve.js";
import { addCheck, addSingles } from "./commands/single.js";
import { addSync } from "./commands/sync.js";
import { causesOf, ErrorWithAdvice, ExitError, exitCodes, exitCodeTexts } from "./errors.js";
import { hasColors, Interruption, type Io, OutputClosed, printable, printMessage, widthOf, write } from "./io.js";

const variables = [
  ["VEGA_NODE", "The addresses of data nodes, separated by spaces or commas. --node overrides them."],
  ["HTTPS_PROXY, HTTP_PROXY", "The proxy of requests to nodes with https, and with http."],
  ["NO_PROXY", "Hosts and domains without a proxy, separated by commas."],
  ["NODE_EXTRA_CA_CERTS", "A file of PEM certificates that are trusted, too."],
  ["NO_COLOR, FORCE_COLOR", "Never, and always, print in color."],
  ["COLUMNS", "The width of tables and of this help, if the output is no terminal."],
] as const;

const examples = ["balances --from 2024-02-09T16:54:30Z -o balances.csv", "follow balances", "nodes"];

export async function run(io: Io): Promise<number> {
  let exitCode: number = exitCodes.done;
  let command: Command | undefined;
  /** What commander prints to stdout: the help and the version. */
  let output = "";
  const setup: Setup = {
    io,
    action:
      (act) =>
      async (...all) => {
        command = all.at(-1) as Command;
        exitCode = await act(command.opts() as never, command.args);
      },
  };
  const [first, ...others] = io.argv;
  const argv = first === "help" ? [...others, "--help"] : io.argv;
  const program = createProgram(setup, (text) => {
    output += text;
  });
  try {
    await program.parseAsync(argv, { from: "user" }).catch((error) => {
      // commander has printed what is wrong.
      if (!(error instanceof CommanderError)) throw error;
      exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    });
    if (output !== "") await write(io.stdout, output);
    return exitCode;
  } catch (error) {
    return report(error, io, command);
  }
}

export function createProgram(setup: Setup, print: (text: string) => void): Command {
  const { io } = setup;
  const program = new Command("vegaprotocol")
    .description("Read the data of Vega nodes, export it without loss, keep local copies, and check transactions.")
    .usage("COMMAND [flags]")
    .version(readVersion(), "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print the help of the program, or of a command.")
    .helpCommand("help [COMMAND]", "Print the help of a command.")
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: print,
      outputError: (text) => printError(io, text),
      getOutHelpWidth: () => helpWidth(io),
      getErrHelpWidth: () => helpWidth(io),
      getOutHasColors: () => hasColors(io, io.stdout),
      getErrHasColors: () => hasColors(io, io.stdout),
    })
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
      styleTitle: (title) => styleText("bold", title.replace(/^Options:$/, "Flags:"), { validateStream: false }),
    });
  for (const add of [
    addLists,
    addSingles,
    addGet,
    addReports,
    addCheck,
    addFollow,
    addNodes,
    addSync,
    addServe,
    addExplore,
    addFakeNode,
  ]) {
    add(program, setup);
  }
  program
    .command("version")
    .description("Print the version.")
    .action(() => print(`${readVersion()}\n`));
  program.addHelpText("after", () =>
    [
      "",
      examplesText(examples, program),
      helpTable("Exit codes:", Object.entries(exitCodeTexts), program),
      helpTable("Environment variables:", variables, program),
    ].join("\n"),
  );
  return program;
}

export const allCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(allCommands)];

/** Prints an error of commander as those of the program: on one line, with a capital and a full stop. */
function printError(io: Io, text: string): void {
  const line = text
    .trim()
    .replaceAll(/\s*\n\s*/g, ". ")
    .replaceAll("..", ".")
    .replace(/^error: (.)/, (_, first: string) => `Error: ${first.toUpperCase()}`);
  io.stderr.write(`${/[.?)]$/.test(line) ? line : `${line}.`}\n`);
}

const helpWidth = ({ stdout, env }: Io): number =>
  Math.min(100, Math.max(40, stdout.isTTY ? widthOf(stdout) : Number(env["COLUMNS"]) || 80));

function readVersion(): string {
  // From src in a clone, and from dist in the package.
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

/** Prints an error of a command, and returns the exit code. */
function report(error: unknown, io: Io, command: Command | undefined): number {
  const [cause, advice] = error instanceof ErrorWithAdvice ? [error.cause, error.advice] : [error, undefined];
  if (cause instanceof OutputClosed) return exitCodes.done;
  const { text, exitCode } = describe(cause, command);
  const label = hasColors(io, io.stderr) ? styleText("red", "Error:", { validateStream: false }) : "Error:";
  io.stderr.write(`${cause instanceof Interruption ? "" : `${label} `}${printable(text)}\n`);
  if (advice !== undefined) printMessage(io, advice);
  const causes = command?.opts()["verbose"] && cause instanceof Error ? causesOf(cause.cause) : [];
  if (causes.length > 0) printMessage(io, `Cause: ${causes.map(({ message }) => message).join(": ")}`);
  return exitCode;
}

function describe(error: unknown, command: Command | undefined): { text: string; exitCode: number } {
  const message = error instanceof Error && error.message !== "" ? error.message : String(error);
  const text = message.replaceAll(/\s*\n\s*/g, " ");
  if (error instanceof Interruption || error instanceof ExitError) return { text, exitCode: error.exitCode };
  if (!VegaError.is(error)) return { text, exitCode: exitCodes.failed };
  const code = ArgumentError.is(error) ? "usage" : PaginationError.is(error) ? "incomplete" : "failed";
  const flags = command?.options.flatMap(({ long }) => long ?? []) ?? [];
  return { text: withFlagNames(text, flags), exitCode: exitCodes[RateLimitError.is(error) ? "rateLimited" : code] };
}
