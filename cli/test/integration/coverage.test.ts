import { readFile } from "node:fs/promises";
import { createFakeNetwork, createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { overDays, startOfDay } from "../../../test/support/over-days.js";
import { useFolder } from "../support/folder.js";
import { runCli } from "../support/run-cli.js";

const path = useFolder();

describe.each(["oldest-first", "newest-first"])("an export of nodes of which some are behind, %s", (order) => {
  const flags = ["balances", "--order", order, "--page-size", "100", "--concurrency", "1", "--raw"];

  test("has every record before its end if every fifth response of its address is of a node that is behind", async () => {
    const network = createFakeNetwork(
      { nodes: [{}, { lag: 600 }], balances: 3000, balance: (request) => (request % 5 === 0 ? 1 : 0) },
      { rateLimit: false },
    );
    const { code } = await runCli([...flags, "--node", network.url, "-o", path("x.csv")], { fetch: network.fetch });
    expect(code).toBe(0);
    const times = (await readFile(path("x.csv"), "utf8")).trimEnd().split("\r\n").slice(1);
    const { timestamp } = network.block;
    const wanted = network.records.balances.filter((record) => BigInt(record.timestamp) / 1000n < timestamp / 1000n);
    expect(times).toHaveLength(wanted.length);
  });
});

test("a warning says that the end is not proven if no response names a block", async () => {
  const warning = /^Warning: the responses name no block, /m;
  const silent = createFakeNode({ balances: 1200 }, { rateLimit: false, blockHeaders: false });
  for (const argv of [["balances"], ["balances", "-o", path("x.csv")], ["balances", "-o", path("x.json")]]) {
    const { code, stderr } = await runCli([...argv, "--quiet"], { fetch: silent.fetch });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(warning) });
  }
  const node = createFakeNode({ balances: 1200 }, { rateLimit: false });
  expect((await runCli(["balances"], { fetch: node.fetch })).stderr).toBe("");
});

describe.each(["v0.74", "v0.79"] as const)("a %s node that no longer keeps old records", (version) => {
  const balances = overDays(createFakeNode({ balances: 400 }).records.balances);
  const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
  const history = startOfDay(times[150] ?? 0n);
  const now = () => Date.UTC(2026, 1, 10);
  const { fetch } = createFakeNode({ balances }, { version, now, history, rateLimit: false });
  const left = times.filter((time) => time >= history).length;
  const message =
    /^Error: The balance changes of the node begin at 2024-\S+Z, and the range begins at 2024-02-01T00:00:00.000000000Z\. Use --from 2024-\S+Z, or a node that keeps a longer history\.\n/;

  test.each([[[]], [["--order", "newest-first"]]])("makes the exit code 3, and its advice works: %j", async (flags) => {
    const command = ["balances", ...flags, "--from"];
    const { code, stderr } = await runCli([...command, "2024-02-01"], { fetch });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(message) });
    const [, from = ""] = /Use --from (\S+),/.exec(stderr) ?? [];
    const lines = async (argv: readonly string[]) => {
      const { code, stdout } = await runCli(argv, { fetch });
      return { code, records: new Set(stdout.trimEnd().split("\n")).size };
    };
    expect(await lines([...command, from])).toEqual({ code: 0, records: left });
    expect(await lines(["balances", ...flags])).toEqual({ code: 0, records: left });
  });
});
