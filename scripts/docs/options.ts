/**
 * Writes the tables of options into the pages, from the docstrings of the types: `tsx scripts/docs/options.ts`. A table stands
 * between two comments:
 *
 *   <!-- options: ScanOptions without CallOptions -->
 *   <!-- /options -->
 *
 * The options of the second type are named in one row.
 */
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { runScript } from "../run-script.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const docs = `${root}docs/`;
const table = /^(<!-- options: (\w+)(?: without (\w+))? -->\n)[\s\S]*?^(<!-- \/options -->)$/gm;

/** Returns a function that renders the tables of a page. */
function createRender(): (page: string) => string {
  const program = readProgram();
  const checker = program.getTypeChecker();
  const types = new Map(readExports(program).map((symbol) => [symbol.name, symbol]));
  const optionsOf = (name: string) => {
    const symbol = types.get(name);
    if (!symbol) throw new Error(`Expected the package to export the type ${name}.`);
    return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  };

  const rowsOf = (options: readonly ts.Symbol[], prefix: string): string[] =>
    options.flatMap((option) => {
      const name = prefix + option.name;
      const rows = rowsOf(nestedOptions(option), `${name}.`);
      const value = rows.length > 0 ? "" : readDefault(option);
      return [`| \`${name}\` | ${value} | ${readMeaning(option)} |`, ...rows];
    });

  /** The options that an option can have itself. */
  const nestedOptions = (option: ts.Symbol): ts.Symbol[] => {
    const type = checker.getTypeOfSymbol(option);
    const types = (type.isUnion() ? type.types : [type]).filter((each) => /Options$/.test(each.symbol?.name ?? ""));
    return types.flatMap((each) => checker.getPropertiesOfType(each));
  };

  /** The text of a docstring, with its links as code. */
  const textOf = (option: ts.Symbol) =>
    ts.displayPartsToString(option.getDocumentationComment(checker)).replaceAll(/\{@link ([^\s}]+) ?\}/g, "`$1`");

  const readDefault = (option: ts.Symbol): string => {
    const meaning = textOf(option).replaceAll("\n", " ");
    const [, text] = defaultOf.exec(meaning) ?? [];
    if (text !== undefined) return withUnit(text, meaning);
    return option.flags & ts.SymbolFlags.Optional ? "none" : "required";
  };

  const readMeaning = (option: ts.Symbol): string =>
    textOf(option)
      .replaceAll(/\s*\n\s*/g, " ")
      .replace(defaultOf, "")
      // The first sentence: editors and the API reference show the rest.
      .replace(/^(.+?\.) [A-Z`"].*$/, "$1")
      .replaceAll("|", "\\|");

  return (page) =>
    page.replaceAll(table, (_, begin: string, name: string, without?: string, end?: string) => {
      const others = without === undefined ? [] : optionsOf(without);
      const options = optionsOf(name);
      const own = options.filter((option) => !others.includes(option));
      const rows = rowsOf(own, "");
      const inherited = options.filter((option) => others.includes(option)).map((option) => `\`${option.name}\``);
      const meaning = without === "AttemptOptions" ? "As for the client." : "[As for every call](errors.md#options).";
      if (inherited.length > 0) rows.push(`| ${inherited.join(", ")} | | ${meaning} |`);
      return `${begin}\n| Option | Default | Meaning |\n|---|---|---|\n${rows.join("\n")}\n\n${end}`;
    });
}

const defaultOf = / ?Default: ([^.]+(?:\.\w[^.]*)*)\./;

/** A default with its unit, which the meaning names. */
function withUnit(value: string, meaning: string): string {
  if (!/^[\d_]+$/.test(value)) return value;
  const number = Number(value.replaceAll("_", ""));
  if (/\bin bytes\b/.test(meaning) && number % 2 ** 20 === 0) return `${number / 2 ** 20}\u00a0MiB`;
  const digits = String(number).replace(/(?<=\d\d)(?=\d{3}$)/, ",");
  return /\bmilliseconds\b/i.test(meaning) ? `${digits}\u00a0ms` : digits;
}

/** The pages with outdated tables. */
export async function outdatedPages(): Promise<{ name: string; rendered: string }[]> {
  const render = createRender();
  const names = (await readdir(docs)).filter((name) => name.endsWith(".md") && name !== "changelog.md");
  const pages = await Promise.all(names.map(async (name) => ({ name, source: await readFile(docs + name, "utf8") })));
  return pages.flatMap(({ name, source }) => {
    const rendered = render(source);
    return rendered === source ? [] : [{ name, rendered }];
  });
}

/** The entries of the package that are modules, with their source. */
function readEntries(): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  return Object.values(exports as Record<string, string | { import: { types: string } }>).flatMap((target) =>
    typeof target === "string" ? [] : root + target.import.types.replace("./dist/", "").replace(".d.ts", ".ts"),
  );
}

/** The sources of the package, with their types. */
function readProgram(): ts.Program {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  return ts.createProgram(readEntries(), ts.parseJsonConfigFileContent(config, ts.sys, root).options);
}

/** Every symbol that the package exports, by one entry each: two would leave open what to import it from. */
function readExports(program: ts.Program): ts.Symbol[] {
  const checker = program.getTypeChecker();
  const symbols = readEntries().flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile);
    return checker
      .getExportsOfModule(module as ts.Symbol)
      .map((each) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each));
  });
  const repeated = symbols.find((symbol, index) => symbols.indexOf(symbol) !== index);
  if (repeated) throw new Error(`Expected one entry to export ${repeated.name}.`);
  return symbols;
}

await runScript(import.meta.url, async () => {
  for (const { name, rendered } of await outdatedPages()) await writeFile(docs + name, rendered);
});
