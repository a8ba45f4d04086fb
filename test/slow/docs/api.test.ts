import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { titleOf } from "../../../scripts/docs/api.js";
import { readProgram, readPublicNames } from "../../../scripts/docs/public-names.js";
import { hasNoBrowser } from "../../support/chromium.js";
import { root, type Site, startSite } from "./site.js";

const folder = join(root, "site");
const names = readPublicNames(readProgram());

describe.skipIf(hasNoBrowser)("the API reference of the site", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  }, 300_000);
  afterAll(() => site?.close());

  test("lists every name with its summary, and has a page for each", async () => {
    await site.open("api/index.html", async (page) => {
      const lines = await page.locator("main li").evaluateAll((items) =>
        items.map((item) => ({
          name: item.querySelector("a")?.innerText,
          path: new URL(item.querySelector("a")?.href ?? "").pathname,
          hasSummary: /: \S.+\.$/.test(item.textContent ?? ""),
        })),
      );
      expect(lines.map(({ name }) => name).sort()).toEqual(names.map(titleOf).sort());
      expect(lines[0]?.name).toBe("createClient()");
      expect(lines.filter(({ hasSummary }) => !hasSummary)).toEqual([]);
      for (const { name, path } of lines) {
        const html = await readFile(join(folder, path), "utf8");
        expect(/<h1[^>]*>(.*?) </.exec(html)?.[1]).toBe(name);
      }
    });
  });

  test("shows the types of parameters and of the result in a signature", async () => {
    await site.open("api/functions/nodePool.html", async (page) => {
      const signature = page.locator("main blockquote").first();
      const text = (await signature.innerText()).replaceAll(/\s+/g, "");
      expect(text).toBe("nodePool(urls:readonly(string|URL)[],options?:NodePoolOptions):NodePool");
      await signature.getByRole("link", { name: "NodePoolOptions" }).click();
      await page.waitForURL("**/interfaces/NodePoolOptions.html");
    });
  });

  test("has no page of a module or of raw types", async () => {
    const pages = (await readdir(join(folder, "api"), { recursive: true })).filter((name) => name.endsWith(".html"));
    expect(pages).toHaveLength(names.length + 1);
  });

  test("has its subjects in the sidebar, closed but for the one of the page", async () => {
    await site.open("api/functions/nodePool.html", async (page) => {
      const sidebar = page.locator("aside nav");
      await sidebar.getByRole("link", { name: "nodePool()" }).waitFor();
      expect(await sidebar.getByRole("link", { name: "createFakeNode()" }).isVisible()).toBe(false);
    });
  });

  test("shows the longest pages on a phone without a horizontal scroll bar", async () => {
    for (const path of [
      "interfaces/VegaClient",
      "types/AccountType",
      "classes/VegaError",
      "functions/createFakeNode",
    ]) {
      const use = async (page: Page) => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
        expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(20_000);
      };
      await site.open(`api/${path}.html`, use, { width: 390, colorScheme: "dark" });
    }
  });

  test("is searched by exact names, and the guide by words", async () => {
    const expected = {
      createClient: "api/functions/createClient",
      RetryOptions: "api/interfaces/RetryOptions",
      nodePool: "api/functions/nodePool",
      listVotes: "api/interfaces/VegaClient.html#listvotes",
      retry: "errors",
      scan: "scans",
      "rate limit": "rate-limits",
    };
    await site.open("index.html", async (page) => {
      await page.keyboard.press("Control+k");
      for (const [words, path] of Object.entries(expected)) {
        await page.locator(".VPLocalSearchBox input").fill(words);
        await page.locator(`.VPLocalSearchBox li:first-child .result[href^="/${path}"]`).waitFor();
      }
    });
  });

  test("has an llms.txt with each page, and links to their Markdown", async () => {
    const list = await readFile(join(folder, "llms.txt"), "utf8");
    expect(list).toMatch(
      /^# vegaprotocol-client\n\n> .+\n\n## Guide\n\n- \[Getting started\]\(getting-started\.md\): /,
    );
    const links = [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
    const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".html"));
    const listed = links.map((link) => link.replace(/md$/, "html"));
    // The home page, and the page for addresses that do not exist.
    expect([...listed, "index.html", "404.html"].sort()).toEqual(pages.sort());
  });
});
