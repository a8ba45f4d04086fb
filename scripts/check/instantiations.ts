/**
 * Counts the type instantiations of a consumer's program. `npm run check -- instantiations` fails if they exceed a
 * hundred, for any number of calls.
 */
import Table from "cli-table3";
import { runScript } from "../run-script.js";
import { compile, consumers } from "./consumers.js";

const limit = 100;

function main(): void {
  const table = new Table({ head: ["type instantiations", "6 calls", "300 calls"], style: { head: [], border: [] } });
  let most = 0;
  for (const [name, program] of Object.entries(consumers)) {
    const counts = [1, 50].map((rounds) => compile(program(rounds)).instantiations);
    table.push([name, ...counts.map((content) => ({ hAlign: "right" as const, content }))]);
    if (name === "vegaprotocol-client") most = Math.max(...counts);
  }
  console.log(table.toString());
  if (most > limit)
    throw new Error(`Expected at most ${limit} type instantiations in a consumer's program, got ${most}.`);
}

await runScript(import.meta.url, main);
