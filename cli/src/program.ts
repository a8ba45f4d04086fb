import { styleText } from "node:util";
import { Command, CommanderError, type Option } from "commander";
import { ArgumentError, PaginationError, RateLimitError, VegaError } from "vegaprotocol-client";
import { isId } from "vegaprotocol-client/operations";
import { withFlagNames, withoutMethods } from "./arguments.js";
import { addCommand, type Definition, exampleIds, examplesText, helpTable, type Perform, pathOf } from "./command.js";
import { auditCommand } from "./commands/audit.js";
import { balanceCommands } from "./commands/balance-reports.js";
import { completionCommand } from "./commands/completion.js";
import { exploreCommand } from "./commands/explore.js";
import { fakeNodeCommand } from "./commands/fake-node.js";
import { followCommands } from "./commands/follow.js";
import { getCommand } from "./commands/get.js";
import { listCommands } from "./commands/list.js";
import { nodesCommand } from "./commands/nodes.js";
import { reportCommands } from "./commands/reports.js";
import { serveCommand } from "./commands/serve.js";
import { checkCommand, singleCommands } from "./commands/single.js";
import { syncCommand } from "./commands/sync.js";
import { applyDefaults, withSource } from "./config.js";
import { causesOf, ErrorWithAdvice, ExitError, exitCodes, exitCodeTexts, recordError, UsageError } from "./errors.js";
import { Flag } from "./flags.js";
import {
  hasColors,
  Interruption,
  type Io,
  OutputClosed,
  OutputError,
  printable,
  printMessage,
  readOwnFile,
  widthOf,
  write,
} from "./io.js";
import { writeError } from "./output/file.js";
import { hidePassword } from "./sync/destination.js";
import { formatTime } from "./times.js";

const variables = [
  ["VEGA_NODE", "The addresses of data nodes, separated by spaces or commas. --node overrides them."],
  ["VEGA_CONFIG", "A file with named nodes and defaults of flags. Default: vegaprotocol.toml, if it is there."],
  ["HTTPS_PROXY, HTTP_PROXY", "The proxy of requests to nodes with https, and with http."],
  ["NO_PROXY", "Hosts and domains without a proxy, separated by commas."],
  ["NODE_EXTRA_CA_CERTS", "A file with additional PEM certificates to trust."],
  ["NO_COLOR, FORCE_COLOR", "Never, and always, print in color."],
  ["COLUMNS", "The width of tables and of this help, if the output is not a terminal."],
] as const;

const examples = ["balances --from 2024-02-09T16:54:30Z -o balances.csv", "follow balances", "nodes"];

export async function run(io: Io): Promise<number> {
  let exitCode: number = exitCodes.done;
  let command: Command | undefined;
  /** Prints the help and the version to stdout. */
  let output = "";
  const print = (text: string) => {
    output += text;
  };
  const program = createProgram(io, print, async (entered, act) => {
    command = entered;
    exitCode = (await act(io, entered.opts() as never, entered.args, entered)) ?? exitCodes.done;
  });
  const [first, ...others] = io.argv;
  // An unknown name is refused as a command.
  const isHelp =
    first === "help" && (others.length === 0 || program.commands.some((each) => each.name() === others[0]));
  const argv = isHelp ? [...others, "--help"] : first === "help" ? others : io.argv;
  try {
    await program.parseAsync(argv, { from: "user" }).catch((error) => {
      // commander has printed the reason.
      if (!(error instanceof CommanderError)) throw error;
      exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    });
    if (output !== "") await write(io.stdout, output);
    return exitCode;
  } catch (error) {
    return report(withSource(error, io, command), io, command);
  }
}

