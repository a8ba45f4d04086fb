import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../support/run.js";
import { binaries, installConsumer } from "./consumer.js";

const consumer = await installConsumer();
for (const extension of ["cts", "mts"]) await cp(join(consumer, "types.ts"), join(consumer, `types.${extension}`));

/** How modules are found, and the modules that are compiled: ES modules and CommonJS. */
const resolutions = {
  node16: { module: "node16", lib: ["ES2022"], types: ["node"] },
  nodenext: { module: "nodenext", lib: ["ES2022", "DOM"], types: [] },
  bundler: { module: "preserve", moduleResolution: "bundler", lib: ["ES2022"], types: ["node"] },
};
const names = Object.keys(resolutions) as (keyof typeof resolutions)[];
const cases = ["5.4", "5.9", "7.0"].flatMap((compiler) => names.map((name) => [compiler, name] as const));

describe("the packed package is type-checked by", () => {
  test.concurrent.each(cases)("TypeScript %s with %s", async (compiler, resolution) => {
    const tsconfig = join(consumer, `tsconfig-${compiler}-${resolution}.json`);
    const files = resolution === "bundler" ? ["types.ts"] : ["types.mts", "types.cts"];
    const compilerOptions = {
      target: "ES2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      // The types of the package themselves, by the oldest and the newest compiler.
      skipLibCheck: compiler === "5.9" || (compiler === "5.4" && resolution !== "nodenext"),
      noEmit: true,
      typeRoots: [join(binaries, "@types")],
      ...resolutions[resolution],
    };
    await writeFile(tsconfig, JSON.stringify({ compilerOptions, files: [...files, "required.cts"] }));
    const tsc = join(binaries, `typescript-${compiler}`, "bin/tsc");
    const compiling = run(process.execPath, [tsc, "-p", tsconfig], { cwd: consumer });
    const { stdout } = await compiling.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });
});
