import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Setting, startSetting } from "./gateway-process.js";

const run = promisify(execFile);
const loops = fileURLToPath(new URL("loops/", import.meta.url));

/** Whether a machine has a program. */
function has(...command: string[]): boolean {
  try {
    execFileSync(command[0] ?? "", command.slice(1), { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const languages = [
  { name: "Python", isThere: has("python3", "--version"), command: async () => ["python3", join(loops, "loop.py")] },
  {
    name: "curl with jq",
    isThere: has("curl", "--version") && has("jq", "--version"),
    command: async () => ["sh", join(loops, "loop.sh")],
  },
  {
    name: "Go",
    isThere: has("go", "version"),
    command: async () => {
      const program = join(folder, "loop");
      await run("go", ["build", "-o", program, join(loops, "loop.go")]);
      return [program];
    },
  },
  {
    name: "Java",
    isThere: has("javac", "--version"),
    command: async () => {
      await run("javac", ["-d", folder, join(loops, "Loop.java")]);
      return ["java", "-cp", folder, "Loop"];
    },
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

/** Runs a loop, until it has printed more records than there can be. */
function records(
  [command = "", ...args]: readonly string[],
  most: number,
): Promise<{ nodes: string[]; hasEnded: boolean; code: number | null }> {
  const child = spawn(command, args);
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
      for (const node of page?.edges?.map((edge) => edge.node) ?? [parsed])
        nodes.push(JSON.stringify(Object.entries(node).sort()));
    }
    hasEnded = nodes.length <= most;
    if (!hasEnded) child.kill();
  });
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ nodes, hasEnded, code }));
  });
}

const sorted = (all: readonly object[]) => all.map((node) => JSON.stringify(Object.entries(node).sort())).sort();

describe.each(languages)("the loop in $name", ({ name, isThere, command }) => {
  test.skipIf(!isThere)("gets every record of every list once through the gateway", { timeout: 120_000 }, async () => {
    const program = await command();
    const { records: all } = setting.network;
    const [closed, resource] = [all.votes[0]?.proposalId, all.signatures[0]?.id];
    const lists = [
      ["/api/v2/balance/changes?pagination.first=300", "balances", all.balances],
      ["/api/v2/parties/profiles?pagination.first=25", "profiles", all.profiles],
      [
        `/api/v2/votes?proposalId=${closed}&pagination.first=70`,
        "votes",
        all.votes.filter((vote) => vote.proposalId === closed),
      ],
      [
        `/api/v2/node/signatures?id=${resource}&pagination.first=7`,
        "signatures",
        all.signatures.filter(({ id }) => id === resource),
      ],
    ] as const;
    for (const [path, envelope, wanted] of lists) {
      const { nodes, code } = await records([...program, setting.gateway.url, path, envelope], 10 * wanted.length);
      expect([envelope, code]).toEqual([envelope, 0]);
      expect(nodes.sort()).toEqual(sorted(wanted));
    }
  });

  test.skipIf(!isThere)("loses records, does not end, or fails at a node", { timeout: 120_000 }, async () => {
    const program = await command();
    const { records: all } = setting.network;
    const [node = ""] = setting.nodes;
    const balances = await records(
      [...program, node, "/api/v2/balance/changes?pagination.first=300", "balances"],
      30_000,
    );
    expect(balances.nodes.length).toBeLessThan(all.balances.length);
    const path = `/api/v2/votes?proposalId=${all.votes[0]?.proposalId}&pagination.first=70`;
    expect((await records([...program, node, path, "votes"], 1000)).hasEnded).toBe(false);
    const profiles = await records(
      [...program, node, "/api/v2/parties/profiles?pagination.first=25", "profiles"],
      3000,
    );
    expect(profiles.code).not.toBe(0);
  });

  test.runIf(!isThere)(`is skipped: this machine has no ${name}`, () => {});
});