export function createProgram(io: Io, print: (text: string) => void, perform: Perform = async () => {}): Command {
  const program = new Command("vegaprotocol")
    .description("Read the data of Vega nodes, export it without loss, keep local copies, and check transactions.")
    .usage("COMMAND [flags]")
    .version(readVersion(), "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print the help of the program, or of a command.")
    .helpCommand("help [COMMAND]", "Print the help of a command.")
    .allowExcessArguments()
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
  const add = (parent: Command, definitions: readonly Definition<never>[]) => {
    for (const each of definitions) addCommand(parent, each, perform);
  };
  add(program, [...listCommands, ...singleCommands, getCommand, ...balanceCommands, ...reportCommands, checkCommand]);
  const follow = program
    .command("follow")
    .description("Print new balance changes, votes or signatures as they come.")
    .usage("balances|votes|signatures [flags]")
    .helpCommand(false);
  add(follow, followCommands);
  add(program, [nodesCommand, auditCommand, syncCommand, serveCommand, exploreCommand, fakeNodeCommand]);
  add(program, [completionCommand]);
  program
    .command("version")
    .description("Print the version.")
    .usage("[flags]")
    .action(() => print(`${readVersion()}\n`));
  program.hook("preAction", async (_, command) => {
    refuseArguments(command);
    await applyDefaults(io, program, command);
    requireFlags(command);
  });
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

const samples: Readonly<Record<string, string>> = {
  TIME: "2024-02-01",
  ID: exampleIds.party,
  NAME: "vote",
  NODE: "https://a.example https://b.example",
  PATH: "/api/v2/assets",
  DESTINATION: "vega.db",
  SHELL: "bash",
};

function requireFlags(command: Command): void {
  const isMissing = (option: Option) => command.getOptionValue(option.attributeName()) === undefined;
  const missing = command.options.find((option) => option instanceof Flag && option.isMandatory && isMissing(option));
  if (missing === undefined) return;
  const [, value = ""] = /<(.+)>/.exec(missing.flags) ?? [];
  throw new UsageError(`Expected ${missing.long} ${value}, such as ${missing.long} ${samples[value] ?? value}.`);
}

/** @throws {@link UsageError} for text without a flag, where commander would only count it. */
function refuseArguments(command: Command): void {
  const isTakingAll = command.registeredArguments.some(({ variadic }) => variadic);
  const other = isTakingAll ? undefined : command.args[command.registeredArguments.length];
  if (other === undefined) return;
  const ids = command.options.filter(({ flags }) => flags.endsWith("<ID>"));
  const named = isId(other) ? ids : command.options.filter(({ long }) => long === "--node" && /[:.]/.test(other));
  const names = named.map(({ long }) => long).join(" or ");
  const advice = names === "" ? `Use vegaprotocol ${pathOf(command)} --help.` : `Pass it with ${names}.`;
  const further = command.registeredArguments.length > 0 ? "further " : "";
  throw new UsageError(`Expected no ${further}arguments, got "${hidePassword(other)}". ${advice}`);
}

const earlyText = "Flags follow the command, such as vegaprotocol balances --node URL.";

function printError(io: Io, text: string): void {
  const isEarly = io.argv[0]?.startsWith("-");
  const lines = text
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/Option '.*(--[\w-]+) .*' argument missing$/m, "Expected $1 to be followed by a value")
    .replace(
      /Missing required argument '(\w+)'$/m,
      (_, name: string) => `Expected ${name}, such as ${samples[name] ?? name}`,
    )
    .replace(/(?<=Unknown option '--(csv|json|ndjson|table)')$/m, ". Did you mean --format $1?")
    .replace(/(?<=Unknown option '--from').*/s, isEarly ? "$&" : ". This command has no range of time.")
    .replace(/\s*\(Did you mean (.*?)\?\)/, ". Did you mean $1?")
    .replace(/(?<=Unknown command .*\?)$/m, " Use --help for a list.")
    .replace(/(?<=Unknown (?:option|command) '[^']*')\s*$/, `. ${isEarly ? earlyText : "Use --help for a list."}`)
    .replace(
      /Option '[^']*?(--[\w-]+)[^']*' cannot be used with option '[^']*?(--[\w-]+).*/,
      "$1 cannot be used with $2",
    )
    .replace("Unknown option", "Unknown flag")
    .split(/\s*\n\s*/)
    .filter((line) => line !== "");
  // A shell can expand `*` to any names of files.
  const sentences = lines.map((line) => (/[.?)]$/.test(line) ? line : `${line}.`));
  io.stderr.write(`${errorLabel(io)} ${printable(sentences.join(" "))}\n`);
}

const errorLabel = (io: Io): string =>
  hasColors(io, io.stderr) ? styleText("red", "Error:", { validateStream: false }) : "Error:";

const helpWidth = ({ stdout, env }: Io): number =>
  Math.min(100, Math.max(40, stdout.isTTY ? widthOf(stdout) : Number(env["COLUMNS"]) || 80));

const readVersion = (): string => JSON.parse(readOwnFile("package.json")).version;

function report(error: unknown, io: Io, command: Command | undefined): number {
  const [cause, advice] = error instanceof ErrorWithAdvice ? [error.cause, error.message] : [error, undefined];
  if (cause instanceof OutputClosed) return exitCodes.done;
  const { text, exitCode } = describe(cause instanceof OutputError ? writeError("stdout", cause) : cause, command);
  io.stderr.write(`${cause instanceof Interruption ? "" : `${errorLabel(io)} `}${printable(text)}\n`);
  for (const line of advice?.split("\n") ?? []) printMessage(io, line);
  const causes = command?.opts()["verbose"] && cause instanceof Error ? causesOf(cause.cause) : [];
  if (causes.length > 0) printMessage(io, `Cause: ${causes.map(({ message }) => message).join(": ")}`);
  return exitCode;
}

function describe(thrown: unknown, command: Command | undefined): { text: string; exitCode: number } {
  const error = recordError(thrown) ?? thrown;
  const message = error instanceof Error && error.message !== "" ? error.message : String(error);
  const text = message.replaceAll(/\s+/g, " ");
  if (error instanceof Interruption || error instanceof ExitError) return { text, exitCode: error.exitCode };
  if (!VegaError.is(error)) return { text, exitCode: exitCodes.failed };
  // A failed request does not show that records differ.
  const isIncomplete = PaginationError.is(error) || command?.opts()["check"];
  const code = ArgumentError.is(error) ? "usage" : isIncomplete ? "incomplete" : "failed";
  const flags = command?.options.flatMap(({ long }) => long ?? []) ?? [];
  // Nanoseconds are shown as times. An amount of tokens can have the same digits.
  const isOfTime = !ArgumentError.is(error) || /timestamp|^(?:from|to|time|now)$/i.test(error.argument ?? "");
  const shown = isOfTime
    ? text.replaceAll(/(?<![\w.])(["`]?)(1\d{18})n?\1(?!\w)/g, (_, __, digits: string) => formatTime(digits))
    : text;
  return {
    text: withFlagNames(withoutMethods(shown), flags),
    exitCode: exitCodes[RateLimitError.is(error) ? "rateLimited" : code],
  };
}
