/** Counts the type instantiations of a consumer's program: at most a hundred, for any number of calls. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runScript } from "../run-script.js";

const limit = 100;
const root = fileURLToPath(new URL("../..", import.meta.url));

/** All six operations. */
const calls = [
  'for await (const { value } of client.listVotes({ partyId: "aa" }, { maxItems: 5 })) if (value === "VALUE_YES") break;',
  'const profiles = (await client.listPartiesProfiles({ parties: ["aa"] })).nodes;',
  'const spam = (await client.getSpamStatistics({ partyId: "aa" })).statistics?.votes?.maxForEpoch;',
  'for await (const { balance } of client.scanBalanceChanges({ filter: { assetId: "aa" } })) balance.length;',
  'const signatures = await client.listNodeSignatures({ id: "aa", pagination: { last: 5 } }).toArray();',
  'const result = await client.checkTransaction({ tx: { pubKey: "a" } });',
];
const program = (rounds: number) => `import { createClient } from "vegaprotocol-client";
const client = createClient({ baseUrl: "https://node.example" });
${calls
  .map((call) => `{ ${call} }\n`)
  .join("")
  .repeat(rounds)}`;

function countInstantiations(source: string): number {
  // Inside the package, so that its name resolves to its build.
  mkdirSync(`${root}/reports`, { recursive: true });
  const file = `${root}/reports/consumer.mts`;
  writeFileSync(file, source);
  const options =
    "--ignoreConfig --noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node --extendedDiagnostics";
  const compiler = `${root}/node_modules/typescript-7/bin/tsc`;
  const printed = execFileSync(process.execPath, [compiler, ...options.split(" "), file], { encoding: "utf8" });
  return Number(/^Instantiations: +(\d+)$/m.exec(printed)?.[1]);
}

await runScript(import.meta.url, () => {
  const counts = [1, 50].map((rounds) => countInstantiations(program(rounds)));
  console.log(`Type instantiations of 6 and of 300 calls: ${counts.join(", ")}. At most ${limit}.`);
  if (!(Math.max(...counts) <= limit)) throw new Error("A consumer's program has too many type instantiations.");
});
