/**
 * Draws `docs/public/preview.png`, the picture that other sites show beside a link to the documentation, in Chromium:
 *
 *   npx tsx scripts/docs/preview.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../test/support/chromium.js";
import { runScript } from "../run-script.js";
import { type Benchmarks, charts } from "./charts.js";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const font = "node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2";

async function main(): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
    await page.setContent(await draw());
    await page.evaluate(() => document.fonts.ready);
    await writeFile(`${docs}public/preview.png`, await page.screenshot());
  } finally {
    await browser.close();
  }
}

async function draw(): Promise<string> {
  const benchmarks = JSON.parse(await readFile(`${docs}benchmarks.json`, "utf8")) as Benchmarks;
  const [group] = charts(benchmarks)["chart-lost"]?.groups ?? [];
  if (!group) throw new Error("Expected docs/benchmarks.json to have the report of lost records.");
  const longest = Math.max(...group.bars.map(({ value }) => value));
  const bars = group.bars.map(
    ({ name, value, text, isOwn }) =>
      `<dt>${name}</dt><dd class="${isOwn ? "own" : ""}"><i style="width: ${(500 * value) / longest}px"></i>${text} lost</dd>`,
  );
  const icon = await readFile(`${docs}public/icon.svg`, "utf8");
  return `<!doctype html>
<meta charset="utf-8">
<style>
  @font-face { font-family: Inter; src: url(data:font/woff2;base64,${await readFile(docs + font, "base64")}); font-weight: 100 900 }
  * { margin: 0 }
  body { box-sizing: border-box; width: 1200px; height: 630px; padding: 72px 80px; background: #1b1b1f; color: #fff; font: 32px Inter }
  header { display: flex; align-items: center; gap: 24px; color: #c9cbd6 }
  svg { width: 64px }
  h1 { margin: 56px 0 48px; font-size: 68px; line-height: 1.1; letter-spacing: -0.02em }
  p, dt { color: #c9cbd6; font-size: 28px }
  dl { display: grid; grid-template-columns: 300px 1fr; gap: 16px; margin-top: 24px }
  dd { display: flex; align-items: center; gap: 16px; font-weight: 600 }
  i { height: 32px; border-radius: 4px; background: #f66f81 }
  .own { color: #a8b1ff }
</style>
<header>${icon}vegaprotocol-client</header>
<h1>Complete data<br>from Vega nodes</h1>
<p>${group.title}</p>
<dl>${bars.join("")}</dl>`;
}

await runScript(import.meta.url, main);
