/**
 * Compiles the package into `dist/`, which is deleted first, so that no file of an earlier build remains.
 *
 * `dist/src` and `dist/generated` have the ES modules, one for each source. `dist/cjs` has the same as CommonJS, bundled: a
 * program that requires it loads a few files. The types are there, too, once for both: ES modules can import the types of
 * CommonJS, while TypeScript refuses the reverse.
 */
import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { runScript } from "./run-script.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const commonJs = "dist/cjs";

interface Target {
  types: string;
  default: string;
}

async function main(): Promise<void> {
  await rm(join(root, "dist"), { recursive: true, force: true });
  compile();
  // The program is not part of the types.
  await rm(join(root, commonJs, "src/cli"), { recursive: true });
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const entries = Object.values<string | { import: Target; require: Target }>(manifest.exports).filter(
    (entry) => typeof entry !== "string",
  );
  for (const {
    import: { types },
    require,
  } of entries) {
    const path = relative(dirname(types), require.types).replace(/\.d\.ts$/, ".js");
    await write(types, `export * from "${path}";\n`);
  }
  await writeCommonJs(entries.map(({ require }) => require.default));
}

function compile(): void {
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "--project", join(root, "tsconfig.build.json")], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("The compiler failed.");
}

async function writeCommonJs(entries: readonly string[]): Promise<void> {
  await write(join(commonJs, "package.json"), `${JSON.stringify({ type: "commonjs", sideEffects: false })}\n`);
  // esbuild splits ES modules alone, so that entries share modules; each part is CommonJS then.
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => join(root, relative(commonJs, entry).replace(/\.js$/, ".ts"))),
    outbase: root,
    outdir: join(root, commonJs),
    bundle: true,
    splitting: true,
    packages: "external",
    external: ["node:*"],
    format: "esm",
    platform: "neutral",
    target: "es2022",
    write: false,
  });
  for (const { path, text } of outputFiles) {
    // Jest has no `import()` in CommonJS.
    const supported = { "dynamic-import": false };
    const { code } = await transform(text, { format: "cjs", target: "es2022", supported });
    await write(relative(root, path), code);
  }
}

async function write(path: string, content: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

await runScript(import.meta.url, main);
