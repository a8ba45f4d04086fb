import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyProject, type ProjectCopy } from "../../support/project-copy.js";

// The walkthrough of docs/contributing.md, command by command, in a copy of the project.
const root = fileURLToPath(new URL("../../../", import.meta.url));
const page = await readFile(join(root, "docs/contributing.md"), "utf8");
const walkthrough = page.slice(page.indexOf("## Walkthrough"), page.indexOf("## Extensions"));

/** The code blocks of the walkthrough in one language, without their indentation. */
const blocks = (language: string) =>
  [...walkthrough.matchAll(new RegExp(`^ {3}\`\`\`${language}\\n(.*?)^ {3}\`\`\`$`, "gms"))].map(([, block = ""]) =>
    block.replaceAll(/^ {3}/gm, ""),
  );

let copy: ProjectCopy;
beforeAll(async () => {
  copy = await copyProject();
});
afterAll(() => copy.remove());

describe("the walkthrough of docs/contributing.md", () => {
  test("edits a record of the description", async () => {
    const file = join(copy.folder, "openapi.yaml");
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
    // Random cases are tried by `npm test`; here, one of each property is enough, of the folders that the description leads to.
    const quick = `export TEST_RUNS=0.1; ${command.replace(/^npm run /, "npm run --silent ")}`;
    const folders =
      "test/types/surface test/unit/{arguments,client,docs,scripts/{docs,shapes},testing,validate} test/contract/operations test/integration/samples";
    const narrow = quick.replace(/npm test$/, `npm test -- ${folders}`);
    await copy.run("bash", "-c", narrow);
  });

  test("makes the member a part of the type", async () => {
    expect(await readFile(join(copy.folder, "generated/types.ts"), "utf8")).toContain(
      "  reason?: string | undefined;\n",
    );
  });
});
