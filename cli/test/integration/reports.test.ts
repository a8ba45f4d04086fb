import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useFolder } from "../support/folder.js";
import { hasPostgres, startPostgres } from "../support/postgres.js";
import { runCli } from "../support/run-cli.js";

const node = createFakeNode(
  { balances: 3000, votes: 300, signatures: 60, spamStatistics: 10 },
  { defects: nodeDefects, rateLimit: false },
);
const { fetch } = node;
const { balances, votes, signatures } = node.records;
const assets = [...new Set(balances.map(({ assetId }) => assetId ?? ""))];
const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => (a < b ? -1 : 1));
const middle = times[times.length >> 1] ?? 0n;
const last = times.at(-1) ?? 0n;
const range = ["--from", String(middle), "--to", String(last)];
const proposal = votes[0]?.proposalId ?? "";

const path = useFolder();

const lines = (stdout: string): Record<string, string>[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function run(...argv: string[]) {
  const result = await runCli(argv, { fetch });
  expect(result.stderr).toBe("");
  expect(result.code).toBe(0);
  return result.stdout;
}

const accountOf = ({ partyId, assetId, marketId, accountType }: Record<string, unknown>) =>
  [partyId, assetId, marketId, accountType].join(" ");

/** The last balance of each account up to a time. */
function balancesAt(time: bigint): Record<string, string> {
  const found: Record<string, { time: bigint; balance: string }> = {};
  for (const { timestamp, balance, ...rest } of balances) {
    const key = accountOf(rest);
    const at = BigInt(timestamp);
    if (at <= time && at >= (found[key]?.time ?? 0n)) found[key] = { time: at, balance };
  }
  return Object.fromEntries(Object.entries(found).map(([key, { balance }]) => [key, balance]));
}

describe("balances --at", () => {
  test("prints the last balance of each account, and since when the node has records", async () => {
    const { code, stdout, stderr } = await runCli(["balances", "--at", String(middle)], { fetch });
    const found = lines(stdout).map((row) => [accountOf(row), row["balance"]]);
    expect([code, Object.fromEntries(found)]).toEqual([0, balancesAt(middle)]);
    expect(stderr).toMatch(/^Read the records since 2024-02-09T00:00:00.000000000Z: .* add --complete-history\.\n$/);
  });
});

describe("statement", () => {
  test("adds up as CSV, with the decimals of each asset", async () => {
    const decimals = assets.flatMap((asset, index) => ["--decimals", `${asset}=${index * 6}`]);
    const stdout = await run("statement", ...range, ...decimals, "--complete-history", "--format", "csv");
    const [head = "", ...rows] = stdout.trimEnd().split("\r\n");
    expect(head).toBe("timestamp,entry,change,balance,partyId,assetId,marketId,accountType");
    const sums = new Map<string, { opening: bigint; change: bigint; closing: bigint }>();
    for (const [, entry = "", change = "", balance = "", ...account] of rows.map((row) => row.split(","))) {
      const places = assets.indexOf(account[1] ?? "") * 6;
      const units = (text: string) => {
        const [whole = "", fraction = ""] = text.split(".");
        return BigInt(whole + fraction.padEnd(places, "0"));
      };
      const key = account.join(" ");
      const sum = sums.get(key) ?? { opening: 0n, change: 0n, closing: 0n };
      sums.set(key, sum);
      if (entry === "change") sum.change += change.startsWith("-") ? -units(change.slice(1)) : units(change);
      else sum[entry as "opening" | "closing"] += units(balance);
    }
    expect(sums.size).toBe(Object.keys(balancesAt(last)).length);
    const closing = Object.entries(balancesAt(last)).map(([key, balance]) => [key, BigInt(balance)]);
    expect(new Map(closing as [string, bigint][])).toEqual(
      new Map([...sums].map(([key, each]) => [key, each.closing])),
    );
    for (const { opening, change, closing } of sums.values()) expect(opening + change).toBe(closing);
  });

  test("fails with 3 if the node has not reached the end of the range", async () => {
    const { code, stdout } = await runCli(["statement", "--from", "2024", "--to", "2025", "--catch-up", "0s"], {
      fetch,
    });
    expect([code, stdout]).toEqual([3, ""]);
  });
});

describe("series", () => {
  test("adds accounts by party and asset, and never across assets", async () => {
    const rows = lines(
      await run("series", ...range, "--every", "hour", "--group-by", "party", "--complete-history", "--raw"),
    );
    const expected = new Map<string, bigint>();
    for (const [account, balance] of Object.entries(balancesAt(last))) {
      const [party, asset] = account.split(" ");
      const key = `${party} ${asset}`;
      expected.set(key, (expected.get(key) ?? 0n) + BigInt(balance));
    }
    const atEnd = rows.filter(({ time }) => time === String(last));
    expect(
      new Map(atEnd.map(({ partyId, assetId, balance }) => [`${partyId} ${assetId}`, BigInt(balance ?? "")])),
    ).toEqual(expected);
  });
});

describe("tally", () => {
  test("prints the votes and the result by the rules", async () => {
    const own = votes.filter(({ proposalId }) => proposalId === proposal);
    const tokens = (value: string) =>
      own
        .filter((vote) => vote.value === value)
        .reduce((sum, vote) => sum + BigInt(vote.totalGovernanceTokenBalance), 0n);
    const [yes, no] = [tokens("VALUE_YES"), tokens("VALUE_NO")];
    const rules = ["--required-majority", "0.5", "--required-participation", "1", "--total-supply", String(yes + no)];
    expect(JSON.parse(await run("tally", "--proposal", proposal, ...rules))).toMatchObject({
      yes: { tokens: String(yes) },
      no: { tokens: String(no) },
      participation: "1",
      passes: yes >= no,
      decidedBy: "tokens",
    });
    expect(await run("tally", "--proposal", proposal.toUpperCase(), "--format", "table")).not.toContain("passes");
  });
});

describe("limits", () => {
  const party = Object.keys(node.records.spamStatistics ?? {})[0] ?? votes[0]?.partyId ?? "";

  test("prints what is left, and has the exit code 4 if nothing is", async () => {
    const vote = ["limits", "--party", party, "--command", "vote", "--proposal", proposal];
    const { left } = JSON.parse(await run(...vote));
    const { code, stdout } = await runCli([...vote, "--sent-since", left], { fetch });
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { isAllowed: false, reason: "quota", left: "0" }]);
    expect(JSON.parse(await run("limits", "--party", party, "--command", "transfer"))).toHaveProperty("isAllowed");
  });
});

