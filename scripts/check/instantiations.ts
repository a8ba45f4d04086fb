/** Counts the type instantiations of a consumer's program: at most a hundred, for any number of calls. */
import ts from "typescript";
import { runScript } from "../run-script.js";

const limit = 100;

/** All six operations, in each round. */
const program = (rounds: number) => `
import { createClient } from "vegaprotocol-client";
const client = createClient({ baseUrl: "https://node.example" });
${`
for await (const { value } of client.listVotes({ partyId: "a" }, { maxItems: 5 })) if (value === "VALUE_YES") break;
const profiles = (await client.listPartiesProfiles({ parties: ["a"] })).nodes;
const spam = (await client.getSpamStatistics({ partyId: "a" })).statistics?.votes?.maxForEpoch;
for await (const { balance } of client.scanBalanceChanges({ filter: { assetId: "a" } })) balance.length;
const signatures = await client.listNodeSignatures({ id: "a", pagination: { last: 5 } }).toArray();
const result = await client.checkTransaction({ tx: { pubKey: "a" } });
`
  .split("\n")
  .filter(Boolean)
  .map((line) => `{ ${line} }\n`)
  .join("")
  .repeat(rounds)}`;

function countInstantiations(source: string): number {
  const name = `${process.cwd()}/consumer.ts`;
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  const languageVersion = { languageVersion: ts.ScriptTarget.ES2022, impliedNodeFormat: ts.ModuleKind.ESNext } as const;
  host.fileExists = (file) => file === name || fileExists.call(host, file);
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(file, source, languageVersion) : getSourceFile.call(host, file, ...rest);
  const compiled = ts.createProgram([name], options, host);
  const [diagnostic] = compiled.getSemanticDiagnostics(compiled.getSourceFile(name));
  if (diagnostic) throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
  return compiled.getInstantiationCount();
}

await runScript(import.meta.url, () => {
  const counts = [1, 50].map((rounds) => countInstantiations(program(rounds)));
  console.log(`Type instantiations of 6 and of 300 calls: ${counts.join(", ")}. At most ${limit}.`);
  if (Math.max(...counts) > limit) throw new Error("A consumer's program has too many type instantiations.");
});
