import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";

// openapi.yaml is for other generators too: each has to accept it, and its output has to compile.
const here = fileURLToPath(new URL(".", import.meta.url));
const description = fileURLToPath(new URL("../../../openapi.yaml", import.meta.url));
const query = join(here, "../query");
const hasGo = await promisify(execFile)("go", ["version"]).then(
  () => true,
  () => false,
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "generators-"));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (command: string, args: string[], cwd = here) =>
  promisify(execFile)(command, args, { cwd }).catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
  });

test("hey-api generates TypeScript that compiles, without any types of Node.js", async () => {
  npmCi(query);
  const output = join(folder, "hey-api");
  const commands = join(query, "node_modules/.bin");
  await run(join(commands, "openapi-ts"), ["--input", description, "--output", output]);
  const options = "--strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable";
  await run(join(commands, "tsc"), ["--noEmit", ...options.split(" "), "index.ts", "sdk.gen.ts"], output);
}, 300_000);

test.skipIf(!hasGo)(
  "oapi-codegen generates Go that compiles",
  async () => {
    for (const file of ["go.mod", "go.sum"]) await cp(join(here, file), join(folder, file));
    const generate = ["tool", "oapi-codegen", "-generate", "types,client", "-package", "generators"];
    await run("go", [...generate, "-o", join(folder, "client.go"), description]);
    await run("go", ["vet", "."], folder);
  },
  300_000,
);
