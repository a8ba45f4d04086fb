import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";

const resolveDir = fileURLToPath(new URL("../../../", import.meta.url));
const page = () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } });

describe.skipIf(hasNoBrowser)("in Chromium", () => {
  let browser: Browser;
  let content: string;

  beforeAll(async () => {
    const stdin = { contents: 'export { createClient } from "./src/index.ts";', resolveDir };
    const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "iife", globalName: "vega" });
    content = outputFiles[0]?.text ?? "";
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** The outcome of a call on a page of one server to another one, or to its own. */
  async function callOf(site: (request: Request) => Promise<Response>, node = site) {
    const [pages, server] = await Promise.all([listen({ fetch: site }), listen({ fetch: node })]);
    const [from, to] = [pages.url, node === site ? pages.url : server.url];
    const tab = await browser.newPage();
    await tab.goto(from);
    await tab.addScriptTag({ content });
    const call = `vega.createClient({ baseUrl: "${to}", retry: false }).getSpamStatistics({ partyId: "a1" })`;
    const outcome = await tab.evaluate(`${call}.then(() => "none", (error) => error.name + ": " + error.message)`);
    await tab.close();
    await Promise.all([pages.close(), server.close()]);
    return { from, to, outcome };
  }

  test("a response that the browser blocks is a ConnectionError that names CORS and the origin of the page", async () => {
    const node = createFakeNode();
    expect((await callOf(async () => page(), node.fetch)).outcome).toBe("none");
    const blocked = async (request: Request) => {
      const response = await node.fetch(request);
      response.headers.delete("Access-Control-Allow-Origin");
      return response;
    };
    const { from, to, outcome } = await callOf(async () => page(), blocked);
    expect(outcome).toContain(`ConnectionError: getSpamStatistics received no response from ${to}/`);
    expect(outcome).toContain(`(CORS): let the node, or a proxy in front of it, allow the origin ${from}, or`);
  });

  test("a lost connection to the page's own server is not taken for CORS", async () => {
    const { outcome } = await callOf(async ({ url }) => {
      if (new URL(url).pathname === "/") return page();
      throw new TypeError("The connection is lost.");
    });
    expect(outcome).toMatch(/^ConnectionError: getSpamStatistics received no response(?!.*CORS)/s);
  });
});
