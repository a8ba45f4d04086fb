import type { Violation } from "./judge.js";
import { type Outcome, readWorld } from "./read-world.js";
import { healthy, second, type World } from "./world.js";

/** A world in a few lines. */
function describeWorld({ seed, access, balancing, nodes, blocks, growth, events, ...world }: World): string {
  const days = Number(((blocks.at(-1)?.time ?? 0n) - (blocks[0]?.time ?? 0n)) / second) / 86_400;
  const changes = blocks.reduce((sum, block) => sum + block.balances.length, 0);
  return [
    `seed ${seed}: ${access} (${balancing}), ${blocks.length} blocks with ${changes} balance changes over ${days} days`,
    `  ${growth.length} blocks to come, each ${world.blockEvery} ms; clocks ${world.clockAhead} days ahead, the caller's ${world.clockWrong} wrong`,
    ...nodes.map((node, index) => `  node ${index}: ${inJson(node)}`),
    `  events: ${events.map(({ request, name, node, count }) => `${request}:${name} ${node}*${count}`).join(", ")}`,
  ].join("\n");
}

/** Simpler worlds, each without one feature or one node. */
function simplerWorlds(world: World): World[] {
  const { nodes, events } = world;
  const withoutNode = (index: number): World => ({
    ...world,
    nodes: nodes.filter((_, each) => each !== index),
    events: events
      .filter(({ node }) => node !== index)
      .map((event) => ({ ...event, node: event.node - Number(event.node > index) })),
  });
  const simpler: World[] = [
    { ...world, growth: [], blockEvery: 0 },
    { ...world, blockEvery: 0 },
    { ...world, clockAhead: 0, clockWrong: 0 },
    ...Object.entries({ ...healthy, version: "v0.74" }).map(([name, value]) => ({
      ...world,
      nodes: nodes.map((node) => ({ ...node, [name]: value })),
    })),
    ...["drop", "drop-day", "restart", "lag", "show-block", "block"].map((name) => ({
      ...world,
      events: events.filter((event) => event.name !== name),
    })),
    ...(nodes.length > 1 ? nodes.map((_, index) => withoutNode(index)) : []),
  ];
  return simpler.filter((each) => describeWorld(each) !== describeWorld(world));
}

/** What is worst comes first. */
const severity = "hang crash foreign-error lost surplus repeated late-start false-pruned no-end".split(" ");
const rankOf = ({ kind }: Violation) => (severity.includes(kind) ? severity.indexOf(kind) : severity.length);
export const worstOf = (violations: readonly Violation[]) => [...violations].sort((a, b) => rankOf(a) - rankOf(b))[0];

/** What a failing world needs to fail in the same way: the features that cannot be left out. */
async function simplest(outcome: Outcome): Promise<Outcome> {
  const worst = worstOf(outcome.violations);
  for (const simpler of simplerWorlds(outcome.world)) {
    const found = await readWorld(simpler, outcome.reader);
    if (found.violations.some(({ kind }) => kind === worst?.kind)) return simplest(found);
  }
  return outcome;
}

const inJson = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => {
    if (Array.isArray(each) && each.length > 9) return `${each.length} ids`;
    return typeof each === "bigint" ? `${each}` : each;
  });

/** A failing world, the simplest one that fails alike, and how to run it again. */
export async function describeOutcome(outcome: Outcome): Promise<string> {
  const { world, reader, errors } = outcome;
  const simple = await simplest(outcome);
  const textOf = ({ violations }: Outcome) => violations.map(({ kind, text }) => `[${kind}] ${text}`).join("; ");
  return [
    `WORLD_SEED=${world.seed}: ${reader.kind}: ${textOf(outcome)}`,
    `  reader: ${inJson(reader)}`,
    `  errors: ${errors.join(", ") || "none"}`,
    `  ${describeWorld(world)}`,
    `  fails alike without all but: ${describeWorld(simple.world)}`,
    `  ${textOf(simple)}`,
  ].join("\n");
}
