/** Refuses a description that cannot be generated from, with what the linter says about it. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Problem {
  ruleId: string;
  message: string;
  location: { start?: { line: number } }[];
}

/** The rules that the generators rely on. The others protect documentation and examples, which can be missing for now. */
const neededRules = ["struct", "no-unresolved-refs", "description/named-objects", "description/extensions"];

/**
 * Checks a description before it is generated from.
 *
 * @throws `Error` with the problems that the linter finds.
 */
export async function checkDescription(file: string): Promise<void> {
  const problems = (await lint(file)).filter(({ ruleId }) => neededRules.includes(ruleId));
  if (problems.length === 0) return;
  const name = relative(root, file);
  const lines = problems.map(
    ({ ruleId, message, location: [place] }) => `${name}:${place?.start?.line ?? 1}: ${message} (${ruleId})`,
  );
  throw new Error(`${lines.join("\n")}\nNothing was generated. \`npm run lint\` shows each place.`);
}

function lint(file: string): Promise<Problem[]> {
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  const argv = [cli, "lint", file, "--config", "redocly.yaml", "--format", "json", "--max-problems", "1000"];
  return new Promise((resolve, reject) => {
    // The exit code is 1 if there are problems.
    execFile(process.execPath, argv, { cwd: root, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout).problems);
      } catch {
        reject(new Error(`The linter cannot read ${relative(root, file)}: ${stderr.trim() || stdout.trim()}`));
      }
    });
  });
}
