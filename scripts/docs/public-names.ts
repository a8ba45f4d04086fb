import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The entries of the package that are modules, with their source. */
function readEntries(): [entry: string, source: string][] {
  const { name, exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  return Object.entries(exports as Record<string, string | { import: { types: string } }>).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [[name + path.slice(1), target.import.types.replace("./dist", root).replace(".d.ts", ".ts")]],
  );
}

/** The sources of the package, with their types. */
export function readProgram(): ts.Program {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${root}/tsconfig.json`,
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
      },
    },
  );
  return ts.createProgram(
    readEntries().map(([, source]) => source),
    config?.options ?? {},
  );
}

/** Every symbol that the package exports, with its entry. Each has one: two would leave open what to import it from. */
export function readExports(program: ts.Program): { symbol: ts.Symbol; entry: string }[] {
  const checker = program.getTypeChecker();
  const entries = new Map<ts.Symbol, string>();
  for (const [entry, source] of readEntries()) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(source) ?? fail(`${source} is missing.`));
    for (const exported of checker.getExportsOfModule(module ?? fail(`${source} exports nothing.`))) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const other = entries.get(symbol);
      if (other !== undefined) fail(`Expected one entry to export ${symbol.name}, got ${other} and ${entry}.`);
      entries.set(symbol, entry);
    }
  }
  return [...entries].map(([symbol, entry]) => ({ symbol, entry }));
}

/** The text of a docstring, with its links as code. */
export function readDocstring(declared: ts.Symbol | ts.Signature, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(declared.getDocumentationComment(checker));
  return text.replaceAll(/\{@link ([^\s}]+) ?\}/g, "`$1`");
}

function fail(message: string): never {
  throw new Error(message);
}
