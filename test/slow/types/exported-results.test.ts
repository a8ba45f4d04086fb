import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { folderOfFile } from "../../support/folder.js";
import { linkPackage } from "../../support/link-package.js";

const path = await folderOfFile();
const modules = path("node_modules");
mkdirSync(modules);
linkPackage(modules);
for (const name of ["openapi-fetch", "openapi-typescript-helpers"]) {
  const installed = fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));
  symlinkSync(installed, join(modules, name), "junction");
}

/** The messages of the compiler for each of the modules, whose declarations are written, and for the declarations that they load. */
function compile(modules: Readonly<Record<string, string>>) {
  const files = Object.entries(modules).map(([name, source], index) => {
    const file = path(`module${index}.ts`);
    writeFileSync(file, source);
    return { name, file };
  });
  const language = { target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], types: [] };
  const paths = files.map(({ file }) => file);
  // Without `preserveSymlinks`, the package would be a part of this project, whose modules can all be named.
  const options = { declaration: true, module: ts.ModuleKind.Preserve, strict: true, preserveSymlinks: true };
  const program = ts.createProgram(paths, { ...language, ...options });
  const textsOf = (diagnostics: readonly ts.Diagnostic[]) =>
    diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  const messagesOf = (source: ts.SourceFile | undefined) =>
    textsOf([...ts.getPreEmitDiagnostics(program, source), ...program.emit(source, () => {}).diagnostics]);
  const messages = Object.fromEntries(files.map(({ name, file }) => [name, messagesOf(program.getSourceFile(file))]));
  const declarations = program
    .getSourceFiles()
    .filter(({ fileName }) => /vegaprotocol-client.*\.d\.[mc]?ts$/.test(fileName));
  const ofDeclarations = declarations.flatMap((source) => ts.getPreEmitDiagnostics(program, source));
  return { messages, declarations: textsOf(ofDeclarations) };
}

const client = `
  import { createClient } from "vegaprotocol-client";
  const client = createClient({ baseUrl: "https://node.example" });
`;

const programs = {
  "a client and its calls":
    "export const { http, withOptions } = client; export const call = client.getSpamStatistics({ partyId: 'a' }); export const full = await call.withResponse();",
  "listings, their pages and their records":
    "export const list = client.listVotes({ partyId: 'a' }); export const page = await list; export const { block, edges, pageInfo, next, previous, nodes } = page;",
  "parts of records":
    "const [vote] = await client.listVotes({ partyId: 'a' }).toArray(); export const shares = vote?.elsPerMarket; export const [profile] = (await client.listPartiesProfiles()).nodes; export const entries = profile?.metadata; export const { statistics } = await client.getSpamStatistics({ partyId: 'a' }); export const counter = statistics?.proposals; export const states = statistics?.pow?.blockStates; export const check = await client.checkTransaction({ tx: {} }); export const refused = check.success ? undefined : check;",
  "operations as data":
    "import { operations } from 'vegaprotocol-client/operations'; export const { listVotes, checkTransaction } = operations; export const { enums } = operations.listBalanceChanges; export const { pagination, partyId } = listVotes.arguments;",
  "a scan and its coverage":
    "export const scan = client.scanBalanceChanges(); export const coverage = await scan.coverage;",
  "a walk over another list":
    "import { paginate } from 'vegaprotocol-client'; export const walk = paginate(async () => ({ edges: [{ cursor: 'a', node: 1 }], pageInfo: null })); export const page = await walk;",
  "errors and what they hold":
    "import { ApiError, PaginationError, RateLimitError } from 'vegaprotocol-client'; export const read = (error: unknown) => ApiError.is(error) ? [error.codeName, error.detail, error.request, error.body] as const : PaginationError.is(error) ? error.reason : RateLimitError.is(error);",
  pools:
    "import { nodePool } from 'vegaprotocol-client/pool'; export const nodes = nodePool(['https://a.example']); export const { status } = nodes; export const checked = await nodes.check();",
  "followers and batches":
    "import { followNodeSignatures, followVotes } from 'vegaprotocol-client/follow'; export const votes = followVotes(client, { partyId: 'a' }); export const batches = votes.batches(); export const signatures = followNodeSignatures(client, { id: 'a' }); export const signed = signatures.batches();",
  queries:
    "import { queries } from 'vegaprotocol-client/query'; export const vega = queries(client); export const votes = vega.listVotes({ partyId: 'a' }); export const pages = vega.listVotes.infinite({ partyId: 'a' }); export const data = await votes.queryFn(); export const mutation = vega.checkTransaction.mutation();",
  reports:
    "import { balanceSeries, balancesAt, signatureBundle, statement, submissionLimits, tallyVotes } from 'vegaprotocol-client/reports'; const changes = client.scanBalanceChanges(); export const balances = await balancesAt(changes, 1n); export const rows = await balanceSeries(changes, { from: 1n, to: 2n, every: 'day', groupBy: ['partyId'] }); export const [account] = await statement(changes, { from: 1n, to: 2n }); export const lines = account?.lines; export const tally = await tallyVotes(client.listVotes({ proposalId: 'a' })); export const limits = submissionLimits(await client.getSpamStatistics({ partyId: 'a' }), { command: 'other' }); export const bundle = await signatureBundle(client.listNodeSignatures({ id: 'a' }));",
  "validators and schemas":
    "import { schemas, validateAnswers } from 'vegaprotocol-client/validate'; export const validate = validateAnswers({ onMismatch: 'throw' }); export const all = schemas; export const vote = schemas.Vote; export const result = vote['~standard'].validate({});",
  "fake nodes and networks":
    "import { createFakeNetwork, createFakeNode, nodeDefects } from 'vegaprotocol-client/testing'; import { listen } from 'vegaprotocol-client/testing/node'; export const node = createFakeNode({ votes: 1 }, { defects: nodeDefects }); export const { requests, records } = node; export const network = createFakeNetwork({ nodes: [{}] }); export const first = network.nodes[0]; export const server = await listen(node);",
};

const compiled = compile(Object.fromEntries(Object.entries(programs).map(([name, text]) => [name, client + text])));

test.each(Object.keys(programs))("a library can export, with inferred types, %s", (name) => {
  expect(compiled.messages[name]).toEqual([]);
});

test("the declarations compile with ECMAScript 2022 and the types of browsers alone, without `skipLibCheck`", () => {
  expect(compiled.declarations).toEqual([]);
});
