import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmCi } from "../../../../scripts/npm-ci.js";
import { run } from "../../../../test/support/run.js";

const runtimes = fileURLToPath(new URL("../../../../test/slow/runtimes", import.meta.url));

/** A Node.js with `node:sqlite`: the tests themselves can run on one where `libsql` keeps databases. */
export const node = join(runtimes, "node_modules/node24/bin/node");
export const main = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/** Installs it if it is missing. */
export const installNode = (): void => npmCi(runtimes, { omit: "dev" });

/** What the command printed, and its exit code. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command, however it ends. */
export async function runNode(args: readonly string[], program = node): Promise<Ended> {
  try {
    const { stdout, stderr } = await run(program, [...args], { maxBuffer: 2 ** 28 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Ended;
    return { code, stdout, stderr };
  }
}

/** Runs a script of this folder, and returns the JSON that it prints. */
async function runScript(name: string, ...args: readonly string[]): Promise<unknown> {
  const tsx = createRequire(import.meta.url).resolve("tsx");
  const script = fileURLToPath(new URL(name, import.meta.url));
  const { stdout, stderr, code } = await runNode(["--import", tsx, script, ...args]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Runs statements on a database, and returns the rows of each, with integers as text. */
export const queryDatabase = (file: string, ...statements: string[]) => runScript("query.ts", file, ...statements);

/** What a destination has. */
export interface Content {
  readonly checkpoints: readonly { readonly list: string; readonly checkpoint: { readonly position: string } }[];
  readonly balances: readonly object[];
  readonly votes: readonly object[];
  readonly signatures: readonly object[];
  readonly profiles: readonly object[];
}

/** Returns `undefined` if it is not there yet. */
export const readDestination = async (name: string, ...schema: string[]): Promise<Content | undefined> =>
  ((await runScript("read.ts", name, ...schema)) as Content | null) ?? undefined;
