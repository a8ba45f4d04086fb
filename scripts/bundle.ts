import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** The size of a bundled program in bytes. undici is not included, because Node.js programs install it anyway. */
export async function bundle(contents: string, resolveDir: string): Promise<{ minified: number; gzip: number }> {
  const options = { bundle: true, minify: true, write: false, format: "esm", target: "es2022" } as const;
  const { outputFiles } = await build({
    ...options,
    platform: "browser",
    external: ["undici"],
    stdin: { contents, resolveDir },
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: code.length, gzip: gzipSync(code, { level: 9 }).length };
}
