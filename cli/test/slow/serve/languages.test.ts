import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { folderOfFile } from "../../../../test/support/folder.js";
import { run } from "../../../../test/support/run.js";
import { readLines } from "../../support/run-cli.js";
import { startSetting } from "./gateway-process.js";

const page = readFileSync(new URL("../../../../docs/serve.md", import.meta.url), "utf8");

/** Whether a machine has a program. */
function has(command: string, version = "--version"): boolean {
  try {
    execFileSync(command, [version], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const [goBuild, javac] = [
  ["go", "build", "loop.go"],
  ["javac", "Loop.java"],
] as const;
/** The loops of the page: the file that each is saved as, and how it is compiled and run. */
const languages = [
  { name: "python", file: "loop.py", isThere: has("python3"), command: ["python3", "loop.py"] },
  { name: "sh", file: "loop.sh", isThere: has("curl") && has("jq"), command: ["sh", "loop.sh"] },
  { name: "go", file: "loop.go", isThere: has("go", "version"), compile: goBuild, command: ["./loop"] },
  { name: "java", file: "Loop.java", isThere: has("javac"), compile: javac, command: ["java", "Loop"] },
];

const path = await folderOfFile();
const setting = await startSetting({ votes: 900, balances: 2000, signatures: 60, profiles: 90 });
afterAll(() => setting.end());

const textOf = (node: object) => JSON.stringify(Object.entries(node).sort());

/** The records that a loop prints. */
async function printed([command = "", ...args]: readonly string[]): Promise<string[]> {
  const { stdout } = await run(command, args, { cwd: path(), maxBuffer: 2 ** 28 });
  return readLines(stdout).flatMap((value) => {
    // The loop in Java prints whole pages.
    const [page] = Object.values<{ edges?: { node: object }[] }>(value);
    return page?.edges?.map(({ node }) => textOf(node)) ?? [textOf(value)];
  });
}

test.each(languages.filter(({ isThere }) => isThere))(
  "the loop of the page in $name gets every record once",
  { timeout: 240_000 },
  async ({ name, file, compile, command }) => {
    const blocks = page.matchAll(new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
    const [code = ""] = [...blocks].flatMap(([, text = ""]) => (/endCursor/i.test(text) ? [text] : []));
    await writeFile(path(file), code);
    const [compiler, ...flags] = compile ?? [];
    if (compiler !== undefined) await run(compiler, flags, { cwd: path() });
    const { balances, profiles, votes, signatures } = setting.network.records;
    const [proposal, id] = [votes[0]?.proposalId, signatures[0]?.id];
    const ofProposal = votes.filter(({ proposalId }) => proposalId === proposal);
    const ofResource = signatures.filter((each) => each.id === id);
    const lists: [path: string, envelope: string, wanted: readonly object[]][] = [
      ["/api/v2/balance/changes?pagination.first=300", "balances", balances],
      ["/api/v2/parties/profiles?pagination.first=25", "profiles", profiles],
      [`/api/v2/votes?proposalId=${proposal}&pagination.first=70`, "votes", ofProposal],
      [`/api/v2/node/signatures?id=${id}&pagination.first=7`, "signatures", ofResource],
    ];
    for (const [list, envelope, wanted] of lists) {
      const nodes = await printed([...command, setting.gateway.url, list, envelope]);
      expect([envelope, nodes.sort()]).toEqual([envelope, wanted.map(textOf).sort()]);
    }
  },
);
