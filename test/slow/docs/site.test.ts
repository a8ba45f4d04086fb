import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries, groups } from "../../../docs/.vitepress/pages.js";
import { hasNoBrowser } from "../../support/chromium.js";
import { searches } from "./searches.js";
import { root, type Site, screenshots, startSite, violations } from "./site.js";

// The site that `npm run docs` builds, on a local server, in Chromium. All pages are self-contained: `open` fails on a request
// to another host.
const folder = join(root, "site/");

const guide = groups.flatMap(({ pages }) => pages);
/** One page of each kind: others share their elements and colors. */
const kinds = ["index", "getting-started", "operations", "recipes-ui", "following", "command-line", "api/index"];

describe.skipIf(hasNoBrowser)("the documentation site", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  }, 300_000);
  afterAll(() => site?.close());

  test("finds first what people look for", async () => {
    // The search waits for a pause after each word.
    const tabs = Array.from({ length: 4 }, (_, tab) => searches.filter((_, index) => index % 4 === tab));
    const look = (own: typeof searches) => async (page: Page) => {
      await page.keyboard.press("Control+k");
      const box = page.getByRole("searchbox");
      const results = page.locator(".VPLocalSearchBox .result");
      for (const [word, expected] of own) {
        await box.fill("");
        await results.first().waitFor({ state: "detached" });
        await box.fill(word);
        await results.or(page.locator(".VPLocalSearchBox .no-results")).first().waitFor();
        const href = (await results.count()) > 0 ? await results.first().getAttribute("href") : "";
        expect.soft(href, word).toMatch(new RegExp(`^/(?:${expected})`));
      }
      const first = await results.first().getAttribute("href");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${first}`);
    };
    await Promise.all(tabs.map((own) => site.open("index.html", look(own))));
  }, 240_000);

  test("loads the search with the page, and shows a spinner until that is done", async () => {
    const page = await site.browser.newPage();
    const route = new Promise<Route>((resolve) => page.route("**/*localSearchIndex*", resolve));
    await page.goto(`${site.url}scans.html`);
    // Before anything is pressed.
    const index = await route;
    const spinner = () =>
      page.locator(".VPLocalSearchBox .results").evaluate((list) => getComputedStyle(list, "::after").animationName);
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill("coverage");
    expect(await spinner()).toBe("search-spinner");
    await index.continue();
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    expect(await spinner()).toBe("none");
    await page.close();
  });

  test.each(kinds)("is accessible on a desktop in light mode, and on a phone in dark mode: %s", async (name) => {
    await site.open(`${name}.html`, async (page) => {
      const picture = name.replaceAll(/\W+/g, "-");
      expect(await page.locator("html.dark").count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.screenshot({ path: join(screenshots, `desktop-${picture}.png`) });
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator("html.dark").waitFor();
      await page.screenshot({ path: join(screenshots, `phone-${picture}.png`) });
      await page.locator(".section-toggle").evaluateAll((all) => all.map((each) => (each as HTMLElement).click()));
      expect(await violations(page)).toEqual([]);
    });
  });

  test("has short pages on a phone, which scroll sideways in code and tables alone", async () => {
    const use = async (page: Page) => {
      for (const name of ["index", ...guide, "openapi", "api/index", "api/vegaprotocol-client"]) {
        await page.goto(`${site.url}${name}.html`);
        await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        if (!name.startsWith("api/")) expect.soft(height, name).toBeLessThan(6000);
        await page.locator(".section-toggle").evaluateAll((all) => all.map((each) => (each as HTMLElement).click()));
        expect.soft(await page.locator(".section:visible").count()).toBe(await page.locator(".section").count());
        expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(390);
        expect.soft(await scrollBoxes(page), name).toEqual([]);
        if (name.startsWith("api/")) continue;
        // A cell next to long names has a few letters in each line.
        const cells = page.locator("td");
        const high = await cells.evaluateAll((all) => all.filter(({ clientHeight }) => clientHeight > 400).length);
        expect.soft(high, name).toBe(0);
      }
    };
    await site.open("index.html", use, 390);
  });

  test("opens a section on a phone by the address, its heading and its button", async () => {
    const use = async (page: Page) => {
      const isOpen = (name: string) => page.getByRole("button", { name, exact: true }).getAttribute("aria-expanded");
      const timeout = page.locator(".options code", { hasText: /^timeout$/ }).first();
      expect([await isOpen("Redirects"), await isOpen("Options")]).toEqual(["true", "false"]);
      expect(await timeout.isVisible()).toBe(false);
      await page.locator("#options").click();
      expect(await isOpen("Options")).toBe("true");
      expect(await timeout.isVisible()).toBe(true);
      await page.getByRole("button", { name: "Options", exact: true }).press("Enter");
      expect(await timeout.isVisible()).toBe(false);
    };
    await site.open("errors.html#redirects", use, 390);
  });

  test("follows a chain in the page, which a program that is killed continues", async () => {
    await site.open("following.html#try-it", async (page) => {
      const stored = page.locator(".live-follower dd").last();
      const counts = async () => [...((await stored.innerText()).match(/\d+/g) ?? [])].map(Number);
      await page.getByRole("button", { name: "Start the program" }).click();
      await expect.poll(async () => (await counts())[0] ?? 0, { timeout: 20_000 }).toBeGreaterThan(0);
      await page.getByRole("button", { name: "Kill the program" }).click();
      const [before = 0] = await counts();
      const blocks = page.locator(".live-follower .blocks li:not(.stored)");
      await expect.poll(() => blocks.count(), { timeout: 20_000 }).toBeGreaterThan(2);
      expect((await counts())[0]).toBe(before);
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: "Start it again" }).click();
      await expect.poll(async () => (await counts())[0] ?? 0, { timeout: 20_000 }).toBeGreaterThan(before);
      const [after, expected] = await counts();
      expect(after).toBe(expected);
      await page.locator(".live-follower").screenshot({ path: join(screenshots, "live-follower.png") });
    });
  });

  const withSamples = ["index", "getting-started", "reports"];
  test.each(withSamples)("runs samples in the page, which print what it shows: %s", async (name) => {
    await site.open(`${name}.html`, async (page) => {
      const shown = await page.locator("div.language-text:has(+ .run-sample) code").allInnerTexts();
      expect(shown.length).toBeGreaterThan(0);
      const buttons = page.getByRole("button", { name: "Run it here" });
      while ((await buttons.count()) > 0) await buttons.first().click();
      const outputs = page.locator(".run-sample pre");
      const printed = shown.map((text) => `${text.trimEnd()}\n`);
      await expect.poll(() => outputs.allInnerTexts(), { timeout: 20_000 }).toEqual(printed);
      expect(await violations(page)).toEqual([]);
      await page.screenshot({ path: join(screenshots, `run-${name}.png`), fullPage: name !== "reports" });
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

  test("has a page of the API reference for each entry, and an llms.txt with links to the Markdown of the pages", async () => {
    for (const entry of entries) expect(existsSync(join(folder, `api/${entry}.html`))).toBe(true);
    const list = await readFile(join(folder, "llms.txt"), "utf8");
    const links = [...list.matchAll(/^- \[[^\]]+\]\(\/([^)]+)\)/gm)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(25);
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  });

  test("shows types in a hover, and copies a page as Markdown", async () => {
    await site.open("getting-started.html", async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.locator(".twoslash-hover", { hasText: "createClient" }).first().hover();
      await page.locator(".twoslash-popup-code", { hasText: "function createClient" }).first().waitFor();
      await page.screenshot({ path: join(screenshots, "hover.png") });
      await page.getByRole("button", { name: "Copy page as Markdown" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("# Getting started");
    });
  });

  test("prints all of the text, and nothing to press, on white", async () => {
    await site.open("sync.html", async (page) => {
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      // As wide as paper.
      await page.setViewportSize({ width: 718, height: 1000 });
      await page.locator("html.dark").waitFor();
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      expect(await page.locator("html.dark").count()).toBe(0);
      expect(await page.locator(":is(a, button):visible:not(main .vp-doc *)").allTextContents()).toEqual([]);
      const boxes = page.locator("pre");
      expect(await boxes.evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth).length)).toBe(0);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.locator("html.dark").waitFor();
    });
  });

  test("shows the OpenAPI description without another host", async () => {
    await site.open("openapi.html", async (page) => {
      await page.getByRole("heading", { name: "Check a signed transaction" }).waitFor();
      await page.screenshot({ path: join(screenshots, "openapi.png") });
    });
  });

  test("has no broken link", async () => {
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".html"));
    const contents = new Map<string, string>();
    for (const name of files) contents.set(`/${name}`, await readFile(join(folder, name), "utf8"));
    const isBroken = (from: string, link: string) => {
      const { pathname, hash } = new URL(link.replaceAll("&amp;", "&"), `https://site.example${from}`);
      const path = decodeURIComponent(pathname).replace(/\/$/, "/index.html");
      const html = contents.get(path);
      if (html === undefined) return !existsSync(join(folder, path));
      return hash !== "" && !html.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
    };
    const broken = [...contents].flatMap(([name, html]) =>
      [...html.matchAll(/<a [^>]*href="(?!\w+:)([^"]+)"/g)]
        .filter(([, link = ""]) => isBroken(name, link))
        .map(([, link]) => `${name}: ${link}`),
    );
    expect(files.length).toBeGreaterThan(30);
    expect(broken).toEqual([]);
    // The description of a page is plain text.
    const marked = [...contents].filter(([, html]) => /<meta name="description" content="[^"]*[[\]{}`*]/.test(html));
    expect(marked.map(([name]) => name)).toEqual([]);
  });
});
