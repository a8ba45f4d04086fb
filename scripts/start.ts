/**
 * Shows all six operations, through the built package: against a node in memory behind a proxy that holds both sides to
 * `openapi.yaml`, or against a real one.
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
  type SpamCounter,
  type Transaction,
  toBytes,
  toDate,
} from "vegaprotocol-client";
import { createFakeNode, type FakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { parse } from "yaml";
import { serveValidated } from "./mock.js";

const help = `Usage: npm start -- [options]

Without BASE_URL a node in memory answers. With it, a real one does:
  BASE_URL=https://node.example npm start -- --party <id>

  --party <id>     whose profile, spam statistics, votes and balances to show; else the first party of the node
  --proposal <id>  the proposal whose votes to show; else one that the party voted on lately, else its own votes
  --id <id>        the asset, withdrawal or signer whose signatures to show; else the asset of the first balance
  --tx <file>      a signed transaction to check, as JSON; else one without a signature
  --rows <n>       rows of a page; 5 unless told otherwise
  --pages <n>      pages of a list to show; 3 unless told otherwise
`;

/** Enough for several pages of each list. */
const data = { profiles: 13, spamStatistics: 12, votes: 60, balances: 400, signatures: 39 };

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

  const node = process.env["BASE_URL"] ? undefined : createFakeNode(data);
  const server = node && (await serveValidated(node.fetch, { errors: true }));
  try {
    const baseUrl = process.env["BASE_URL"] || (server?.url ?? "");
    const client = createClient({ baseUrl });
    const who = node
      ? `a node in memory at ${baseUrl}, behind a proxy that checks both sides by openapi.yaml`
      : baseUrl;
    console.log(`Asking ${who}.`);

    const parties = options.party === undefined ? {} : { parties: [options.party] };
    const profiles = await showList(
      "Profiles of parties",
      client.listPartiesProfiles({ ...parties, pagination }),
      pages,
      ["party", "alias", "metadata"],
      ({ partyId, alias, metadata }) => [
        short(partyId),
        alias || "–",
        metadata.map(({ key, value }) => `${key}: ${value || "–"}`).join("\n"),
      ],
    );
    const party = options.party ?? profiles.find(({ partyId }) => partyId !== "network")?.partyId;
    if (party === undefined) throw new Error("The node knows no party to ask for: name one with --party.");

    const spam = await client.getSpamStatistics({ partyId: party });
    const { epochSeq = "?", votes: voteSpam, pow, ...counters } = spam.statistics ?? {};
    show(
      `Spam statistics of ${short(party)} on ${spam.chainId}, epoch ${epochSeq}`,
      ["transactions", "count", "allowed", "least tokens", "blocked until"],
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
      console.log("No resource to ask for: name one with --id.");
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
        ? `Passed; it would fill ${amount(result.gasWanted)} of a block.`
        : `Refused with code ${result.code}: ${result.data || result.log || result.info || "no reason given"}.`,
    );

    if (node) await showDefects(node);
  } finally {
    await server?.close();
  }
}

/** What becomes of a list on a node that pages as those of v0.74 do. */
async function showDefects(node: FakeNode): Promise<void> {
  node.configure({ defects: nodeDefects });
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  const stored = node.records.balances.length;
  const walked = await client.listBalanceChanges({ pagination: { first: 50 } }).toArray();
  const scanned = await client.scanBalanceChanges().toArray();
  heading("The same node with the paging defects of v0.74");
  console.log(`A walk by cursors finds ${walked.length} of ${stored} balance changes, a scan finds ${scanned.length}.`);
}

async function readTransaction(file: string): Promise<Transaction> {
  const content = JSON.parse(await readFile(file, "utf8")) as CheckTransactionRequest | Transaction;
  return "tx" in content ? content.tx : content;
}

/** One whose signature does not count: the node in memory does not verify it. */
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

/** Walks over the first pages of a list, and gives back what they hold. */
async function showList<T>(
  title: string,
  listing: Listing<T>,
  most: number,
  head: string[],
  cells: (record: T) => string[],
): Promise<T[]> {
  const pages: T[][] = [];
  let hasMore = false;
  for await (const { nodes, pageInfo } of listing.pages()) {
    pages.push(nodes);
    hasMore = pageInfo?.hasNextPage ?? false;
    if (pages.length >= most) break;
  }
  const rows = pages.flatMap((nodes, page) => nodes.map((record) => [String(page + 1), ...cells(record)]));
  show(title, ["page", ...head], rows);
  if (hasMore) console.log("There are more.");
  return pages.flat();
}

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
  // A person reads this: what went wrong, without the way through the code to it.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
