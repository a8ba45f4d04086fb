import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { run } from "../../support/run.js";
import { collectSamples, root } from "../../support/samples/collect.js";
import { entries } from "../../support/samples/entries.js";

// Inside the package, so that its name resolves to its build.
const folder = join(root, "reports/samples");
const setting = join(root, "test/support/samples/setting.js");
const samples = collectSamples()
  .filter(({ language }) => language === "ts")
  .map((sample, index) => ({ ...sample, file: `sample-${index}.ts` }));
/** What the compiler reports, by file. */
const problems = new Map<string, string[]>();
let failures: Record<string, string>;
let outputs: Record<string, string>;

/** The names of the setting and of the package, which a sample does not declare. */
async function declareGlobals(): Promise<string> {
  const names = await Promise.all(
    [setting, ...entries].map(async (from) =>
      Object.keys(await import(from))
        .filter((name) => !(name in globalThis))
        .map((name) => `  const ${name}: typeof import("${from}").${name};\n`),
    ),
  );
  return `declare global {\n${names.flat().join("")}}\nexport {};\n`;
}

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  npmCi(join(root, "docs"));
  // With the libraries that samples import.
  symlinkSync(join(root, "docs/node_modules"), join(folder, "node_modules"), "junction");
  // Samples show values without using them.
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  const compilerOptions = { ...unused, verbatimModuleSyntax: false, isolatedModules: false };
  const config = { extends: "../../tsconfig.json", include: ["."], compilerOptions };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(join(folder, "globals.d.ts"), await declareGlobals());
  for (const { file, code } of samples) writeFileSync(join(folder, file), `${code}\nexport {};\n`);
  const compiler = [join(root, "node_modules/typescript-7/bin/tsc"), "--project", folder, "--pretty", "false"];
  const compiled = await run(process.execPath, compiler).catch((error: { stdout: string }) => error);
  for (const [, path = "", text = ""] of compiled.stdout.matchAll(/^(.+)\(\d+,\d+\): error (.+)$/gm))
    problems.set(basename(path), [...(problems.get(basename(path)) ?? []), text]);
  const files = samples.filter(({ runs }) => runs).map(({ file }) => join(folder, file));
  const runner = [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "test/support/samples/run.ts"), ...files];
  const { stdout } = await run(process.execPath, runner, { cwd: root });
  ({ failures, outputs } = JSON.parse(stdout));
});

describe("a sample in the documentation", () => {
  test.each(samples)(
    "compiles, runs and prints what the page shows, unless it is marked otherwise: $place",
    (sample) => {
      const { file, runs, output } = sample;
      expect(problems.get(file)).toBeUndefined();
      if (runs) expect(failures[file]).toBeUndefined();
      if (runs && output !== undefined) expect(outputs[file]).toBe(output);
    },
  );

  test("is found in the README, the pages, the docstrings and the description", () => {
    const pages = ["README.md", "docs/testing.md", "src/client/client.ts", "src/testing/fake-node.ts", "openapi.yaml"];
    for (const page of pages) expect(samples.some(({ place }) => place.startsWith(page))).toBe(true);
    expect(samples.length).toBeGreaterThan(40);
  });
});
