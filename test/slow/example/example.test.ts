import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";
import { freePort } from "../../support/free-port.js";
import { startNpmServer } from "../../support/npm-server.js";

describe.skipIf(hasNoBrowser)("the example application", () => {
  let endServer: (() => void) | undefined;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    const script = ["run", "--silent", "example", "--", "--host", "127.0.0.1", "--port", `${port}`, "--strictPort"];
    endServer = await startNpmServer(script, "127.0.0.1");
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    endServer?.();
  });

  /** Opens a view, and fails on errors of the page. */
  async function open(address: string, read: (page: Page) => Promise<void>, width = 1280): Promise<void> {
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    try {
      await page.goto(url + address);
      await read(page);
      expect(errors).toEqual([]);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBe(0);
    } finally {
      await page.close();
    }
  }

  const votesOn = (page: Page) =>
    page.$$eval("[data-vote]", (rows) => rows.map((row) => row.getAttribute("data-vote") ?? ""));

  test.each([1280, 390])("shows every vote once while the user scrolls, %i pixels wide", async (width) => {
    await open(
      "",
      async (page) => {
        await page.waitForSelector("[data-vote]");
        const first = await votesOn(page);
        expect(first.length).toBe(500);
        while ((await page.$("[data-end]")) === null) {
          await page.mouse.wheel(0, 20_000);
          await page.waitForTimeout(50);
        }
        const { votes } = createFakeNode({ votes: 6000 }).records;
        const [, proposalId] = [...new Set(votes.map((vote) => vote.proposalId))];
        const expected = votes.filter((vote) => vote.proposalId === proposalId);
        const shown = await votesOn(page);
        expect(shown.length).toBe(2000);
        expect(new Set(shown)).toEqual(new Set(expected.map(({ partyId, timestamp }) => `${partyId} ${timestamp}`)));
      },
      width,
    );
  });

  test.each([1280, 390])("plots the balances of a party, %i pixels wide", async (width) => {
    await open(
      "#view=balances",
      async (page) => {
        const changes = () => page.locator("[data-changes]").getAttribute("data-changes").then(Number);
        expect(await changes()).toBeGreaterThan(100);
        const more = page.getByRole("button", { name: "Show older changes" });
        while ((await page.getByText("the whole history").count()) === 0) {
          if ((await more.count()) > 0) await more.click();
          await page.waitForTimeout(50);
        }
        expect(await changes()).toBe(400);
        const line = await page.locator("path.line").getAttribute("d");
        expect(line?.match(/H/g)).toHaveLength(399);
        await page.locator(".chart svg").press("ArrowLeft");
        expect(await page.locator("figcaption").textContent()).toContain("since");
      },
      width,
    );
  });

  test.each([1280, 390])("shows the spam statistics of a party, %i pixels wide", async (width) => {
    await open(
      "#view=spam",
      async (page) => {
        await page.waitForSelector("[data-epoch]");
        expect(await page.locator("meter").count()).toBeGreaterThan(8);
        expect(await page.getByText("Blocked until").count()).toBe(1);
      },
      width,
    );
  });

  test.each([
    [503, 1],
    [400, 0],
  ])("has a retry button only if a retry can help: status %i, %i buttons", async (status, buttons) => {
    const { url: address, close } = await listen(
      createFakeNode({ votes: 30 }, { faults: [{ name: "status", status }] }),
    );
    const page = await browser.newPage();
    await page.goto(`${url}?node=${encodeURIComponent(address)}#proposal=${"ab".repeat(32)}`);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(buttons);
    await page.close();
    await close();
  });

  test("shows a node by its address, and the error of an address that is not one", async () => {
    const node = createFakeNode({ votes: 30 });
    const { proposalId } = node.records.votes[0] ?? {};
    const { url: address, close } = await listen(node);
    await open(`?node=${encodeURIComponent(address)}#proposal=${proposalId}`, async (page) => {
      await page.waitForSelector("[data-end]");
      const expected = node.records.votes.filter((vote) => vote.proposalId === proposalId);
      expect(await votesOn(page)).toHaveLength(expected.length);
    });
    await close();
    await open("?node=node.example:x", async (page) => {
      expect(await page.getByRole("alert").textContent()).toContain("Expected `baseUrl`");
    });
  });
});
