/**
 * Builds the client into `dist/` and the command line into `cli/dist/`. Each is replaced as a whole: no file of an earlier build remains,
 * and a program that runs meanwhile finds all of them.
 *
 * `dist/src` has ES modules, `dist/cjs` the same as CommonJS, and the types, once for both: ES modules can import the types of CommonJS,
 * while TypeScript refuses the reverse. Both are bundled and not minified: an application loads `createClient` with all that it needs at
 * first as two files, whatever its bundler makes of many small ones.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { type OutputChunk, rolldown } from "rolldown";
import { parse, stringify } from "yaml";
import { runScript } from "./run-script.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const commonJs = "dist/cjs";

/** The modules that the client shares with the fake node and the validators, which do not load the client. */
const base =
  /[\\/](?:src[\\/](?:values|errors|arguments|async[\\/](?:abort|clock))|generated[\\/](?:enums|operations))\b/;

interface Target {
  types: string;
  default: string;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(root, ".dist-"));
  try {
    await buildInto(folder);
    await buildCommandLine(join(folder, "cli"));
    await replace(join(root, "dist"), join(folder, "dist"));
    await replace(join(root, "cli/dist"), join(folder, "cli"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function replace(path: string, built: string): Promise<void> {
  await rename(path, `${built}-earlier`).catch((error) => {
    // There is none before the first build.
    if (error.code !== "ENOENT") throw error;
  });
  await rename(built, path);
}

/** Bundles the command line, with a chunk for each command. */
async function buildCommandLine(folder: string): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(root, "cli/package.json"), "utf8"));
  const installed = Object.keys(dependencies).map((name) => new RegExp(`^${name}(?:/|$)`));
  const bundled = await rolldown({
    input: { main: join(root, "cli/src/main.ts") },
    external: [/^node:/, ...installed],
    platform: "node",
    transform: { target: "es2022" },
  });
  await bundled.write({ dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" });
  await bundled.close();
  await chmod(join(folder, "main.js"), 0o755);
  await writeFile(join(folder, "gateway.yaml"), await describeGateway());
  await writeFile(join(folder, "explore.html"), await bundlePage(join(root, "cli/src/explore/page")));
}

/** The operations and the paths of the gateway as one description: many generators read one file only. */
async function describeGateway(): Promise<string> {
  const [{ paths, components, ...operations }, own] = await Promise.all(
    ["openapi.yaml", "cli/gateway.yaml"].map(async (name) => parse(await readFile(join(root, name), "utf8"))),
  );
  // The other paragraphs are about nodes, whose cursors the gateway replaces.
  for (const { get } of Object.values<{ get?: { description?: string } }>(paths))
    if (get?.description) get.description = get.description.replace(/\n\n.*/s, "");
  for (const [path, { get }] of Object.entries<{ get: object }>(own.paths))
    paths[path] = { get: { ...paths[path]?.get, ...get } };
  for (const [kind, named] of Object.entries<object>(own.components))
    components[kind] = { ...components[kind], ...named };
  const withoutExtensions = (name: unknown, value: unknown) => (String(name).startsWith("x-") ? undefined : value);
  return stringify({ ...operations, ...own, paths, components }, withoutExtensions, { lineWidth: 0 });
}

/** The page of `explore` as one file, which allows its own script and style, and nothing from elsewhere. */
async function bundlePage(folder: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, "main.tsx"), join(folder, "style.css")],
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: root,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    // The same entries as in applications.
    alias: { "vegaprotocol-client": join(root, "src/index.ts") },
  });
  const [script = "", style = ""] = outputFiles.map(({ text }) =>
    text.trim().replaceAll(/<\/(?=script|style)/gi, "<\\/"),
  );
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const own = `script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; img-src data:`;
  const policy = `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'`;
  const modules = Object.keys(metafile.inputs).map((path) => /^node_modules\/([^/]+)\//.exec(path)?.[1]);
  const packages = [...new Set(modules)].filter((name) => name !== undefined).sort();
  const licenses = packages.map(
    async (name) => `With ${name}:\n\n${await readFile(join(root, "node_modules", name, "LICENSE"), "utf8")}`,
  );
  const notices = `<!-- ${(await Promise.all(licenses)).join("\n")}-->`;
  const parts = { POLICY: policy, STYLE: style, SCRIPT: script, NOTICES: notices };
  const page = await readFile(join(folder, "index.html"), "utf8");
  return page.replaceAll(/(?:<!--|\/\*) (\w+) (?:-->|\*\/)/g, (_, name: keyof typeof parts) => parts[name]);
}

/** Builds `dist` in a folder. */
async function buildInto(folder: string): Promise<void> {
  const write = async (path: string, content: string) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  writeTypes(join(folder, commonJs));
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const entries = Object.values<string | { import: Target; require: Target }>(manifest.exports).filter(
    (entry) => typeof entry !== "string",
  );
  for (const { import: modules, require } of entries) {
    const path = posix.relative(posix.dirname(modules.types), require.types).replace(/\.d\.ts$/, ".js");
    await write(modules.types, `export * from "${path}";\n`);
  }
  const library = entries.map(({ import: modules }) => modules.default.replace(/^\.\/dist\/|\.js$/g, ""));
  await write(join(commonJs, "package.json"), `${JSON.stringify({ type: "commonjs", sideEffects: false })}\n`);
  for (const { fileName, code: modules } of await bundle(library, Object.keys(manifest.dependencies))) {
    await write(join("dist", fileName), modules);
    // Jest has no `import()` in CommonJS.
    const supported = { "dynamic-import": false };
    const { code } = await transform(modules, { format: "cjs", target: "es2022", supported });
    await write(join(commonJs, fileName), code);
  }
}

function writeTypes(folder: string): void {
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  const args = ["--project", join(root, "tsconfig.build.json"), "--declarationDir", folder];
  const { status } = spawnSync(process.execPath, [compiler, ...args], { stdio: "inherit" });
  if (status !== 0) throw new Error("The compiler failed.");
}

/**
 * The ES modules of `dist`.
 *
 * @param installed - The packages that are not bundled.
 */
async function bundle(entries: readonly string[], installed: readonly string[]): Promise<OutputChunk[]> {
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
    external: [/^node:/, ...installed],
    platform: "neutral",
    treeshake: { moduleSideEffects: false },
    transform: { target: "es2022" },
  });
  const { output } = await bundled.generate({
    format: "esm",
    // Editors show the comments of the types.
    comments: { jsdoc: false },
    entryFileNames: "[name].js",
    chunkFileNames: "src/[name].js",
    codeSplitting: {
      groups: [
        { name: "base", test: base, priority: 1 },
        // With its imports, and without chunks that it loads on demand.
        { name: "client", test: join(root, "src/index.ts") },
      ],
    },
  });
  await bundled.close();
  return output.filter((file) => file.type === "chunk");
}

await runScript(import.meta.url, main);
