import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { listen } from "vegaprotocol-client/testing/node";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { npmCi } from "../../../../scripts/npm-ci.js";

const run = promisify(execFile);
const runtimes = fileURLToPath(new URL("../../../../test/slow/runtimes", import.meta.url));

/** A Node.js with `node:sqlite`, which the oldest version that the package runs on does not have. */
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
export async function runNode(args: readonly string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await run(node, [...args], { maxBuffer: 2 ** 28 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Ended;
    return { code, stdout, stderr };
  }
}

/** Runs a script of this folder, and returns what it prints. */
async function runScript(name: string, ...args: readonly string[]): Promise<string> {
  const tsx = name.endsWith(".ts") ? ["--import", createRequire(import.meta.url).resolve("tsx")] : [];
  const { stdout, stderr, code } = await runNode([...tsx, fileURLToPath(new URL(name, import.meta.url)), ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Runs statements on a database, and returns their rows, with integers as text. Each one gets the parameters that it names. */
export async function queryDatabase(file: string, queries: readonly string[], parameters: object = {}) {
  const rows = await runScript("query.js", file, JSON.stringify(parameters), JSON.stringify(queries));
  return JSON.parse(rows) as Record<string, string | null>[][];
}

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
  JSON.parse(await runScript("read.ts", name, ...schema)) ?? undefined;

/** A folder for each test, and nodes that end with it. */
export function useDatabase() {
  let folder: string;
  let closing: (() => Promise<void>)[];
  beforeAll(installNode);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sync-"));
    closing = [];
  });
  afterEach(async () => {
    for (const close of closing) await close();
    await rm(folder, { recursive: true });
  });
  const path = (name = "vega.db") => join(folder, name);
  /** Serves a node, and returns what runs `sync` with it. */
  async function start(node: { fetch(request: Request): Promise<Response> }, name?: string) {
    const server = await listen(node);
    closing.push(() => server.close());
    const sync = (...args: string[]) => runNode([main, "sync", path(name), "--node", server.url, ...args]);
    return Object.assign(sync, { url: server.url });
  }
  return { path, start };
}
