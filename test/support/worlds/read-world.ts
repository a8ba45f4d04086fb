import type { Coverage } from "../../../src/index.js";
import { readFollower } from "./read-follower.js";
import { readScan } from "./read-scan.js";
import { readServed } from "./read-served.js";
import { readSync } from "./read-sync.js";
import { readSignatures, readVotes } from "./read-votes.js";
import { readWalk } from "./read-walk.js";
import type { Reader } from "./readers.js";
import { Reading, type Violation } from "./reading.js";
import type { World } from "./world.js";

async function readWith(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  switch (reader.kind) {
    case "scan":
      return readScan(reader, reading);
    case "walk": {
      const client = world.client();
      return readWalk(reader, reading, (pagination, { start, end }) => {
        const dateRange = { startTimestamp: start, endTimestamp: end };
        const listing = client.listBalanceChanges({ filter: reader.filter, dateRange, pagination });
        return Object.assign(listing.pages(), {
          coverage: () => (listing as { coverage?: Promise<Coverage> }).coverage,
        });
      });
    }
    case "votes": {
      const client = world.client();
      return readVotes(reader, reading, (pagination) => client.listVotes({ ...reader.query, pagination }).pages());
    }
    case "signatures":
      return readSignatures(reader, reading);
    case "serve":
      return readServed(reader.walk, reading);
    case "sync":
      return readSync(reader, reading);
    default:
      return readFollower(reader, reading);
  }
}

/** What came of a reading. */
export interface Outcome {
  world: World;
  reader: Reader;
  violations: readonly Violation[];
  errors: readonly string[];
  requests: number;
}

/** Reads a world, and says what is wrong. */
export async function readWorld(world: World, reader: Reader): Promise<Outcome> {
  const reading = new Reading(world, "end" in reader ? reader.end : undefined);
  try {
    await readWith(reader, reading);
  } catch (error) {
    reading.fail("crash", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const { violations, errors, world: running } = reading;
  const { immediate } = running.clock;
  if (immediate > 10 * running.requests + 100)
    reading.fail("busy", `${immediate} timers of 0 ms for ${running.requests} requests`);
  return { world, reader, violations, errors, requests: running.requests };
}
