import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";
import { operations } from "../../support/description.js";

// The pages that `npm run docs` builds, opened from disk in Chromium.
const root = fileURLToPath(new URL("../../../", import.meta.url));
const site = `${root}site/`;
const screenshots = `${root}reports/docs/`;

describe.skipIf(hasNoBrowser)("the pages", () => {
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    await promisify(execFile)("npm", ["run", "--silent", "docs"], { cwd: root });
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page, and records requests for anything that is not on disk, and errors in its console. */
  async function open(name: string, { width = 1280, height = 900, colorScheme = "light" as "light" | "dark" } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    const requests: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => {
      if (!/^(?:file|data|blob):/.test(request.url())) requests.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.setDefaultTimeout(10_000);
    await page.goto(new URL(name, pathToFileURL(site)).href);
    return {
      page,
      expectNoProblems: async () => {
        await page.waitForLoadState("networkidle");
        expect({ requests, problems }).toEqual({ requests: [], problems: [] });
        await context.close();
      },
    };
  }

  const heading = (page: Page, text: string) => page.locator("h1, h2, h3").filter({ hasText: text }).first();

  const visible = (page: Page, link: string) =>
    page.getByRole("link", { name: link, exact: true }).locator("visible=true").first();

  test.each(operations)(
    "show $operationId, with samples for curl and the client",
    async ({ operationId, summary, tags, "x-codeSamples": samples }) => {
      const { page, expectNoProblems } = await open("operations.html");
      await page.getByRole("link", { name: tags[0] ?? "", exact: true }).click();
      await page.getByRole("link", { name: summary }).first().click();
      await heading(page, summary).waitFor();
      const text = await page.evaluate(() => document.body.innerText);
      for (const { source } of samples) expect(squeeze(text)).toContain(squeeze(source));
      await page.screenshot({ path: `${screenshots}${operationId}.png` });
      await expectNoProblems();
    },
  );

  test("have a search that finds operations", async () => {
    const { page, expectNoProblems } = await open("operations.html");
    await page.getByText("Governance", { exact: true }).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("withdrawal");
    const found = page.getByText("List node").last();
    await found.waitFor();
    await found.click();
    await page.waitForURL(/listnodesignatures/);
    await page.screenshot({ path: `${screenshots}search.png` });
    await expectNoProblems();
  });

  test("have links from the guide to the operations, to the API and back", async () => {
    const { page, expectNoProblems } = await open("index.html");
    await heading(page, "Quick start").waitFor();
    await page.getByRole("link", { name: "HTTP operations" }).first().click();
    await page.getByText("Governance", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "API of the package" }).click();
    await visible(page, "index").click();
    await visible(page, "createClient").click();
    await heading(page, "Function createClient").waitFor();
    await page.getByRole("link", { name: "HTTP operations" }).first().click();
    await page.getByRole("link", { name: "Guide" }).click();
    await heading(page, "Quick start").waitFor();
    await expectNoProblems();
  });

  const pages = [
    "operations.html",
    "operations.html#/accounts/listbalancechanges",
    "index.html",
    "documents/Scans_and_history.html",
    "documents/Errors_and_retries.html",
    "functions/index.createClient.html",
  ];

  test.each(pages)("fit the width of a phone: %s", async (name) => {
    const { page, expectNoProblems } = await open(name, { width: 390, height: 844 });
    await page.getByRole("heading").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.screenshot({ path: `${screenshots}phone-${name.replaceAll(/\W+/g, "-")}.png` });
    await expectNoProblems();
  });

  test.each(pages)("have enough contrast in light and in dark mode: %s", async (name) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, expectNoProblems } = await open(name, { colorScheme });
      await page.getByRole("heading").first().waitFor();
      const { background, contrasts } = await page.evaluate(() => {
        const luminance = (color: string) => {
          const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const backgroundOf = (element: Element | null): string => {
          if (element === null) return "rgb(255, 255, 255)";
          const { backgroundColor } = getComputedStyle(element);
          return /, 0\)$|transparent/.test(backgroundColor) ? backgroundOf(element.parentElement) : backgroundColor;
        };
        const paragraphs = [...document.querySelectorAll("p, h1, h2, td, li")].filter((each) =>
          each.textContent?.trim(),
        );
        return {
          background: luminance(backgroundOf(paragraphs[0] ?? null)),
          contrasts: paragraphs.slice(0, 200).map((each) => {
            const [a, b] = [luminance(getComputedStyle(each).color), luminance(backgroundOf(each))];
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          }),
        };
      });
      expect(background > 0.5).toBe(colorScheme === "light");
      // The contrast that WCAG requires at level AA.
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
      await page.screenshot({ path: `${screenshots}${colorScheme}-${name.replaceAll(/\W+/g, "-")}.png` });
      await expectNoProblems();
    }
  });

  test("have no broken link", async () => {
    const files = (await readdir(site, { recursive: true })).filter(
      (name) => name.endsWith(".html") && name !== "operations.html",
    );
    expect(files.length).toBeGreaterThan(50);
    const broken: string[] = [];
    for (const name of files) {
      const html = await readFile(site + name, "utf8");
      for (const [, link = ""] of html.matchAll(/<a [^>]*href="([^"#]+)/g)) {
        if (/^\w+:/.test(link)) continue;
        if (!existsSync(new URL(link, pathToFileURL(site + name)))) broken.push(`${name}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });
});

const squeeze = (text: string) => text.replaceAll(/\s+/g, "");
