import { join } from "node:path";
import type { Page } from "playwright-core";
import type { BalanceChange, Vote } from "vegaprotocol-client";
import { balancesAt, statement, tallyVotes } from "vegaprotocol-client/reports";
import { describe, expect, test } from "vitest";
import { hasNoBrowser } from "../../../../test/support/chromium.js";
import { firstOutput, kill } from "../../../../test/support/run.js";
import { account, block, change, first, hour, ids, party } from "../../support/changes.js";
import { start } from "../../support/cli-process.js";
import { type Node, withPaths } from "../../support/nodes.js";
import { hasPostgres, usePostgres } from "../../support/postgres.js";
import { gate, runCli, startServing, useFolder } from "../../support/run-cli.js";
import { cellsOf, useBrowser, violations } from "./browser.js";
import {
  balances,
  createNode,
  generated,
  hostile,
  otherId,
  people,
  profiles,
  proposalId,
  someone,
  vegaId,
  votes,
} from "./records.js";
import { anyOf, entriesOf, rangeIn, shown, time } from "./shown.js";

describe.skipIf(hasNoBrowser)("the page of explore", () => {
  const open = useBrowser();
  const database = usePostgres();
  const pathOf = useFolder();

  /** The changes of an account. */
  const changes = Array.from({ length: 40 }, (_, at) => change(first + BigInt(at) * hour, `${at + 1}`, party));
  const view = (url: string, path: string) => `${url}/#/${path}`;
  /** Serves the page over a node, and opens a view of it. */
  async function show(node: Node, path: string, use: (page: Page, url: string) => Promise<void>) {
    const { url } = await startServing(["explore"], node.fetch);
    await open(view(url, path), (page) => use(page, url));
  }

  test("shows a live fake node at once without arguments", async () => {
    const child = start(["explore"], { VEGA_NODE: "" });
    const url = await firstOutput(child);
    await open(url, async (page) => {
      await page.getByText("Live, up to").waitFor();
      const [[name = ""] = []] = await cellsOf(page, "Changes");
      expect(name).not.toBe("");
      // The charts of a party and of a proposal are there.
      await page.locator('section[aria-label="Changes"] a').first().click();
      await page.locator("figure svg text").first().waitFor();
      expect(await violations(page, "fake-party")).toEqual([]);
      await page.goto(view(url, "nodes"));
      expect((await cellsOf(page, "Nodes"))[0]).toMatchObject({ 1: "Ready" });
      expect(await violations(page, "fake-nodes")).toEqual([]);
    });
    await kill(child);
    expect(child.exitCode).toBe(0);
  });

  const sources = ["a node", "SQLite", "Parquet", "PostgreSQL"] as const;
  test.for(sources)("shows what the library computes, over %s", async (source, { skip }) => {
    if (source === "PostgreSQL") skip(!hasPostgres, "PostgreSQL is not installed.");
    const node = createNode({ balances, votes, profiles, spamStatistics: generated.spamStatistics });
    const places = { SQLite: pathOf("vega.db"), Parquet: join(pathOf("vega"), "/"), PostgreSQL: database()?.url };
    const copy = source === "a node" ? [] : [places[source] ?? ""];
    if (copy.length > 0) {
      const partial = source === "Parquet" ? ["--partial-day"] : [];
      const lists = ["balances", "votes", "profiles", "--proposal", proposalId, ...partial];
      expect(await runCli(["sync", ...copy, ...lists], { fetch: node.fetch })).toMatchObject({ code: 0 });
    }
    const totalSupply = `2${"0".repeat(26)}`;
    const flags = ["--node", "https://node.example", "--total-supply", totalSupply];
    const { url } = await startServing(["explore", ...copy, ...flags], node.fetch);
    const head = node.block.timestamp - 1n;
    const isComplete = true;
    await open(url, async (page) => {
      for (const partyId of [someone, anyOf(people), anyOf(people), anyOf(people)]) {
        const own = balances.filter((each) => each.partyId === partyId);
        const { assetId: asset = "" } = anyOf(own);
        const ofAsset = own.filter(({ assetId }) => assetId === asset);
        const [from, to] = rangeIn(ofAsset);
        const query = `whole=yes&asset=${asset}&period=custom&from=${from}&to=${to + 1n}`;
        await page.goto(view(url, `party/${encodeURIComponent(partyId)}?${query}`));
        await page
          .locator("h1")
          .getByText(partyId === someone ? hostile : "")
          .or(page.locator(".id"))
          .first()
          .waitFor();
        const now = await balancesAt(own, head, { isComplete });
        const label = `${partyId}, ${asset} from ${from} to ${to}`;
        const balanceRows = now.map((each) => [shown(each.balance, each.assetId), time(each.timestamp)]);
        const found = (await cellsOf(page, "Balances")).map((row) => [row[1], row[3]]);
        expect.soft(found, label).toEqual(balanceRows.slice(0, 26));
        // The page reads no later records, so it does not know accounts that have only these.
        const known = ofAsset.filter(({ timestamp }) => BigInt(timestamp) <= to);
        const accounts = await statement(known, { from, to: to + 1n, isComplete });
        const entries = entriesOf(accounts, from, to + 1n);
        const rows = (await cellsOf(page, "Entries")).map((row) => [row[0], row[3], row[2], row[1]]);
        expect.soft(rows, label).toEqual(entries.slice(0, rows.length));
        expect(rows.length).toBeGreaterThanOrEqual(Math.min(entries.length, 20));
      }
      await page.locator("dt").getByText("Allowed now").waitFor();
      await page.goto(view(url, `proposal/${proposalId}`));
      const rules = { requiredMajority: "0.5", requiredParticipation: "0.1", totalSupply };
      const tally = await tallyVotes(votes, rules);
      await page.getByText("Whether it passes is unknown without the required participation.").waitFor();
      await page.getByLabel("Required participation").fill(rules.requiredParticipation);
      await page.keyboard.press("Tab");
      await page.getByText(tally.passes ? "It passes with these votes." : `the ${tally.reason} is too low`).waitFor();
      await page.getByText(`${shown(tally.yes.tokens, vegaId)} tokens from ${tally.yes.parties} parties`).waitFor();
      // The largest vote is first.
      await page.getByRole("button", { name: "Tokens" }).click();
      const largest = votes.reduce((a, b) => {
        return BigInt(a.totalGovernanceTokenBalance) > BigInt(b.totalGovernanceTokenBalance) ? a : b;
      });
      expect((await cellsOf(page, "Votes"))[0]?.[2]).toBe(shown(largest.totalGovernanceTokenBalance, vegaId));
      expect(await violations(page, `proposal-${source.replace(" ", "-")}`)).toEqual([]);
      if (copy.length > 0) await page.getByText("Not live. This is a local copy.").waitFor();
    });
  });

  test("finds ids and aliases by the keyboard alone, and shows hostile names as text", async () => {
    const node = createNode({ balances, votes, profiles });
    await show(node, "", async (page, url) => {
      const search = async (text: string) => {
        await page.getByRole("searchbox").focus();
        await page.keyboard.press("Control+a");
        await page.keyboard.type(text);
        await page.keyboard.press("Enter");
      };
      await page.locator('section[aria-label="Changes"]').waitFor();
      await search("<img");
      await page.getByRole("heading", { name: "Results for" }).waitFor();
      const link = page.locator('section[aria-label="Results"] a');
      await expect.poll(() => link.textContent()).toBe(hostile);
      expect(await violations(page, "search")).toEqual([]);
      // The table comes first, as its keys scroll it.
      for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
      await page.waitForURL(`**/#/party/${someone}`);
      await expect.poll(() => page.locator("h1").textContent()).toBe(hostile);
      await search(proposalId);
      await page.waitForURL(`**/#/proposal/${proposalId}`);
      await expect.poll(() => page.locator("h1").textContent()).toBe(hostile);
      expect(await page.locator("img").count()).toBe(0);
      // The node decides what an id is.
      await page.goto(view(url, ""));
      node.configure({ down: true });
      await search(proposalId);
      await page.getByRole("alert").waitFor();
      node.configure({ down: false });
      await page.waitForURL(`**/#/proposal/${proposalId}`);
      await page.goBack();
      await page.getByRole("heading", { name: "Latest balance changes" }).waitFor();
    });
  });

  test("finds proposals without votes, and parties in a copy without votes", async () => {
    const node = createNode({ balances });
    const { url } = await startServing(["explore"], node.fetch);
    await open(view(url, `search?text=${proposalId}`), (page) => page.waitForURL(`**/#/proposal/${proposalId}`));
    expect(await runCli(["sync", pathOf("vega.db"), "balances"], { fetch: node.fetch })).toMatchObject({ code: 0 });
    const copy = await startServing(["explore", pathOf("vega.db")], node.fetch);
    await open(view(copy.url, `search?text=${someone}`), (page) => page.waitForURL(`**/#/party/${someone}`));
  });

  test("sorts parties by their aliases, also if these arrive later", async () => {
    const [f, e] = ["f", "e"].map((digit) => ({ ...votes[0], partyId: digit.repeat(64) })) as [Vote, Vote];
    const profiles = [f, e].map(({ partyId }, index) => ({ partyId, alias: "ab"[index] ?? "", metadata: [] }));
    await show(createNode({ votes: [f, e], profiles }), `proposal/${proposalId}`, async (page) => {
      const { open, opened } = gate();
      await page.route(/profiles/, (route) => opened.then(() => route.continue()));
      await page.reload();
      const parties = async () => (await cellsOf(page, "Votes")).map(([name = ""]) => name);
      await page.getByRole("button", { name: "Party" }).click();
      expect(await parties()).toEqual([expect.stringMatching(/^f/), expect.stringMatching(/^e/)]);
      open();
      await expect.poll(parties).toEqual(["b", "a"]);
    });
  });

  test("shows the id of a party whose alias cannot be seen", async () => {
    const profiles = [{ partyId: party, alias: " \u200b\u2060", metadata: [] }];
    await show(createNode({ balances: changes, profiles, block }), "", async (page, url) => {
      await expect.poll(async () => (await cellsOf(page, "Changes"))[0]?.[0]).toMatch(/^(?:ab){3}…(?:ab){2}$/);
      await page.goto(view(url, `party/${party}`));
      await page.getByRole("heading", { name: "Party", exact: true }).waitFor();
    });
  });

  test("sorts amounts as they are shown, and assets by their symbols", async () => {
    const amounts = [
      [vegaId, "GENERAL", "9000000000000000000"],
      [vegaId, "BOND", "200000000000000000"],
      [otherId, "GENERAL", "80000000"],
      [otherId, "BOND", "1"],
    ] as const;
    const own = amounts.map(([assetId, type, balance]) => {
      return { ...change(first, balance, party), assetId, accountType: `ACCOUNT_TYPE_${type}` };
    });
    await show(createNode({ balances: own, block }), `party/${party}`, async (page) => {
      const column = async (index: number) => (await cellsOf(page, "Balances")).map((row) => row[index]);
      await page.getByText("VEGA").first().waitFor();
      await page.locator('section[aria-label="Balances"]').getByRole("button", { name: "Balance" }).click();
      expect(await column(1)).toEqual(["80", "9", "0.2", "0.000001"]);
      await page.locator('section[aria-label="Balances"]').getByRole("button", { name: "Asset" }).click();
      expect(await column(0)).toEqual(["VEGA", "VEGA", hostile, hostile]);
    });
  });

  test("leaves a field alone while someone types, and shows the default of an empty one", async () => {
    const node = createNode({ balances, votes });
    await show(node, `proposal/${proposalId}`, async (page) => {
      const badge = page.locator(".badge.live");
      const field = page.getByLabel("Required majority");
      await badge.waitFor();
      await expect.poll(() => field.inputValue()).toBe("0.5");
      await field.press("Control+a");
      await field.pressSequentially("0.7");
      const before = await badge.textContent();
      node.nextBlock();
      await expect.poll(() => badge.textContent(), { timeout: 20_000 }).not.toBe(before);
      await field.press("5");
      expect(await field.inputValue()).toBe("0.75");
      await field.press("Enter");
      await page.waitForURL("**requiredMajority=0.75");
      await field.fill("");
      await field.press("Enter");
      await expect.poll(() => field.inputValue()).toBe("0.5");
    });
  });

  test("shows the defaults for selections that an address mistypes", async () => {
    const path = `party/${party}?asset=ff&period=fortnight&step=toString&command=vot`;
    await show(createNode({ balances: changes, block }), path, async (page) => {
      await page.locator("figure svg text").first().waitFor();
      for (const each of await page.locator("select").all()) {
        expect(await each.locator("option:checked").count()).toBe(1);
      }
      expect(await page.locator("[role=alert]").count()).toBe(0);
    });
  });

  test("opens in more tabs than a browser has connections to a server", async () => {
    const { url } = await startServing(["explore"], createNode({ balances, votes }).fetch);
    await open(url, async (first) => {
      for (let count = 0; count < 8; count++) {
        const page = await first.context().newPage();
        await page.goto(url);
        await page.getByText("Live, up to").waitFor({ timeout: 20_000 });
      }
    });
  });

  test("shows new records as they come, and says when none can", async () => {
    const node = createNode({ balances: changes, block });
    const { url, close } = await startServing(["explore"], node.fetch);
    await open(view(url, `party/${party}`), async (page) => {
      const balance = async () => (await cellsOf(page, "Balances"))[0]?.[1];
      await page.getByText("Live, up to").waitFor();
      expect(await balance()).toBe("40");
      await page.locator('section[aria-label="Entries"]').getByRole("button", { name: "Balance" }).click();
      node.nextBlock({ balances: [{ ...account, partyId: party, balance: "123456" } as BalanceChange] });
      node.nextBlock();
      await expect.poll(balance, { timeout: 20_000 }).toBe("123,456");
      // Both are requests of their own.
      const entry = async () => (await cellsOf(page, "Entries"))[0]?.[1];
      await expect.poll(entry, { timeout: 20_000 }).toBe("123,456");
      const badge = page.locator(".badge.live");
      const before = await badge.textContent();
      node.nextBlock({ balances: [{ ...account, partyId: party, balance: "7" } as BalanceChange] });
      node.nextBlock();
      await expect.poll(() => badge.textContent(), { timeout: 20_000 }).not.toBe(before);
      await expect.poll(balance, { timeout: 20_000 }).toBe("7");
      node.configure({ down: true });
      await page.getByRole("alert").first().waitFor();
      await page.getByText("Not live.").waitFor();
      expect(await balance()).toBe("7");
      node.nextBlock({ balances: [{ ...account, partyId: party, balance: "8" } as BalanceChange] });
      node.nextBlock();
      node.configure({ down: false });
      await expect.poll(balance, { timeout: 40_000 }).toBe("8");
      await expect.poll(() => page.getByRole("alert").count(), { timeout: 20_000 }).toBe(0);
      await close();
      await page.getByText("Not live. The").first().waitFor();
    });
  });

  test("keeps the focus on a link, and the rows in view, when new rows arrive above", async () => {
    const parties = ids(changes.length);
    const balances = changes.map((each, at) => ({ ...each, partyId: parties[at] ?? "" }));
    const node = createNode({ balances, block });
    await show(node, "", async (page) => {
      const table = page.locator('section[aria-label="Changes"]');
      await table.locator(`a[href$="${parties[10]}"]`).focus();
      const topOf = (id = "") => table.locator(`a[href$="${id}"]`).evaluate((link) => link.getBoundingClientRect().top);
      const before = await topOf(parties[12]);
      node.nextBlock({ balances: [{ ...account, partyId: party, balance: "123456" } as BalanceChange] });
      node.nextBlock();
      await table.locator("[aria-rowcount='42']").waitFor();
      expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).toBe(`#/party/${parties[10]}`);
      expect(await topOf(parties[12])).toBe(before);
    });
  });

  test("shows a new vote of a party, and a proposal that has closed, without other new records", async () => {
    const rules = { state: "STATE_OPEN" };
    const node = createNode({ balances: changes, block });
    const paths = { "/api/v2/governance": { data: { proposal: rules } } };
    await show(withPaths(node, paths), `party/${party}`, async (page) => {
      await page.getByText("No votes.").waitFor();
      node.nextBlock({ votes: [{ ...(votes[0] as Vote), partyId: party }] });
      node.nextBlock();
      await page.locator('section[aria-label="Votes of the party"] a').click();
      await page.getByText("Open", { exact: true }).waitFor();
      rules.state = "STATE_PASSED";
      await page.getByText("Passed", { exact: true }).waitFor();
    });
  });

  test("says from when on the records are complete, and never shows an unknown balance as 0", async () => {
    const late = { ...change(first + 35n * hour, "5", party), accountType: "ACCOUNT_TYPE_BOND" };
    const node = createNode({ balances: [...changes, late], block }, { history: first + 20n * hour });
    await show(node, `party/${party}?period=custom&from=2024-01-01&step=hour`, async (page) => {
      await page.getByText("Earlier ones are not shown.").waitFor();
      await page.getByText("A gap is a time without a known balance.").waitFor();
      const openings = (await cellsOf(page, "Entries")).filter((row) => row[3] === "Opening");
      expect(openings.map((row) => [row[4], row[1]])).toContainEqual(["Bond", "unknown"]);
      await page.getByLabel("The records go back to the first block").check();
      await expect
        .poll(async () => (await cellsOf(page, "Entries")).some((row) => row[4] === "Bond" && row[1] === "0"))
        .toBe(true);
    });
  });

  test("shows a history of a few hours, which is shorter than the period, and requests each report once", async () => {
    const balances = ["GENERAL", "BOND", "MARGIN"].flatMap((type) =>
      changes.slice(0, 5).map((each) => ({ ...each, accountType: `ACCOUNT_TYPE_${type}` })),
    );
    const end = { height: 1000n, timestamp: first + 5n * hour };
    await show(createNode({ balances, block: end }, { history: first }), "", async (page, url) => {
      const reports: string[] = [];
      page.on("request", (request) => reports.push(...(/reports\/(?:series|statement)/.exec(request.url()) ?? [])));
      await page.goto(view(url, `party/${party}`));
      await page.getByText("Earlier ones are not shown.").waitFor();
      expect(await page.getByLabel("Step").inputValue()).toBe("minute");
      await page.locator("figure svg text").first().waitFor();
      // A finger points at a time, which stays when it is lifted.
      for (const type of ["pointerdown", "pointerleave"]) {
        await page.locator("figure svg").dispatchEvent(type, { pointerType: "touch", clientX: 400 });
      }
      await page.locator('figure svg [stroke-dasharray="3"]').waitFor({ state: "attached" });
      expect(await cellsOf(page, "Entries")).toHaveLength(3 * (1 + 4 + 1));
      expect(reports.sort()).toEqual(["reports/series", "reports/statement"]);
      await page.getByLabel("Period").selectOption("custom");
      expect(await page.getByLabel("From (UTC)").inputValue()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
      await page.locator("figure svg text").first().waitFor();
      await page.goto(view(url, `party/${otherId}`));
      await page.getByText("No accounts.").waitFor();
      await page.getByText(`Complete from ${time(`${first}`)}`).waitFor();
      await page.goto(view(url, "nope"));
      await page.getByText("There is no such page.").waitFor();
      await page.goto(view(url, "party/%"));
      await page.locator("p.id", { hasText: "%" }).waitFor();
    });
  });

  test("scrolls through a hundred thousand rows, of which few are in the page", async () => {
    const count = 99_990;
    const changes = Array.from({ length: count }, (_, index) =>
      change(first + BigInt(index) * 1_000_000_000n, `${index}`, party),
    );
    const node = createNode({ balances: changes, block: { height: 9n, timestamp: first + 200_000n * 1_000_000_000n } });
    expect(await runCli(["sync", pathOf("vega.db")], { fetch: node.fetch })).toMatchObject({ code: 0 });
    const { url } = await startServing(["explore", pathOf("vega.db")]);
    await open(view(url, `party/${party}?whole=yes&period=all&step=day`), async (page) => {
      const table = page.locator('section[aria-label="Entries"]');
      await table.waitFor({ timeout: 60_000 });
      expect(await table.locator("table").getAttribute("aria-rowcount")).toBe(`${count + 2}`);
      await table.focus();
      await page.keyboard.press("End");
      await expect
        .poll(async () => (await cellsOf(page, "Entries")).at(-1)?.slice(1, 4))
        .toEqual(["99,989", "", "Closing"]);
      expect(await table.locator("tr").count()).toBeLessThan(60);
    });
  }, 180_000);
});
