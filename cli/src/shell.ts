/** Flags with a short name. */
const shortNames: Readonly<Record<string, string>> = { "--output": "-o", "--limit": "-n" };

/**
 * The command that continues an interrupted one, with other values of some flags. Values of headers are left out, since they may be
 * secrets.
 *
 * @param flags - Names and values by turns.
 */
export function continueCommand(
  argv: readonly string[],
  flags: readonly string[],
  platform = process.platform,
): string {
  const names = flags.filter((_, index) => index % 2 === 0).flatMap((name) => [name, shortNames[name] ?? name]);
  const isReplaced = (word: string, index: number) =>
    names.includes(argv[index - 1] ?? "") ||
    names.some((name) => word === name || word.startsWith(name.startsWith("--") ? `${name}=` : name));
  const words = argv.flatMap((word, index) => {
    if (isReplaced(word, index)) return [];
    if (word.startsWith("--header=") && !word.startsWith("--header=@")) return "--header=…";
    return argv[index - 1] === "--header" && !word.startsWith("@") ? "…" : quoteWord(hidePassword(word), platform);
  });
  return ["vegaprotocol", ...words, ...flags.map((flag) => quoteWord(flag, platform))].join(" ");
}

/** The address of a database without its password. */
export const hidePassword = (word: string): string =>
  /^postgres(?:ql)?:/.test(word)
    ? word.replace(/^(\w+:\/\/[^:@/?]*):[^/?]*@/, "$1:…@").replaceAll(/([?&]password=)[^&]*/g, "$1…")
    : word;

/** Quotes a word for a shell: of Windows, for its command prompt and PowerShell. */
function quoteWord(word: string, platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform !== "win32") return `'${word.replaceAll("'", "'\\''")}'`;
  // Programs on Windows read a backslash as an escape only before a quote.
  return `"${word.replaceAll(/(\\*)("|$)/g, (_, slashes: string, quote: string) => slashes + slashes + (quote && '\\"'))}"`;
}
