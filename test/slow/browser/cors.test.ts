import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { type FakeNodeServer, listen } from "../../../src/testing/node/index.js";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const html = { fetch: async () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } }) };

describe.skipIf(hasNoBrowser)("in Chromium", () => {
  let browser: Browser;
  let site: FakeNodeServer;
  let content: string;

  beforeAll(async () => {
    const contents = 'export { createClient } from "./src/index.ts";';
    const options = { bundle: true, write: false, format: "iife", globalName: "vega" } as const;
    const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: root } });
    content = outputFiles[0]?.text ?? "";
    [browser, site] = await Promise.all([launchChromium(), listen(html)]);
  });
  afterAll(async () => {
    await site?.close();
    await browser?.close();
  });

  /** The error of a call on a page, or "none". */
  async function callFrom(page: string, node: string): Promise<string> {
    const tab = await browser.newPage();
    try {
      await tab.goto(page);
      await tab.addScriptTag({ content });
      const call = `vega.createClient({ baseUrl: "${node}", retry: false }).getSpamStatistics({ partyId: "a1" })`;
      return (await tab.evaluate(`${call}.then(() => "none", (error) => error.name + ": " + error.message)`)) as string;
    } finally {
      await tab.close();
    }
  }

  test("a response that the browser blocks is a ConnectionError that names CORS and the origin of the page", async () => {
    const node = createFakeNode();
    const fetch = async (request: Request) => {
      const response = await node.fetch(request);
      response.headers.delete("Access-Control-Allow-Origin");
      return response;
    };
    const server = await listen({ fetch });
    const error = await callFrom(site.url, server.url);
    expect(error).toContain(`ConnectionError: getSpamStatistics received no response from ${server.url}/`);
    expect(error).toContain(`(CORS): let the node, or a proxy in front of it, allow the origin ${site.url} with`);
    expect(node.requests.length).toBeGreaterThan(0);
    await server.close();
  });

  test("a node that allows the origin of the page works, and a lost connection to the page's own server is not taken for CORS", async () => {
    const server = await listen(createFakeNode());
    expect(await callFrom(site.url, server.url)).toBe("none");
    await server.close();

    const pages = await listen({
      fetch: async (request) => {
        if (new URL(request.url).pathname === "/") return html.fetch();
        throw new TypeError("The connection is lost.");
      },
    });
    const error = await callFrom(pages.url, pages.url);
    expect(error).toContain("ConnectionError: getSpamStatistics received no response");
    expect(error).not.toContain("CORS");
    await pages.close();
  });
});
