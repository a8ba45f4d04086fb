import type { Command } from "../command.js";
import { type Flag, generalFlags, visible } from "../flags.js";

/** The commands of a shell's completions, with those of a subcommand before their command. */
export const allCommands = (commands: readonly Command[]): Command[] =>
  commands.flatMap((command) => [...(command.subcommands ?? []), command]);

/** The flags of a command, with those of every command. */
export const flagsOf = ({ flags }: Command): Flag[] => visible([...flags, ...generalFlags]);

/** The words that can follow a command. */
export function wordsAfter({ name, usage, subcommands }: Command, commands: readonly Command[]): Words {
  if (name === "help") return commands.map((command) => [command.name, command.summary]);
  if (subcommands) return subcommands.map((each) => [each.name.slice(name.length + 1), each.summary]);
  return /^\w+(?:\|\w+)+$/.test(usage) ? usage.split("|").map((word) => [word, ""]) : [];
}

/** Words with their descriptions. */
export type Words = readonly (readonly [word: string, text: string])[];

/** The first sentence of a text, which has room in a list. */
export const shorten = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0].slice(0, -1) ?? text;
