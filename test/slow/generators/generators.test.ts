import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { folderOfFile } from "../../support/folder.js";
import { run } from "../../support/run.js";

// The descriptions are for the generators of other languages too.
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const path = await folderOfFile();
const go = await run("go", ["version"]).catch(() => undefined);

test.skipIf(!go).for(["openapi.yaml", "cli/dist/gateway.yaml"])(
  "oapi-codegen generates Go that compiles from %s",
  { timeout: 300_000 },
  async (description) => {
    for (const file of ["go.mod", "go.sum"]) await cp(join(here, file), path(file));
    const generate = ["tool", "oapi-codegen", "-generate", "types,client", "-package", "generators"];
    await run("go", [...generate, "-o", path("client.go"), join(root, description)], { cwd: here });
    await run("go", ["vet", "."], { cwd: path() });
  },
);
