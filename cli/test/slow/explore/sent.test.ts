import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { balanceSeries, balancesAt, statement, tallyVotes } from "vegaprotocol-client/reports";
import { describe, expect, test } from "vitest";
import { hasNoBrowser } from "../../../../test/support/chromium.js";
import { runCli, useFolder } from "../../support/run-cli.js";
import { cellsOf, useBrowser, violations } from "./browser.js";
import { balances, createNode, hostile, otherId, people, profiles, proposalId, vegaId, votes } from "./records.js";
import { anyOf, entriesOf, rangeIn, shown, time } from "./shown.js";

const { fetch } = createNode({ balances, votes, profiles });
const pathOf = useFolder();

describe.skipIf(hasNoBrowser)("a page to send", () => {
  const open = useBrowser();

  /** Writes a page, and opens it from the disk. */
  async function write(args: readonly string[], use: (page: Page) => Promise<void>) {
    const file = pathOf(`${args[0]}.html`);
    expect(await runCli([...args, "--output", file, "--force"], { fetch })).toMatchObject({ code: 0 });
    const text = await readFile(file, "utf8");
    const policy = /content="default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; /;
    expect(text).toMatch(policy);
    await open(pathToFileURL(file).href, use);
  }

  const isComplete = true;

  test("shows what the library computes, for random parties and times", async () => {
    for (let run = 0; run < 3; run++) {
      const party = anyOf(people);
      const all = balances.filter(({ partyId }) => partyId === party);
      const [from, to] = rangeIn(all);
      // Commands read no later records, so they do not know accounts that have only these.
      const own = all.filter(({ timestamp }) => BigInt(timestamp) <= to);
      const range = ["--party", party, "--from", `${from}`, "--to", `${to + 1n}`, "--complete-history"];
      const label = `${party} from ${from} to ${to}`;
      await write(["statement", ...range], async (page) => {
        const accounts = await statement(own, { from, to: to + 1n, isComplete });
        const entries = entriesOf(accounts, from, to + 1n);
        const rows = (await cellsOf(page, "Records")).map((row) => row.slice(0, 4));
        expect(rows, label).toEqual(entries.slice(0, rows.length));
        expect(rows.length).toBeGreaterThanOrEqual(Math.min(entries.length, 20));
        if (run === 0) expect(await violations(page, "sent-statement")).toEqual([]);
      });
      const at = ["--at", `${to}`, "--complete-history", "--decimals", "node"];
      await write(["balances", "--party", party, ...at], async (page) => {
        const rows = (await cellsOf(page, "Records")).map((row) => [row[0], row[1]]);
        const found = await balancesAt(own, to, { isComplete });
        const expected = found.map((each) => [shown(each.balance, each.assetId), time(each.timestamp)]);
        expect(rows, label).toEqual(expected.slice(0, rows.length));
        if (run === 0) expect(await violations(page, "sent-balances")).toEqual([]);
      });
      await write(["series", ...range, "--every", "day", "--group-by", "asset,account-type"], async (page) => {
        const groupBy = ["assetId", "accountType"] as const;
        const found = await balanceSeries(own, { from, to: to + 1n, every: "day", groupBy, isComplete });
        const rows = (await cellsOf(page, "Records")).map((row) => [row[0], row[1]]);
        const expected = found.map((each) => [time(each.time), shown(each.balance, each.assetId)]);
        expect(rows, label).toEqual(expected.slice(0, rows.length));
        // What is below a chart is the last balance of each line.
        const ends = await page.locator("figcaption b").allTextContents();
        const last = new Map(found.map((each) => [each.assetId + each.accountType, shown(each.balance, each.assetId)]));
        expect(ends.sort(), label).toEqual([...last.values()].sort());
        if (run === 0) expect(await violations(page, "sent-series")).toEqual([]);
      });
    }
  });

  test("shows a tally with its votes, and prints all of them", async () => {
    await write(["tally", "--proposal", proposalId, "--required-participation", "0.1"], async (page) => {
      const tally = await tallyVotes(votes);
      await page.getByText("Whether it passes is unknown without the total supply of tokens.").waitFor();
      await page.getByText(`${shown(tally.yes.tokens, vegaId)} tokens from ${tally.yes.parties} parties`).waitFor();
      expect(await violations(page, "sent-tally")).toEqual([]);
      await page.evaluate(() => {
        addEventListener("beforeprint", () => {
          document.title = `${document.querySelectorAll("tbody tr[aria-rowindex]").length} rows`;
        });
      });
      const pdf = await page.pdf({ format: "A4" });
      expect(await page.title()).toBe(`${votes.length} rows`);
      expect(pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
    });
  });

  test("draws a chart alone, whose amounts are those of the library", async () => {
    const own = balances.filter(({ assetId }) => assetId === otherId);
    const [from, to] = [own.at(-1)?.timestamp ?? "", own[0]?.timestamp ?? ""].map(BigInt) as [bigint, bigint];
    const file = pathOf("series.svg");
    const range = ["--from", `${from}`, "--to", `${to}`, "--every", "change", "--complete-history"];
    const series = ["series", "--asset", otherId, ...range, "--group-by", "account-type", "-o", file];
    expect(await runCli(series, { fetch })).toMatchObject({ code: 0 });
    const groupBy = ["assetId", "accountType"] as const;
    const found = await balanceSeries(own, { from, to, every: "change", groupBy, isComplete });
    const last = new Map(found.map(({ accountType, balance }) => [accountType, shown(balance, otherId)]));
    await open(pathToFileURL(file).href, async (page) => {
      const texts = await page.locator("text").allTextContents();
      expect(texts[0]).toContain("<img src=x");
      for (const balance of last.values()) expect(texts).toContainEqual(expect.stringMatching(`: ${balance}$`));
    });
    const votesFile = pathOf("tally.svg");
    const args = ["tally", "--proposal", proposalId, "-o", votesFile];
    expect(await runCli(args, { fetch })).toMatchObject({ code: 0 });
    const { yes } = await tallyVotes(votes);
    const tokens = shown(yes.tokens, vegaId);
    expect(await readFile(votesFile, "utf8")).toContain(`For: ${tokens} tokens from ${yes.parties} parties<`);
  });

  test("says that amounts are in the smallest unit, where decimals are unknown", async () => {
    await write(["votes", "--proposal", proposalId, "--raw"], async (page) => {
      await page.getByText("Amounts whose decimals are unknown are in the smallest unit.").waitFor();
      expect((await cellsOf(page, "Records"))[0]?.[4]).toMatch(/^[\d,]{19,}$/);
    });
  });

  test("shows hostile names as text", async () => {
    await write(["profiles"], async (page) => {
      expect((await cellsOf(page, "Records")).map((row) => row[1])).toContain(hostile);
      expect(await page.locator("img").count()).toBe(0);
      expect(await violations(page, "sent-profiles")).toEqual([]);
    });
  });
});