describe("bundle", () => {
  test("prints the signatures of a resource", async () => {
    const id = signatures[0]?.id ?? "";
    const count = signatures.filter((each) => each.id === id).length;
    const { bundle } = JSON.parse(await run("bundle", "--id", id));
    expect(bundle).toMatch(new RegExp(`^0x[0-9a-f]{${count * 130}}$`));
  });
});

const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;
let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.close());
const destinations = [
  ...(hasSqlite ? [["vega.db", () => path("vega.db"), []] as const] : []),
  ...(hasPostgres ? [["postgres://…", () => postgres?.url ?? "", []] as const] : []),
  ["vega/", () => path("vega/"), ["--partial-day"]] as const,
];

describe("a destination of sync", () => {
  test.each(destinations)(
    "%s gives the same reports as the node, also with a narrower filter",
    async (_, open, flags) => {
      const db = open();
      const id = signatures[0]?.id ?? "";
      const lists = ["balances", "votes", "signatures", "--proposal", proposal, "--id", id];
      expect((await runCli(["sync", db, ...lists, ...flags], { fetch })).code).toBe(0);
      const before = ["--from", String(times[0]), "--to", String(middle), "--complete-history"];
      for (const command of [
        ["balances", "--at", String(middle), "--quiet"],
        ["statement", ...before],
        ["series", ...before, "--every", "hour", "--asset", assets[0] ?? ""],
        ["tally", "--proposal", proposal],
      ]) {
        expect(await run(...command, "--db", db)).toBe(await run(...command));
      }
      // The contract ignores the order of signatures, which the database does not keep.
      const signaturesOf = (stdout: string) =>
        (JSON.parse(stdout).bundle as string)
          .slice(2)
          .match(/.{130}/g)
          ?.sort();
      const bundle = ["bundle", "--id", id];
      expect(signaturesOf(await run(...bundle, "--db", db))).toEqual(signaturesOf(await run(...bundle)));
    },
  );

  test("fails if it does not have what a report needs", async () => {
    const db = path("part/");
    await runCli(["sync", db, "--partial-day", "--asset", assets[0] ?? ""], { fetch });
    const at = ["balances", "--at", String(middle), "--db"];
    expect(await runCli([...at, db], { fetch })).toMatchObject({
      code: 2,
      stderr: `Error: ${db} does not have these balances: run vegaprotocol sync ${db} balances with these filters.\n`,
    });
    expect(await runCli([...at, path("none/")], { fetch })).toMatchObject({ code: 2 });
    const later = ["balances", "--at", "2030", "--asset", assets[0] ?? "", "--db", db];
    expect(await runCli(later, { fetch })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Run sync again."),
    });
  });
});
