import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { listen } from "../../../src/testing/node/index.js";
import { launchChromium } from "../../support/chromium.js";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const screenshots = join(root, "reports/docs");

export type Site = Awaited<ReturnType<typeof startSite>>;

/** Builds the site, and serves it on a local server, for Chromium. */
export async function startSite() {
  execFileSync("npm", ["run", "--silent", "docs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  mkdirSync(screenshots, { recursive: true });
  const server = await listen({ fetch: serveSite });
  const url = `${server.url}/`;
  const browser = await launchChromium();
  return {
    browser,
    url,
    /**
     * Opens a page, and fails if it sends a request to another host or reports an error.
     *
     * @param path - Such as `pagination.html#votes`.
     * @param width - The width of the window. Default: a desktop.
     */
    async open(path: string, use: (page: Page) => Promise<void>, width = 1280) {
      const context = await browser.newContext({ viewport: { width, height: 844 } });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const problems: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url())) problems.push(request.url());
      });
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(String(error)));
      try {
        await page.goto(url + path);
        // Vue is there: buttons work.
        await page.waitForFunction(() => {
          const app = document.querySelector("#app");
          return app === null || "__vue_app__" in app;
        });
        await use(page);
        expect(problems).toEqual([]);
      } finally {
        await context.close();
      }
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** A file of the site as it is: the preview of VitePress compresses each file again for each page. */
async function serveSite({ url }: Request): Promise<Response> {
  const path = decodeURIComponent(new URL(url).pathname.replace(/\/$/, "/index.html"));
  const content = await readFile(join(root, "site", path)).catch(() => undefined);
  const headers = { "Content-Type": types[extname(path)] ?? "application/octet-stream" };
  return new Response(content, { status: content ? 200 : 404, headers });
}

/** What axe-core finds by the rules of WCAG 2 up to level AA. */
export async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe.source });
  return page.evaluate(async () => {
    const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
    const found = await (window as unknown as { axe: typeof axe }).axe.run("html", { runOnly });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ""}`),
    );
  });
}
