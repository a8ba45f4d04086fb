/** Checks that the package is ready to be published. `npm run check -- release` prints what is missing. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import semver from "semver";
import { parse } from "yaml";
import { runScript } from "../run-script.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  version: string;
  license: string;
  repository?: string | { url: string };
  exports: Record<string, string | Record<"import" | "require", { types: string; default: string }>>;
}

export interface Release {
  manifest: Manifest;
  /** The files of the tarball. */
  packed: readonly string[];
  changelog: string;
  /** `info.version` of the description. */
  described: string;
  /** The output of `git status --short`, which is empty for a clean working tree. */
  uncommitted: string;
}

/** What prevents a release, in sentences. Empty if the release is complete. */
export function problemsOf({ manifest, packed, changelog, described, uncommitted }: Release): string[] {
  const { version } = manifest;
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target).flatMap(Object.values<string>),
  );
  const needed = [...targets.map((target) => target.replace("./", "")), "README.md", "LICENSE", "CHANGELOG.md"];
  const allowed =
    /^(?:dist\/(?:cjs\/)?(?:(?:src|generated)\/.*\.(?:js|d\.ts)|package\.json)|openapi\.yaml|generated\/openapi\.json|gateway\.yaml|package\.json|(?:README|CHANGELOG|AGENTS|SKILL)\.md|LICENSE)$/;
  const entry = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\((.+)\\)$`, "m").exec(changelog);
  return [
    ...(manifest.repository ? [] : [unknownRepository]),
    ...needed.filter((file) => !packed.includes(file)).map((file) => `The tarball lacks ${file}.`),
    ...packed
      .filter((file) => !allowed.test(file))
      .map((file) => `The tarball has ${file}, which is not part of the package.`),
    ...(semver.valid(version) ? [] : [`Expected package.json to have a version such as 1.2.3, got ${version}.`]),
    ...(described === version ? [] : [`openapi.yaml has version ${described}, package.json ${version}.`]),
    ...(entry ? [] : [`CHANGELOG.md has no entry for ${version}.`]),
    ...(entry && !/^\d{4}-\d\d-\d\d$/.test(entry[1] ?? "")
      ? [`Expected CHANGELOG.md to have the date of ${version}, got "${entry[1]}".`]
      : []),
    ...(uncommitted === "" ? [] : [`There are changes that are not committed:\n${uncommitted}`]),
  ];
}

/** npm publishes with provenance only from this repository. It derives `bugs` and `homepage`, and the links of the README. */
const unknownRepository =
  'The address of the repository is unknown: set `repository` in package.json, as in "github:OWNER/vegaprotocol-client".';

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** What a release would be now. The package has to be built. */
export function readRelease(): Release {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const output = run("npm", "pack", "--dry-run", "--json", "--ignore-scripts");
  const [{ files }] = JSON.parse(output.slice(output.indexOf("["))) as [{ files: { path: string }[] }];
  return {
    manifest: JSON.parse(read("package.json")),
    packed: files.map(({ path }) => path),
    changelog: read("CHANGELOG.md"),
    described: parse(read("openapi.yaml")).info.version,
    uncommitted: run("git", "status", "--short").trim(),
  };
}

function main(): void {
  const release = readRelease();
  const problems = problemsOf(release);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log(`Complete: ${release.packed.length} files are ready to be published.`);
}

await runScript(import.meta.url, main);
