import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { collectSamples, root, type Sample } from "../support/samples/collect.js";

// Inside the package, so that its name resolves to its build.
const folder = join(root, "reports/samples");
const setting = join(root, "test/support/samples/setting.ts");
const samples = collectSamples().filter(({ language }) => language === "ts");
const files = new Map<string, Sample>();
const config = join(folder, "tsconfig.json");
let problems: Map<string, string[]>;
let failures: Record<string, string>;
let outputs: Record<string, string>;

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const compilerOptions = {
    noEmit: true,
    // Samples show values without using them.
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    isolatedModules: false,
  };
  writeFileSync(config, JSON.stringify({ extends: "../../tsconfig.json", include: ["."], compilerOptions }));
  for (const [index, sample] of samples.entries()) {
    const file = join(folder, `sample-${index}.ts`);
    files.set(file, sample);
    writeFileSync(file, module(sample.code, []));
  }
  // Names that a sample does not declare are imported from an entry of the package or from the setting.
  const modules: Record<string, string> = { [setting.replace(/\.ts$/, ".js")]: setting };
  for (const [name, entry] of Object.entries(manifest.exports)) {
    if (typeof entry === "string") continue;
    const source = entry.import.types.replace("dist/", "").replace(".d.ts", ".ts");
    modules[posix.join(manifest.name, name)] = join(root, source);
  }
  const program = ts.createProgram(Object.values(modules), { noLib: true, types: [], module: ts.ModuleKind.NodeNext });
  const known = new Map(
    Object.entries(modules).flatMap(([from, file]) => exportsOf(program, file).map((name) => [name, from] as const)),
  );
  const incomplete = await compile();
  for (const [file, { code }] of files) {
    const missing = (incomplete.get(file) ?? []).flatMap(
      (text) => /Cannot find name '(\w+)'|shorthand property '(\w+)'/.exec(text)?.slice(1).find(Boolean) ?? [],
    );
    const imports = [...new Set(missing)].flatMap((name) => {
      const from = known.get(name);
      return from === undefined ? [] : [`import { ${name} } from ${JSON.stringify(from)};`];
    });
    writeFileSync(file, module(code, imports));
  }
  problems = await compile();
  const runs = [...files].filter(([, sample]) => sample.runs).map(([file]) => file);
  const runner = [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "test/support/samples/run.ts"), ...runs];
  const { stdout } = await promisify(execFile)(process.execPath, runner, { cwd: root });
  ({ failures, outputs } = JSON.parse(stdout));
}, 120_000);

/** The setting is imported first: it replaces the global `fetch`. */
const module = (code: string, imports: string[]) =>
  `import ${JSON.stringify(setting.replace(/\.ts$/, ".js"))};\n${imports.join("\n")}\n${code}\nexport {};\n`;

/** The names that a module exports, types included. */
function exportsOf(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  return symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : [];
}

/** The errors that the compiler reports, by file. */
async function compile(): Promise<Map<string, string[]>> {
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  const output = await promisify(execFile)(process.execPath, [compiler, "--project", config, "--pretty", "false"], {
    cwd: root,
  }).catch((error: { stdout: string }) => error);
  const found = new Map<string, string[]>();
  for (const [, file = "", text = ""] of output.stdout.matchAll(/^(.+)\(\d+,\d+\): error (.+)$/gm)) {
    const path = resolve(root, file);
    found.set(path, [...(found.get(path) ?? []), text]);
  }
  if (output instanceof Error && found.size === 0) throw output;
  return found;
}

describe("a sample in the documentation", () => {
  test.each(
    samples.map(({ place, runs, output }, index) => ({
      place,
      runs,
      output,
      file: join(folder, `sample-${index}.ts`),
    })),
  )(
    "compiles, runs and prints what the page shows, unless it is marked otherwise: $place",
    ({ file, runs, output }) => {
      expect(problems.get(file)).toBeUndefined();
      if (runs) expect(failures[file]).toBeUndefined();
      if (runs && output !== undefined) expect(outputs[file]).toBe(output);
    },
  );

  test("is found in the README, the pages, the docstrings and the description", () => {
    for (const where of [
      "README.md",
      "docs/testing.md",
      "src/client/client.ts",
      "src/testing/fake-node.ts",
      "openapi.yaml",
    ]) {
      expect(samples.some(({ place }) => place.startsWith(where))).toBe(true);
    }
    expect(samples.length).toBeGreaterThan(40);
  });
});
