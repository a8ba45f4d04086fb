import { commands } from "./commands.js";
import { exitCodes, UsageError } from "./exit.js";
import { readArgv } from "./flag-values.js";
import { findCommand, printCommandHelp, printOverview } from "./help.js";
import type { Io } from "./io.js";
import { print } from "./message.js";

/** Runs the command line, and returns the exit code. */
export async function run(io: Io): Promise<number> {
  const [name = "--help"] = io.argv;
  let isVerbose = false;
  try {
    if (name === "--help" || name === "-h") {
      await printOverview(io, commands);
      return io.argv.length === 0 ? exitCodes.usage : exitCodes.done;
    }
    if (name === "--version") {
      await print(io, `${(await import("./version.js")).readVersion()}\n`);
      return exitCodes.done;
    }
    if (name.startsWith("-")) {
      throw new UsageError(`Expected a command before ${name}, as in: vegaprotocol-client balances ${name}`);
    }
    const command = findCommand(io.argv, commands);
    const argv = io.argv.slice(command.name.split(" ").length);
    const { values, positionals } = readArgv(argv, command.flags, command.name);
    if (values.has("help")) {
      await printCommandHelp(io, command);
      return exitCodes.done;
    }
    isVerbose = values.has("verbose");
    const [least, most] = command.arity;
    if (positionals.length < least || positionals.length > most) {
      const expected = command.usage === "" ? "no arguments apart from flags" : command.usage;
      throw new UsageError(`Expected ${expected} after ${command.name}, got ${positionals.join(" ") || "nothing"}.`);
    }
    return await command.run({ io, values, positionals });
  } catch (error) {
    return (await import("./report.js")).report(error, io, isVerbose);
  }
}
