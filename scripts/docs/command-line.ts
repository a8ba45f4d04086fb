/**
 * Runs the commands of `docs/command-line.md` against a fake node and writes their output into the page:
 * `tsx scripts/docs/command-line.ts`, after `npm run build`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runScript } from "../run-script.js";

const program = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));
export const page = new URL("../../docs/command-line.md", import.meta.url);

/** The address that the page shows. */
const shownUrl = "http://127.0.0.1:8080";
const block = /^```sh\n([\s\S]*?)^```\n\n^```text\n[\s\S]*?^```\n/gm;

/** The page with the output of its commands. */
export async function renderCommandLine(source: string): Promise<string> {
  // The one of the page.
  const counts = ["--balances", "20000", "--votes", "600", "--profiles", "50", "--signatures", "40"];
  const node = spawn(process.execPath, [program, "fake-node", "--defects", ...counts]);
  const url = String((await once(node.stdout, "data"))[0]).trim();
  const folder = await mkdtemp(join(tmpdir(), "page-"));
  const shim = join(folder, "vegaprotocol");
  await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(shim, 0o755);
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env["PATH"]}`,
    VEGA_NODE: url,
    NO_COLOR: "1",
    COLUMNS: "130",
  };
  try {
    let rendered = "";
    let end = 0;
    for (const { 0: all, 1: script = "", index } of source.matchAll(block)) {
      // Messages come between the data, as on a terminal.
      const shell = spawn("bash", ["-c", `exec 2>&1\n${script}`], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const output = (await text(shell.stdout)).replaceAll("\r\n", "\n");
      rendered += `${source.slice(end, index)}\`\`\`sh\n${script}\`\`\`\n\n\`\`\`text\n${output.replaceAll(url, shownUrl)}\`\`\`\n`;
      end = index + all.length;
    }
    return rendered + source.slice(end);
  } finally {
    node.kill();
    await rm(folder, { recursive: true });
  }
}

await runScript(import.meta.url, async () => {
  await writeFile(page, await renderCommandLine(await readFile(page, "utf8")));
});
