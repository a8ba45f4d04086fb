/** Checks that both packages are ready to be published. `npm run check -- release` prints what is missing. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import semver from "semver";
import { parse } from "yaml";
import { runScript } from "../run-script.js";
import { stageCommandLine } from "../stage-command-line.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  name: string;
  version: string;
  license: string;
  repository?: string | { url: string };
  bin?: Readonly<Record<string, string>>;
  exports: Record<string, string | Record<"import" | "require", { types: string; default: string }>>;
  dependencies?: Readonly<Record<string, string>>;
}

interface Package {
  manifest: Manifest;
  /** The files of the tarball. */
  packed: readonly string[];
}

export interface Release {
  client: Package;
  commandLine: Package;
  changelog: string;
  /** `info.version` of the description. */
  described: string;
  /** The output of `git status --short`, which is empty for a clean working tree. */
  uncommitted: string;
}

/** What the tarballs may have. */
const ofBoth = String.raw`openapi\.yaml|package\.json|(?:README|CHANGELOG)\.md|LICENSE`;
const ofClient = new RegExp(
  String.raw`^(?:dist/(?:cjs/)?(?:(?:src|generated)/.*\.(?:js|d\.ts)|package\.json)|generated/openapi\.json|docs/(?:[\w-]+\.md|pictures/[\w-]+\.svg)|skills/.+/SKILL\.md|${ofBoth})$`,
);
const ofCommandLine = new RegExp(String.raw`^(?:dist/[^/]+\.js|gateway\.yaml|${ofBoth})$`);

/** What is missing in a tarball, and what it has too much. */
function problemsIn({ manifest: { name, bin = {}, exports }, packed }: Package, allowed: RegExp): string[] {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target).flatMap(Object.values<string>),
  );
  const paths = [...targets, ...Object.values(bin)].map((target) => target.replace("./", ""));
  return [
    ...[...paths, "README.md", "LICENSE", "CHANGELOG.md"]
      .filter((file) => !packed.includes(file))
      .map((file) => `The tarball of ${name} lacks ${file}.`),
    ...packed
      .filter((file) => !allowed.test(file))
      .map((file) => `The tarball of ${name} has ${file}, which is not part of the package.`),
  ];
}

/** What prevents a release, in sentences. Empty if the release is complete. */
export function problemsOf({ client, commandLine, changelog, described, uncommitted }: Release): string[] {
  const { manifest } = client;
  const { version } = manifest;
  const { version: other, dependencies } = commandLine.manifest;
  const needed = dependencies?.[manifest.name];
  const [, date] = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\((.+)\\)$`, "m").exec(changelog) ?? [];
  const rules: [isMet: boolean, problem: string][] = [
    [manifest.repository !== undefined, unknownRepository],
    [semver.valid(version) !== null, `Expected package.json to have a version such as 1.2.3, got ${version}.`],
    [other === version, `cli/package.json has version ${other}, package.json ${version}.`],
    [needed === version, `Expected the command line to need version ${version} of the client, got ${needed}.`],
    [described === version, `openapi.yaml has version ${described}, package.json ${version}.`],
    [date !== undefined, `CHANGELOG.md has no entry for ${version}.`],
    [
      /^\d{4}-\d\d-\d\d$/.test(date ?? "1970-01-01"),
      `Expected CHANGELOG.md to have the date of ${version}, got "${date}".`,
    ],
    [uncommitted === "", `There are changes that are not committed:\n${uncommitted}`],
  ];
  const unmet = rules.flatMap(([isMet, problem]) => (isMet ? [] : [problem]));
  return [...problemsIn(client, ofClient), ...problemsIn(commandLine, ofCommandLine), ...unmet];
}

/** npm publishes with provenance only from this repository. It derives `bugs` and `homepage`, and the links of the README. */
const unknownRepository =
  'The address of the repository is unknown: set `repository` in package.json, as in "github:OWNER/vegaprotocol-client".';

function run(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function readPackage(folder: string): Package {
  const output = run(folder, "npm", "pack", "--dry-run", "--json", "--ignore-scripts");
  const [{ files }] = JSON.parse(output.slice(output.indexOf("["))) as [{ files: { path: string }[] }];
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { manifest, packed: files.map(({ path }) => path) };
}

/** What a release would be now. The packages have to be built. */
export function readRelease(): Release {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  try {
    stageCommandLine(join(folder, "package"));
    return {
      client: readPackage(root),
      commandLine: readPackage(join(folder, "package")),
      changelog: read("CHANGELOG.md"),
      described: parse(read("openapi.yaml")).info.version,
      uncommitted: run(root, "git", "status", "--short").trim(),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await runScript(import.meta.url, () => {
  const release = readRelease();
  const problems = problemsOf(release);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const files = release.client.packed.length + release.commandLine.packed.length;
  console.log(`Complete: ${files} files are ready to be published.`);
});
