/** Proves that what would be published is complete. `npm run release:check` says what is missing. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import semver from "semver";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  version: string;
  license: string;
  exports: Record<string, string | { types: string; default: string }>;
}

export interface Release {
  manifest: Manifest;
  /** The files of the tarball. */
  packed: readonly string[];
  changelog: string;
  /** `info.version` of the description. */
  described: string;
  /** What git has to say of the working tree; empty where it is clean. */
  uncommitted: string;
}

/** What is wrong with a release, in sentences; nothing where it is complete. */
export function problemsOf({ manifest, packed, changelog, described, uncommitted }: Release): string[] {
  const { version } = manifest;
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target),
  );
  const needed = [...targets.map((target) => target.replace("./", "")), "README.md", "LICENSE", "CHANGELOG.md"];
  const allowed =
    /^(?:dist\/(?:src|generated)\/.*\.(?:js|d\.ts)|openapi\.yaml|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  const entry = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\((.+)\\)$`, "m").exec(changelog);
  return [
    ...needed.filter((file) => !packed.includes(file)).map((file) => `The tarball lacks ${file}.`),
    ...packed.filter((file) => !allowed.test(file)).map((file) => `The tarball has ${file}, which nobody needs.`),
    ...(semver.valid(version) ? [] : [`package.json has the version ${version}, which is none.`]),
    ...(described === version ? [] : [`openapi.yaml says ${described}, package.json ${version}.`]),
    ...(entry ? [] : [`CHANGELOG.md has no entry for ${version}.`]),
    ...(entry && !/^\d{4}-\d\d-\d\d$/.test(entry[1] ?? "")
      ? [`CHANGELOG.md calls ${version} "${entry[1]}": it wants a date.`]
      : []),
    ...(uncommitted === "" ? [] : [`There are changes that are not committed:\n${uncommitted}`]),
  ];
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const output = run("npm", "pack", "--dry-run", "--json");
  const [{ files }] = JSON.parse(output.slice(output.indexOf("["))) as [{ files: { path: string }[] }];
  const problems = problemsOf({
    manifest: JSON.parse(read("package.json")),
    packed: files.map(({ path }) => path),
    changelog: read("CHANGELOG.md"),
    described: parse(read("openapi.yaml")).info.version,
    uncommitted: run("git", "status", "--short").trim(),
  });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`Complete: ${files.length} files are ready to be published.`);
}
