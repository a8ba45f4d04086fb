/**
 * Counts what the compiler instantiates for a consumer's program: `npm run check:instantiations` fails where it is more than
 * a hundred, or grows with the calls.
 */
import Table from "cli-table3";
import { compile, consumers } from "./consumers.js";

const most = 100;

const table = new Table({ head: ["type instantiations", "6 calls", "300 calls"], style: { head: [], border: [] } });
for (const [name, program] of Object.entries(consumers)) {
  const counts = [1, 50].map((rounds) => compile(program(rounds)).instantiations);
  table.push([name, ...counts.map((content) => ({ hAlign: "right" as const, content }))]);
  if (name !== "vegaprotocol-client" || Math.max(...counts) <= most) continue;
  console.error(`Expected at most ${most} instantiations for a consumer's program, however many calls.`);
  process.exitCode = 1;
}
console.log(table.toString());
