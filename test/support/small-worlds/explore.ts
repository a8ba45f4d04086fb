import type { Violation } from "../worlds/judge.js";
import { type ListReading, readList } from "../worlds/read-list.js";
import { judge } from "./judge.js";
import { Ended, RunningSmallWorld, Script } from "./running-world.js";
import { queryOf, type SmallReader, type SmallWorld } from "./world.js";

/** One run: the choices that it took, and what came of it. */
export interface Run {
  world: SmallWorld;
  reader: SmallReader;
  taken: readonly { taken: number; of: number }[];
  budget: number;
  running: RunningSmallWorld;
  readings: readonly ListReading[];
  violations: readonly Violation[];
  /** Whether the rest of it was explored before. */
  isKnown: boolean;
}

/** Reads a world once, with given choices. */
export async function runOnce(
  world: SmallWorld,
  reader: SmallReader,
  taken: Run["taken"],
  budget: number,
  visited?: Map<string, number>,
  histories?: Map<string, number>,
): Promise<Run> {
  const script = new Script(taken, budget);
  const running = new RunningSmallWorld(world, script, visited, histories);
  const run = (readings: readonly ListReading[], violations: readonly Violation[], isKnown = false): Run => ({
    ...{ world, reader, taken: script.choices, budget, running, readings, violations, isKnown },
  });
  try {
    const query = queryOf(world, reader);
    const readings = await readList(running, query);
    return run(readings, judge(running, reader, query, readings));
  } catch (error) {
    if (error instanceof Ended && error.reason === "known") return run([], [], true);
    const kind = error instanceof Ended ? error.reason : "foreign-error";
    return run([], [{ kind, text: error instanceof Error ? (error.stack ?? error.message) : String(error) }]);
  }
}

/** Reads a world along every branch of choices, as far as a budget of unusual things allows. Returns how many runs that took. */
export async function explore(
  world: SmallWorld,
  reader: SmallReader,
  budget: number,
  onRun: (run: Run) => boolean | undefined,
): Promise<number> {
  const [visited, histories] = [new Map<string, number>(), new Map<string, number>()];
  let taken: { taken: number; of: number }[] = [];
  for (let runs = 1; ; runs++) {
    const run = await runOnce(world, reader, taken, budget, visited, histories);
    if (onRun(run) === true) return runs;
    taken = run.taken.map((choice) => ({ ...choice }));
    let last = taken.at(-1);
    while (last && last.taken + 1 >= last.of) {
      taken.pop();
      last = taken.at(-1);
    }
    if (last === undefined) return runs;
    last.taken++;
  }
}
