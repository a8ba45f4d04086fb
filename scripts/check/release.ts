/** Checks that both packages are ready to be published. `npm run check -- release` prints missing steps. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { runScript } from "../run-script.js";
import { readPublished } from "../stage-command-line.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  version: string;
  repository?: string | { url: string };
}

export interface Release {
  client: Manifest;
  commandLine: Manifest;
  changelog: string;
  /** `info.version` of the description. */
  described: string;
  /** The output of `git status --short`, which is empty for a clean working tree. */
  uncommitted: string;
}

/** The problems of a release, in sentences. Empty if the release is complete. */
export function problemsOf({ client, commandLine, changelog, described, uncommitted }: Release): string[] {
  const { version, repository } = client;
  const { version: other } = commandLine;
  const [, date] = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\((.+)\\)$`, "m").exec(changelog) ?? [];
  const rules: [isMet: boolean, problem: string][] = [
    // npm publishes with provenance only from this repository. It derives `bugs` and `homepage`, and the links of the README.
    [repository !== undefined, 'Set `repository` in package.json, such as "github:OWNER/vegaprotocol-client".'],
    [other === version, `cli/package.json has version ${other}, package.json ${version}.`],
    [described === version, `openapi.yaml has version ${described}, package.json ${version}.`],
    [/^\d{4}-\d\d-\d\d$/.test(date ?? ""), `Expected CHANGELOG.md to have ${version} with a date, got ${date}.`],
    [uncommitted === "", `There are changes that are not committed:\n${uncommitted}`],
  ];
  return rules.flatMap(([isMet, problem]) => (isMet ? [] : [problem]));
}

/** The current state of a release. */
export function readRelease(): Release {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return {
    client: JSON.parse(read("package.json")),
    commandLine: readPublished(),
    changelog: read("CHANGELOG.md"),
    described: parse(read("openapi.yaml")).info.version,
    uncommitted: execFileSync("git", ["status", "--short"], { cwd: root, encoding: "utf8" }).trim(),
  };
}

await runScript(import.meta.url, () => {
  const problems = problemsOf(readRelease());
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log("Complete: both packages are ready to be published.");
});
