/**
 * Checks that modules of both packages depend on each other in one direction, and prints which folder depends on which. The rules
 * also hold for imports of types.
 */
import { readFileSync } from "node:fs";
import Table from "cli-table3";
import { cruise, type IForbiddenRuleType, type IModule } from "dependency-cruiser";
import { runScript } from "../run-script.js";

/** The folders that make up the client. A module imports from its own folder and from those before it. */
const layers = ["values", "errors", "async", "arguments", "http", "evidence", "list", "scan", "client"];
/** Entries of the package of their own. */
const entries = ["testing", "validate", "pool", "follow", "query", "reports"];
/** What runs on Node.js alone. */
const onNode = "^src/testing/node/";

const rules: IForbiddenRuleType[] = [
  ...layers.map((layer, index) => ({
    name: `${layer} imports only from ${["generated", ...layers.slice(0, index)].join(", ")}`,
    from: { path: `^src/${layer}/` },
    to: { path: "^src/", pathNot: `^src/(${layers.slice(0, index + 1).join("|")})/` },
  })),
  ...entries.map((entry) => ({
    name: `nothing imports from ${entry}`,
    from: {
      path: "^(src|generated)/",
      pathNot: `^src/${entry}/|^generated/`,
    },
    to: { path: `^src/${entry}/` },
  })),
  {
    name: "only testing/node imports modules of Node.js",
    from: { path: "^src/", pathNot: onNode },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "only testing/node imports from testing/node",
    from: { path: "^src/", pathNot: onNode },
    to: { path: onNode },
  },
  {
    name: "src imports only from src, generated and openapi-fetch",
    from: { path: "^src/" },
    to: { pathNot: "^(src|generated)/|openapi-fetch", dependencyTypesNot: ["core"] },
  },
  {
    name: "the command line imports the client by its name only",
    from: { path: "^cli/(src|generated)/" },
    to: { path: "^(src|generated|scripts|test|docs|bench)/" },
  },
  {
    name: "generated imports only types, except the validators",
    from: { path: "^generated/", pathNot: "^generated/shapes.ts$" },
    to: { path: "^src/", dependencyTypesNot: ["type-only"] },
  },
  ...["src", "cli/src"].map((folder) => ({
    name: `no cycles in ${folder}`,
    from: { path: `^${folder}/` },
    to: { circular: true, viaOnly: { path: `^${folder}/` } },
  })),
  {
    name: "no cycles through generated, except of types",
    from: { path: "^src/" },
    to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
  },
];

/** The folder of a module, as it is printed. */
const folderOf = (file: string) =>
  /^(?:src\/testing\/node|(?:cli\/)?(?:src\/[^/]+(?=\/)|src|generated))/.exec(file)?.[0];

function printFolders(modules: readonly IModule[]): void {
  const folders = new Map<string, { modules: number; lines: number; imports: Set<string> }>();
  for (const { source, dependencies } of modules) {
    const name = folderOf(source);
    if (name === undefined) continue;
    const folder = folders.get(name) ?? { modules: 0, lines: 0, imports: new Set() };
    folders.set(name, folder);
    folder.modules++;
    folder.lines += readFileSync(source, "utf8").split("\n").length - 1;
    for (const { resolved } of dependencies) {
      const imported = folderOf(resolved);
      if (imported !== undefined && imported !== name) folder.imports.add(imported.replace("src/", ""));
    }
  }
  const table = new Table({
    head: ["folder", "modules", "lines", "imports from"],
    colAligns: ["left", "right", "right", "left"],
    style: { head: [], border: [], compact: true },
  });
  for (const [name, { modules, lines, imports }] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    table.push([name, modules, lines, [...imports].sort().join(", ")]);
  }
  console.log(table.toString());
}

/** Returns the modules of a project, and the imports that break a rule. */
export async function readStructure(folder: string): Promise<{ modules: readonly IModule[]; problems: string[] }> {
  const { output } = await cruise(["src", "generated", "cli/src"], {
    baseDir: folder,
    ruleSet: { forbidden: rules.map((rule) => ({ severity: "error", ...rule })) },
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
  });
  if (typeof output === "string") throw new Error(output);
  const problems = output.summary.violations.map(({ from, to, rule }) => `${from} → ${to}: ${rule.name}`);
  return { modules: output.modules, problems };
}

async function main(): Promise<void> {
  const { modules, problems } = await readStructure(process.cwd());
  printFolders(modules);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

await runScript(import.meta.url, main);
