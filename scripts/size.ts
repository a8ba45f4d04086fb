/**
 * Measures what a program takes with each entry: bundled, minified, gzip. `npm run check:size` fails where one grows over
 * its limit.
 */
import Table from "cli-table3";
import { bundle } from "./bundle.js";

/** Bytes. openapi-fetch, which is here to compare with, is part of the second. */
const limits: Record<string, number> = {
  "openapi-fetch": 3_000,
  "vegaprotocol-client": 21_000,
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
  const { minified, gzip } = await bundle(`export * from ${JSON.stringify(entry)};`, process.cwd());
  table.push([entry, kilobytes(minified), kilobytes(gzip), kilobytes(limit)]);
  if (gzip > limit) {
    console.error(`${entry} is ${gzip} bytes of gzip: more than ${limit}.`);
    process.exitCode = 1;
  }
}
console.log(table.toString());
