/**
 * Compares the description with an earlier one: what was added, changed and removed, and which version that needs.
 *
 *   npm run spec:diff                      with the last release, or before the first with the last commit
 *   npm run spec:diff -- v1.0.0            with a git ref
 *   npm run spec:diff -- other.yaml        with a file
 *   npm run spec:diff -- --markdown        as a list for CHANGELOG.md
 *   npm run spec:diff -- --json            as JSON
 *   npm run spec:diff -- --check           fails if the version in package.json is too low
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import semver from "semver";
import { parse } from "yaml";
import { runScript } from "../run-script.js";
import { compare, type Impact } from "./compare.js";
import { type DescriptionDiff, printMarkdown, printText } from "./print.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

const order: Impact[] = ["major", "minor", "patch"];

/** Compares the texts of two descriptions. */
export function diff(base: string, revision: string, name: string): DescriptionDiff {
  const before = parse(base);
  const after = parse(revision);
  const all = compare(before, after);
  const changes = order.flatMap((impact) => all.filter((each) => each.impact === impact));
  const impact = changes[0]?.impact ?? "none";
  const { version } = before.info;
  return { base: { name, version }, impact, version: nextVersion(version, impact), changes };
}

/** Below 1.0.0, a breaking change increases the minor version, and any other change the patch version. */
export function nextVersion(version: string, impact: Impact | "none"): string {
  if (impact === "none") return version;
  const release = semver.major(version) > 0 ? impact : impact === "major" ? "minor" : "patch";
  return semver.inc(version, release) ?? version;
}

/** The description to compare with: a file, or `openapi.yaml` at a git ref. */
async function readBase(given: string | undefined): Promise<{ source: string; name: string }> {
  if (given !== undefined && existsSync(given)) return { source: await readFile(given, "utf8"), name: given };
  const name = given ?? (await lastRelease()) ?? "HEAD";
  const { stdout } = await run("git", ["show", `${name}:openapi.yaml`], { cwd: root, maxBuffer: 2 ** 26 }).catch(() => {
    throw new Error(`Expected a file, or a git ref with an openapi.yaml, got ${JSON.stringify(name)}.`);
  });
  return { source: stdout, name };
}

async function lastRelease(): Promise<string | undefined> {
  const describe = ["describe", "--tags", "--abbrev=0", "--match", "v*"];
  const { stdout } = await run("git", describe, { cwd: root }).catch(() => ({ stdout: "" }));
  return stdout.trim() || undefined;
}

async function main(): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    options: { json: flag, markdown: flag, check: flag },
    allowPositionals: true,
  });
  const [given] = positionals;
  if (values.check && given === undefined && (await lastRelease()) === undefined) {
    return console.log("There is no release yet, so any version is high enough.");
  }
  const { source, name } = await readBase(given);
  const result = diff(source, await readFile(join(root, "openapi.yaml"), "utf8"), name);
  if (values.json) console.log(JSON.stringify(result, null, 2));
  else console.log(values.markdown ? printMarkdown(result) : printText(result));
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  if (values.check && semver.lt(version, result.version)) {
    throw new Error(`Expected package.json to have version ${result.version} or later, got ${version}.`);
  }
}

await runScript(import.meta.url, main);
