import { execFile, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Setting, startSetting } from "./gateway-process.js";

const run = promisify(execFile);
const page = readFileSync(new URL("../../../../docs/serve.md", import.meta.url), "utf8");

/** Whether a machine has a program. */
function has(...[command = "", ...args]: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The loops of the page: the file that each is saved as, how it is compiled, and how it is run. */
const languages = [
  { name: "python", file: "loop.py", isThere: has("python3", "--version"), command: ["python3", "loop.py"] },
  {
    name: "sh",
    file: "loop.sh",
    isThere: has("curl", "--version") && has("jq", "--version"),
    command: ["sh", "loop.sh"],
  },
  {
    name: "go",
    file: "loop.go",
    isThere: has("go", "version"),
    compile: ["go", "build", "loop.go"],
    command: ["./loop"],
  },
  {
    name: "java",
    file: "Loop.java",
    isThere: has("javac", "--version"),
    compile: ["javac", "Loop.java"],
    command: ["java", "Loop"],
  },
];

let folder = "";
let setting: Setting;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loops-"));
  setting = await startSetting({ votes: 900, balances: 2000, signatures: 60, profiles: 90 });
});
afterAll(async () => {
  await setting.end();
  await rm(folder, { recursive: true });
});

const textOf = (node: object) => JSON.stringify(Object.entries(node).sort());

/** Runs a loop, until it has printed more records than there can be. */
function records([command = "", ...args]: readonly string[], most: number) {
  const child = spawn(command, args, { cwd: folder });
  const nodes: string[] = [];
  let rest = "";
  let hasEnded = true;
  child.stdout.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const parsed = JSON.parse(line);
      const page = Object.values<{ edges?: { node: object }[] }>(parsed)[0];
      // The loop in Java prints whole pages.
      nodes.push(...(page?.edges?.map(({ node }) => textOf(node)) ?? [textOf(parsed)]));
    }
    hasEnded = nodes.length <= most;
    if (!hasEnded) child.kill();
  });
  return new Promise<{ nodes: string[]; hasEnded: boolean; code: number | null }>((resolve) => {
    child.on("close", (code) => resolve({ nodes, hasEnded, code }));
  });
}

describe.each(languages)("the loop of the page in $name", ({ name, file, isThere, compile, command }) => {
  test.skipIf(!isThere)(
    "gets every record once through the gateway, and not at a node",
    { timeout: 240_000 },
    async () => {
      const blocks = [...page.matchAll(new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
        ([, code = ""]) => code,
      );
      await writeFile(join(folder, file), blocks.find((code) => /endCursor/i.test(code)) ?? "");
      const [compiler, ...flags] = compile ?? [];
      if (compiler !== undefined) await run(compiler, flags, { cwd: folder });
      const { balances, profiles, votes, signatures } = setting.network.records;
      const [proposal, id] = [votes[0]?.proposalId, signatures[0]?.id];
      const lists: [path: string, envelope: string, wanted: readonly object[]][] = [
        ["/api/v2/balance/changes?pagination.first=300", "balances", balances],
        ["/api/v2/parties/profiles?pagination.first=25", "profiles", profiles],
        [
          `/api/v2/votes?proposalId=${proposal}&pagination.first=70`,
          "votes",
          votes.filter(({ proposalId }) => proposalId === proposal),
        ],
        [
          `/api/v2/node/signatures?id=${id}&pagination.first=7`,
          "signatures",
          signatures.filter((each) => each.id === id),
        ],
      ];
      for (const [path, envelope, wanted] of lists) {
        const { nodes, code } = await records([...command, setting.gateway.url, path, envelope], 10 * wanted.length);
        expect([envelope, code]).toEqual([envelope, 0]);
        expect(nodes.sort()).toEqual(wanted.map(textOf).sort());
      }
      const [lossy, failing, endless] = lists.map(([path, envelope, wanted]) =>
        records([...command, setting.nodes[0] ?? "", path, envelope], 3 * wanted.length),
      );
      expect((await lossy)?.nodes.length).toBeLessThan(balances.length);
      expect((await failing)?.code).not.toBe(0);
      expect((await endless)?.hasEnded).toBe(false);
    },
  );
});
