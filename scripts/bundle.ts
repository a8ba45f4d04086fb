import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Returns the size of a program that is bundled, in bytes. */
export async function bundle(contents: string, resolveDir: string): Promise<{ minified: number; gzip: number }> {
  const options = { bundle: true, minify: true, write: false, format: "esm", target: "es2022" } as const;
  const { outputFiles } = await build({
    ...options,
    platform: "browser",
    stdin: { contents, resolveDir },
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: code.length, gzip: gzipSync(code, { level: 9 }).length };
}
