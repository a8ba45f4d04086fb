/** The generators of other projects: pinned versions, installed into this folder, and what a machine needs for them. */
import { execFile, execSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import semver from "semver";
import { npmCi } from "../../../scripts/npm-ci.js";
import { installPython as installRequirements } from "../../support/python.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const tools = join(here, "tools");

/** Runs a command. A failure rejects with the output of the command. */
export async function run(
  command: string,
  args: string[],
  { env, ...options }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const settings = { cwd: here, maxBuffer: 2 ** 26, ...options, env: { ...process.env, ...env } };
  const { stdout, stderr } = await promisify(execFile)(command, args, settings).catch((error) => {
    throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
  });
  return stdout + stderr;
}

/** The reason why a tool cannot run on this machine; `undefined` if it can. */
export const missing = {
  go: reasonFor("oapi-codegen", "Go", "go version", "1.25.0"),
  java:
    reasonFor("openapi-generator", "Java", "java -version", "11.0.0") ??
    reasonFor("openapi-generator", "Maven", "mvn --version", "3.0.0"),
  // Debian has the modules that install packages in a package of their own, python3-venv.
  python: reasonFor(
    "schemathesis and the generated Python client",
    "Python with venv",
    "python3 -c 'import sys, ensurepip, venv; print(sys.version)'",
    "3.11.0",
  ),
};

function reasonFor(tool: string, language: string, command: string, least: string): string | undefined {
  try {
    const output = execSync(`${command} 2>&1`, { encoding: "utf8" });
    const version = semver.coerce(/\d+\.\d+(?:\.\d+)?/.exec(output)?.[0]);
    if (version && semver.gte(version, least)) return undefined;
    return `Skipped ${tool}: expected ${language} ${least} or later, got ${version}.`;
  } catch {
    return `Skipped ${tool}: this machine has no ${language}.`;
  }
}

/** Installs the generators of npm, and returns the folder of their commands. */
export async function installNode(): Promise<string> {
  const folder = join(here, "../query");
  npmCi(folder);
  return join(folder, "node_modules/.bin");
}

/** Installs the tools of PyPI, and returns the folder of their commands. */
export const installPython = (): Promise<string> => installRequirements(here, join(tools, "python"));

/** Downloads openapi-generator from Maven Central, verifies its checksum, and returns the path of its jar. */
export async function installJar(): Promise<string> {
  const { artifact, sha256 } = JSON.parse(await readFile(join(here, "maven.json"), "utf8"));
  const [, name, version] = artifact.split(":");
  const jar = join(tools, `${name}-${version}.jar`);
  await mkdir(tools, { recursive: true });
  if (!existsSync(jar)) {
    await run("mvn", ["--quiet", "dependency:copy", `-Dartifact=${artifact}:jar`, `-DoutputDirectory=${tools}`]);
  }
  const actual = createHash("sha256")
    .update(await readFile(jar))
    .digest("hex");
  if (actual === sha256) return jar;
  await rm(jar);
  throw new Error(`Expected ${artifact} to have the SHA-256 ${sha256}, got ${actual}.`);
}
