/**
 * `npm run release -- --dry-run` rehearses a release: it checks the package, publishes it to a registry on loopback, and installs it
 * from there into new projects. A release itself is a tag, which `.github/workflows/release.yml` publishes.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { runScript } from "./run-script.js";

const root = fileURLToPath(new URL("..", import.meta.url));

function npm(...args: string[]): void {
  execFileSync("npm", ["run", ...args], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
}

await runScript(import.meta.url, () => {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean" } } });
  if (!values["dry-run"]) {
    throw new Error(
      `Expected --dry-run. To publish version ${manifest.version}: git tag v${manifest.version} && git push origin v${manifest.version}`,
    );
  }
  npm("test:slow", "--", "test/slow/release");
  npm("check", "--", "release");
});
