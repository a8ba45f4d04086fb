/**
 * Compares the description with an earlier one: what was added, what changed and what broke, and which version that asks for.
 *
 *   npm run spec:diff                      with the last release; before the first, with the last commit
 *   npm run spec:diff -- v0.1.0            with a git ref
 *   npm run spec:diff -- other.yaml        with a file
 *   npm run spec:diff -- --json            as JSON
 *   npm run spec:diff -- --check           fails where package.json promises less
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify, styleText } from "node:util";
import semver from "semver";
import { parse } from "yaml";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const current = join(root, "openapi.yaml");

export type Impact = "major" | "minor" | "patch" | "none";

export interface DescriptionChange {
  impact: Exclude<Impact, "none">;
  /** In a few words. */
  what: string;
  /** Where it is, as a JSON pointer. */
  path: string;
}

export interface DescriptionDiff {
  base: { name: string; version: string };
  asksFor: Impact;
  /** The least version that the changes ask for; the base's own where there are none. */
  version: string;
  changes: DescriptionChange[];
}

/** What Redocly says of one change. */
interface Found {
  path: string;
  kind: "added" | "removed" | "modified";
  impact: "major" | "minor" | "patch";
  property?: string;
  verdicts: { message: string }[];
}

/** Compares two descriptions. Redocly judges requests and answers separately; what it leaves open is judged here. */
export async function diff(base: string, revision: string, name = base): Promise<DescriptionDiff> {
  const redocly = join(root, "node_modules/@redocly/cli/bin/cli.js");
  const args = [redocly, "diff", base, revision, "--format", "json", "--config", join(root, "redocly.yaml")];
  // It ends with status 1 where something breaks, too: what counts is whether it printed its report.
  const { stdout, stderr } = await run(process.execPath, args, { cwd: root, maxBuffer: 2 ** 28 }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  if (!stdout.startsWith("{")) throw new Error(`redocly diff failed: ${stderr}`);
  const { changes: found } = JSON.parse(stdout) as { changes: Found[] };
  const changes = found.map(judge).sort((a, b) => order.indexOf(a.impact) - order.indexOf(b.impact));
  const asksFor = changes[0]?.impact ?? "none";
  const { version } = parse(await readFile(base, "utf8")).info;
  return { base: { name, version }, asksFor, version: nextVersion(version, asksFor), changes };
}

const order = ["major", "minor", "patch"];

/** Nothing but words: what reads them changes, what runs does not. */
const words = [
  "description",
  "summary",
  "title",
  "example",
  "examples",
  "externalDocs",
  "contact",
  "license",
  "version",
];

function judge({ path, kind, impact, property, verdicts }: Found): DescriptionChange {
  // Redocly takes what is allowed more loosely, or promised more firmly, for words: types that are generated change.
  const isMore =
    impact === "patch" && !(property !== undefined && (words.includes(property) || property.startsWith("x-")));
  const what = verdicts.map(({ message }) => message).join(" ") || (property ? `\`${property}\` ${kind}.` : `${kind}.`);
  return { impact: isMore ? "minor" : impact, what, path };
}

/** Below 1.0.0 the minor number stands for what breaks, and the last one for all else. */
export function nextVersion(version: string, impact: Impact): string {
  if (impact === "none") return version;
  const release = semver.major(version) > 0 ? impact : impact === "major" ? "minor" : "patch";
  return semver.inc(version, release) ?? version;
}

/** What to compare with: a file, or the description at a git ref, copied to a folder. */
async function findBase(given: string | undefined, folder: string): Promise<{ file: string; name: string }> {
  if (given !== undefined && existsSync(given)) return { file: given, name: given };
  const ref = given ?? (await lastRelease()) ?? "HEAD";
  const file = join(folder, "base.yaml");
  const { stdout } = await run("git", ["show", `${ref}:openapi.yaml`], { cwd: root, maxBuffer: 2 ** 26 }).catch(() => {
    throw new Error(`Expected a file, or a git ref with an openapi.yaml, got ${JSON.stringify(ref)}.`);
  });
  await writeFile(file, stdout);
  return { file, name: ref };
}

async function lastRelease(): Promise<string | undefined> {
  const { stdout } = await run("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"], { cwd: root }).catch(
    () => ({
      stdout: "",
    }),
  );
  return stdout.trim() || undefined;
}

const headings = { major: "Breaks", minor: "Adds or changes", patch: "Says differently" };

function print({ base, asksFor, version, changes }: DescriptionDiff): void {
  console.log(`Compared with ${base.name} (version ${base.version}):`);
  for (const impact of order as Exclude<Impact, "none">[]) {
    const some = changes.filter((change) => change.impact === impact);
    if (some.length > 0) console.log(`\n${styleText("bold", headings[impact])}`);
    for (const { what, path } of some) console.log(`  ${what} ${styleText("dim", path)}`);
  }
  console.log(
    changes.length === 0
      ? "\nNothing has changed."
      : `\nThis is a ${asksFor} change: at least version ${version}.${version.startsWith("0.") ? " Below 1.0.0, what breaks asks for a minor version." : ""}`,
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { json: { type: "boolean", default: false }, check: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [given] = positionals;
  if (values.check && given === undefined && (await lastRelease()) === undefined) {
    return console.log("There is no release yet: any version promises enough.");
  }
  const folder = await mkdtemp(join(tmpdir(), "spec-diff-"));
  try {
    const { file, name } = await findBase(given, folder);
    const result = await diff(file, current, name);
    if (values.json) console.log(JSON.stringify(result, null, 2));
    else print(result);
    const { version: promised } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    if (values.check && semver.lt(promised, result.version)) {
      throw new Error(
        `package.json promises ${promised}; the changes of openapi.yaml ask for ${result.version} at least.`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
