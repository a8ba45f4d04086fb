/**
 * Writes `generated/` from `openapi.yaml`: `npm run generate`.
 * With `--check` it writes nothing and fails where `generated/` is not what it would write.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";
import { type Description, printEnums, printTypes } from "./print-types.js";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const description = new URL("../openapi.yaml", import.meta.url);
const folder = new URL("../generated/", import.meta.url);

const header = "// Written by `npm run generate` from openapi.yaml. Edit that, not this.\n\n";
const tree = parse(await readFile(description, "utf8")) as Description;
const files: Record<string, string> = {
  "openapi.ts": header + astToString(await openapiTS(description, { alphabetize: false })),
  "enums.ts": header + printEnums(tree),
  "types.ts": header + printTypes(tree),
};

await mkdir(folder, { recursive: true });
const present = await readdir(folder);
const stale = present.filter((name) => !(name in files));
const different: string[] = [...stale];
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
