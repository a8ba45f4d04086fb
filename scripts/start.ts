/**
 * Shows all six operations, through the built package: against a mock of a node, or a real one.
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
  type Page,
  type SpamCounter,
  type Transaction,
  toBytes,
  toDate,
} from "vegaprotocol-client";
import { parse } from "yaml";
import { startMock } from "./mock.js";

const help = `Usage: npm start -- [options]

Without BASE_URL a mock of a node answers. With it, a real one does:
  BASE_URL=https://node.example npm start -- --party <id>

  --party <id>     whose profile, spam statistics, votes and balances to show; else the first party of the node
  --proposal <id>  the proposal whose votes to show; else one that the party voted on lately, else its own votes
  --id <id>        the asset, withdrawal or signer whose signatures to show; else the asset of the first balance
  --tx <file>      a signed transaction to check, as JSON; else one without a signature
  --rows <n>       rows of a list to show; 5 unless told otherwise
`;

const pageOf = (first: number) => ({ pagination: { first } });

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      party: { type: "string" },
      proposal: { type: "string" },
      id: { type: "string" },
      tx: { type: "string" },
      rows: { type: "string", default: "5" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (options.help) return console.log(help);
  const rows = Number(options.rows);

  const mock = process.env["BASE_URL"] ? undefined : await startMock();
  try {
    const baseUrl = process.env["BASE_URL"] || (mock?.url ?? "");
    const client = createClient({ baseUrl });
    console.log(`Asking ${mock ? `a mock of a node at ${baseUrl}, made from openapi.yaml` : baseUrl}.`);

    const query = options.party === undefined ? pageOf(rows) : { parties: [options.party], ...pageOf(rows) };
    const profiles = await client.listPartiesProfiles(query);
    const party = options.party ?? profiles.nodes.find(({ partyId }) => partyId !== "network")?.partyId;
    show(
      "Profiles of parties",
      ["party", "alias", "metadata"],
      profiles.nodes.map(({ partyId, alias, metadata }) => [
        short(partyId),
        alias || "–",
        metadata.map(({ key, value }) => `${key}: ${value || "–"}`).join("\n"),
      ]),
      profiles,
    );
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
    const votes = await client.listVotes(
      proposal === undefined ? { partyId: party, ...pageOf(rows) } : { proposalId: proposal, ...pageOf(rows) },
    );
    show(
      proposal === undefined ? `Votes of ${short(party)}` : `Votes on ${short(proposal)}`,
      ["time", "party", "proposal", "vote", "tokens", "weight"],
      votes.nodes.map((vote) => [
        time(vote.timestamp),
        short(vote.partyId),
        short(vote.proposalId),
        label(vote.value, "VALUE_"),
        amount(vote.totalGovernanceTokenBalance),
        vote.totalGovernanceTokenWeight,
      ]),
      votes,
    );

    const balances = await client.listBalanceChanges({ filter: { partyIds: [party] }, ...pageOf(rows) });
    show(
      `Balance changes of ${short(party)}`,
      ["time", "account", "asset", "market", "balance"],
      balances.nodes.map((change) => [
        time(change.timestamp),
        label(change.accountType, "ACCOUNT_TYPE_"),
        short(change.assetId ?? ""),
        short(change.marketId ?? ""),
        amount(change.balance),
      ]),
      balances,
    );

    const id = options.id ?? balances.nodes[0]?.assetId;
    if (id === undefined) {
      heading("Node signatures");
      console.log("No resource to ask for: name one with --id.");
    } else {
      const signatures = await client.listNodeSignatures({ id, ...pageOf(rows) });
      show(
        `Node signatures for ${short(id)}`,
        ["kind", "signature"],
        signatures.nodes.map(({ kind, sig }) => [label(kind, "NODE_SIGNATURE_KIND_"), bytes(sig)]),
        signatures,
      );
    }

    const tx = options.tx ? await readTransaction(options.tx) : mock ? await exampleTransaction() : { pubKey: party };
    const result = await client.checkTransaction({ tx });
    heading(`Check of ${options.tx ?? (mock ? "the description's example" : "a transaction without a signature")}`);
    console.log(
      result.success
        ? `Passed; it would fill ${amount(result.gasWanted)} of a block.`
        : `Refused with code ${result.code}: ${result.data || result.log || result.info || "no reason given"}.`,
    );
  } finally {
    await mock?.close();
  }
}

async function readTransaction(file: string): Promise<Transaction> {
  const content = JSON.parse(await readFile(file, "utf8")) as CheckTransactionRequest | Transaction;
  return "tx" in content ? content.tx : content;
}

/** A node would refuse it, a mock does not look. */
async function exampleTransaction(): Promise<Transaction> {
  const description = parse(await readFile(new URL("../openapi.yaml", import.meta.url), "utf8"));
  const { examples } = description.paths["/transaction/check"].post.requestBody.content["application/json"];
  return examples.signed.value.tx;
}

function heading(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

function show(title: string, head: string[], rows: string[][], page?: Page<unknown>): void {
  heading(title);
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  console.log(rows.length === 0 ? "None." : table.toString());
  if (page?.pageInfo?.hasNextPage) console.log("There are more.");
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
