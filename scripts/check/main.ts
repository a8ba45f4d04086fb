/**
 * Runs checks and prints a line for each: `npm run check`, or some of them by name, such as `npm run check -- size spelling`. The
 * output of a check follows if the check fails or if it was named.
 */
import { exec } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { npmCi } from "../npm-ci.js";
import { runScript } from "../run-script.js";

/** TypeScript 7, which is several times as fast. Tools that need its API have `typescript`, which is 5.9. */
const tsc = "node node_modules/typescript-7/bin/tsc";

/** The folder of the command line as it is published. */
const staged = join(tmpdir(), `vegaprotocol-cli-${process.pid}`);

/** The commands of each check, for any shell. */
const checks: Readonly<Record<string, readonly string[]>> = {
  lint: ["redocly lint openapi.yaml", "redocly lint --config cli/redocly.yaml cli/dist/gateway.yaml"],
  generated: ["tsx scripts/generate/main.ts --check"],
  types: [`${tsc} -p tsconfig.portable.json`, tsc],
  code: ["biome check --error-on-warnings ."],
  spelling: ["cspell --no-progress --no-summary ."],
  structure: ["depcruise src generated cli/src"],
  package: [
    "publint --strict",
    "attw --pack . --profile node16 --exclude-entrypoints openapi.yaml openapi.json",
    `tsx scripts/stage-command-line.ts "${staged}"`,
    `publint --strict "${staged}"`,
  ],
  size: ["tsx scripts/check/size.ts"],
  instantiations: ["tsx scripts/check/instantiations.ts"],
  bench: [`${tsc} -p bench`],
  docs: ["tsx scripts/docs/main.ts install", `${tsc} -p docs`],
  release: ["tsx scripts/docs/main.ts check", "tsx scripts/check/release.ts"],
};
/** They read `dist/`, which is built first. */
const needBuild = ["lint", "package", "size", "instantiations", "bench"];
const onlyByName = ["docs", "release"];
/** They need tools that nothing else uses. */
const needTools = ["spelling", "structure", "package"];
const PATH = [join(import.meta.dirname, "node_modules/.bin"), process.env["PATH"]].join(delimiter);

async function main(): Promise<void> {
  const { positionals: names } = parseArgs({ allowPositionals: true });
  const unknown = names.find((name) => !(name in checks));
  if (unknown !== undefined) {
    throw new Error(`There is no check "${unknown}". The checks are ${Object.keys(checks).join(", ")}.`);
  }
  const isNamed = names.length > 0;
  const selected = isNamed ? names : Object.keys(checks).filter((name) => !onlyByName.includes(name));
  const isBuilt = selected.some((name) => needBuild.includes(name));
  if (isBuilt && !(await perform("build", ["tsx scripts/build.ts"], false))) return;
  if (selected.some((name) => needTools.includes(name))) npmCi(import.meta.dirname);
  const next = async (): Promise<void> => {
    const name = selected.shift();
    if (name === undefined) return;
    await perform(name, checks[name] ?? [], isNamed);
    return next();
  };
  // Most of them use one processor. Those that run by name alone install the same packages.
  await Promise.all(isNamed ? [next()] : [next(), next()]);
  rmSync(staged, { recursive: true, force: true });
}

/** Runs the commands of a check until one fails, and prints the result. Returns whether it passed. npm adds dependencies to `PATH`. */
async function perform(name: string, commands: readonly string[], isVerbose: boolean): Promise<boolean> {
  const start = performance.now();
  // Otherwise npm would build the package once more to pack it.
  const env = { ...process.env, PATH, ...(name === "package" && { npm_config_ignore_scripts: "true" }) };
  const [passed, output] = await new Promise<[boolean, string]>((resolve) =>
    exec(commands.join(" && "), { maxBuffer: 2 ** 26, env }, (error, stdout, stderr) =>
      resolve([error === null, stdout + stderr]),
    ),
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${passed ? "passed" : "FAILED"}  ${name.padEnd(14)} ${seconds.padStart(5)} s`);
  if (!passed) process.exitCode = 1;
  if (!passed || isVerbose) console.log(`\n${output.trim()}\n`);
  return passed;
}

await runScript(import.meta.url, main);
