/**
 * Measures what a program takes with each entry: bundled, minified, gzip. `npm run check:size` fails where one grows over
 * its limit.
 */
import { gzipSync } from "node:zlib";
import Table from "cli-table3";
import { build } from "esbuild";

/** Bytes. openapi-fetch, which is here to compare with, is part of the second. */
const limits: Record<string, number> = {
  "openapi-fetch": 3_000,
  "vegaprotocol-client": 19_500,
  "vegaprotocol-client/testing": 10_000,
  "vegaprotocol-client/validate": 8_000,
};

const table = new Table({
  head: ["entry", "minified", "gzip", "limit"],
  colAligns: ["left", "right", "right", "right"],
  style: { head: [], border: [] },
});
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
for (const [entry, limit] of Object.entries(limits)) {
  const contents = `export * from ${JSON.stringify(entry)};`;
  const options = { bundle: true, minify: true, write: false, format: "esm", target: "es2022" } as const;
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: process.cwd() } });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const { length } = gzipSync(code, { level: 9 });
  table.push([entry, kilobytes(code.length), kilobytes(length), kilobytes(limit)]);
  if (length > limit) {
    console.error(`${entry} is ${length} bytes of gzip: more than ${limit}.`);
    process.exitCode = 1;
  }
}
console.log(table.toString());
