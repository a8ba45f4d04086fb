import { explore, type Run } from "./explore.js";
import type { Step } from "./running-world.js";
import { type SmallNode, type SmallWorld, showRecord, showTime } from "./world.js";

/** A run as a short script: the world, what happened at each request, and what came of it. */
export function describeRun({ world, reader, taken, budget, running, readings, violations }: Run): string {
  const { list, blocks, spacing, version, access, head, nodes } = world;
  const time = (each: bigint | undefined) => showTime(world, each);
  const names = (records: readonly object[]) => records.map((each) => showRecord(world, each)).join(" ");
  const shown = blocks.map((letters, index) => `${index}: ${letters || "-"}`).join(" | ");
  const lines = [
    `world   ${list} ${shown} (${spacing} apart), block ${head} has begun; ${version}, ${access}`,
    ...nodes.map((node, index) => `        node ${index} ${describeNode(node, world)}`),
    `reader  ${JSON.stringify(reader)}`,
    ...describeSteps(running.steps, world),
  ];
  for (const { parts, chains } of readings) {
    for (const { records, coverage, error } of parts) {
      const covers = coverage ? `coverage from ${time(coverage.start)} to ${time(coverage.end)}` : "no coverage";
      lines.push(`yields  ${names(records) || "nothing"}; ${covers}`);
      const resume = readable(JSON.stringify(error?.resume) ?? "", world);
      if (error) lines.push(`error   ${error.name}: ${error.message.slice(0, 160)}; resume ${resume}`);
    }
    for (const { pages, error, isWhole } of chains) {
      const end = error ? `| ${error.name}: ${error.message.slice(0, 160)}` : isWhole ? "" : "| …";
      lines.push(`pages   ${pages.map(({ nodes }) => names(nodes)).join(" | ")} ${end}`);
    }
  }
  for (const { kind, text } of violations) lines.push(`${kind.toUpperCase()}  ${text}`);
  lines.push(`again   SMALL_WORLD='${JSON.stringify({ world, reader, taken, budget })}'`);
  return lines.join("\n");
}

function describeNode({ from, lag, shows, isEmpty, isNameless }: SmallNode, { blocks }: SmallWorld): string {
  if (isEmpty) return "has no block yet";
  const keeps =
    from === 0 ? "keeps everything" : from >= blocks.length ? "keeps nothing" : `keeps blocks from ${from} on`;
  return [
    keeps,
    ...(lag > 0 ? [`is ${lag} behind`] : []),
    ...(shows ? ["shows the block that has begun"] : []),
    ...(isNameless ? ["sends no block headers"] : []),
  ].join(", ");
}

/** A line for each request, or for several equal ones: what each node responded, and how often it was asked. */
function describeSteps(steps: readonly Step[], world: SmallWorld): string[] {
  const lines: { asked: string; event: string; first: number; replies: string[] }[] = [];
  for (const [index, { url, node, event, reply }] of steps.entries()) {
    const query = readable(decodeURIComponent(url.search), world);
    const shown = `node ${node}: ${describeReply(reply.body, world)}`;
    const last = lines.at(-1);
    if (last?.asked === query && event === undefined) last.replies.push(shown);
    else lines.push({ asked: query, event: event ? `[${event}] ` : "", first: index + 1, replies: [shown] });
  }
  return lines.map(({ asked, event, first, replies }) => {
    const different = [...new Set(replies)].map((each) => {
      const count = replies.filter((other) => other === each).length;
      return count > 1 ? `${each} (${count} times)` : each;
    });
    return `${String(first).padStart(4)}.   ${event}${asked} -> ${different.join(" | ")}`;
  });
}

/** A text in which times are blocks, cursors are what they hold, and ids are their ends. */
function readable(text: string, world: SmallWorld): string {
  const decode = (cursor: string) => {
    try {
      const { vega_time: time, ...members } = JSON.parse(atob(cursor)) as Record<string, string>;
      const at = time === undefined ? "" : `${BigInt(Date.parse(time)) * 1_000_000n} `;
      return `${at}${JSON.stringify(members).slice(0, 60)}`;
    } catch {
      return cursor.slice(0, 20);
    }
  };
  return text
    .replaceAll(/(?:filter|dateRange|pagination)\.|Timestamp/g, "")
    .replaceAll(/[0-9a-f]{64}/g, (id) => id.slice(-2))
    .replaceAll(/[\w+/]{40,}={0,2}/g, decode)
    .replaceAll(/\d{19}/g, (time) => `(${showTime(world, BigInt(time))})`);
}

function describeReply(body: string | null, world: SmallWorld): string {
  interface Envelope {
    edges?: { node: object }[];
    pageInfo?: { hasNextPage: boolean; hasPreviousPage: boolean };
  }
  const [page] = Object.values(JSON.parse(body ?? "{}") as Record<string, Envelope>);
  if (page?.edges === undefined) return (body ?? "").slice(0, 120);
  const records = page.edges.map(({ node }) => showRecord(world, node)).join(" ") || "nothing";
  const { hasNextPage = false, hasPreviousPage = false } = page.pageInfo ?? {};
  return `${hasPreviousPage ? "< " : ""}${records}${hasNextPage ? " >" : ""}`;
}

/** The same failure with as few unusual things as possible. */
export async function simplest(run: Run): Promise<Run> {
  const [violation] = run.violations;
  for (let budget = 0; budget < run.budget; budget++) {
    let found: Run | undefined;
    await explore(run.world, run.reader, budget, (each) => {
      if (each.violations[0]?.kind === violation?.kind) found = each;
      return found !== undefined;
    });
    if (found) return found;
  }
  return run;
}
