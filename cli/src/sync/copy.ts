/** Copies an SQLite database to another destination, and compares both. */
import { ExitError } from "../errors.js";
import { compare, isDifferent } from "./check.js";
import { allTimes, type BalancesQuery, type Destination } from "./destination.js";
import type { RelationalDestination } from "./destinations/relational.js";
import { inParts } from "./sync.js";

/** Returns how many balance changes are in both. A copy that was interrupted continues. */
export async function copyDatabase(source: RelationalDestination, destination: Destination): Promise<number> {
  let copied = 0;
  let hasVersions = false;
  for (const { list, query, checkpoint } of await source.checkpoints()) {
    const stored = await destination.checkpoint(list, query);
    const store = (records: readonly object[], position: bigint) =>
      destination.store({ list, query, records: records as never, checkpoint: { ...checkpoint, position } });
    const isDone = stored !== undefined && stored.position >= checkpoint.position;
    if (list === "balances") {
      const { filter } = query as BalancesQuery;
      const rest = source.read(filter, { start: stored?.position ?? allTimes.start, end: checkpoint.position });
      for await (const { records, upTo = checkpoint.position } of inParts(isDone ? [] : rest))
        await store(records, upTo);
      copied += await compareCopy(source, destination, filter, checkpoint.position);
    } else if (list === "votes" && !hasVersions && !isDone) {
      for await (const { before, votes } of source.versions()) {
        if (before > (stored?.position ?? 0n)) await store(votes, before);
      }
      hasVersions = true;
    } else if (list === "signatures") await store(await recordsOf(source, list), checkpoint.position);
    if (!isDone) await store([], checkpoint.position);
  }
  const profiles = await recordsOf(source, "profiles");
  if (profiles.length > 0)
    await destination.store({ list: "profiles", query: {}, records: profiles as never, checkpoint: undefined });
  await destination.finish();
  return copied;
}

async function recordsOf(source: Destination, list: "signatures" | "profiles"): Promise<object[]> {
  const records: object[] = [];
  for await (const record of source.all(list)) records.push(record);
  return records;
}

async function compareCopy(
  source: Destination,
  destination: Destination,
  filter: BalancesQuery["filter"],
  end: bigint,
) {
  const range = { start: allTimes.start, end };
  const { days, common } = await compare(source.read(filter, range), destination.read(filter, range), end);
  const different = days.find(isDifferent);
  if (different) throw new ExitError(`The copy differs on ${different.day}. Copy to an empty destination.`);
  return common;
}
