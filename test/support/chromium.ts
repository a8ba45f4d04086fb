import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env["CHROMIUM"] ?? usual.find(existsSync);

/** Without a browser its tests are skipped, except in CI, where they fail. */
export const hasNoBrowser = executablePath === undefined && !process.env["CI"];
if (executablePath === undefined)
  console.warn("No Chromium found (the variable CHROMIUM names it): the browser tests are skipped.");

/** The browser sends no requests of its own. */
const flags =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? "chromium", args: flags.split(" ") });
