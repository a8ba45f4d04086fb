// Prints what a destination has, as JSON, or `null` if it is not there yet: `tsx read.ts DESTINATION [SCHEMA]`.
import { UsageError } from "../../../src/errors.js";
import { allTimes } from "../../../src/sync/destination.js";
import { openDestination } from "../../../src/sync/open.js";
import { allOf } from "../../../src/sync/rows.js";

const [name = "", schema] = process.argv.slice(2);

async function toArray<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

async function read() {
  const destination = await openDestination(
    name,
    "read",
    new AbortController().signal,
    schema ? { schema } : undefined,
  );
  const found = {
    checkpoints: await destination.checkpoints(),
    balances: await toArray(destination.read({}, allTimes)),
    votes: await toArray(allOf(destination, "votes")),
    signatures: await toArray(allOf(destination, "signatures")),
    profiles: await toArray(allOf(destination, "profiles")),
  };
  await destination.close();
  return found;
}

const found = await read().catch((error) => {
  if (error instanceof UsageError) return null;
  throw error;
});
console.log(JSON.stringify(found, (_, value) => (typeof value === "bigint" ? String(value) : value)));
