/** Measures the size of each entry: bundled, minified, gzip. `npm run check:size` fails if one exceeds its limit. */
import Table from "cli-table3";
import { bundle } from "./bundle.js";
import { runScript } from "./run-script.js";

/** Bytes. openapi-fetch, for comparison, is part of the second entry. */
const limits: Record<string, number> = {
  "openapi-fetch": 3_000,
  "vegaprotocol-client": 26_500,
  "vegaprotocol-client/testing": 22_000,
  "vegaprotocol-client/validate": 8_000,
};

/** Bytes that an entry adds to a program that uses the client. */
const additions: Record<string, number> = {
  "vegaprotocol-client/pool": 6_500,
};

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

async function main(): Promise<void> {
  const table = new Table({
    head: ["entry", "minified", "gzip", "limit"],
    colAligns: ["left", "right", "right", "right"],
    style: { head: [], border: [] },
  });
  const problems: string[] = [];
  for (const [entry, limit] of Object.entries(limits)) {
    const { minified, gzip } = await bundle(`export * from ${JSON.stringify(entry)};`, process.cwd());
    table.push([entry, kilobytes(minified), kilobytes(gzip), kilobytes(limit)]);
    if (gzip > limit) problems.push(`Expected ${entry} to have at most ${limit} bytes of gzip, got ${gzip}.`);
  }
  const client = 'export * from "vegaprotocol-client";';
  const base = await bundle(client, process.cwd());
  for (const [entry, limit] of Object.entries(additions)) {
    const both = await bundle(`${client} export * from ${JSON.stringify(entry)};`, process.cwd());
    const [minified, gzip] = [both.minified - base.minified, both.gzip - base.gzip];
    table.push([`${entry} adds`, kilobytes(minified), kilobytes(gzip), kilobytes(limit)]);
    if (gzip > limit) problems.push(`Expected ${entry} to add at most ${limit} bytes of gzip, got ${gzip}.`);
  }
  console.log(table.toString());
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

await runScript(import.meta.url, main);
