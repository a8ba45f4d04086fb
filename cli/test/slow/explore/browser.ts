import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { launchChromium } from "../../../../test/support/chromium.js";

const screenshots = fileURLToPath(new URL("../../../../reports/explore", import.meta.url));
mkdirSync(screenshots, { recursive: true });

/**
 * Gives a test file a browser, and a function that opens a page in it. The function fails if the page sends a request to another server, shows
 * a dialog or reports an error.
 */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());
  return async (url: string, use: (page: Page) => Promise<void>): Promise<void> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 844 } });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const problems: string[] = [];
    const isOwn = (sent: string) => (url.startsWith("file:") ? sent === url : sent.startsWith(new URL(url).origin));
    page.on("request", (request) => isOwn(request.url()) || problems.push(request.url()));
    page.on("dialog", (dialog) => problems.push(dialog.message()));
    page.on("pageerror", (error) => problems.push(String(error)));
    // The page shows why something could not be read.
    const isMeant = (text: string) => text.startsWith("Failed to load resource");
    page.on("console", (message) => {
      if (message.type() === "error" && !isMeant(message.text())) problems.push(message.text());
    });
    try {
      await page.goto(url);
      await use(page);
      expect(problems).toEqual([]);
    } finally {
      await context.close();
    }
  };
}

/** The cells of a table with a label, in the order of its rows. */
export async function cellsOf(page: Page, label: string): Promise<string[][]> {
  const table = page.locator(`section[aria-label="${label}"]`);
  await table.waitFor();
  const rows = table.locator("tbody tr[aria-rowindex]");
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}

/** Findings of axe-core, and cut amounts and headings, in both themes and both sizes. A picture of each is kept. */
export async function violations(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      // The page's policy allows no other script.
      await page.evaluate(axe.source);
      const ids = await page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run("html");
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      const cut = await page
        .locator(":is(th, td.number)")
        .evaluateAll((all) =>
          all.filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight),
        );
      if (cut.length > 0) found.push(`${cut.length} amounts or headings are cut off`);
      const atEdge = await page.locator(".table").evaluateAll((all) =>
        all.flatMap((table) => {
          const edge = table.getBoundingClientRect().right;
          const texts = [...table.querySelectorAll("td.number > *")].map((text) => text.getBoundingClientRect());
          return texts.filter(({ left, right }) => left < edge && right > edge);
        }),
      );
      // A page to send has the columns in the order of the command.
      if (atEdge.length > 0 && !name.startsWith("sent"))
        found.push(`${atEdge.length} amounts are cut at the edge of ${width}`);
      found.push(...ids, ...(isWide ? [`wider than ${width}`] : []));
    }
  }
  return found;
}
