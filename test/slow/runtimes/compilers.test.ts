import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binaries, type Consumer, installConsumer, run } from "./consumer.js";

let consumer: Consumer;

beforeAll(async () => {
  consumer = await installConsumer();
  for (const extension of ["cts", "mts"]) {
    await cp(join(consumer.folder, "types.ts"), join(consumer.folder, `types.${extension}`));
  }
});
afterAll(() => consumer?.remove());

/** How modules are found, and the modules that are compiled: ES modules and CommonJS. */
const resolutions = {
  node16: {
    options: { module: "node16", moduleResolution: "node16" },
    files: ["types.mts", "types.cts", "required.cts"],
  },
  nodenext: {
    options: { module: "nodenext", moduleResolution: "nodenext" },
    files: ["types.mts", "types.cts", "required.cts"],
  },
  bundler: { options: { module: "preserve", moduleResolution: "bundler" }, files: ["types.ts", "required.cts"] },
} as const;

const globals = {
  "the DOM": { lib: ["ES2022", "DOM"], types: [] },
  "Node.js alone": { lib: ["ES2022"], types: ["node"] },
} as const;

type Case = [compiler: string, resolution: keyof typeof resolutions, global: keyof typeof globals];

const cases = ["5.4", "5.9", "7.0"].flatMap((compiler): Case[] => [
  [compiler, "node16", "Node.js alone"],
  [compiler, "nodenext", "the DOM"],
  [compiler, "bundler", "Node.js alone"],
]);

describe("the packed package is type-checked by", () => {
  test.concurrent.each(cases)("TypeScript %s with %s and %s", async (compiler, resolution, global) => {
    const { options, files } = resolutions[resolution];
    const tsconfig = join(consumer.folder, `tsconfig-${compiler}-${resolution}.json`);
    const compilerOptions = {
      target: "ES2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      // The types of the package themselves, by the oldest and the newest compiler.
      skipLibCheck: compiler === "5.9" || (compiler === "5.4" && resolution !== "nodenext"),
      ...options,
      ...globals[global],
      noEmit: true,
      typeRoots: [join(binaries, "@types")],
    };
    await writeFile(tsconfig, JSON.stringify({ compilerOptions, files }));
    const tsc = join(binaries, `typescript-${compiler}`, "bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", tsconfig], { cwd: consumer.folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });
});
