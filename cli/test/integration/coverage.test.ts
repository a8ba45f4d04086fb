import { readdir, readFile } from "node:fs/promises";
import { createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { overDays } from "../../../test/support/over-days.js";
import { change, first, hour, party } from "../support/changes.js";
import { startNode } from "../support/nodes.js";
import { complete, ended, runCli, useFolder } from "../support/run-cli.js";

const path = useFolder();

test("an end that no response with block headers proves is a warning, or exit code 3 if it is --to", async () => {
  const warning = /^Warning: the responses have no block headers, /m;
  const silent = createFakeNode({ balances: 1200 }, { rateLimit: false, blockHeaders: false });
  for (const argv of [["balances"], ["balances", "-o", path("x.csv")], ["balances", "-o", path("x.json")]]) {
    const { code, stderr } = await runCli([...argv, "--quiet"], { fetch: silent.fetch });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(warning) });
  }
  const unproven = "nothing shows that the node has reached 2024-02-10T00:00:00.000000000Z. Use a node or a proxy";
  for (const order of ["oldest-first", "newest-first"]) {
    const argv = ["balances", "--to", "2024-02-10", "--order", order];
    expect(await runCli(argv, silent)).toMatchObject(ended(3, unproven));
  }
  const node = createFakeNode({ balances: 1200 }, { rateLimit: false });
  expect((await runCli(["balances"], { fetch: node.fetch })).stderr).not.toContain("Warning");
});

test("a report that was read from a node with a shorter history than the one that proves its start is incomplete", async () => {
  const at = (hours: number) => first + BigInt(hours) * hour;
  const ofOthers = [change(at(0)), change(at(2))];
  const balances = [...ofOthers, change(at(5), "1", party), change(at(10), "2", party)];
  const data = { balances, block: { height: 20n, timestamp: at(20) } };
  const [longer, shorter] = [startNode(data), startNode({ ...data, history: at(8) })];
  // Behind one address, only the reading since the oldest record is of the node that keeps less.
  const fetch = (request: Request) =>
    (request.url.includes(`startTimestamp=${first}`) ? shorter : longer).fetch(request);
  const argv = ["statement", "--party", party, "--from", `${at(3)}`, "--to", `${at(15)}`];
  expect(await runCli(argv, { fetch })).toMatchObject(ended(3, "The records are complete from 2024-02-07T20:00:00."));
  expect(await runCli(argv, longer)).toMatchObject({ code: 0, stdout: expect.stringMatching(/(?:.*"change".*\n){2}/) });
});

test("a range before the history gets no advice that cannot be followed", async () => {
  const { fetch } = createFakeNode({ balances: 50 }, { rateLimit: false });
  for (const command of ["balances", "statement"]) {
    const result = await runCli([command, "--from", "2020", "--to", "2021"], { fetch });
    expect(result).toMatchObject(ended(3, ". Use a node that keeps a longer history.\n"));
  }
  const result = await runCli(["statement", "--from", "2020", "--to", "2021", "-o", path("x.csv")], { fetch });
  const message = `Error: ${path("x.csv")} is written, and balances in it are unknown. The records are complete from 2024-`;
  expect(result).toMatchObject(ended(3, message));
  expect(await readdir(path("."))).toContain("x.csv");
});

describe.each(["v0.74", "v0.79"] as const)(
  "an early --from for a %s node that no longer keeps old records",
  (version) => {
    const balances = overDays(createFakeNode({ balances: 400 }).records.balances);
    const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
    const history = (times[150] ?? 0n) - 1n;
    const now = () => Date.UTC(2026, 1, 10);
    const { fetch } = createFakeNode({ balances }, { version, now, history, rateLimit: false });
    const left = times.filter((time) => time >= history).length;
    const late =
      /^Error: The records are complete from 2024-\S+Z on, and the range begins at 1970-01-01T00:00:00.000000000Z\. Use --from 2024-\S+Z, or a node that keeps a longer history\.$/m;
    const since = ["--from", "1970-01-01"];

    test.each([[[]], [["--order", "newest-first"]]])("exits with 3 and with advice that works: %j", async (flags) => {
      const run = (...more: string[]) => runCli(["balances", ...flags, ...more], { fetch });
      const { code, stdout, stderr } = await run(...since, "-o", path("x.csv"));
      expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: "", stderr: expect.stringMatching(late) });
      const [partial = ""] = await readdir(path("."));
      expect(stderr).toContain(`${partial} has the ${left} records that were read.`);
      expect((await readFile(path(partial), "utf8")).trimEnd().split("\r\n")).toHaveLength(left + 1);
      const [, from = ""] = /Use --from (\S+),/.exec(stderr) ?? [];
      for (const range of [["--from", from], []]) {
        const { code, stdout } = await run(...range);
        expect([code, new Set(stdout.trimEnd().split("\n")).size]).toEqual([0, left]);
      }
      expect(await run()).toMatchObject({ code: 0, stderr: complete() });
      expect(await run("--quiet")).toMatchObject({ code: 0, stderr: "" });
    });

    test("has the newest records", async () => {
      const argv = ["balances", "--order", "newest-first", "-n", "9", ...since];
      expect(await runCli(argv, { fetch })).toMatchObject({ code: 0, stderr: "" });
    });

    test("has reports and a local copy that are not complete", async () => {
      const range = [...since, "--to", String((times.at(-1) ?? 0n) - 1n), "--raw"];
      for (const report of [["statement"], ["series", "--every", "change"]]) {
        const { code, stdout, stderr } = await runCli([...report, ...range], { fetch });
        expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(late) });
        expect(stdout.split("\n").length).toBeGreaterThan(10);
        const whole = await runCli([...report, ...range, "--complete-history"], { fetch });
        expect(whole).toMatchObject({ code: 0, stderr: "" });
      }
      for (let run = 0; run < 2; run++) {
        const result = await runCli(["sync", path("copy/"), ...since, "--partial-day"], { fetch });
        expect(result).toMatchObject({ code: 3, stderr: expect.stringMatching(late) });
        expect(result.stderr).toMatch(/new balance changes, complete from 2024-\S+Z up to 2024-/);
      }
      expect(await runCli(["sync", path("own/"), "--partial-day"], { fetch })).toMatchObject({ code: 0 });
    });
  },
);
