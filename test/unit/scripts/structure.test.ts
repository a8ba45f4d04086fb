import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readStructure } from "../../../scripts/check/structure.js";

/** The imports that break a rule, in a project with these files. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "structure-"));
  try {
    for (const [name, text] of Object.entries({
      "generated/types.ts": "export {};",
      "cli/src/io.ts": "export {};",
      ...files,
    })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return (await readStructure(folder)).problems;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("imports in the direction of the layers pass the check of the structure", async () => {
  const files = {
    "src/errors/error.ts": "export {};",
    "src/http/call.ts": 'import "../errors/error.js";',
    "src/scan/scan.ts": 'import "../http/call.js"; import "../../generated/types.js";',
    "src/testing/index.ts": "export {};",
    "src/testing/node/index.ts": 'import "node:http"; import "../index.js";',
    "cli/src/main.ts": 'import "node:fs"; import "vegaprotocol-client/testing"; import "./program.js";',
    "cli/src/program.ts": 'import "../generated/texts.js";',
    "cli/generated/texts.ts": "export {};",
  };
  expect(await problemsOf(files)).toEqual([]);
});

test.each<[what: string, files: Record<string, string>, problem: string]>([
  [
    "an import of a type from a later layer",
    {
      "src/http/call.ts": 'import type { Scan } from "../scan/scan.js"; export type Call = Scan;',
      "src/scan/scan.ts": "export type Scan = 1;",
    },
    "src/http/call.ts → src/scan/scan.ts: http imports only from generated, values, errors, async, arguments",
  ],
  [
    "an import of an entry",
    { "src/client.ts": 'import "./testing/index.js";', "src/testing/index.ts": "export {};" },
    "src/client.ts → src/testing/index.ts: nothing imports from testing",
  ],
  [
    "an import of Node.js in the client",
    { "src/scan/scan.ts": 'import "node:fs";' },
    "src/scan/scan.ts → fs: only testing/node imports modules of Node.js",
  ],
  [
    "an import of a module of the client in the command line",
    { "cli/src/main.ts": 'import "../../src/client.js";', "src/client.ts": "export {};" },
    "cli/src/main.ts → src/client.ts: the command line imports the client by its name only",
  ],
  [
    "an import of a script",
    { "src/scan/scan.ts": 'import "../../scripts/build.js";', "scripts/build.ts": "export {};" },
    "src/scan/scan.ts → scripts/build.ts: src imports only from src, generated and openapi-fetch",
  ],
  [
    "code in a generated module",
    { "generated/types.ts": 'import "../src/errors/error.js";', "src/errors/error.ts": "export {};" },
    "generated/types.ts → src/errors/error.ts: generated imports only types, except the validators",
  ],
  [
    "a cycle of types",
    {
      "src/scan/a.ts": 'import type { B } from "./b.js"; export type A = B;',
      "src/scan/b.ts": 'import type { A } from "./a.js"; export type B = A;',
    },
    "src/scan/a.ts → src/scan/b.ts: no cycles in src",
  ],
])("%s fails the check of the structure", async (_, files, problem) => {
  expect(await problemsOf(files)).toContain(problem);
});
