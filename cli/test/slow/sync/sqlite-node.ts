import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
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

const changer = fileURLToPath(new URL("change.js", import.meta.url));

/** Runs statements on a database. */
export async function changeDatabase(file: string, ...statements: readonly string[]): Promise<void> {
  const { stderr, code } = await runNode([changer, file, ...statements]);
  if (code !== 0) throw new Error(stderr);
}

const querier = fileURLToPath(new URL("query.js", import.meta.url));

/** The rows of a query, with integers as text. */
export async function queryDatabase(file: string, sql: string): Promise<Record<string, string>[]> {
  const { stdout, stderr, code } = await runNode([querier, file, "{}", JSON.stringify([sql])]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout)[0].rows;
}

const reader = fileURLToPath(new URL("read.js", import.meta.url));

/** What a database holds. */
export interface Content {
  positions: { list: string; position: string }[];
  balances: Record<string, string>[];
  votes: { record: string }[];
  versions: { record: string }[];
  signatures: object[];
  profiles: { party: string }[];
  integrity: object[];
}

export async function readDatabase(file: string): Promise<Content> {
  const { stdout, stderr, code } = await runNode([reader, file]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

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
  return { path, start, stored: () => readDatabase(path()) };
}
