import { describeOutcome, worstOf } from "./describe.js";
import type { Reached } from "./reach.js";
import { type Outcome, readWorld } from "./read-world.js";
import { readerOf } from "./readers.js";
import { worldOf } from "./world.js";

/** The environment's choice of worlds: seeds, or the first one, how many and of which reader. */
const { WORLD_SEED: seeds, WORLD_FIRST: first, WORLD_COUNT: count, WORLD_READER: kind } = process.env;

/**
 * Reads worlds, each of a seed that follows the one before.
 *
 * @param firstSeed - The first one, unless the environment variable `WORLD_FIRST` is set.
 * @param most - How many, unless `WORLD_COUNT` is set. `WORLD_SEED` gives the seeds themselves, divided by commas, and `WORLD_READER` leaves
 * out worlds of other readers.
 * @param events - What has to happen in some world, unless they are a few.
 * @throws An error that describes the first worlds that fail.
 */
export async function checkWorlds(firstSeed: number, most: number, events: readonly Reached[] = []): Promise<void> {
  if (seeds !== undefined) return checkSeeds(seeds.split(",").map(Number));
  const range = Array.from({ length: Number(count ?? most) }, (_, index) => Number(first ?? firstSeed) + index);
  const chosen = range.filter((seed) => kind === undefined || readerOf(worldOf(seed)).kind === kind);
  await checkSeeds(chosen, kind === undefined && chosen.length >= 100 ? events : []);
}

/**
 * Reads the worlds of these seeds, of all readers.
 *
 * @param events - What has to happen in one of them at least.
 */
export async function checkSeeds(seeds: readonly number[], events: readonly Reached[] = []): Promise<void> {
  const failures: Outcome[] = [];
  const reached = new Set<Reached>();
  for (const seed of seeds) {
    const world = worldOf(seed);
    const outcome = await readWorld(world, readerOf(world));
    for (const event of outcome.reached) reached.add(event);
    if (outcome.violations.length > 0) failures.push(outcome);
  }
  const missing = events.filter((event) => !reached.has(event));
  if (failures.length === 0 && missing.length === 0) return;
  const kinds = new Map<string, number[]>();
  for (const { world, reader, violations } of failures) {
    const name = `${reader.kind} ${worstOf(violations)?.kind}`;
    kinds.set(name, [...(kinds.get(name) ?? []), world.seed]);
  }
  const table = [...kinds].sort().map(([name, found]) => `${name}: ${found.length}: ${found.slice(0, 8).join(",")}`);
  const texts: string[] = [];
  for (const failure of failures.slice(0, 5)) texts.push(await describeOutcome(failure));
  const never = missing.length > 0 ? [`In no world: ${missing.join(", ")}.`] : [];
  const summary = `${failures.length} of ${seeds.length} worlds fail.`;
  throw new Error([summary, ...never, table.join("\n"), ...texts].join("\n\n"));
}
