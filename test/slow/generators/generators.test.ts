import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type RunningGateway, startGateway } from "../../../cli/test/support/gateway.js";
import { createFakeNetwork, createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { type FakeNodeServer, listen } from "../../../src/testing/node/index.js";
import { installJar, installNode, installPython, missing, run } from "./tools.js";

// openapi.yaml is for other generators too: each has to accept it without errors, and its output has to compile.
const here = fileURLToPath(new URL(".", import.meta.url));
const description = fileURLToPath(new URL("../../../openapi.yaml", import.meta.url));
// The first run installs the tools.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
for (const reason of Object.values(missing)) if (reason) console.warn(reason);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "generators-"));
});
afterAll(() => rm(folder, { recursive: true }));

// Loops on `endCursor` with the generated clients, at nodes whose cursors lose records.
const network = createFakeNetwork(
  { nodes: [{}, { lag: 1 }, { lag: 2 }], balances: 700 },
  { defects: nodeDefects, rateLimit: false },
);
for (let block = 0; block < 3; block++) network.nextBlock();
let gateway: RunningGateway;
beforeAll(async () => {
  const nodes = network.nodes.map(({ url }) => url);
  gateway = await startGateway(nodes, [], network.fetch);
});
afterAll(() => gateway.close());
const records = () => network.records.balances.map((record) => JSON.stringify(record)).join("\n");

/** The records among the lines of an output, sorted, with their members in one order. */
const linesOf = (output: string) =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.stringify(Object.entries(JSON.parse(line)).sort()))
    .sort();

/** Compiles generated TypeScript, without any types of Node.js. */
async function compileTypeScript(commands: string, output: string): Promise<void> {
  const options =
    "--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable";
  await run(join(commands, "tsc"), [...options.split(" "), "index.ts"], { cwd: output });
}

test("hey-api generates TypeScript that compiles", async () => {
  const commands = await installNode();
  const output = join(folder, "hey-api");
  await run(join(commands, "openapi-ts"), ["--input", description, "--output", output]);
  expect(await readdir(output)).toContain("sdk.gen.ts");
  await compileTypeScript(commands, output);
});

describe.skipIf(missing.go)("oapi-codegen", () => {
  test("generates Go that compiles, and reads complete lists through a gateway", async () => {
    for (const file of ["go.mod", "go.sum"]) await cp(join(here, file), join(folder, file));
    const generate = ["tool", "oapi-codegen", "-generate", "types,client", "-package", "generators"];
    await run("go", [...generate, "-o", join(folder, "client.go"), description]);
    await run("go", ["vet", "."], { cwd: folder });
    await cp(join(here, "loops/loop_test.go"), join(folder, "loop_test.go"));
    const output = await run("go", ["test", "-v", "-count=1", "."], { cwd: folder, env: { GATEWAY: gateway.url } });
    expect(linesOf(output)).toEqual(linesOf(records()));
  });
});

describe.skipIf(missing.java)("openapi-generator", () => {
  let jar: string;
  beforeAll(async () => {
    jar = await installJar();
  });

  async function generate(generator: string): Promise<string> {
    const output = join(folder, generator);
    await run("java", ["-jar", jar, "generate", "-g", generator, "-i", description, "-o", output]);
    return output;
  }

  test("generates TypeScript that compiles", async () => {
    const output = await generate("typescript-fetch");
    await compileTypeScript(await installNode(), output);
  });

  test.skipIf(missing.python)(
    "generates Python that can be imported, and reads complete lists through a gateway",
    async () => {
      const output = await generate("python");
      const python = join(await installPython(), "python");
      await run(python, ["-m", "compileall", "-q", "openapi_client"], { cwd: output });
      await run(python, ["-c", "from openapi_client import *; GovernanceApi().list_votes"], { cwd: output });
      const script = await run(python, [join(here, "loops/loop.py"), gateway.url], {
        cwd: output,
        env: { PYTHONPATH: output },
      });
      expect(linesOf(script)).toEqual(linesOf(records()));
    },
  );
});

describe.skipIf(missing.python)("schemathesis", () => {
  const data = { votes: 60, profiles: 20, balances: 200, signatures: 30, spamStatistics: 3 };
  const served: FakeNodeServer[] = [];
  afterAll(() => Promise.all(served.map((each) => each.close())));

  /** Tests a node with requests that are generated from the description. */
  async function check(fetch: (request: Request) => Promise<Response>): Promise<string> {
    const node = await listen({ fetch });
    served.push(node);
    const options = ["--max-examples", "50", "--seed", "1", "--continue-on-failure", "--no-color"];
    const phases = ["--phases", "examples,coverage,fuzzing", "--generation-database", "none"];
    const commands = await installPython();
    const config = ["--config-file", join(here, "schemathesis.toml")];
    const args = [...config, "run", description, "--url", node.url, ...options, ...phases];
    return run(join(commands, "schemathesis"), args, { cwd: folder });
  }

  test("finds no response of the fake node that does not match the description", async () => {
    const node = createFakeNode(data, { rateLimit: false });
    expect(await check(node.fetch)).toMatch(/Tested: 6/);
  });

  test("finds a response that does not match the description", async () => {
    const node = createFakeNode(data, { rateLimit: false });
    const wrong = async (request: Request) => {
      const response = await node.fetch(request);
      if (response.status !== 200) return response;
      const text = await response.text();
      return new Response(text.replaceAll('"hasNextPage":', '"hasNext":'), response);
    };
    await expect(check(wrong)).rejects.toThrow("ST108 Response violates schema");
  });
});
