import { createClient } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.js";
import { send } from "../support/gateway.js";
import { interruption, runCli, startServing } from "../support/run-cli.js";

/** Starts a fake node, and returns the addresses that it prints. */
const start = (argv: readonly string[], addresses = 1) => startServing(["fake-node", ...argv], undefined, addresses);

test("the command fake-node prints its address and serves the records of its flags until it is interrupted", async () => {
  const { url, close } = await start(["--votes", "7", "--balances", "0", "--seed", "3"]);
  const client = createClient({ baseUrl: url });
  const { votes } = createFakeNode({ votes: 7, seed: 3 }).records;
  const listed = await client.listVotes({ proposalId: votes[0]?.proposalId ?? "" });
  expect(votes).toEqual(expect.arrayContaining(listed.nodes));
  expect(await client.listBalanceChanges().toArray()).toEqual([]);
  const response = await fetch(`${url}/api/v2/votes?partyId=ab`, { headers: { Origin: "https://x" } });
  expect(response.headers.get("access-control-allow-origin")).toBe("https://x");
  expect(response.headers.get("ratelimit-limit")).toBe("20");
  expect(await close()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/) });
});

test("the command fake-node prints commands with ids to try, which work, and how to stop it, to stderr", async () => {
  const { url, stderr } = await start([]);
  await expect.poll(stderr).toMatch(/^Press Ctrl-C to stop\.\n$/m);
  for (const [index, name] of ["votes", "signatures"].entries()) {
    const line = stderr().split("\n")[index] ?? "";
    expect(line).toMatch(new RegExp(`^Try: vegaprotocol ${name} --node ${url} --\\w+ [0-9a-f]{64}$`));
    const { code, stdout } = await runCli(line.split(" ").slice(2));
    expect({ code, isEmpty: stdout === "" }).toEqual({ code: 0, isEmpty: false });
  }
  const { signal, interrupt } = interruption();
  const options = { env: { npm_command: "exec" }, signal, onOutput: interrupt };
  expect((await runCli(["fake-node"], options)).stderr).toMatch(/^Try: npx vegaprotocol-cli votes --node /);
});

test("the command fake-node serves several nodes of one chain on the ports that follow, each as far behind as it should be", async () => {
  const port = await freePort(3);
  const { urls } = await start(["--nodes", "3", "--port", String(port), "--lag", "0,7"], 3);
  expect(urls.map((url) => new URL(url).port)).toEqual([port, port + 1, port + 2].map(String));
  const responses = await Promise.all(urls.map((url) => fetch(`${url}/api/v2/parties/profiles`)));
  expect(responses.map(({ headers }) => headers.get("X-Block-Height"))).toEqual(["1234568", "1234561", "1234561"]);
});

test("the command fake-node refuses a port after which there are too few others, before it prints an address", async () => {
  const message = "Expected --port to leave room for 2 nodes below 65536, got 65535.";
  const refused = await runCli(["fake-node", "--port", "65535", "--nodes", "2"]);
  expect(refused).toEqual({ code: 2, stdout: "", stderr: `Error: ${message}\n` });
});

test("the command fake-node serves what reports read besides records, with the limits and the headers of lists", async () => {
  const { url } = await start(["--lag", "7"]);
  const { headers, body } = await send(`${url}/api/v2/assets`);
  expect(headers.get("X-Block-Height")).toBe("1234561");
  const details = [{ symbol: "VEGA", decimals: "18" }, { symbol: "DAI" }, { symbol: "KSM", decimals: "12" }];
  expect(body.assets.edges).toMatchObject(details.map((details) => ({ node: { details } })));
  const [first, next] = body.assets.edges;
  const { body: second } = await send(`${url}/api/v2/assets?pagination.first=1&pagination.after=${first.cursor}`);
  expect(second.assets).toMatchObject({
    edges: [next],
    pageInfo: { hasNextPage: true, hasPreviousPage: true, endCursor: next.cursor },
  });
  const live = await start(["--balances", "0", "--signatures", "0", "--block-every", "1h"]);
  expect((await send(`${live.url}/api/v2/assets`)).body).toEqual(body);
  const unknown = { status: 404, body: { details: [{ code: 170001 }] } };
  expect(await send(`${url}/api/v2/governance?proposalId=ab`)).toMatchObject(unknown);
});

test("the command fake-node ends blocks with records of a party", async () => {
  const party = "ab".repeat(32);
  const { url } = await start(["--block-every", "20ms", "--party", party, "--seed", "7", "--no-rate-limit"]);
  const client = createClient({ baseUrl: url });
  const count = async () => (await client.listBalanceChanges({ filter: { partyIds: [party] } })).nodes.length;
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before + 5);
});

test("the command fake-node fails as --fault says", async () => {
  const { url } = await start(["--fault", "503=100%,latency=1ms/50%", "--fault", "418=0%"]);
  expect((await fetch(`${url}/api/v2/parties/profiles`)).status).toBe(503);
  const reset = await start(["--fault", "reset"]);
  await expect(fetch(`${reset.url}/api/v2/parties/profiles`)).rejects.toThrow();
});
