import { build, type Plugin } from "esbuild";
import type { Browser, Page } from "playwright-core";
import type { FakeNode } from "vegaprotocol-client/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";
import { collectSamples } from "../../support/samples/collect.js";
import { here } from "./install.js";

/** The globals of the page. */
declare global {
  var node: FakeNode;
  var unmount: () => void;
}

const samples = collectSamples().filter(
  ({ language, place }) => language === "tsx" && place.startsWith("docs/recipes"),
);

/** The recipe that has a text, or that another one imports by its name. */
function recipeWith(text: string): string {
  const found = samples.filter(({ code }) => code.includes(text));
  const [sample] = found;
  if (sample === undefined || found.length > 1)
    throw new Error(`Expected one recipe with ${text}, got ${found.length}.`);
  return sample.code;
}

const party = "ab".repeat(32);
/** Replaces the network by a fake node: recipes create their clients without a `fetch`. */
const setting = `
import { createFakeNode } from "vegaprotocol-client/testing";
const data = { votes: 300, balances: 4000, profiles: 100, signatures: 100, spamStatistics: 10, party: "${party}" };
const node = createFakeNode(data, { rateLimit: false, defects: ["tied-vote-cursors"] });
// Of the current block, which is not complete yet.
node.addRecords({ balances: [{ partyId: "${party}", balance: "1000", assetId: "ef".repeat(32) }] });
globalThis.fetch = (input, init) => node.fetch(new Request(input, init));
globalThis.node = node;
export const proposalId = node.records.votes[0].proposalId;
export const partyId = "${party}";
`;

const virtual: Plugin = {
  name: "virtual",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^setting$/ }, ({ path }) => ({ path, namespace: "setting" }));
    onLoad({ filter: /.*/, namespace: "setting" }, () => ({ contents: setting, resolveDir: here }));
    onResolve({ filter: /^recipe:|^\.\/failure$/ }, ({ path, namespace, pluginData }) =>
      path.startsWith("recipe:") || namespace === "recipe"
        ? { path: path.replace("recipe:", "").replace("./failure", "// failure.tsx"), namespace: "recipe", pluginData }
        : undefined,
    );
    const recipe = { loader: "tsx", resolveDir: here } as const;
    onLoad({ filter: /.*/, namespace: "recipe" }, ({ path }) => ({ ...recipe, contents: recipeWith(path) }));
  },
};

/** A component of React, as an application renders it. */
const react = (imports: string, element: string) => `
import { proposalId, partyId } from "setting";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
${imports}
const root = createRoot(document.getElementById("root"));
const client = new QueryClient();
root.render(<StrictMode><QueryClientProvider client={client}>${element}</QueryClientProvider></StrictMode>);
globalThis.unmount = () => root.unmount();
`;

