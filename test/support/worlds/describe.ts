import { type Outcome, readWorld } from "./read-world.js";
import type { Violation } from "./reading.js";
import { second, type World, type WorldEvent, type WorldNode } from "./world.js";

/** A world in a few lines. */
function describeWorld({ seed, access, balancing, nodes, blocks, growth, events, ...world }: World): string {
  const first = blocks[0]?.time ?? 0n;
  const last = blocks.at(-1)?.time ?? 0n;
  const changes = blocks.reduce((sum, block) => sum + block.changes.length, 0);
  const lines = [
    `seed ${seed}: ${access}${access === "address" && nodes.length > 1 ? ` (${balancing})` : ""}, ${blocks.length} blocks with ` +
      `${changes} balance changes over ${Number((last - first) / second) / 86_400} days, ${growth.length} blocks to come` +
      `${world.blockEvery > 0 ? `, each ${world.blockEvery} ms` : ""}${world.clockAhead > 0 ? ", clock far ahead" : ""}`,
    ...nodes.map((node, index) => `  node ${index}: ${JSON.stringify(node)}`),
    `  events: ${events.map(({ request, name, node, count }) => `${request}:${name}${name.endsWith("block") ? "" : ` ${node}`}*${count}`).join(", ")}`,
  ];
  return lines.join("\n");
}

/** Simpler worlds, each without one feature, with the name of that feature. */
function simplerWorlds(world: World): [name: string, simpler: World][] {
  const { nodes, events } = world;
  const withNodes = (change: (node: WorldNode) => WorldNode) => ({ ...world, nodes: nodes.map(change) });
  const isSet = (find: (node: WorldNode) => unknown) => nodes.some(find);
  const without = (name: WorldEvent["name"]) => ({ ...world, events: events.filter((each) => each.name !== name) });
  const found: [string, World | false][] = [
    ["growth", world.growth.length > 0 && { ...world, growth: [], blockEvery: 0 }],
    ["growth by time", world.blockEvery > 0 && { ...world, blockEvery: 0 }],
    ["clock ahead", world.clockAhead > 0 && { ...world, clockAhead: 0 }],
    ["faults", isSet(({ fault }) => fault) && withNodes(({ fault: _, ...node }) => node)],
    ["stops", isSet(({ stopped }) => stopped) && withNodes(({ stopped: _, ...node }) => node)],
    ["clamped pages", isSet(({ clamp }) => clamp) && withNodes(({ clamp: _, ...node }) => node)],
    [
      "missing headers",
      isSet(({ headers }) => headers !== "all") && withNodes((node) => ({ ...node, headers: "all" })),
    ],
    ["latency", isSet(({ latency }) => latency > 10) && withNodes((node) => ({ ...node, latency: 10 }))],
    ["lag", isSet(({ lag }) => lag > 0) && withNodes((node) => ({ ...node, lag: 0 }))],
    [
      "pruned nodes",
      isSet(({ keepsDays }) => keepsDays !== undefined) && withNodes(({ keepsDays: _, ...node }) => node),
    ],
    ["v0.79", isSet(({ version }) => version === "v0.79") && withNodes((node) => ({ ...node, version: "v0.74" }))],
    ...(["drop", "lag", "half-block", "block"] as const).map((name): [string, World | false] => [
      `${name} events`,
      events.some((each) => each.name === name) && without(name),
    ]),
    ...nodes.map((_, index): [string, World | false] => [
      `node ${index}`,
      nodes.length > 1 && {
        ...world,
        nodes: nodes.filter((_, each) => each !== index),
        events: events
          .filter(({ node }) => node !== index)
          .map((each) => ({ ...each, node: each.node > index ? each.node - 1 : each.node })),
      },
    ]),
  ];
  return found.flatMap(([name, simpler]) => (simpler ? [[name, simpler]] : []));
}

/** What is worst comes first. */
const severity = [
  "hang",
  "crash",
  "foreign-error",
  "lost",
  "surplus",
  "repeated",
  "late-start",
  "false-pruned",
  "no-end",
];
const rankOf = ({ kind }: Violation) => (severity.includes(kind) ? severity.indexOf(kind) : severity.length);
export const worstOf = (violations: readonly Violation[]) => [...violations].sort((a, b) => rankOf(a) - rankOf(b))[0];

/** What a failing world needs to fail in the same way: the features that cannot be left out. */
async function simplest({ world, reader, violations }: Outcome): Promise<Outcome> {
  const worst = worstOf(violations);
  let found: Outcome = { world, reader, violations, errors: [], requests: 0 };
  for (let isSimpler = true; isSimpler; ) {
    isSimpler = false;
    for (const [, simpler] of simplerWorlds(found.world)) {
      const outcome = await readWorld(simpler, reader);
      if (!outcome.violations.some(({ kind }) => kind === worst?.kind)) continue;
      found = outcome;
      isSimpler = true;
      break;
    }
  }
  return found;
}

const inJson = (value: unknown) =>
  JSON.stringify(value, (name, each: unknown) =>
    typeof each === "bigint"
      ? `${each}`
      : name === "partyIds" && Array.isArray(each) && each.length > 9
        ? `${each.length} ids`
        : each,
  );

/** A failing world, the simplest one that fails alike, and how to run it again. */
export async function describeOutcome(outcome: Outcome, simplifies = true): Promise<string> {
  const { world, reader, violations, errors } = outcome;
  const own = [
    `WORLD_SEED=${world.seed}: ${reader.kind}: ${violations.map(({ kind, text }) => `[${kind}] ${text}`).join("; ")}`,
    `  reader: ${inJson(reader)}`,
    `  errors: ${errors.join(", ") || "none"}`,
    `  ${describeWorld(world)}`,
  ];
  if (!simplifies) return own.join("\n");
  const simple = await simplest(outcome);
  const text = simple.violations.map(({ kind, text }) => `[${kind}] ${text}`).join("; ");
  return [...own, `  fails alike without all but: ${describeWorld(simple.world)}`, `  ${text}`].join("\n");
}
