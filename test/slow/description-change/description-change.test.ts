import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test, vi } from "vitest";
import { parse, parseDocument } from "yaml";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { folderOfFile } from "../../support/folder.js";
import { run as runProgram } from "../../support/run.js";

// What openapi.yaml can say reaches callers without an edit in src: in a copy of the project, the description gets a query
// parameter, a list, a single operation and a member of a record, and a program uses them.
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const consumer = "test/slow/description-change/consumer";
vi.setConfig({ testTimeout: 170_000, hookTimeout: 170_000 });

const path = await folderOfFile();

/** Runs a command in the copy and returns its output. */
async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await runProgram(command, args, { cwd: path(), maxBuffer: 2 ** 26 }).catch((error) => {
    throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

/** Links the packages that are installed. Those of the project itself lead to the copy. */
async function linkModules(modules: string): Promise<void> {
  await mkdir(path(modules));
  for (const name of await readdir(join(root, modules)).catch(() => [])) {
    const own = { "vegaprotocol-client": "..", "vegaprotocol-cli": "../cli" }[name];
    await symlink(own ?? join(root, modules, name), path(join(modules, name)));
  }
}

beforeAll(async () => {
  const skipped = ["node_modules", "dist", "site", ".git", "tools"];
  const isCopied = (file: string) => !skipped.includes(basename(file)) && file !== join(root, "reports");
  await cp(root, path(), { recursive: true, filter: isCopied });
  for (const modules of ["node_modules", "cli/node_modules"]) await linkModules(modules);
  await run("git", "init", "--quiet");
  await run("git", "add", "--all");
  const file = path("openapi.yaml");
  const description = parseDocument(await readFile(file, "utf8"));
  const { parameter, member, paths, schemas } = parse(await readFile(join(here, "additions.yaml"), "utf8"));
  description.addIn(["paths", "/api/v2/votes", "get", "parameters"], description.createNode(parameter));
  const add = (path: string[], added: object) => {
    for (const [name, value] of Object.entries(added))
      description.setIn([...path, name], description.createNode(value));
  };
  add(["components", "schemas", "Vote", "properties"], member);
  add(["components", "schemas"], schemas);
  add(["paths"], paths);
  await writeFile(file, String(description));
  // Without the linter, which wants samples and examples.
  await run("npx", "tsx", "scripts/generate/main.ts");
});

test("npm run generate writes generated/ and cli/generated/ alone, and sources are not edited", async () => {
  const changed = (await run("git", "diff", "--name-only")).trim().split("\n");
  expect(changed.filter((file) => !/^(?:openapi\.yaml|(?:cli\/)?generated\/\S+)$/.test(file))).toEqual([]);
  expect(changed).toContain("generated/operations.ts");
});

test("a program with a new parameter, list, operation and member compiles, and works with the client and the fake node", async () => {
  await run("npm", "run", "--silent", "build");
  await run("npx", "tsc", "--project", consumer);
  await run("npx", "tsx", `${consumer}/main.ts`);
});

test("the command line has a command for the list, with flags and columns, and one for the operation", async () => {
  const program = (...argv: string[]) => run("node", "cli/dist/main.js", ...argv);
  expect(await program("help")).toMatch(/^ {2}assets +List assets\.$[\s\S]*^ {2}asset +Get an asset\.$/m);
  expect(await program("help", "assets")).toMatch(/--id <ID> +List only these assets\. Can be\s+repeated\./);
  expect(await program("help", "votes")).toMatch(/--value <NAME> +List only votes with this value\. One of:\s+uns/);
  const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };
  const edges = [{ cursor: "a", node: { id: "aa", symbol: "USDT", decimals: 6 } }];
  const server = await listen({ fetch: async () => Response.json({ assets: { edges, pageInfo } }) });
  const table = ["--format", "csv", "--node", server.url];
  expect(await program("assets", "--symbol", "USDT", ...table)).toBe("id,symbol,decimals\r\naa,USDT,6\r\n");
  await server.close();
});

test("the gateway sends a new POST to its own path", async () => {
  const node = createFakeNode();
  const fetch = async (request: Request) =>
    request.method === "POST" ? Response.json({ gas: new URL(request.url).pathname }) : node.fetch(request);
  const server = await listen({ fetch });
  const gateway = spawn(
    process.execPath,
    ["cli/dist/main.js", "serve", "--port", "0", "--quiet", "--node", server.url],
    {
      cwd: path(),
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    const url = String((await once(gateway.stdout, "data"))[0]).trim();
    const response = await globalThis.fetch(`${url}/transaction/simulate`, { method: "POST", body: '{"tx":{}}' });
    expect(await response.json()).toEqual({ gas: "/transaction/simulate" });
  } finally {
    gateway.kill();
    await server.close();
  }
});
