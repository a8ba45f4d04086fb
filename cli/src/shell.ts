/** The command that continues an interrupted one. Values of headers are left out, since they may be secrets. */
export function continueCommand(
  argv: readonly string[],
  flags: readonly string[],
  platform = process.platform,
): string {
  const words = argv.map((word, index) => {
    if (word.startsWith("--header=") && !word.startsWith("--header=@")) return "--header=…";
    return argv[index - 1] === "--header" && !word.startsWith("@") ? "…" : quoteWord(word, platform);
  });
  return ["vegaprotocol", ...words, ...flags.map((flag) => quoteWord(flag, platform))].join(" ");
}

/** Quotes a word for a shell: of Windows, for its command prompt and PowerShell. */
export function quoteWord(word: string, platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform !== "win32") return `'${word.replaceAll("'", "'\\''")}'`;
  // Programs on Windows read a backslash as an escape only before a quote.
  return `"${word.replaceAll(/(\\*)("|$)/g, (_, slashes: string, quote: string) => slashes + slashes + (quote && '\\"'))}"`;
}
