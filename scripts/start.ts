/**
 * Shows all six operations, through the built package: with an in-memory node, behind a proxy that validates requests and
 * responses against `openapi.yaml`, or with a real node.
 *
 *   npm start
 *   BASE_URL=https://node.example npm start -- --party <id>
 */
import { readFile } from "node:fs/promises";
import { parseArgs, styleText } from "node:util";
import Table from "cli-table3";
import {
  type CheckTransactionRequest,
  createClient,
  type Listing,
  PaginationError,
  type SpamCounter,
  type Transaction,
  toBytes,
  toDate,
} from "vegaprotocol-client";
import { createFakeNode, type FakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { parse } from "yaml";
import { serveValidated } from "./mock.js";
import { comparePaging, type Reading } from "./paging.js";

const help = `Usage: npm start -- [options]

Without BASE_URL, requests go to an in-memory node. With it, they go to a real node:
  BASE_URL=https://node.example npm start -- --party <id>

  --party <id>     the party whose profile, spam statistics, votes and balances to show. Default: the first party
                   of the node
  --proposal <id>  the proposal whose votes to show. Default: one that the party voted on recently; without one, the
                   party's own votes
  --id <id>        the asset, withdrawal or signer whose signatures to show. Default: the asset of the first balance
  --tx <file>      a signed transaction to check, as JSON. Default: one without a signature
  --rows <n>       records per page. Default: 5
  --pages <n>      pages of a list to show. Default: 3
`;

/** Several pages of each list, and a block with more balance changes than a page of the comparison below. */
const data = { profiles: 13, spamStatistics: 12, votes: 600, balances: 20_000, signatures: 39 };

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      party: { type: "string" },
      proposal: { type: "string" },
      id: { type: "string" },
      tx: { type: "string" },
      rows: { type: "string", default: "5" },
      pages: { type: "string", default: "3" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (options.help) return console.log(help);
  const pagination = { first: Number(options.rows) };
  const pages = Number(options.pages);

  const node = process.env["BASE_URL"] ? undefined : createFakeNode(data, { defects: nodeDefects });
  const server = node && (await serveValidated(node.fetch, { errors: true }));
  try {
    const baseUrl = process.env["BASE_URL"] || (server?.url ?? "");
    const client = createClient({ baseUrl });
    console.log(
      node
        ? `Using an in-memory node with the paging defects of v0.74 nodes, at ${baseUrl}. ` +
            "A proxy validates all requests and responses against openapi.yaml."
        : `Using ${baseUrl}.`,
    );

    const parties = options.party === undefined ? {} : { parties: [options.party] };
    const profiles = await showList(
      "Profiles of parties",
      // v0.74 nodes have one page of this list: every cursor fails.
      client.listPartiesProfiles({ ...parties, pagination: { first: pagination.first * pages } }),
      1,
      ["party", "alias", "metadata"],
      ({ partyId, alias, metadata }) => [
        short(partyId),
        alias || "–",
        metadata.map(({ key, value }) => `${key}: ${value || "–"}`).join("\n"),
      ],
    );
    const party = options.party ?? profiles.find(({ partyId }) => partyId !== "network")?.partyId;
    if (party === undefined) throw new Error("The node has no party. Name one with --party.");

    const spam = await client.getSpamStatistics({ partyId: party });
    const { epochSeq = "?", votes: voteSpam, pow, ...counters } = spam.statistics ?? {};
    show(
      `Spam statistics of ${short(party)} on ${spam.chainId}, epoch ${epochSeq}`,
      ["transactions", "count", "allowed", "minimum tokens", "blocked until"],
      [
        ...Object.entries(counters).map(([kind, counter]) => [kind, ...counterCells(counter)]),
        ...(voteSpam?.statistics ?? []).map(({ proposal, countForEpoch, minTokensRequired }) => [
          `votes on ${short(proposal)}`,
          countForEpoch,
          voteSpam?.maxForEpoch ?? "",
          amount(minTokensRequired),
          until(voteSpam?.bannedUntil),
        ]),
        [
          "proof of work",
          `${pow?.blockStates.length ?? 0} blocks`,
          `${pow?.numberOfPastBlocks ?? 0} blocks`,
          "",
          until(pow?.bannedUntil),
        ],
      ],
    );

    const proposal = options.proposal ?? voteSpam?.statistics[0]?.proposal;
    await showList(
      proposal === undefined ? `Votes of ${short(party)}` : `Votes on ${short(proposal)}`,
      client.listVotes(proposal === undefined ? { partyId: party, pagination } : { proposalId: proposal, pagination }),
      pages,
      ["time", "party", "proposal", "vote", "tokens", "weight"],
      (vote) => [
        time(vote.timestamp),
        short(vote.partyId),
        short(vote.proposalId),
        label(vote.value, "VALUE_"),
        amount(vote.totalGovernanceTokenBalance),
        vote.totalGovernanceTokenWeight,
      ],
    );

    const balances = await showList(
      `Balance changes of ${short(party)}`,
      client.listBalanceChanges({ filter: { partyIds: [party] }, pagination }),
      pages,
      ["time", "account", "asset", "market", "balance"],
      (change) => [
        time(change.timestamp),
        label(change.accountType, "ACCOUNT_TYPE_"),
        short(change.assetId ?? ""),
        short(change.marketId ?? ""),
        amount(change.balance),
      ],
    );

    const id = options.id ?? balances[0]?.assetId;
    if (id === undefined) {
      heading("Node signatures");
      console.log("No resource is known. Name one with --id.");
    } else {
      await showList(
        `Node signatures for ${short(id)}`,
        client.listNodeSignatures({ id, pagination }),
        pages,
        ["kind", "signature"],
        ({ kind, sig }) => [label(kind, "NODE_SIGNATURE_KIND_"), bytes(sig)],
      );
    }

    const tx = options.tx ? await readTransaction(options.tx) : node ? await exampleTransaction() : { pubKey: party };
    const result = await client.checkTransaction({ tx });
    heading(`Check of ${options.tx ?? (node ? "the description's example" : "a transaction without a signature")}`);
    console.log(
      result.success
        ? `Passed. Gas wanted: ${amount(result.gasWanted)}.`
        : `Rejected with code ${result.code}: ${result.data || result.log || result.info || "no reason given"}.`,
    );

    if (node) await showPaging(node);
  } finally {
    await server?.close();
  }
}

/** Compares what the client reads from the in-memory node with what following its cursors reads. */
async function showPaging(node: FakeNode): Promise<void> {
  const results = await comparePaging(node);
  show(
    "Records read of whole lists, of those that the node has (without the proxy)",
    ["list", "page size", "loop with endCursor", "this client", "requests"],
    results.map(({ list, pageSize, stored, byCursor, byClient }) => [
      list,
      String(pageSize),
      byCursor ? cellOf(byCursor, stored) : "–",
      cellOf(byClient, stored),
      String(byClient.requests),
    ]),
  );
  console.log("The error says how to read the other votes: with larger pages, or by party.");
  const blocks = new Map<string, number>();
  for (const { timestamp } of node.records.balances) blocks.set(timestamp, (blocks.get(timestamp) ?? 0) + 1);
  const counts = [...blocks.values()];
  const shared = counts.filter((count) => count > 1).length;
  console.log(
    `Of ${grouped(counts.length)} blocks, ${grouped(shared)} have several balance changes, one has ${grouped(Math.max(...counts))}.`,
  );
}

function cellOf({ different, repeated, endedBy }: Reading, stored: number): string {
  const lines = [`${grouped(different)} of ${grouped(stored)}`];
  if (repeated > 0) lines.push(`${grouped(repeated)} repeated`);
  if (endedBy) lines.push(`then ${endedBy}`);
  return lines.join("\n");
}

async function readTransaction(file: string): Promise<Transaction> {
  const content = JSON.parse(await readFile(file, "utf8")) as CheckTransactionRequest | Transaction;
  return "tx" in content ? content.tx : content;
}

/** The example of the description. The in-memory node does not verify its signature. */
async function exampleTransaction(): Promise<Transaction> {
  const description = parse(await readFile(new URL("../openapi.yaml", import.meta.url), "utf8"));
  const { examples } = description.paths["/transaction/check"].post.requestBody.content["application/json"];
  return examples.signed.value.tx;
}

function heading(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

function show(title: string, head: string[], rows: string[][]): void {
  heading(title);
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  console.log(rows.length === 0 ? "None." : table.toString());
}

/** Shows the first pages of a list, and returns their records. */
async function showList<T>(
  title: string,
  listing: Listing<T>,
  most: number,
  head: string[],
  cells: (record: T) => string[],
): Promise<T[]> {
  const pages: T[][] = [];
  let note: string | undefined;
  try {
    for await (const { nodes, pageInfo } of listing.pages()) {
      pages.push(nodes);
      note = pageInfo?.hasNextPage ? "More pages follow." : undefined;
      if (pages.length >= most) break;
    }
  } catch (error) {
    // Small pages cannot pass a block with more votes than they hold.
    if (!PaginationError.is(error)) throw error;
    note = error.message;
  }
  const rows = pages.flatMap((nodes, page) => nodes.map((record) => [String(page + 1), ...cells(record)]));
  show(title, ["page", ...head], rows);
  if (note) console.log(note);
  return pages.flat();
}

const grouped = (count: number) => count.toLocaleString("en");
const short = (id: string) => (id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id || "–");
const time = (text: string) =>
  toDate(text)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z/, " UTC");
const until = (text: string | undefined) => (text === undefined ? "–" : time(text));
const amount = (digits: string) => (digits === "" ? "–" : BigInt(digits).toLocaleString("en"));
const label = (name: string | number | undefined, prefix: string) =>
  String(name ?? "–")
    .replace(prefix, "")
    .toLowerCase()
    .replaceAll("_", " ");
const counterCells = (counter: SpamCounter | null) =>
  counter
    ? [counter.countForEpoch, counter.maxForEpoch, amount(counter.minTokensRequired), until(counter.bannedUntil)]
    : ["–", "–", "–", "–"];

function bytes(base64: string | null): string {
  const all = toBytes(base64);
  const hex = Array.from(all, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return all.length === 0 ? "empty" : `${short(hex)} (${all.length} bytes)`;
}

try {
  await main();
} catch (error) {
  // The message alone: the stack says nothing to a user.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
