import { execFile, execSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether the machine can install packages for Python. Debian has the modules for that in a package of their own, python3-venv. */
export function hasPython(): boolean {
  try {
    execSync("python3 -c 'import sys, ensurepip, venv; assert sys.version_info >= (3, 11)'", { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs the packages of `requirements.txt` in a folder, with verified checksums, unless they are installed.
 *
 * @param environment - Where to.
 * @returns The folder of their commands.
 */
export async function installPython(folder: string, environment: string): Promise<string> {
  const requirements = join(folder, "requirements.txt");
  const done = join(environment, "installed.txt");
  const wanted = await readFile(requirements, "utf8");
  if (existsSync(done) && (await readFile(done, "utf8")) === wanted) return join(environment, "bin");
  await rm(environment, { recursive: true, force: true });
  await run("python3", ["-m", "venv", environment]);
  await run(join(environment, "bin/pip"), ["install", "--quiet", "--require-hashes", "--requirement", requirements]);
  await writeFile(done, wanted);
  return join(environment, "bin");
}
