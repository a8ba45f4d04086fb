/**
 * Draws the pictures of a terminal in `docs/command-line.md`: runs commands in tmux against a fake node, and writes what the screen
 * shows to `docs/pictures/terminal-*.svg`. It needs tmux and, before it, `npm run build`. The times in the pictures are those of
 * the run: no check compares them.
 *
 *   npx tsx scripts/docs/terminal.ts && npx tsx scripts/docs/pictures.ts
 */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFakeNode } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { runScript } from "../run-script.js";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));
const pictures = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

interface Session {
  readonly name: string;
  readonly title: string;
  readonly rows: number;
  /** Typed one after the other. */
  readonly commands: readonly string[];
  /** What the screen shows when it is drawn. */
  readonly until: RegExp;
}

/** A prompt on a line of its own: the last command has ended. */
const atPrompt = /\n\$\s*$/;
const columns = "--columns timestamp,balance,accountType";

const sessions: readonly Session[] = [
  {
    name: "table",
    title: "A list as a table",
    rows: 12,
    commands: ["vegaprotocol balances -n 8"],
    until: atPrompt,
  },
  {
    name: "follow",
    title: "A follower with its line of status",
    rows: 12,
    commands: [`vegaprotocol follow balances ${columns}`],
    until: /(?:\n20.*){7,}\nblock .*waits/,
  },
  {
    name: "progress",
    title: "The progress of an export",
    rows: 3,
    commands: ["vegaprotocol balances --concurrency 1 --page-size 100 -o all.csv"],
    until: /[34]\d %, .* left/,
  },
  {
    name: "help",
    title: "The help of a command",
    rows: 60,
    commands: ["vegaprotocol help nodes"],
    until: atPrompt,
  },
  {
    name: "error",
    title: "Errors",
    rows: 12,
    commands: ["vegaprotocol balnces", "vegaprotocol balances --order newest", "vegaprotocol balances -o all.xlsx"],
    until: /xlsx[\s\S]*\n\$\s*$/,
  },
];

/** A chain of now, with a record in each block. */
async function startNode() {
  const timestamp = BigInt(Date.now()) * 1_000_000n;
  const node = createFakeNode({ balances: 4000, block: { height: 41_234_567n, timestamp } }, { rateLimit: false });
  const stopChain = node.advanceEvery(1000, { records: () => ({ balances: 1 }) });
  const fetch = async (request: Request) => {
    await setTimeout(30);
    return node.fetch(request);
  };
  const server = await listen({ fetch });
  const close = async () => {
    stopChain();
    await server.close();
  };
  return { url: server.url, close };
}

async function capture(session: Session, width: number, folder: string): Promise<string> {
  const tmux = (...argv: string[]) => run("tmux", ["-S", join(folder, `tmux-${session.name}-${width}`), ...argv]);
  const size = ["-x", String(width), "-y", String(session.rows)];
  const shell = `bash --noprofile --rcfile ${folder}/bashrc -i`;
  await tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", folder, shell);
  try {
    const screen = async (...flags: string[]) => (await tmux("capture-pane", "-p", ...flags)).stdout;
    const waitFor = async (pattern: RegExp) => {
      while (!pattern.test((await screen()).trimEnd())) await setTimeout(50);
    };
    await waitFor(/^\$/);
    for (const [index, command] of session.commands.entries()) {
      await tmux("send-keys", "-l", command);
      await tmux("send-keys", "Enter");
      await waitFor(index < session.commands.length - 1 ? atPrompt : session.until);
    }
    return (await screen("-e")).trimEnd();
  } finally {
    await tmux("kill-server");
  }
}

/** The width and the height of a character. */
const [charWidth, lineHeight] = [7.8, 18];
const padding = 14;

function draw({ title }: Session, width: number, screen: string): string {
  const lines = screen.split("\n").filter((line, index, all) => index < all.length - 1 || line.trim() !== "$");
  const [pictureWidth, pictureHeight] = [width * charWidth + 2 * padding, lines.length * lineHeight + 2 * padding];
  // A style lasts until the next one, also in further lines.
  const style = { current: "" };
  const texts = lines.map((line, index) => drawLine(line, padding + 13 + index * lineHeight, style));
  const size = `viewBox="0 0 ${pictureWidth} ${pictureHeight}" width="${pictureWidth}" height="${pictureHeight}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" ${size}>
  <title>${title}</title>
  <style></style>
  <rect class="background" width="100%" height="100%" rx="8"/>
${texts.filter(Boolean).join("\n")}
</svg>
`;
}

/** A line, of which each part with a style of its own is a text. */
function drawLine(line: string, y: number, style: { current: string }): string {
  let column = 0;
  const texts: string[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: tmux writes the styles of the terminal.
  for (const piece of line.split(/(\x1b\[[\d;]*m|\x1b\(B|\x0f)/)) {
    const [, codes] = /^.\[([\d;]*)m$/s.exec(piece) ?? [];
    if (codes !== undefined) {
      style.current = codes.split(";").reduce(styleAfter, style.current);
    } else if (!piece.startsWith("\x1b") && piece !== "\x0f") {
      const length = Array.from(piece).length;
      if (piece.trim() !== "") {
        const x = (padding + column * charWidth).toFixed(1);
        const width = (length * charWidth).toFixed(1);
        // Spaces at both ends and in a row stay.
        const text = piece.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
        texts.push(`  <text class="code${style.current}" x="${x}" y="${y}" textLength="${width}">${text}</text>`);
      }
      column += length;
    }
  }
  return texts.join("\n");
}

function styleAfter(style: string, code: string): string {
  if (code === "1") return `${style} strong`;
  if (code === "31") return `${style} danger`;
  if (code === "39") return style.replace(" danger", "");
  return code === "22" ? style.replace(" strong", "") : "";
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "terminal-"));
  const node = await startNode();
  try {
    const shim = join(folder, "vegaprotocol");
    await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
    await chmod(shim, 0o755);
    const rc = `PS1='$ '\nexport PATH='${folder}':"$PATH" VEGA_NODE='${node.url}'\ncd "$(mktemp -d '${folder}/XXXX')"\n`;
    await writeFile(join(folder, "bashrc"), rc);
    for (const session of sessions) {
      for (const width of [80, 120]) {
        const screen = await capture(session, width, folder);
        await writeFile(join(pictures, `terminal-${session.name}-${width}.svg`), draw(session, width, screen));
        console.log(`terminal-${session.name}-${width}.svg`);
      }
    }
  } finally {
    await node.close();
    await rm(folder, { recursive: true });
  }
}

await runScript(import.meta.url, main);