describe.skipIf(hasNoBrowser)("a recipe in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page that runs a program. The test controls its timers. */
  async function open(program: string): Promise<Page> {
    const { outputFiles } = await build({
      ...{ stdin: { contents: program, resolveDir: here, loader: "tsx" }, plugins: [virtual] },
      ...{ bundle: true, write: false, format: "esm", target: "es2022", jsx: "automatic", logLevel: "error" },
      ...{ conditions: ["browser", "development"], define: { "process.env.NODE_ENV": '"development"' } },
    });
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    onTestFinished(async () => {
      await page.close();
      expect(errors).toEqual([]);
    });
    const body =
      '<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="app.js"></script>';
    const script = { contentType: "text/javascript", body: outputFiles[0]?.text ?? "" };
    await page.route("https://app.example/**", (route) => route.fulfill({ contentType: "text/html", body }));
    await page.route("https://app.example/app.js", (route) => route.fulfill(script));
    await page.clock.install();
    await page.goto("https://app.example/");
    return page;
  }

  const requests = (page: Page) => page.evaluate(() => node.requests.length);

  describe("the live table", () => {
    const program = react('import { LiveChanges } from "recipe:LiveChanges";', "<LiveChanges partyId={partyId} />");
    const rows = (page: Page) =>
      page.locator("tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    /** The newest records of the party, as the table shows them. */
    const newest = (page: Page) =>
      page.evaluate(
        (id) =>
          node.records.balances
            .filter(({ partyId }) => partyId === id)
            .sort((a, b) => Number(BigInt(b.timestamp) - BigInt(a.timestamp)))
            .slice(0, 50)
            .map(({ timestamp, balance }) => [new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString(), balance]),
        party,
      );

    test("shows each row of new blocks once, also those that the page did not have of its own block", async () => {
      const page = await open(program);
      await page.locator("tr").nth(49).waitFor();
      await page.evaluate((partyId) => {
        // The page shows the current block as far as it has come.
        node.addRecords({ balances: [{ partyId, balance: "1001", assetId: "cd".repeat(32) }] });
        node.nextBlock({ balances: [{ partyId, balance: "1002" }, { balance: "9" }] });
        node.nextBlock({ balances: [] });
      }, party);
      await page.clock.runFor(60_000);
      await page.getByText("1002", { exact: true }).waitFor();
      const shown = await rows(page);
      for (const balance of ["1000", "1001"]) expect(shown.filter((row) => row[1] === balance)).toHaveLength(1);
      expect(shown.map(String).sort()).toEqual((await newest(page)).map(String).sort());
    });

    test("keeps its rows after an error, follows again with a click, and ends its requests when it is removed", async () => {
      const page = await open(program);
      await page.locator("tr").nth(49).waitFor();
      // No block for a minute ends the follower.
      await page.clock.runFor(120_000);
      const retry = page.getByRole("button", { name: "Retry" });
      await retry.waitFor();
      expect(await page.locator("tr").count()).toBe(50);
      await page.evaluate((partyId) => {
        node.nextBlock({ balances: [{ partyId, balance: "1003" }] });
        node.nextBlock({ balances: [] });
      }, party);
      await retry.click();
      await page.clock.runFor(60_000);
      await page.getByText("1003", { exact: true }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.evaluate(() => unmount());
      const last = await requests(page);
      await page.clock.runFor(600_000);
      expect(await requests(page)).toBe(last);
    });
  });

  test("an error has a retry button, which can be pressed when a ban has ended, and none for an invalid request", async () => {
    const failing = (status: number) =>
      react('import { Epoch } from "recipe:function Epoch";', "<Epoch partyId={partyId} />").replace(
        "const root",
        `const headers = { "RateLimit-Retry-After": "600" };
        node.configure({ faults: [{ name: "status", status: ${status}, headers }] });\nconst root`,
      );
    const page = await open(failing(403));
    const retry = page.getByRole("button", { name: "Retry" });
    await retry.waitFor();
    expect(await retry.isDisabled()).toBe(true);
    await page.clock.runFor(601_000);
    await expect.poll(() => retry.isEnabled()).toBe(true);
    await page.evaluate(() => node.configure({ faults: [] }));
    await retry.click();
    await page.getByText(/^Epoch \d+$/).waitFor();
    const other = await open(failing(400));
    await other.getByRole("alert").waitFor();
    expect(await other.getByRole("button").count()).toBe(0);
  });

  test("an infinite list shows every balance change of the party once", async () => {
    const imports = 'import { BalanceChanges } from "recipe:IntersectionObserver";';
    const page = await open(react(imports, "<BalanceChanges partyId={partyId} />"));
    const shown = async () => {
      await page.mouse.wheel(0, 10_000);
      return page.locator("li").count();
    };
    const countOf = (id: string) => node.records.balances.filter(({ partyId }) => partyId === id).length;
    const count = await page.evaluate(countOf, party);
    expect(count).toBeGreaterThan(100);
    await expect.poll(shown, { timeout: 30_000 }).toBe(count);
  });

  test.each(["useMutation", "useSWR"])("a query of the recipe with %s shows its data", async (recipe) => {
    const imports = `import { Statistics } from "recipe:${recipe}";`;
    const page = await open(react(imports, "<Statistics partyId={partyId} />"));
    await page.getByText(/^Epoch \d+$/).waitFor();
  });

  test("a mutation checks a transaction, and shows why the node rejects it", async () => {
    const page = await open(react('import { Check } from "recipe:useMutation";', "<Check tx={{ pubKey: partyId }} />"));
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "is required" }).waitFor();
  });
});
