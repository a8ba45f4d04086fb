import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.js";
import { interruption, runCli } from "../support/run-cli.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fake-node-"));
});
afterAll(() => rm(folder, { recursive: true }));

const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of running.splice(0)) await end();
});

/** Starts a command that serves, and returns the addresses that it prints. */
async function start(argv: readonly string[], addresses = 1) {
  const { signal, interrupt } = interruption();
  let text = "";
  let arrived = () => {};
  const printed = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const ended = runCli(argv, {
    signal,
    onOutput: (chunk) => {
      text += chunk;
      if (text.split("\n").length > addresses) arrived();
      return undefined;
    },
  });
  await Promise.race([printed, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const end = () => {
    interrupt();
    return ended;
  };
  running.push(end);
  return { urls: text.trim().split("\n"), url: text.split("\n")[0] ?? "", end };
}

const sorted = (records: readonly object[]) =>
  records.map((each) => JSON.stringify(Object.entries(each).sort())).sort();

describe("fake-node", () => {
  test("serves several nodes of one chain on the ports that follow, each as far behind as it should be", async () => {
    const port = await freePort();
    const { urls } = await start(["fake-node", "--nodes", "3", "--port", String(port), "--lag", "0,7"], 3);
    expect(urls.map((url) => new URL(url).port)).toEqual([port, port + 1, port + 2].map(String));
    const heights = await Promise.all(
      urls.map(async (url) => (await fetch(`${url}/api/v2/parties/profiles`)).headers.get("X-Block-Height")),
    );
    expect(heights).toEqual(["1234568", "1234561", "1234561"]);
  });

  test("ends blocks with records of a party", async () => {
    const party = "ab".repeat(32);
    const { url } = await start([
      "fake-node",
      "--block-every",
      "20ms",
      "--party",
      party,
      "--seed",
      "7",
      "--no-rate-limit",
    ]);
    const client = createClient({ baseUrl: url });
    const count = async () => (await client.listBalanceChanges({ filter: { partyIds: [party] } })).nodes.length;
    const before = await count();
    await expect.poll(count).toBeGreaterThan(before + 5);
  });

  test("fails as --fault says", async () => {
    const { url } = await start(["fake-node", "--fault", "503=100%,latency=1ms/50%", "--fault", "418=0%"]);
    expect((await fetch(`${url}/api/v2/parties/profiles`)).status).toBe(503);
    const reset = await start(["fake-node", "--fault", "reset"]);
    await expect(fetch(`${reset.url}/api/v2/parties/profiles`)).rejects.toThrow();
  });

  test("serves the records of exported files", async () => {
    const real = await listen(createFakeNode({ balances: 300, votes: 30, signatures: 5 }, { defects: nodeDefects }));
    running.push(() => real.close());
    const [balances, votes] = [join(folder, "balances.ndjson"), join(folder, "votes.ndjson")];
    const node = ["--node", real.url];
    const proposal = createFakeNode({ votes: 30 }).records.votes[1]?.proposalId ?? "";
    expect((await runCli(["balances", "--output", balances, ...node])).code).toBe(0);
    expect((await runCli(["votes", "--proposal", proposal, "--raw", "--output", votes, ...node])).code).toBe(0);
    const { url } = await start(["fake-node", "--from", balances, "--from", votes]);
    const [one, other] = [createClient({ baseUrl: real.url }), createClient({ baseUrl: url })];
    expect(sorted(await other.listBalanceChanges().toArray())).toEqual(
      sorted(await one.listBalanceChanges().toArray()),
    );
    expect(sorted(await other.listVotes({ proposalId: proposal }).toArray())).toEqual(
      sorted(await one.listVotes({ proposalId: proposal }).toArray()),
    );
    expect((await other.listPartiesProfiles()).nodes).toHaveLength(100);
  });

  test("names the line of a file that is no record", async () => {
    const file = join(folder, "wrong.ndjson");
    await writeFile(file, '\n{"id":"a"}\n');
    const { code, stderr } = await runCli(["fake-node", "--from", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Expected ${file}, line 2 to be a vote`)]);
    await writeFile(file, '{"balance":"1.5"}\n');
    expect((await runCli(["fake-node", "--from", file])).stderr).toContain("export without --decimals");
  });
});
