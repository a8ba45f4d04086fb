import { Readable } from "node:stream";
import { allTimes } from "../../src/sync/destination.js";
import { openDestination } from "../../src/sync/open.js";
import { allOf } from "../../src/sync/rows.js";

/** Everything that a destination has, except its assets. */
export async function readDestination(name: string, schema?: string) {
  const { signal } = new AbortController();
  const destination = await openDestination(name, "read", signal, schema ? { schema } : undefined);
  const content = {
    checkpoints: await destination.checkpoints(),
    balances: await Readable.from(destination.read({}, allTimes)).toArray(),
    votes: await Readable.from(allOf(destination, "votes")).toArray(),
    signatures: await Readable.from(allOf(destination, "signatures")).toArray(),
    profiles: await Readable.from(allOf(destination, "profiles")).toArray(),
  };
  await destination.close();
  return content;
}
