import type { Command, CommandContext } from "../command.js";
import { bashScript } from "../completion/bash.js";
import { fishScript } from "../completion/fish.js";
import { zshScript } from "../completion/zsh.js";
import { exitCodes, UsageError } from "../exit.js";
import { print } from "../message.js";
import { suggest } from "../suggest.js";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints a script that completes commands, flags and the values of flags. */
export async function completion({ io, positionals }: CommandContext, commands: readonly Command[]): Promise<number> {
  const [entered = ""] = positionals;
  const shells = Object.keys(scripts) as (keyof typeof scripts)[];
  const shell = shells.find((each) => each === entered);
  if (shell === undefined) {
    throw new UsageError(
      `Expected ${shells.join(" or ")} after completion, got ${entered}.${suggest(entered, shells)}`,
    );
  }
  await print(io, scripts[shell](commands));
  return exitCodes.done;
}
