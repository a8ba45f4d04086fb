import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groups, titleOf } from "../../../docs/.vitepress/pages.js";
import { hasNoBrowser } from "../../support/chromium.js";
import { operations } from "../../support/description.js";
import { root, type Site, screenshots, startSite, violations } from "./site.js";

// The site that `npm run docs` builds, on a local server, in Chromium. All pages are self-contained: `open` fails on a request
// to another host.
const folder = join(root, "site/");

/** One page of each kind. */
const pages = [
  "index.html",
  ...groups.flatMap(({ pages }) => pages.map((page) => `${page}.html`)),
  "operations/index.html",
  ...operations.map(({ operationId }) => `operations/${operationId}.html`),
  "api/index.html",
];

describe.skipIf(hasNoBrowser)("the documentation site", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  }, 300_000);
  afterAll(() => site?.close());

  const heading = (page: Page) => page.locator("h1").first().innerText();

  test("reaches each page of the guide by the sidebar, in reading order", async () => {
    await site.open("getting-started.html", async (page) => {
      const sidebar = page.locator("aside nav");
      const links = await sidebar.getByRole("link").allInnerTexts();
      const titles = groups.flatMap(({ pages }) => pages.map((name) => titleOf(name)));
      expect(links.filter((text) => titles.includes(text))).toEqual(titles);
      for (const name of groups.flatMap(({ pages }) => pages)) {
        await sidebar.getByRole("link", { name: titleOf(name), exact: true }).click();
        await page.waitForURL(`**/${name}.html`);
        await page.locator("h1", { hasText: titleOf(name) }).waitFor();
      }
    });
  });

  test("finds pages by the words that people look for", async () => {
    const pages = {
      abort: "errors",
      bigint: "getting-started",
      CORS: "errors",
      "infinite scroll": "recipes-ui",
      React: "recipes-ui",
      retry: "errors",
      "rate limit": "rate-limits",
      ban: "rate-limits",
      export: "command-line",
      CSV: "command-line",
      resume: "pagination",
      mock: "testing",
      createClient: "api/",
      withdrawal: "operations/listNodeSignatures",
    };
    await site.open("index.html", async (page) => {
      await page.keyboard.press("Control+k");
      const box = page.getByRole("searchbox");
      const results = page.locator(".VPLocalSearchBox .result");
      for (const [word, expected] of Object.entries(pages)) {
        await box.fill("");
        await results.first().waitFor({ state: "detached" });
        await box.fill(word);
        await results.first().waitFor();
        await page.screenshot({ path: join(screenshots, `search-${word.replace(" ", "-")}.png`) });
        const found = await results.evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute("href")));
        expect
          .soft(
            found.filter((href) => href?.startsWith(`/${expected}`)),
            `${word}: ${found.join(" ")}`,
          )
          .not.toEqual([]);
      }
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname !== "/" && url.pathname !== "/index.html");
      expect(await heading(page)).not.toBe("");
    });
  });

  test("can be used with the keyboard alone", async () => {
    await site.open("getting-started.html", async (page) => {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
      await page.keyboard.press("/");
      await page.getByRole("searchbox").waitFor();
      await page.keyboard.type("createClient");
      await page.locator(".VPLocalSearchBox .result").nth(1).waitFor();
      await page.keyboard.press("ArrowDown");
      const second = await page.locator(".VPLocalSearchBox .result.selected").getAttribute("href");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${second}`);
    });
  });

  test("shows the sidebar as a menu on a phone", async () => {
    await site.open(
      "pagination.html",
      async (page) => {
        await page.getByRole("button", { name: "Menu" }).click();
        await page.locator("aside nav").getByRole("link", { name: "Scans and history", exact: true }).click();
        await page.locator("h1", { hasText: "Scans and history" }).waitFor();
      },
      { width: 390 },
    );
  });

  test.each(pages)("is accessible on a desktop and on a phone, in light and in dark mode: %s", async (name) => {
    await site.open(name, async (page) => {
      const picture = name.replaceAll(/\W+/g, "-");
      expect(await page.locator("html.dark").count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.screenshot({ path: join(screenshots, `desktop-${picture}.png`) });

      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator("html.dark").waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      expect(await scrollBoxes(page)).toEqual([]);
      await page.screenshot({ path: join(screenshots, `phone-${picture}.png`) });
    });
  });

  /** The boxes that scroll horizontally, other than code and tables. */
  const scrollBoxes = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll("main *")]
        .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
        .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowX))
        .filter((each) => each.matches(":not(pre, table, div[class*=language-], .tabs)") && !each.closest("pre"))
        .map((each) => `${each.tagName}.${each.className}`),
    );

  test("has no broken link", async () => {
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".html"));
    const targets = new Map<string, Set<string>>();
    const contents = new Map<string, string>();
    for (const name of files) {
      const html = await readFile(folder + name, "utf8");
      contents.set(name, html);
      targets.set(
        pathToFileURL(folder + name).href,
        new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id)),
      );
    }
    const broken: string[] = [];
    for (const [name, html] of contents) {
      for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const link = href.replaceAll("&amp;", "&");
        if (/^\w+:/.test(link)) continue;
        const base = link.startsWith("/") ? folder : pathToFileURL(folder + name).href;
        const url = link.startsWith("/") ? new URL(`.${link}`, pathToFileURL(base)) : new URL(link, base);
        const anchor = decodeURIComponent(url.hash.slice(1));
        url.hash = "";
        const file = url.href.endsWith("/") ? `${url.href}index.html` : url.href;
        const ids = targets.get(file);
        if (ids ? anchor !== "" && !ids.has(anchor) : !existsSync(new URL(file))) broken.push(`${name}: ${href}`);
      }
    }
    expect(files.length).toBeGreaterThan(30);
    expect(broken).toEqual([]);
  });
});
