import { symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folderOfFile } from "../../support/folder.js";
import { run } from "../../support/run.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const path = await folderOfFile();

test("a script runs through a link to the project as well", async () => {
  const link = path("link");
  await symlink(root, link, "junction");
  const script = join(link, "scripts/check/main.ts");
  const running = run(process.execPath, ["--import", import.meta.resolve("tsx"), script, "nothing"], { cwd: root });
  await expect(running.finally(() => unlink(link))).rejects.toThrow('There is no check "nothing"');
});
