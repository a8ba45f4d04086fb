import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The walkthrough of docs/contributing.md, command by command, in a copy of the project.
const root = fileURLToPath(new URL("../../../", import.meta.url));
const page = await readFile(join(root, "docs/contributing.md"), "utf8");
const walkthrough = page.slice(page.indexOf("## Walkthrough"), page.indexOf("## Extensions"));

/** The code blocks of the walkthrough in one language, without their indentation. */
const blocks = (language: string) =>
  [...walkthrough.matchAll(new RegExp(`^ {3}\`\`\`${language}\\n(.*?)^ {3}\`\`\`$`, "gms"))].map(([, block = ""]) =>
    block.replaceAll(/^ {3}/gm, ""),
  );

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "walkthrough-"));
  const skipped = ["node_modules", "dist", "site", "reports", ".git", "tools"];
  await cp(root, copy, { recursive: true, filter: (file) => !skipped.includes(basename(file)) });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...author, "commit", "--quiet", "--message", "Start"],
  ]) {
    await run("git", ...args);
  }
});
afterAll(() => rm(copy, { recursive: true }));

const author = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];

async function run(command: string, ...args: string[]): Promise<string> {
  // The tests of the copy are not the suite that is running here.
  const { VITEST: _, npm_lifecycle_event: __, ...env } = process.env;
  const { stdout } = await promisify(execFile)(command, args, { cwd: copy, env, maxBuffer: 2 ** 26 }).catch((error) => {
    throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

describe("the walkthrough of docs/contributing.md", () => {
  test("edits a record of the description", async () => {
    const file = join(copy, "openapi.yaml");
    const [member = ""] = blocks("yaml");
    const before = await readFile(file, "utf8");
    const after = before.replace("    MarketShareWeight:\n", `${member}    MarketShareWeight:\n`);
    expect(after.length).toBe(before.length + member.length);
    expect(member).toContain("reason:");
    await writeFile(file, after);
  });

  const commands = blocks("sh").flatMap((block) => block.trim().split("\n"));

  test("has commands", () => {
    expect(commands).toContain("npm run generate");
    expect(commands).toContain("npm test");
  });

  test.each(commands)("runs %s", { timeout: 900_000 }, async (command) => {
    const output = await run("sh", "-c", command.replace(/^npm run /, "npm run --silent "));
    if (command === "npm run spec:diff") expect(output).toBe(blocks("text")[0]);
  });

  test("makes the member a part of the type", async () => {
    expect(await readFile(join(copy, "generated/types.ts"), "utf8")).toContain("  reason?: string | undefined;\n");
  });
});
