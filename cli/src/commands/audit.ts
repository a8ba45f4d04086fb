import { type VegaClient, VegaError } from "vegaprotocol-client";
import { argumentFlags, readArguments, withoutMethods } from "../arguments.js";
import { type Audit, type AuditedNode, type AuditedPart, auditBalances, auditList, blockTime } from "../audit.js";
import { type Definition, exampleIds } from "../command.js";
import { connect } from "../connection.js";
import { ErrorWithAdvice, exitCodes, IncompleteError, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { type Io, OutputClosed, printMessage } from "../io.js";
import { createEncoder, printText } from "../output/print.js";
import { historyStart } from "../records.js";
import { nameRow } from "../sync/rows.js";
import { checkRange, dateOf, day, dayOf, earliest, finalTime, formatTime, latest } from "../times.js";

interface Flags extends flag.Flags {
  readonly proposal?: readonly string[];
  readonly id?: readonly string[];
  readonly profiles?: true;
}

const columnKinds = {
  part: "exact",
  list: "exact",
  url: "exact",
  state: "exact",
  records: "amount",
  digest: "exact",
} as const;

/** In nanoseconds: nodes that are further behind do not limit the compared range. */
const maxLag = 60_000_000_000n;
const repeat = { repeat: true } as const;

export const auditCommand: Definition<Flags> = {
  name: "audit",
  summary: "Find the node that differs from others.",
  details:
    "Compares the balance changes of NODEs, addresses or names, by day, and prints how many records each has, their SHA-256, and its " +
    "state: equal, different, later (its history begins later), behind (it has not reached the end) or unresponsive. The first " +
    "record that differs is printed with the nodes that have it. Without --to, the range ends at the last block of all nodes that are " +
    "less than a minute behind. The exit code is 1 if a node differs, and 3 if something could not be compared.",
  arguments: ["<NODE...>"],
  flags: [
    ...argumentFlags("listBalanceChanges").flatMap(({ path, option }) => (path[0] === "dateRange" ? [option] : [])),
    flag.filterFlag("--proposal <ID>", "Also compare the votes on a proposal. Can be repeated.", repeat),
    flag.filterFlag("--id <ID>", "Also compare the signatures of a resource. Can be repeated.", repeat),
    flag.filterFlag("--profiles", "Also compare the profiles of parties."),
    ...flag.fileFlags([...flag.formats, "prometheus"]),
    flag.outputFlag("--columns <NAMES>", "The columns to print, separated by commas. Default: all."),
    flag.quietFlag("Do not print the first record that differs."),
    flag.pageSizeFlag("1000"),
    ...flag.nodeFlags().filter(({ long }) => long !== "--node"),
  ],
  examples: [
    "audit http://127.0.0.1:8080 http://localhost:8080",
    `audit http://127.0.0.1:8080 http://localhost:8080 --profiles --id ${exampleIds.resource} --format csv`,
  ],
  async run(io, flags, entered) {
    const { signal } = io;
    const { dateRange = {} } = readArguments("listBalanceChanges", flags) as {
      dateRange?: { startTimestamp?: bigint; endTimestamp?: bigint };
    };
    checkRange(dateRange.startTimestamp, dateRange.endTimestamp, flags, { isEndExcluded: true });
    const repeated = entered.find((url, index) => entered.indexOf(url) < index);
    if (repeated !== undefined) throw new UsageError(`Expected nodes that differ, got "${repeated}" twice.`);
    const { nodes: urls, clientOf } = await connect(io, { ...flags, node: entered });
    if (urls.length < 2)
      throw new UsageError("Expected at least two nodes, such as https://a.example https://b.example.");
    const parts: AuditedPart[] = [];
    const print = async (write: (text: string) => Promise<void>, format: flag.FormatName | undefined) => {
      const isPrometheus = (format ?? flags.format) === "prometheus";
      const [id = ""] = flags.proposal ?? flags.id ?? [];
      const widest = { part: id, list: flags.id ? "signatures" : "balances", state: "unresponsive" };
      const encoder = createEncoder(io, flags, columnKinds, format, { title: "Audit", widest });
      const nodes = await Promise.all(urls.map((url) => learn(io, url, clientOf(url))));
      const audit: Audit = { nodes, pageSize: flags.pageSize, signal };
      const start = earliest(...nodes.map((node) => node.start));
      const newest = latest(0n, ...nodes.map((node) => node.end));
      const end = earliest(...nodes.map((node) => node.end).filter((each) => newest - each <= maxLag));
      const { startTimestamp = start ?? newest, endTimestamp = end ?? newest } = dateRange;
      if (newest === 0n)
        throw new IncompleteError("No node has a block yet, or no node sends block headers. A proxy can remove them.");
      let position = startTimestamp;
      async function* compare() {
        while (position < endTimestamp) {
          const nextDay = dayOf(position) + day;
          // Days before the history of every node are one part.
          const firstDay = dayOf(start ?? position);
          const range = { start: position, end: earliest(latest(nextDay, firstDay), endTimestamp) };
          const until = range.end > nextDay ? `/${dateOf(range.end - 1n)}` : "";
          yield auditBalances(audit, `${dateOf(position)}${until}`, range);
          position = range.end;
        }
        for (const proposalId of new Set(flags.proposal)) yield auditList(audit, "votes", proposalId, { proposalId });
        for (const id of new Set(flags.id)) yield auditList(audit, "signatures", id, { id });
        if (flags.profiles) yield auditList(audit, "profiles", "profiles", {});
      }
      try {
        for await (const part of compare()) {
          const head = parts.push(part) === 1 ? encoder.head : "";
          if (part.first && !flags.quiet) printMessage(io, describe(part));
          const { list, part: name } = part;
          const rows = part.nodes.map(({ records, digest, ...node }) => {
            const compared = node.state === "unresponsive" ? {} : { records: String(records), digest };
            return { part: name, list, ...node, ...compared };
          });
          if (!isPrometheus) await write(head + encoder.encode(rows));
        }
      } catch (error) {
        // A failed request does not show that nodes differ.
        const failure =
          VegaError.is(error) && !signal.aborted ? new IncompleteError(withoutMethods(error.message), error) : error;
        // Continuing does not help if a list cannot be compared, or if stdout is closed.
        const isFinal = error instanceof IncompleteError || error instanceof OutputClosed;
        if (position === startTimestamp || isFinal) throw failure;
        throw new ErrorWithAdvice(failure, `To continue, use --from ${formatTime(position)}.`);
      }
      if (parts.length === 0) {
        const [from, to] = [startTimestamp, endTimestamp].map(formatTime);
        throw new IncompleteError(`There is nothing to compare: the range begins at ${from}, and ends at ${to}.`);
      }
      await write(isPrometheus ? await (await import("../metrics.js")).auditMetrics(parts) : encoder.end());
      return parts.length;
    };
    let isWhole = true;
    await printText(io, flags, print, "part").catch((error: unknown) => {
      if (!(error instanceof OutputClosed)) throw error;
      // Later parts were not compared.
      isWhole = false;
    });
    const states = parts.flatMap((part) => part.nodes.map(({ state }) => state));
    if (states.includes("different")) return exitCodes.failed;
    return isWhole && states.every((state) => state === "equal") ? exitCodes.done : exitCodes.incomplete;
  },
};

/** A node that does not respond has nothing to compare. */
async function learn(io: Io, url: string, client: VegaClient): Promise<AuditedNode> {
  try {
    // Records of the block itself can be missing.
    const end = finalTime(await blockTime(client, io.signal));
    return { url, client, start: await historyStart(client, io.signal), end };
  } catch (error) {
    if (io.signal.aborted || !VegaError.is(error)) throw error;
    printMessage(io, `${url}: ${withoutMethods(error.message)}`);
    return { url, client, start: undefined, end: 0n, isUnresponsive: true };
  }
}

function describe({ list, part, first }: AuditedPart): string {
  const values = first?.values.map(({ value, urls }) => {
    const own = value === null ? "no such record" : value.slice(first.key.length).join(" ") || "this record";
    return `${urls.join(", ")}: ${own}`;
  });
  return `${part}: the first record that differs is ${nameRow(list, first?.key ?? [])} (${values?.join("; ")}).`;
}
