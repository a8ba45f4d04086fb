/** Programs of consumers, and their cost for the compiler. */
import ts from "typescript";

/** All six operations, `rounds` times. */
const withClient = (rounds: number) => `
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

/** Two of the operations, three times in each round, with openapi-fetch alone. */
const withOpenapiFetch = (rounds: number) => `
import createHttp from "openapi-fetch";
import type { paths } from "vegaprotocol-client/openapi-types";
const http = createHttp<paths>({ baseUrl: "https://node.example" });
${`{ const { data } = await http.GET("/api/v2/votes", { params: { query: { partyId: "a" } } }); data?.votes.edges[0]?.node?.value; }
{ const { data } = await http.GET("/statistics/spam/{partyId}", { params: { path: { partyId: "a" } } }); data?.statistics?.votes?.maxForEpoch; }
`.repeat(rounds * 3)}`;

/** Programs with six calls in each round. */
export const consumers: Record<string, (rounds: number) => string> = {
  "openapi-fetch": withOpenapiFetch,
  "vegaprotocol-client": withClient,
};

/** Compiles a program, and measures the cost. */
export function compile(source: string): { instantiations: number; milliseconds: number } {
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
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => file === name || fileExists.call(host, file);
  host.readFile = (file) => (file === name ? source : readFile.call(host, file));
  host.getSourceFile = (file, ...rest) =>
    file === name
      ? ts.createSourceFile(file, source, {
          languageVersion: ts.ScriptTarget.ES2022,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        })
      : getSourceFile.call(host, file, ...rest);
  const program = ts.createProgram([name], options, host);
  const start = performance.now();
  const [diagnostic] = program.getSemanticDiagnostics(program.getSourceFile(name));
  const milliseconds = performance.now() - start;
  if (diagnostic) throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
  return { instantiations: program.getInstantiationCount(), milliseconds };
}
