/**
 * Counts what the compiler instantiates for a consumer's program: `npm run check:instantiations` fails where it is more than
 * a hundred, or grows with the calls.
 */
import Table from "cli-table3";
import ts from "typescript";

const most = 100;

/** A program with so many rounds of all calls. */
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

/** The same two reads, by openapi-fetch alone. */
const withOpenapiFetch = (rounds: number) => `
import createHttp from "openapi-fetch";
import type { paths } from "vegaprotocol-client";
const http = createHttp<paths>({ baseUrl: "https://node.example" });
${`{ const { data } = await http.GET("/api/v2/votes", { params: { query: { partyId: "a" } } }); data?.votes.edges[0]?.node?.value; }
{ const { data } = await http.GET("/statistics/spam/{partyId}", { params: { path: { partyId: "a" } } }); data?.statistics?.votes?.maxForEpoch; }
`.repeat(rounds * 3)}`;

function count(source: string): number {
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
  const [diagnostic] = program.getSemanticDiagnostics(program.getSourceFile(name));
  if (diagnostic) throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
  return program.getInstantiationCount();
}

const rows = [
  ["openapi-fetch", count(withOpenapiFetch(1)), count(withOpenapiFetch(50))],
  ["vegaprotocol-client", count(withClient(1)), count(withClient(50))],
] as const;
const table = new Table({ head: ["type instantiations", "6 calls", "300 calls"], style: { head: [], border: [] } });
for (const [name, ...counts] of rows)
  table.push([name, ...counts.map((each) => ({ hAlign: "right" as const, content: each }))]);
console.log(table.toString());
const [, few, many] = rows[1];
if (few > most || many > most) {
  console.error(`Expected at most ${most} instantiations for a consumer's program, however many calls.`);
  process.exitCode = 1;
}
