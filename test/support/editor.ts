import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.portable.json`, ts.sys.readFile);
const project = ts.parseJsonConfigFileContent(config, ts.sys, root);

/** What an editor shows of the package, by TypeScript's language service. Texts can replace the files on disk. */
export class Editor {
  readonly #texts = new Map<string, { text: string; version: number }>();
  readonly #service: ts.LanguageService;

  constructor() {
    const versionOf = (file: string) => this.#texts.get(file)?.version ?? 0;
    const textOf = (file: string) => this.#texts.get(file)?.text ?? ts.sys.readFile(file);
    this.#service = ts.createLanguageService({
      getScriptFileNames: () => [...new Set([...project.fileNames, ...this.#texts.keys()])],
      getScriptVersion: (file) => String(versionOf(file)),
      getScriptSnapshot: (file) => {
        const text = textOf(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getCompilationSettings: () => ({ ...project.options, noUnusedLocals: false }),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (file) => this.#texts.has(file) || ts.sys.fileExists(file),
      readFile: textOf,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    });
  }

  /** Replaces the text of a file; `undefined` restores it. */
  replace(file: string, text: string | undefined): void {
    const version = (this.#texts.get(root + file)?.version ?? 0) + 1;
    this.#texts.set(root + file, { text: text ?? readFileSync(root + file, "utf8"), version });
  }

  /** The errors of the compiler in the files of `src/`, as `client.ts: message`. */
  errors(): string[] {
    return project.fileNames
      .filter((file) => file.startsWith(`${root}src/`))
      .flatMap((file) => [
        ...this.#service.getSyntacticDiagnostics(file),
        ...this.#service.getSemanticDiagnostics(file),
      ])
      .map(
        ({ file, messageText }) =>
          `${file?.fileName.split("/").at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      );
  }

  /** The hover at `⟦name⟧` in a program that uses the package. */
  hover(program: string): { text: string; documentation: string } {
    const [before = "", name = "", after = ""] = program.split(/⟦|⟧/);
    const file = this.#write(before + name + after);
    const info = this.#service.getQuickInfoAtPosition(file, this.#header.length + before.length);
    return {
      text: ts.displayPartsToString(info?.displayParts),
      documentation: [
        ts.displayPartsToString(info?.documentation),
        ...(info?.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`),
      ].join("\n"),
    };
  }

  /** The completions at `⟦⟧` in a program that uses the package. */
  completions(program: string): string[] {
    const [before = "", after = ""] = program.split("⟦⟧");
    const file = this.#write(before + after);
    const found = this.#service.getCompletionsAtPosition(file, this.#header.length + before.length, {});
    return (found?.entries ?? []).map(({ name }) => name);
  }

  /** The errors of the compiler in a program that uses the package. */
  diagnostics(program: string): string[] {
    const file = this.#write(program);
    return this.#service
      .getSemanticDiagnostics(file)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  }

  readonly #header = 'import * as vega from "./index.js";\nconst client = vega.createClient({ baseUrl: "" });\n';

  #write(program: string): string {
    this.replace("src/program.ts", this.#header + program);
    return `${root}src/program.ts`;
  }
}
