import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { balanceSeries, balancesAt, statement, tallyVotes } from "vegaprotocol-client/reports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNoBrowser, launchChromium } from "../../../../test/support/chromium.js";
import { useFolder } from "../../support/folder.js";
import { runCli } from "../../support/run-cli.js";
import { cellsOf, open, violations } from "./browser.js";
import {
  balances,
  createNode,
  entriesOf,
  hostile,
  otherId,
  people,
  profiles,
  proposalId,
  shown,
  time,
  vegaId,
  votes,
} from "./records.js";

const { fetch } = createNode({ balances, votes, profiles });
const pathOf = useFolder();

describe.skipIf(hasNoBrowser)("a page to send", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());

  /** Writes a page, and opens it from the disk. */
  async function write(args: readonly string[], use: (page: Page) => Promise<void>) {
    const file = pathOf(`${args[0]}.html`);
    expect(await runCli([...args, "--output", file, "--force"], { fetch })).toMatchObject({ code: 0 });
    const text = await readFile(file, "utf8");
    expect(text).toMatch(
      /content="default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; /,
    );
    await open(browser, pathToFileURL(file).href, use);
  }

  const random = (count: number) => Math.floor(Math.random() * count);
  const isComplete = true;

  test("shows what the library computes, for random parties and times", async () => {
    for (let run = 0; run < 3; run++) {
      const party = people[random(people.length)] ?? "";
      const all = balances.filter(({ partyId }) => partyId === party);
      const at = () => BigInt(all[random(all.length)]?.timestamp ?? 0);
      const [from = 0n, to = 0n] = [at(), at()].sort((a, b) => (a < b ? -1 : 1));
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
      await write(
        ["balances", "--party", party, "--at", `${to}`, "--complete-history", "--decimals", "node"],
        async (page) => {
          const rows = (await cellsOf(page, "Records")).map((row) => [row[0], row[1]]);
          const found = await balancesAt(own, to, { isComplete });
          expect(rows, label).toEqual(
            found.slice(0, rows.length).map((each) => [shown(each.balance, each.assetId), time(each.timestamp)]),
          );
          if (run === 0) expect(await violations(page, "sent-balances")).toEqual([]);
        },
      );
      await write(["series", ...range, "--every", "day", "--group-by", "asset,type"], async (page) => {
        const groupBy = ["assetId", "accountType"] as const;
        const found = await balanceSeries(own, { from, to: to + 1n, every: "day", groupBy, isComplete });
        const rows = (await cellsOf(page, "Records")).map((row) => [row[0], row[1]]);
        expect(rows, label).toEqual(
          found.slice(0, rows.length).map((each) => [time(each.time), shown(each.balance, each.assetId)]),
        );
        // What is below a chart is the last balance of each line.
        const ends = await page.locator("figcaption b").allTextContents();
        const last = new Map(
          found.map((each) => [`${each.assetId} ${each.accountType}`, shown(each.balance, each.assetId)]),
        );
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
    const range = [
      "--from",
      `${from}`,
      "--to",
      `${to}`,
      "--every",
      "change",
      "--group-by",
      "type",
      "--complete-history",
    ];
    expect(await runCli(["series", "--asset", otherId, ...range, "-o", file], { fetch })).toMatchObject({ code: 0 });
    const groupBy = ["assetId", "accountType"] as const;
    const found = await balanceSeries(own, { from, to, every: "change", groupBy, isComplete });
    const last = new Map(found.map(({ accountType, balance }) => [accountType, shown(balance, otherId)]));
    await open(browser, pathToFileURL(file).href, async (page) => {
      const texts = await page.locator("text").allTextContents();
      expect(texts[0]).toContain("<img src=x");
      expect(texts.filter((text) => text.includes(": ")).map((text) => text.split(": ")[1])).toEqual(
        expect.arrayContaining([...last.values()]),
      );
    });
    const votesFile = pathOf("tally.svg");
    const args = ["tally", "--proposal", proposalId, "-o", votesFile];
    expect(await runCli(args, { fetch })).toMatchObject({ code: 0 });
    const { yes } = await tallyVotes(votes);
    expect(await readFile(votesFile, "utf8")).toContain(
      `For: ${shown(yes.tokens, vegaId)} tokens from ${yes.parties} parties<`,
    );
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
