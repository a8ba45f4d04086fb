import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs the dependencies of a folder with a lock file of its own, unless they are installed as the lock file says.
 *
 * @param options.omit - Leaves out `devDependencies`. Those of the slow tests are for the nightly ones.
 */
export function npmCi(folder: string, { omit }: { omit?: "dev" | undefined } = {}): void {
  const [manifest, lock, installed] = ["package.json", "package-lock.json", "node_modules/.package-lock.json"].map(
    (file) => join(folder, file),
  ) as [string, string, string];
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  const names = Object.keys({ ...dependencies, ...(omit === undefined && devDependencies) });
  // npm writes its own lock file at the end of an installation.
  const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
  if (isCurrent && names.every((name) => existsSync(join(folder, "node_modules", name)))) return;
  // The standard output belongs to the caller.
  execFileSync("npm", ["ci", "--loglevel", "error", ...(omit ? [`--omit=${omit}`] : [])], {
    cwd: folder,
    stdio: ["ignore", process.stderr, "inherit"],
    shell: process.platform === "win32",
  });
}
