import type { Command } from "../command.js";
import type { Flag } from "../flags.js";
import { allCommands, flagsOf, shorten, wordsAfter } from "./words.js";

const complete = "complete -c vegaprotocol-client";

/** The completions of fish, with descriptions. */
export function fishScript(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => [name, summary] as const);
  return `function __vegaprotocol_client_command
  set -l words (commandline -opc)
  if test "$words[2]" = follow
    string join ' ' -- $words[2..3]
  else
    echo "$words[2]"
  end
end
function __vegaprotocol_client_list
  set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '.*,')
  for name in $argv
    echo "$before$name"
  end
end
function __vegaprotocol_client_at
  set -l token (commandline -ct | string replace -r '^--[^=]*=' '')
  if string match -q -- '@*' $token
    printf '@%s\\n' (__fish_complete_path (string sub -s 2 -- $token))
  end
end
${complete} -f
${complete} -n 'test -z (__vegaprotocol_client_command)' -l help -d 'Show the help'
${complete} -n 'test -z (__vegaprotocol_client_command)' -l version -d 'Show the version'
${names.map(([name, text]) => wordOf("", name, text)).join("")}${allCommands(commands)
  .map((command) => linesOf(command, commands))
  .join("")}`;
}

function linesOf(command: Command, commands: readonly Command[]): string {
  const { name, takesFile } = command;
  const words = wordsAfter(command, commands).map(([word, text]) => wordOf(name, word, text));
  const files = takesFile ? `${complete} -n ${is(name)} -F\n` : "";
  return [...words, files, ...flagsOf(command).map((flag) => flagOf(name, flag))].join("");
}

const is = (name: string) => quote(`test (__vegaprotocol_client_command) = ${name === "" ? '""' : `"${name}"`}`);

const wordOf = (command: string, word: string, text: string) =>
  `${complete} -n ${is(command)} -a ${word}${text === "" ? "" : ` -d ${quote(shorten(text))}`}\n`;

function flagOf(command: string, { name, short, value, text, choices, listOf, isFile }: Flag): string {
  const words =
    name === "header"
      ? "(__vegaprotocol_client_at)"
      : choices
        ? choices.join(" ")
        : listOf
          ? `(__vegaprotocol_client_list ${listOf.join(" ")})`
          : "";
  const values =
    value === undefined
      ? ""
      : isFile && name !== "header"
        ? " -r -F"
        : ` -x${words === "" ? "" : ` -a ${quote(words)}`}`;
  const names = `${short === undefined ? "" : ` -s ${short}`} -l ${name}`;
  return `${complete} -n ${is(command)}${names}${values} -d ${quote(shorten(text))}\n`;
}

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
