import type { Command, Option } from "commander";
import { allCommands, type Definition, pathOf } from "../command.js";
import { UsageError } from "../errors.js";
import { write } from "../io.js";
import { namedLists } from "../sync/destination.js";

const shells = {
  bash: bashScript,
  zsh: (program: Command) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`,
  fish: fishScript,
};

export const completionCommand: Definition<object> = {
  name: "completion",
  summary: "Print a script that completes commands and flags in a shell.",
  details:
    'SHELL is bash, zsh or fish. Add eval "$(vegaprotocol completion bash)" to ~/.bashrc, the same with zsh to ~/.zshrc after compinit, ' +
    "or `vegaprotocol completion fish | source` to ~/.config/fish/config.fish.",
  arguments: ["<SHELL>"],
  flags: [],
  examples: ["completion bash", "completion zsh", "completion fish"],
  run: async (io, _, [shell = ""], { parent }) => {
    const script = Object.hasOwn(shells, shell) ? shells[shell as keyof typeof shells] : undefined;
    if (!script) throw new UsageError(`Expected SHELL to be one of ${Object.keys(shells).join(", ")}, got "${shell}".`);
    await write(io.stdout, script(parent as Command));
  },
};

const valuesOf = ({ description }: Option) => /One of: ([^.]+)\./.exec(description)?.[1]?.replaceAll(",", "") ?? "";
const argumentWords: Readonly<Record<string, readonly string[]>> = { SHELL: Object.keys(shells), LIST: namedLists };
const argumentsOf = ({ registeredArguments }: Command) =>
  registeredArguments.flatMap((each) => argumentWords[each.name()] ?? []);
/** The subcommands with their summaries, and `help`, which commander does not list. */
const subcommandsOf = ({ commands, parent }: Command) => [
  ...commands.map((each) => [each.name(), each.summary() || each.description()] as const),
  ...(parent === null ? [["help", "Print the help of a command."] as const] : []),
];
const namesOf = (command: Command) => subcommandsOf(command).map(([name]) => name);
const flagsOf = ({ options }: Command) => options.flatMap(({ short, long }) => [short, long]).filter(Boolean);

function bashScript(program: Command): string {
  const commands = allCommands(program).map((command) => {
    const words = [...namesOf(command), ...argumentsOf(command), ...flagsOf(command)].join(" ");
    // A shell completes names of files where there are no words.
    const values = command.options
      .filter(({ required }) => required)
      .map((option) => `${[option.short, option.long].filter(Boolean).join("|")}) words="${valuesOf(option)}" ;;`);
    return `    "${pathOf(command)}") case $before in ${values.join(" ")} *) words="${words}" ;; esac ;;`;
  });
  // bash divides words at "=", zsh does not.
  return `_vegaprotocol() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= words= prefix=
  [[ $before == "=" ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  [[ $word == "=" ]] && word=
  [[ $word == --*=* ]] && before=\${word%%=*} prefix=\${word%%=*}= word=\${word#*=}
  (( COMP_CWORD > 1 )) && command=\${COMP_WORDS[1]}
  [[ $command == follow ]] && (( COMP_CWORD > 2 )) && command="follow \${COMP_WORDS[2]}"
  case $command in
${commands.join("\n")}
    "help") words="${namesOf(program).join(" ")}" ;;
  esac
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$word"))
}
complete -o default -F _vegaprotocol vegaprotocol
`;
}

function fishScript(program: Command): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  // By position, because an argument can have the name of a command.
  const isAt = (word: string, index: number) => `contains -- ${word} (commandline -opc)[${index + 2}]`;
  const lines = allCommands(program).flatMap((command) => {
    const path = pathOf(command);
    const where = path === "" ? ["__fish_use_subcommand"] : path.split(" ").map(isAt);
    const names = subcommandsOf(command).map(([name, summary]) => `-f -a ${name} -d ${quote(summary)}`);
    const isFile = command.registeredArguments.some((each) => argumentWords[each.name()] === undefined);
    const words = argumentsOf(command).map((word) => `${isFile ? "" : "-f "}-a ${word}`);
    const flags = command.options.map((option) => {
      const values = valuesOf(option);
      const name = `${option.short ? `-s ${option.short.slice(1)} ` : ""}-l ${(option.long ?? "").slice(2)}`;
      const value = option.required ? (values === "" ? " -r" : ` -x -a ${quote(values)}`) : "";
      return `${name}${value} -d ${quote(option.description.replace(/\.(?=\s|$).*/s, "."))}`;
    });
    const rules = [...names, ...words, ...flags];
    return rules.map((rule) => `complete -c vegaprotocol -n ${quote(where.join("; and "))} ${rule}`);
  });
  const ofHelp = namesOf(program).map((name) => `complete -c vegaprotocol -n '${isAt("help", 0)}' -f -a ${name}`);
  return `${[...lines, ...ofHelp].join("\n")}\n`;
}
