import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNode } from "../../src/testing/index.js";
import { listen } from "../../src/testing/node/index.js";
import { startFaultyServer } from "../support/faulty-server.js";
import { freePort } from "../support/free-port.js";
import { run } from "../support/run.js";

async function serve(node = createFakeNode({ signatures: 90, balances: 20 })) {
  const server = await listen(node);
  onTestFinished(server.close);
  return { node, url: server.url };
}

/** Runs a program with the build of `npm test`, and returns what it prints. */
function runProgram(program: string) {
  const entry = (name: string) => JSON.stringify(new URL(`../../dist/src/${name}.js`, import.meta.url).href);
  const imports = `import { createClient } from ${entry("index")}; import { nodePool } from ${entry("pool/index")};`;
  const args = ["--input-type=module", "--eval", `${imports}\n${program}`];
  return run(process.execPath, args);
}

test("the example of the quick start reads the votes and the balance changes of the fake node", async () => {
  const program = fileURLToPath(new URL("../../examples/quick-start/main.mjs", import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [program]);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^Proposal \w{8}…: \d+ parties for it, \d+ against it\n\d+ balance changes from 2024-/);
});

test("a process whose client has several nodes ends after its last response", async () => {
  const urls = [(await serve()).url, (await serve()).url];
  const { stdout } = await runProgram(`
    const client = createClient({ baseUrl: nodePool(${JSON.stringify(urls)}) });
    console.log((await client.listBalanceChanges({ pagination: { first: 7 } })).nodes.length);`);
  expect(stdout).toBe("7\n");
});

test("over HTTP, a pool with a closed port and a silent server responds, and leaves no request in flight", async () => {
  let open = 0;
  const silent = await startFaultyServer();
  onTestFinished(silent.close);
  silent.behave((socket) => {
    open++;
    socket.on("close", () => open--);
  });
  const { node, url } = await serve();
  const pool = nodePool([`http://127.0.0.1:${await freePort()}`, silent.url, url], { order: "given" });
  const id = node.records.signatures[0]?.id ?? "";
  const signatures = createClient({ baseUrl: pool }).listNodeSignatures({ id, pagination: { first: 10 } });
  expect(await signatures.toArray()).toHaveLength(30);
  expect(pool.status[0]?.state).toBe("cooling-down");
  await expect.poll(() => open).toBe(0);
});
