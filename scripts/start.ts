/**
 * The command line against an in-memory node with the paging defects of v0.74 nodes.
 *
 *   npm start                          shows a command for each of the six operations
 *   npm start -- balances --limit 5    runs one command; --node or VEGA_NODE choose a real node
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import Table from "cli-table3";
import { createClient, type PageContent } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { parse } from "yaml";
import { withOtherPaths } from "../cli/src/fake-node.js";

/** Several pages of each list, and a block with more balance changes than a page of the comparison below. */
const data = { profiles: 13, spamStatistics: 12, votes: 600, balances: 20_000, signatures: 39 };
const node = createFakeNode(data, { defects: nodeDefects });
const server = await listen(withOtherPaths(node));
const program = fileURLToPath(new URL("../cli/dist/main.js", import.meta.url));

/** Runs a command with the default address of a node. If it is interrupted, this program ends as well. */
async function runCommand(argv: readonly string[], node: string, stdin?: string): Promise<number> {
  const child = spawn(process.execPath, [program, ...argv], {
    env: { ...process.env, VEGA_NODE: node },
    stdio: [stdin === undefined ? "inherit" : "pipe", "inherit", "inherit"],
  });
  child.stdin?.end(stdin);
  // Both processes get the signal of a terminal. The command explains its end.
  const wait = () => {};
  process.on("SIGINT", wait);
  const [code, signal] = await once(child, "exit");
  process.off("SIGINT", wait);
  if (signal !== null || code === 130) process.exit(130);
  return code;
}

async function showAll(): Promise<void> {
  const party = node.records.profiles.find(({ partyId }) => partyId !== "network")?.partyId ?? "";
  const proposal = node.records.votes.at(-1)?.proposalId ?? "";
  const id = node.records.signatures[0]?.id ?? "";
  await showPaging();
  console.log("\nThe commands below use the same node.");
  const asset = node.records.balances[0]?.assetId ?? "";
  const holder = node.records.balances.find(({ accountType }) => accountType === "ACCOUNT_TYPE_GENERAL");
  const commands = [
    `profiles --limit 5 --format table`,
    `votes --proposal ${proposal} --limit 5 --format table`,
    `balances --from 2024-02-09T16:54:00Z --limit 5 --columns timestamp,balance,accountType --decimals node --asset ${asset} --format table`,
    `statement --party ${holder?.partyId} --asset ${holder?.assetId} --account-type general --from 2024-02-09T16:50:00Z ` +
      "--to 2024-02-09T16:52:30Z --decimals node --columns timestamp,entry,change,balance --quiet --format table",
    `signatures --id ${id} --limit 3 --columns kind,sig --format table`,
    `spam --party ${party}`,
  ].map((command) => command.split(" "));
  for (const command of commands) {
    heading(command);
    await runCommand(command, server.url);
  }
  heading(["check", "transaction.json"]);
  await runCommand(["check", "-"], server.url, JSON.stringify(await exampleTransaction()));
  console.log("\nnpm start -- help lists all commands. npm start -- balances --limit 20 runs one.");
}

const heading = (argv: readonly string[]) => console.log(`\n${styleText("bold", `$ vegaprotocol ${argv.join(" ")}`)}`);

/** The example of the description. The in-memory node does not verify its signature. */
async function exampleTransaction(): Promise<unknown> {
  const description = parse(await readFile(new URL("../openapi.yaml", import.meta.url), "utf8"));
  const { examples } = description.paths["/transaction/check"].post.requestBody.content["application/json"];
  return examples.signed.value;
}

/** Compares the records that the client reads from the in-memory node with the records of a loop on `endCursor`. */
async function showPaging(): Promise<void> {
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  const { votes, balances } = node.records;
  // Of the proposals with generated votes, the first is closed.
  const [closed = "", open = ""] = new Set(votes.map(({ proposalId }) => proposalId));
  const votesOn = (proposalId: string, first: number) => ({
    list: `votes on ${proposalId === open ? "an open" : "a closed"} proposal`,
    first,
    stored: votes.filter((vote) => vote.proposalId === proposalId).length,
    walk: client.listVotes({ proposalId, pagination: { first } }),
    path: `/api/v2/votes?proposalId=${proposalId}`,
  });
  const changes = { list: "balance changes", first: 1000, stored: balances.length, path: "/api/v2/balance/changes?" };
  const rows = [
    votesOn(closed, 5000),
    votesOn(closed, 100),
    votesOn(open, 20),
    { ...changes, walk: client.listBalanceChanges({ pagination: { first: 1000 } }) },
    { ...changes, list: "balance changes, by a scan", first: 5000, walk: client.scanBalanceChanges(), path: undefined },
  ];
  const head = ["list", "size", "loop with endCursor", "this client", "requests"];
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  for (const { list, first, stored, walk, path } of rows) {
    const byCursor = path ? await followCursors(`${path}&pagination.first=${first}`, stored) : "–";
    const before = node.requests.length;
    const byClient = describeRecords(await walk.toArray(), stored);
    table.push([list, first, byCursor, byClient, node.requests.length - before]);
  }
  const title = "Records read from an in-memory node with the paging defects of v0.74 nodes, by the size of a page:";
  console.log(`${title}\n${table}`);
}

/** How many records were read of those that the node has stored. */
function describeRecords(records: readonly unknown[], stored: number): string {
  const { size } = new Set(records.map((record) => JSON.stringify(record)));
  const repeated = records.length - size;
  const count = (number: number) => number.toLocaleString("en");
  return `${count(size)} of ${count(stored)}${repeated > 0 ? `\n${count(repeated)} repeated` : ""}`;
}

/** Follows `endCursor` as a hand-written loop does, until a cursor repeats. */
async function followCursors(path: string, stored: number): Promise<string> {
  const records: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor = ""; !cursors.has(cursor); ) {
    cursors.add(cursor);
    const after = cursor && `&pagination.after=${encodeURIComponent(cursor)}`;
    const response = await node.fetch(`https://node.example${path}${after}`);
    const [page] = Object.values((await response.json()) as Record<string, PageContent<unknown>>);
    records.push(...(page?.edges ?? []).map((edge) => edge?.node));
    if (!page?.pageInfo?.hasNextPage) return describeRecords(records, stored);
    cursor = page.pageInfo.endCursor;
  }
  return `${describeRecords(records, stored)}\nthen an infinite loop`;
}

const [, , ...argv] = process.argv;
if (argv.length > 0) process.exitCode = await runCommand(argv, process.env["VEGA_NODE"] || server.url);
else await showAll();
await server.close();
