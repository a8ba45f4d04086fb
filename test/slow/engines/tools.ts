/** The engines of PyPI: pinned versions, installed into this folder. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BalanceChange } from "../../../src/index.js";
import { run } from "../../support/run.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const tools = join(here, "tools");
export const python = join(tools, "bin/python");

/**
 * Installs the packages of `requirements.txt` with verified checksums, unless they are installed, which takes minutes and 1.3 GB.
 *
 * @returns Why they cannot run here; `undefined` if they can. The nightly workflow must run them.
 */
export async function installEngines(): Promise<string | undefined> {
  try {
    const requirements = join(here, "requirements.txt");
    const done = join(tools, "installed.txt");
    const wanted = await readFile(requirements, "utf8");
    if (existsSync(done) && (await readFile(done, "utf8")) === wanted) return undefined;
    await rm(tools, { recursive: true, force: true });
    await run("python3", ["-m", "venv", tools]);
    await run(join(tools, "bin/pip"), ["install", "--quiet", "--require-hashes", "--requirement", requirements]);
    await writeFile(done, wanted);
    return undefined;
  } catch (error) {
    if (process.env["GITHUB_ACTIONS"]) throw error;
    return `Skipped: the engines need Python 3.11 or later with venv. ${(error as Error).message}`;
  }
}

/** The variables of a program of Python whose home is a folder, where it finds extensions and keeps its state. */
export function environment(folder: string) {
  return { ...process.env, HOME: folder, DLT_DATA_DIR: join(folder, "dlt"), RUNTIME__DLTHUB_TELEMETRY: "false" };
}

/** Runs a program of Python in a folder. */
export function runPython(folder: string, args: readonly string[], input = ""): Promise<string> {
  const options = { cwd: folder, env: environment(folder), maxBuffer: 2 ** 26 };
  const running = run(python, [...args], options);
  running.child.stdin?.end(input);
  return running.then(({ stdout }) => stdout.trim());
}

/** What `records.py` prints for a destination. */
export const readRecords = (folder: string, source: string, ...query: string[]) =>
  runPython(folder, [join(here, "records.py"), source, ...query]);

/** What `records.py` prints for a destination that has these records. */
export function expectedRecords(records: readonly BalanceChange[]): string {
  const columns = ["timestamp", "balance", "partyId", "assetId", "marketId", "accountType"] as const;
  const lines = records.map((record) => JSON.stringify(columns.map((name) => record[name]))).sort();
  return `${lines.length} ${createHash("sha256").update(lines.join("\n")).digest("hex")}`;
}
