/** The command that continues an interrupted one. Values of headers are left out, since they may be secrets. */
export function resumeCommand(argv: readonly string[], flag = "--resume"): string {
  const words = argv
    .filter((word) => word !== "--force" && word !== "--resume")
    .map((word, index, all) => {
      if (word.startsWith("--header=") && !word.startsWith("--header=@")) return "--header=…";
      return all[index - 1] === "--header" && !word.startsWith("@") ? "…" : quoteWord(word);
    });
  return ["vegaprotocol-client", ...words, flag].join(" ");
}

const quoteWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
