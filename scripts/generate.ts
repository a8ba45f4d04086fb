/**
 * Writes `generated/` from `openapi.yaml`: `npm run generate`.
 * With `--check` it writes nothing and fails where `generated/` is not what it would write.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";
import { printShapes } from "./print-shapes.js";
import { type Description, printEnums, printTypes } from "./print-types.js";

const description = new URL("../openapi.yaml", import.meta.url);
const folder = new URL("../generated/", import.meta.url);
const header = "// Written by `npm run generate` from openapi.yaml. Edit that, not this.\n\n";

/** The files of `generated/`, by name, for the text of a description. */
export async function generate(source: string): Promise<Record<string, string>> {
  const tree = parse(source) as Description;
  return {
    "openapi.ts": header + astToString(await openapiTS(source)),
    "enums.ts": header + printEnums(tree),
    "types.ts": header + printTypes(tree),
    "shapes.ts": header + printShapes(tree),
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const files = await generate(await readFile(description, "utf8"));

  await mkdir(folder, { recursive: true });
  const present = await readdir(folder);
  const stale = present.filter((name) => !(name in files));
  const different = [...stale];
  for (const [name, text] of Object.entries(files)) {
    if (!present.includes(name) || (await readFile(new URL(name, folder), "utf8")) !== text) different.push(name);
  }

  if (!values.check) {
    await Promise.all(stale.map((name) => rm(new URL(name, folder), { recursive: true })));
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(new URL(name, folder), text)));
    console.log(`generated/: ${different.length === 0 ? "nothing changed" : `${different.join(", ")} changed`}`);
  } else if (different.length > 0) {
    console.error(
      `generated/ does not match openapi.yaml: ${different.join(", ")}.\n` +
        "Run `npm run generate`, commit what it writes, and follow the compiler where it complains afterwards.",
    );
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
