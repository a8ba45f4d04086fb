import type { Command, Context } from "../command.js";
import { exitCodes, UsageError } from "../exit.js";
import { type Flag, generalFlags, visible } from "../flags.js";
import { print } from "../message.js";
import { suggest } from "../suggest.js";

const shells = ["bash", "zsh"];

/** Prints a script that completes commands, flags and the values of flags. */
export async function completion({ io, positionals }: Context, commands: readonly Command[]): Promise<number> {
  const [shell = ""] = positionals;
  if (!shells.includes(shell)) {
    throw new UsageError(`Expected bash or zsh after completion, got ${shell}.${suggest(shell, shells)}`);
  }
  // zsh runs completions of bash.
  const start =
    shell === "zsh" ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" : "";
  await print(io, start + script(commands));
  return exitCodes.done;
}

function script(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands
    .flatMap((command) => [...(command.subcommands ?? []), command])
    .map((command) => {
      const flags = [...visible(command.flags), ...generalFlags];
      const words = [...flags.map(({ name }) => `--${name}`), ...wordsOf(command, names)].join(" ");
      const values = flags.filter(({ value }) => value !== undefined).map(valueCase);
      return `    ${command.name.includes(" ") ? `"${command.name}"` : `"${command.name} "*`})
      case "$previous" in
${values.join("")}      esac
      words="${words}" ;;
`;
    });
  return `_vegaprotocol_client() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  local command="\${COMP_WORDS[1]} "
  if [ "$COMP_CWORD" -gt 2 ]; then command+="\${COMP_WORDS[2]}"; fi
  COMPREPLY=()
  case "$command" in
${cases.join("")}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${names} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _vegaprotocol_client vegaprotocol-client
`;
}

/** What follows a flag: one of its values, or a file or other text, which the shell completes. */
function valueCase({ name, short, choices }: Flag): string {
  const pattern = short === undefined ? `--${name}` : `--${name}|-${short}`;
  const reply = choices === undefined ? "" : `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current")); `;
  return `        ${pattern}) ${reply}return ;;\n`;
}

function wordsOf({ name, subcommands = [] }: Command, commands: string): string[] {
  if (name === "help") return [commands];
  if (name === "completion") return shells;
  return subcommands.map((command) => command.name.slice(name.length + 1));
}
