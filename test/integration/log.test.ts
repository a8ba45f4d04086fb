import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFakeNode } from "../../src/testing/index.js";
import { type FakeNodeServer, listen } from "../../src/testing/node/index.js";

let server: FakeNodeServer;
beforeEach(async () => {
  server = await listen(createFakeNode());
});
afterEach(() => server.close());

/** Runs a program with the build of `npm test`, and returns what it prints. */
function run(options: object, variable?: string) {
  const url = new URL("../../dist/src/index.js", import.meta.url).href;
  const program = `import { createClient } from ${JSON.stringify(url)};
    const client = createClient(${JSON.stringify({ baseUrl: server.url, ...options })});
    console.log((await client.getSpamStatistics({ partyId: "a" })).chainId);`;
  const env = { ...process.env, VEGA_LOG: variable };
  return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { env });
}

const lines = new RegExp(
  "^vegaprotocol-client: getSpamStatistics, attempt 1: GET http://127\\.0\\.0\\.1:\\d+\\n" +
    "vegaprotocol-client: getSpamStatistics, attempt 1: status 200 after \\d+ ms\\n$",
);

test.each<[what: string, options: object, variable: string | undefined, stderr: RegExp]>([
  ["the variable VEGA_LOG", {}, "debug", lines],
  ["the option `log`", { log: "debug" }, undefined, lines],
  ["neither", {}, undefined, /^$/],
  ["the option, which overrides the variable", { log: "off" }, "debug", /^$/],
])("a program prints what happens to standard error with %s", async (_, options, variable, expected) => {
  const { stdout, stderr } = await run(options, variable);
  expect(stdout).toBe("vega-fake-0011\n");
  expect(stderr).toMatch(expected);
});
