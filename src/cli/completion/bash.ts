import type { Command } from "../command.js";
import type { Flag } from "../flags.js";
import { allCommands, flagsOf, wordsAfter } from "./words.js";

/** The completions of bash, from version 3.2 on. */
export function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = allCommands(commands).map((command) => caseOf(command, commands));
  return `_vegaprotocol_client() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]} " flags="" words="" values="" list="" kind="" prefix="" at=""
  # bash divides words at = and @. What it replaces has the @.
  if [[ "$current" == "=" || "$current" == "@" ]]; then
    current=""
  elif [[ "$previous" == "=" || "$previous" == "@" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [[ "\${COMP_LINE:0:COMP_POINT}" == *[[:space:]=]@"$current" ]]; then at="@"; fi
  if [[ "$COMP_CWORD" -gt 2 ]]; then command+="\${COMP_WORDS[2]}"; fi
  COMPREPLY=()
  case "$command" in
${cases.join("")}  esac
  if [[ "$COMP_CWORD" -eq 1 ]]; then
    flags="--help --version" words="${names}" kind=""
  elif [[ "$previous" != -* || "$COMP_CWORD" -eq 2 ]]; then
    values="" list=""
    if [[ "$kind" == "value" || "$kind" == "path" ]]; then kind=""; fi
  fi
  if [[ -n "$values" ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ -n "$list" ]]; then
    if [[ "$current" == *,* ]]; then prefix="\${current%,*},"; fi
    compopt -o nospace 2> /dev/null
    COMPREPLY=($(compgen -P "$prefix" -W "$list" -- "\${current##*,}"))
  elif [[ "$kind" == "path" || ( "$kind" == "argument" && "$current" != -* ) ]]; then
    IFS=$'\\n'
    # bash would escape the @.
    if [[ -z "$at" ]]; then compopt -o filenames 2> /dev/null; fi
    COMPREPLY=($(compgen -P "$at" -f -- "$current"))
  elif [[ "$kind" != "value" ]]; then
    COMPREPLY=($(compgen -W "$words $flags" -- "$current"))
  fi
}
complete -F _vegaprotocol_client vegaprotocol-client
`;
}

function caseOf(command: Command, commands: readonly Command[]): string {
  const { name, takesFile } = command;
  const flags = flagsOf(command);
  const words = wordsAfter(command, commands).map(([word]) => word);
  return `    ${name.includes(" ") ? `"${name}"` : `"${name} "*`})
      flags="${flags.map((flag) => `--${flag.name}`).join(" ")}" words="${words.join(" ")}" kind="${takesFile ? "argument" : ""}"
      case "$previous" in
${flags.map(valueCase).join("")}      esac ;;
`;
}

function valueCase({ name, short, value, choices, listOf, isFile }: Flag): string {
  if (value === undefined) return "";
  const pattern = short === undefined ? `--${name}` : `--${name} | -${short}`;
  const reply = choices ? `values="${choices.join(" ")}"` : listOf ? `list="${listOf.join(" ")}"` : "";
  return `        ${pattern}) ${reply || `kind="${isFile ? "path" : "value"}"`} ;;\n`;
}
