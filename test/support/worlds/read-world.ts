import { followChanges, followSignatures, followVotes } from "./read-follower.js";
import { readScan } from "./read-scan.js";
import { readServed } from "./read-served.js";
import { readSync } from "./read-sync.js";
import { readSignatures, readVotes } from "./read-votes.js";
import { readWalk } from "./read-walk.js";
import type { Reader } from "./readers.js";
import { Reading, type Violation } from "./reading.js";
import type { World } from "./world.js";

const readers: Record<Reader["kind"], (reader: Reader, reading: Reading) => Promise<void>> = {
  scan: readScan,
  walk: (reader, reading) => {
    const client = reading.world.client();
    return readWalk(reader, reading, (pagination, { start, end }) => {
      const dateRange = { startTimestamp: start, endTimestamp: end };
      const listing = client.listBalanceChanges({ filter: reader.filter, dateRange, pagination });
      return Object.assign(listing.pages(), { coverage: () => listing.coverage });
    });
  },
  votes: (reader, reading) => {
    const client = reading.world.client();
    return readVotes(reader, reading, (pagination) => client.listVotes({ ...reader.query, pagination }).pages());
  },
  signatures: readSignatures,
  follow: followChanges,
  "follow-votes": followVotes,
  "follow-signatures": followSignatures,
  serve: readServed,
  sync: readSync,
};

/** What came of a reading. */
export interface Outcome {
  world: World;
  reader: Reader;
  violations: readonly Violation[];
  errors: readonly string[];
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
  return { world, reader, violations, errors };
}
