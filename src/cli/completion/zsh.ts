import type { Command } from "../command.js";
import type { Flag } from "../flags.js";
import { allCommands, flagsOf, shorten, type Words, wordsAfter } from "./words.js";

/** The completions of zsh, with descriptions. */
export function zshScript(commands: readonly Command[]): string {
  const names: Words = commands.map(({ name, summary }) => [name, summary]);
  const cases = allCommands(commands).map((command) => caseOf(command, commands));
  return `#compdef vegaprotocol-client
_vegaprotocol_client() {
  local -a entries
  local command=$words[2]
  if (( CURRENT == 2 )); then
    entries=(${names.map(describe).join(" ")})
    _describe -t commands command entries
    _arguments '--help[Show the help]' '--version[Show the version]'
    return
  fi
  shift words
  (( CURRENT-- ))
  if [[ $command == follow && CURRENT -gt 2 ]]; then
    command="follow $words[2]"
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${cases.join("")}  esac
}
if [[ $funcstack[1] == _vegaprotocol-client ]]; then
  _vegaprotocol_client "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _vegaprotocol_client vegaprotocol-client
fi
`;
}

function caseOf(command: Command, commands: readonly Command[]): string {
  const words = wordsAfter(command, commands);
  const entries = words.length === 0 ? "" : `      entries=(${words.map(describe).join(" ")})\n`;
  const argument = command.takesFile
    ? " '1:file:_files'"
    : words.length > 0
      ? ` '1:word:{_describe word entries}'`
      : "";
  const flags = flagsOf(command).map((flag) => `        ${specOf(flag)}`);
  return `    ${quote(command.name)})
${entries}      _arguments -s${argument} \\
${flags.join(" \\\n")} ;;
`;
}

/** As \`_arguments\` reads a flag: its names, its text, and what its value is completed with. */
function specOf({ name, short, value, multiple, text, choices, listOf, isFile }: Flag): string {
  const action = choices
    ? `(${choices.join(" ")})`
    : listOf
      ? `_sequence compadd - ${listOf.join(" ")}`
      : isFile
        ? name === "header"
          ? "{compset -P @ && _files}"
          : "_files"
        : " ";
  const rest = `[${shorten(text).replaceAll(/[\\[\]:]/g, "\\$&")}]${value === undefined ? "" : `:${value}:${action}`}`;
  const long = `--${name}${value === undefined ? "" : "="}`;
  if (short === undefined) return quote(`${multiple ? "*" : ""}${long}${rest}`);
  const shortSpec = `-${short}${value === undefined ? "" : "+"}`;
  return `${quote(`(-${short} --${name})`)}{${shortSpec},${long}}${quote(rest)}`;
}

const describe = ([word, text]: readonly [string, string]) =>
  quote(text === "" ? word : `${word}:${shorten(text).replaceAll(":", "\\:")}`);

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
