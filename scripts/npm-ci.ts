import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Installs the dependencies of a folder with a lock file of its own, unless they are installed as the lock file says. */
export function npmCi(folder: string): void {
  const [lock, installed] = ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
    join(folder, file),
  ) as [string, string];
  // npm writes the second file at the end of an installation.
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  // The standard output belongs to the caller.
  execFileSync("npm", ["ci", "--loglevel", "error"], {
    cwd: folder,
    stdio: ["ignore", process.stderr, "inherit"],
    shell: process.platform === "win32",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.argv.slice(2).forEach(npmCi);
