import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.portable.json`, ts.sys.readFile);
const project = ts.parseJsonConfigFileContent(config, ts.sys, root);
const file = `${root}src/program.ts`;
const header = 'import * as vega from "./index.js";\nconst client = vega.createClient({ baseUrl: "" });\n';

/** What an editor shows at the marks `⟦name⟧` of programs that use the package. All are one file, which is compiled once. */
export function openEditor(programs: readonly string[]) {
  let text = header;
  const positions = programs.map((program, index) => {
    text += `namespace program${index} {\n`;
    const position = text.length + program.indexOf("⟦");
    text += `${program.replaceAll(/[⟦⟧]/g, "")}\n}\n`;
    return position;
  });
  const service = ts.createLanguageService({
    getScriptFileNames: () => [...project.fileNames, file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
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
  return positions.map((position) => {
    const { displayParts, documentation, tags = [] } = service.getQuickInfoAtPosition(file, position) ?? {};
    const tagged = tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
    return {
      text: ts.displayPartsToString(displayParts),
      documentation: [ts.displayPartsToString(documentation), ...tagged].join("\n"),
      completions: () => (service.getCompletionsAtPosition(file, position, {})?.entries ?? []).map(({ name }) => name),
    };
  });
}
