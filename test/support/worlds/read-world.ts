import type { Violation } from "./judge.js";
import type { Reached } from "./reach.js";
import { followChanges, followSignatures, followVotes } from "./read-follower.js";
import { readLists } from "./read-lists.js";
import { readReports } from "./read-reports.js";
import { readServed } from "./read-served.js";
import { readSync } from "./read-sync.js";
import type { Reader } from "./readers.js";
import { Reading } from "./reading.js";
import type { World } from "./world.js";

const readers: Record<Reader["kind"], (reader: Reader, reading: Reading) => Promise<void>> = {
  scan: readLists,
  walk: readLists,
  votes: readLists,
  signatures: readLists,
  pages: readLists,
  serve: readServed,
  follow: followChanges,
  "follow-votes": followVotes,
  "follow-signatures": followSignatures,
  sync: readSync,
  reports: readReports,
};

/** What came of a reading. */
export interface Outcome {
  world: World;
  reader: Reader;
  violations: readonly Violation[];
  errors: readonly string[];
  reached: ReadonlySet<Reached>;
}

/** Reads a world, and says what is wrong. */
export async function readWorld(world: World, reader: Reader): Promise<Outcome> {
  const reading = new Reading(world, reader.end);
  try {
    await readers[reader.kind](reader, reading);
  } catch (error) {
    reading.fail("crash", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const { violations, errors, world: running } = reading;
  const { immediate } = running.clock;
  if (immediate > 10 * running.requests + 100)
    reading.fail("busy", `${immediate} timers of 0 ms for ${running.requests} requests`);
  const { reached } = running;
  if (world.clockWrong !== 0) reached.add("the caller's clock is wrong");
  const isPart = (time: bigint | undefined) => time !== undefined && time % 1000n !== 0n;
  if (isPart(reader.start) || isPart(reader.end)) reached.add("a bound within a microsecond");
  return { world, reader, violations, errors, reached };
}
