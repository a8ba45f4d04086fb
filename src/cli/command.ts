import type { Values } from "./flag-values.js";
import type { Flag } from "./flags.js";
import type { Io } from "./io.js";

/** What a command is run with. */
export interface CommandContext {
  readonly io: Io;
  readonly values: Values;
  readonly positionals: readonly string[];
}

/** A command of the program, as data. */
export interface Command {
  readonly name: string;
  /** As in `FILE`; empty if it takes no arguments apart from flags. */
  readonly usage: string;
  /** The smallest and the largest number of arguments apart from flags. */
  readonly arity: readonly [number, number];
  readonly summary: string;
  readonly details?: string;
  readonly flags: readonly Flag[];
  /** Whether its argument is the name of a file. */
  readonly takesFile?: true;
  /** The exit codes that it can have. */
  readonly exits: readonly number[];
  /** Commands whose names begin with that of this one, as in `follow votes`. */
  readonly subcommands?: readonly Command[];
  /** Loads what the command needs and runs it. Returns the exit code. Nothing of it is loaded for the help. */
  run(context: CommandContext): Promise<number>;
}
