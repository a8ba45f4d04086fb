import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { hasNoBrowser } from "../../support/chromium.js";
import { operations } from "../../support/description.js";
import { type Site, screenshots, startSite, violations } from "./site.js";

interface List {
  edges: { cursor: string; node: Record<string, string> }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}

describe.skipIf(hasNoBrowser)("the console of an operation page", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  }, 300_000);
  afterAll(() => site?.close());

  const pathOf = (id: string) => `operations/${id}.html`;

  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

  /** Presses a button that sends a request, and returns the line about the outcome and the body. */
  async function press(page: Page, button: string): Promise<{ outcome: string; body: Record<string, unknown> }> {
    await page.getByRole("button", { name: button, exact: true }).click();
    const outcome = page.locator(".outcome", { hasNotText: "Waiting" }).filter({ hasText: /./ });
    const text = (await outcome.textContent()) ?? "";
    return { outcome: text, body: JSON.parse((await page.locator(".response pre").textContent()) ?? "") };
  }

  const listOf = (body: Record<string, unknown>) => Object.values(body)[0] as List;

  test("filters as the form says", async () => {
    await site.open(pathOf("listBalanceChanges"), async (page) => {
      await field(page, "ACCOUNT_TYPE_GENERAL").uncheck();
      await field(page, "ACCOUNT_TYPE_MARGIN").check();
      const { body } = await press(page, "Send request");
      const { edges } = listOf(body);
      expect(new Set(edges.map(({ node }) => node["accountType"]))).toEqual(new Set(["ACCOUNT_TYPE_MARGIN"]));
      const [start, end] = [1707497580000000000n, 1707497640000000000n];
      for (const { node } of edges) {
        expect(BigInt(node["timestamp"] ?? 0) >= start && BigInt(node["timestamp"] ?? 0) < end).toBe(true);
      }
      const code = await page.locator(".language-ts").last().textContent();
      expect(code).toContain('accountTypes: ["ACCOUNT_TYPE_MARGIN"]');
    });
  });

  test("reads a list page by page, with a pasted cursor and with its buttons, and back", async () => {
    await site.open(pathOf("listNodeSignatures"), async (page) => {
      await field(page, "pagination.first").fill("25");
      const first = listOf((await press(page, "Send request")).body);
      await field(page, "pagination.after").fill(first.pageInfo.endCursor);
      const second = await press(page, "Send request");
      expect(second.outcome).toBe("Status 200: 15 records");
      expect(listOf(second.body).edges).not.toContainEqual(first.edges.at(-1));

      await field(page, "pagination.after").fill("");
      await press(page, "Send request");
      expect((await press(page, "Next page")).body).toEqual(second.body);
      expect(await field(page, "pagination.after").inputValue()).toBe(first.pageInfo.endCursor);
      expect(await page.locator(".language-sh").last().textContent()).toContain("pagination.after=");
      expect(listOf((await press(page, "Previous page")).body).edges).toEqual(first.edges);
      await page.getByRole("button", { name: "Reset" }).click();
      expect(await field(page, "pagination.first").inputValue()).toBe("5");
    });
  });

  test("shows the errors of a node", async () => {
    await site.open(pathOf("listVotes"), async (page) => {
      await field(page, "proposalId").fill("");
      expect(await press(page, "Send request")).toMatchObject({
        outcome: "Status 400",
        body: { details: [{ message: "missing proposal id and party id" }] },
      });
      await field(page, "partyId").fill("not an id");
      expect((await press(page, "Send request")).outcome).toBe("Status 400");
      await field(page, "State of the example node").selectOption("rate limit exceeded");
      expect((await press(page, "Send request")).outcome).toBe("Status 429");
      await field(page, "State of the example node").selectOption("starting");
      expect((await press(page, "Send request")).outcome).toBe("Status 503");
    });
  });

  test("says why the next page of profiles fails", async () => {
    await site.open(pathOf("listPartiesProfiles"), async (page) => {
      await press(page, "Send request");
      expect((await press(page, "Next page")).outcome).toBe("Status 500");
      const advice = page.locator(".advice");
      expect(await advice.innerText()).toMatch(
        /^v0\.74 nodes respond to every cursor .+ \(pagination\.first, at most 5000\)/,
      );
      await advice.getByRole("link").click();
      await page.waitForURL("**/pagination.html#unreliable-cursors-of-nodes");
    });
  });

  test("shows a result as a table without cutting a value, on a desktop and on a phone", async () => {
    for (const width of [1280, 390]) {
      await site.open(
        `${pathOf("listBalanceChanges")}#try-it`,
        async (page) => {
          const { body } = await press(page, "Send request");
          await page.getByRole("button", { name: "Table" }).click();
          const table = page.getByRole("region", { name: "Response as a table" });
          const [first] = listOf(body).edges;
          const cells = table.locator("tbody tr").first().locator("td");
          expect((await cells.allInnerTexts()).map((text) => text.trim())).toEqual([
            expect.stringMatching(/^2024-02-09T16:53:\d\d\.\d{9}Z$/),
            ...["balance", "partyId", "assetId", "marketId", "accountType"].map((name) => first?.node[name]),
          ]);
          const cut = await cells.evaluateAll(
            (all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length,
          );
          expect(cut).toBe(0);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
          expect(await violations(page, { within: ".operation-console" })).toEqual([]);
          await table.screenshot({ path: join(screenshots, `table-${width}.png`) });
          await page.getByRole("button", { name: "JSON" }).click();
          expect(await page.locator(".response pre").textContent()).toContain('"edges"');
        },
        { width },
      );
    }
  });

  test("shares its request by a link, which fills in the form and sends nothing", async () => {
    let link = "";
    await site.open(pathOf("listVotes"), async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await field(page, "proposalId").fill("");
      await field(page, "partyId").fill("ab".repeat(32));
      await field(page, "State of the example node").selectOption("starting");
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByRole("status").getByText("The link was copied").waitFor();
      link = await page.evaluate(() => navigator.clipboard.readText());
      expect(page.url()).toBe(link);
    });
    await site.open(link.replace(site.url, ""), async (page) => {
      await page.getByRole("status").getByText("Nothing was sent yet").waitFor();
      expect(await page.locator(".response").count()).toBe(0);
      expect(await field(page, "partyId").inputValue()).toBe("ab".repeat(32));
      expect(await field(page, "proposalId").inputValue()).toBe("");
      const request = `GET https://node.example/api/v2/votes?partyId=${"ab".repeat(32)}&pagination.first=5`;
      expect(await page.locator(".request").innerText()).toBe(request);
      expect((await press(page, "Send request")).outcome).toBe("Status 503");
    });
  });

  test("rejects a transaction that was checked before, until the next block", async () => {
    await site.open(pathOf("checkTransaction"), async (page) => {
      expect((await press(page, "Send request")).body).toMatchObject({ success: true });
      expect((await press(page, "Send request")).body).toMatchObject({ success: false, code: 89 });
      await page.getByRole("button", { name: "Begin next block" }).click();
      await page
        .getByRole("status")
        .getByText(/Block \d+ has begun/)
        .waitFor();
      expect((await press(page, "Send request")).body).toMatchObject({ success: true });
      await field(page, "tx (required)").fill("{");
      expect((await press(page, "Send request")).outcome).toBe("Status 400");
    });
  });

  test("calls another node by its URL", async () => {
    const node = createFakeNode({ signatures: 3 });
    const server = await listen(node);
    const [{ id } = { id: "" }] = node.records.signatures;
    await site.open(
      pathOf("listNodeSignatures"),
      async (page) => {
        await field(page, "Node").fill(`${server.url}/`);
        await field(page, "id (required)").fill(id);
        expect((await press(page, "Send request")).outcome).toMatch(/^Status 200: \d records?$/);
        expect(node.requests).toHaveLength(1);
        expect(await page.locator(".language-ts").last().textContent()).toContain(server.url);
        await field(page, "Node").fill("node");
        await page.getByRole("button", { name: "Send request" }).click();
        await page.getByRole("status").getByText("Enter the URL of a node").waitFor();
      },
      { otherServer: server.url },
    );
    await server.close();
  });

  test("reports a node that does not respond", async () => {
    // Not with `open`, which fails on the error that the browser logs.
    const page = await site.browser.newPage();
    await page.goto(site.url + pathOf("getSpamStatistics"));
    await field(page, "Node").fill("http://127.0.0.1:1");
    await page.getByRole("button", { name: "Send request" }).click();
    await page.getByRole("status").getByText("No response from http://127.0.0.1:1").waitFor();
    await page.close();
  });

  /** A member of the response, or of each record of a list. */
  const members: Record<string, string> = {
    listVotes: "proposalId",
    listPartiesProfiles: "alias",
    listBalanceChanges: "balance",
    listNodeSignatures: "sig",
    getSpamStatistics: "statistics",
    checkTransaction: "success",
  };

  test.each(operations)(
    "sends $operationId to the node in the page, and is accessible after a response and after an error",
    async ({ operationId }) => {
      const within = ".operation-console";
      const member = members[operationId] ?? "";
      await site.open(pathOf(operationId), async (page) => {
        const { outcome, body } = await press(page, "Send request");
        if (operationId.startsWith("list")) {
          expect(outcome).toBe("Status 200: 5 records, and a next page");
          expect(listOf(body).edges.map(({ node }) => typeof node[member])).toEqual(Array(5).fill("string"));
        } else {
          expect(outcome).toBe("Status 200");
          expect(body[member]).toBeTruthy();
        }
        await page.getByText("Response headers").click();
        expect(await violations(page, { within })).toEqual([]);

        await page.emulateMedia({ colorScheme: "dark" });
        await page.setViewportSize({ width: 390, height: 844 });
        await page.locator("html.dark").waitFor();
        await page.getByRole("button", { name: "Try it" }).click();
        expect(await violations(page, { within })).toEqual([]);
        await field(page, "State of the example node").selectOption("starting");
        await press(page, "Send request");
        expect(await violations(page, { within })).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
        await page.locator(within).screenshot({ path: join(screenshots, `console-${operationId}.png`) });
      });
    },
  );

  test("works with the keyboard alone", async () => {
    await site.open(pathOf("listVotes"), async (page) => {
      await field(page, "pagination.first").focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("2");
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Status 200: 2 records, and a next page").waitFor();
    });
  });
});
