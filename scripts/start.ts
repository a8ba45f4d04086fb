/**
 * The command line against an in-memory node with the paging defects of v0.74 nodes.
 *
 *   npm start                          shows a command for each of the six operations
 *   npm start -- balances --limit 5    runs one command; --node or VEGA_NODE choose a real node
 */
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { styleText } from "node:util";
import Table from "cli-table3";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { parse } from "yaml";
import { Interruption } from "../cli/src/io.js";
import { run } from "../cli/src/program.js";
import { comparePaging, type Reading } from "./paging.js";

/** Several pages of each list, and a block with more balance changes than a page of the comparison below. */
const data = { profiles: 13, spamStatistics: 12, votes: 600, balances: 20_000, signatures: 39 };
const node = createFakeNode(data, { defects: nodeDefects });

const controller = new AbortController();
process.once("SIGINT", () => controller.abort(new Interruption("SIGINT")));

/** Runs a command. Without the address of a node, its requests go to the in-memory node. */
function runCommand(argv: readonly string[], stdin?: string): Promise<number> {
  const variables = ["VEGA_NODE", "VEGAPROTOCOL_NODE"];
  const hasNode = variables.some((name) => process.env[name]) || argv.some((word) => /^--node(=|$)/.test(word));
  return run({
    argv,
    env: hasNode ? process.env : { ...process.env, VEGA_NODE: "https://node.example" },
    stdin: stdin === undefined ? process.stdin : Readable.from([stdin]),
    stdout: process.stdout,
    stderr: process.stderr,
    fetch: hasNode ? undefined : node.fetch,
    now: () => performance.now(),
    signal: controller.signal,
  });
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
    `balances --from 2024-02-09T16:54:00Z --limit 5 --columns timestamp,balance,accountType --decimals 18 --asset ${asset} --format table`,
    `statement --party ${holder?.partyId} --asset ${holder?.assetId} --account-type general --from 2024-02-09T16:50:00Z ` +
      "--to 2024-02-09T16:52:30Z --decimals 18 --columns timestamp,entry,change,balance --quiet --format table",
    `signatures --id ${id} --limit 3 --columns kind,sig --format table`,
    `spam --party ${party}`,
  ].map((command) => command.split(" "));
  for (const command of commands) {
    heading(command);
    await runCommand(command);
  }
  heading(["check", "transaction.json"]);
  await runCommand(["check", "-"], JSON.stringify(await exampleTransaction()));
  console.log("\nnpm start -- help lists all commands. npm start -- balances --limit 20 runs one.");
}

const heading = (argv: readonly string[]) => console.log(`\n${styleText("bold", `$ vegaprotocol ${argv.join(" ")}`)}`);

/** The example of the description. The in-memory node does not verify its signature. */
async function exampleTransaction(): Promise<unknown> {
  const description = parse(await readFile(new URL("../openapi.yaml", import.meta.url), "utf8"));
  const { examples } = description.paths["/transaction/check"].post.requestBody.content["application/json"];
  return examples.signed.value;
}

/** Compares what the client reads from the in-memory node with what following its cursors reads. */
async function showPaging(): Promise<void> {
  const table = new Table({
    head: ["list", "size", "loop with endCursor", "this client", "requests"],
    style: { head: [], border: [], compact: true },
  });
  for (const { list, first, stored, byCursor, byClient } of await comparePaging(node)) {
    const cells = [byCursor ? cellOf(byCursor, stored) : "–", cellOf(byClient, stored)];
    table.push([list, String(first), ...cells, String(byClient.requests)]);
  }
  const title = "Records read of an in-memory node with the paging defects of v0.74 nodes, by the size of a page:";
  console.log(`${title}\n${table}`);
}

function cellOf({ different, repeated, isEndless }: Reading, stored: number): string {
  const lines = [`${different.toLocaleString("en")} of ${stored.toLocaleString("en")}`];
  if (repeated > 0) lines.push(`${repeated.toLocaleString("en")} repeated`);
  if (isEndless) lines.push("then an infinite loop");
  return lines.join("\n");
}

const [, , ...argv] = process.argv;
if (argv.length > 0) process.exitCode = await runCommand(argv);
else await showAll();
