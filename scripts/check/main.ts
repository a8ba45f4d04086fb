/**
 * Runs checks and prints a line for each: `npm run check`, or some of them by name, such as `npm run check -- size spelling`. The
 * output of a check follows if the check fails or if it was named.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { runScript } from "../run-script.js";

interface Check {
  /** They run one after the other, until one of them fails. */
  commands: readonly string[];
  /** Whether they read `dist/`, which is built first. */
  needsBuild?: true;
  /** Whether the check runs only if it is named. */
  onlyByName?: true;
}

/** TypeScript 7, which is several times as fast. What needs its API has `typescript`, which is 5.9. */
const tsc = "node node_modules/typescript-7/bin/tsc";

const checks: Readonly<Record<string, Check>> = {
  lint: {
    commands: [
      "redocly lint openapi.yaml",
      // It refers to the other description by its name, as in the package.
      "f=$(mktemp -d) && cp openapi.yaml cli/gateway.yaml cli/redocly.yaml $f && redocly lint --config $f/redocly.yaml $f/gateway.yaml && rm -r $f",
    ],
  },
  generated: { commands: ["tsx scripts/generate/main.ts --check"] },
  types: { commands: [`${tsc} -p tsconfig.portable.json`, tsc] },
  code: { commands: ["biome check --error-on-warnings ."] },
  spelling: { commands: ["cspell --no-progress --no-summary ."] },
  structure: { commands: ["depcruise src generated cli/src"] },
  package: {
    commands: [
      "publint --strict",
      // Otherwise npm would build the package once more to pack it.
      "npm_config_ignore_scripts=true attw --pack . --profile node16 --exclude-entrypoints openapi.yaml openapi.json",
      "f=$(mktemp -d) && tsx scripts/stage-command-line.ts $f/cli && publint --strict $f/cli && rm -r $f",
    ],
    needsBuild: true,
  },
  size: { commands: ["tsx scripts/check/size.ts"], needsBuild: true },
  instantiations: { commands: ["tsx scripts/check/instantiations.ts"], needsBuild: true },
  bench: { commands: [`${tsc} -p bench`], needsBuild: true },
  docs: { commands: ["tsx scripts/docs/main.ts install", `${tsc} -p docs`], onlyByName: true },
  release: {
    commands: ["tsx scripts/docs/main.ts check", "tsx scripts/check/release.ts"],
    onlyByName: true,
  },
};

async function main(): Promise<void> {
  const { positionals: names } = parseArgs({ allowPositionals: true });
  const unknown = names.find((name) => !(name in checks));
  if (unknown !== undefined) {
    throw new Error(`There is no check "${unknown}". The checks are ${Object.keys(checks).join(", ")}.`);
  }
  const selected = Object.entries(checks).filter(([name, { onlyByName }]) =>
    names.length > 0 ? names.includes(name) : !onlyByName,
  );
  const build: Check = { commands: ["tsx scripts/build.ts"] };
  if (selected.some(([, { needsBuild }]) => needsBuild) && !(await perform("build", build, false))) return;
  const next = async (): Promise<void> => {
    const [name, check] = selected.shift() ?? [];
    if (name === undefined || check === undefined) return;
    await perform(name, check, names.length > 0);
    return next();
  };
  // Most of them use one processor. Those that run by name alone install the same packages.
  await Promise.all(names.length > 0 ? [next()] : [next(), next()]);
}

/** Runs a check and prints the result. Returns whether it passed. */
async function perform(name: string, { commands }: Check, isVerbose: boolean): Promise<boolean> {
  const start = performance.now();
  let output = "";
  let status = 0;
  for (const command of commands) {
    if (status !== 0) break;
    const result = await run(command);
    output += result.output;
    status = result.status;
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? "passed" : "FAILED"}  ${name.padEnd(14)} ${seconds.padStart(5)} s`);
  if (status !== 0) process.exitCode = 1;
  if (status !== 0 || isVerbose) console.log(`\n${output.trim()}\n`);
  return status === 0;
}

/** Runs a command of the project's dependencies, which npm adds to `PATH`. */
async function run(command: string): Promise<{ status: number; output: string }> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status: status ?? 1, output };
}

await runScript(import.meta.url, main);
