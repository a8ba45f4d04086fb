import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.portable.json`, ts.sys.readFile);
const project = ts.parseJsonConfigFileContent(config, ts.sys, root);
const file = `${root}src/program.ts`;
const header = 'import * as vega from "./index.js";\nconst client = vega.createClient({ baseUrl: "" });\n';

/** What an editor shows of the package, by TypeScript's language service. */
export class Editor {
  #text = header;
  #version = 0;
  readonly #service = ts.createLanguageService({
    getScriptFileNames: () => [...project.fileNames, file],
    getScriptVersion: (name) => String(name === file ? this.#version : 0),
    getScriptSnapshot: (name) => {
      const text = name === file ? this.#text : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => project.options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });

  /** The hovers at `⟦name⟧` in programs that use the package. All are one file, which is compiled once. */
  hovers(programs: readonly string[]): { text: string; documentation: string }[] {
    const positions = this.#write(programs.map((program, index) => `namespace program${index} {\n${program}\n}\n`));
    return positions.map((position) => {
      const { displayParts, documentation, tags = [] } = this.#service.getQuickInfoAtPosition(file, position) ?? {};
      const tagged = tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
      return {
        text: ts.displayPartsToString(displayParts),
        documentation: [ts.displayPartsToString(documentation), ...tagged].join("\n"),
      };
    });
  }

  /** The completions at `⟦⟧` in a program that uses the package. */
  completions(program: string): string[] {
    const [position = 0] = this.#write([program]);
    return (this.#service.getCompletionsAtPosition(file, position, {})?.entries ?? []).map(({ name }) => name);
  }

  /** Replaces the file, and returns the places of the marks. */
  #write(programs: readonly string[]): number[] {
    this.#version++;
    this.#text = header;
    return programs.map((program) => {
      const position = this.#text.length + program.indexOf("⟦");
      this.#text += program.replaceAll(/[⟦⟧]/g, "");
      return position;
    });
  }
}
