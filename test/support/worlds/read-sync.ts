import { ExitError } from "../../../cli/src/errors.js";
import { type Comparison, checkSync } from "../../../cli/src/sync/check.js";
import { checkpointOf, type Destination } from "../../../cli/src/sync/destination.js";
import { sqliteDestination } from "../../../cli/src/sync/destinations/sqlite.js";
import { allOf } from "../../../cli/src/sync/rows.js";
import { loadSqlite, type Sqlite } from "../../../cli/src/sync/sqlite.js";
import { syncTo } from "../../../cli/src/sync/sync.js";
import { type BalanceChange, PaginationError, VegaError, type Vote } from "../../../src/index.js";
import { maximum } from "../../../src/values/integers.js";
import { voteText } from "./read-follower.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, inScanOrder, isWanted, oldestOf } from "./records.js";
import { Choices, isRich } from "./world.js";

/**
 * Stores what a client reads three times, with blocks between, and compares the database with the chain and with what a check says of it. In
 * some worlds each run, or each but the last one, ends after its first batch, or another query is stored in the same database before it.
 */
export async function readSync(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  // What it loads on demand takes real time.
  world.hasOtherClock = true;
  const client = reading.client;
  const database = (await loadSqlite())(":memory:");
  const { signal } = new AbortController();
  const destination = await sqliteDestination(database, { name: ":memory:", mode: "write", signal });
  const { filter: given, start, concurrency } = reader;
  // The command reads ids in either case.
  const filter = given.partyIds ? { ...given, partyIds: given.partyIds.map((id) => id.toLowerCase()) } : given;
  const balances = { filter, ...(start !== undefined && { from: start }) };
  const wanted = isWanted(reader);
  const choose = new Choices(world.world.seed ^ 0xd1ce);
  const others = choose.chance(0.4)
    ? [
        { filter: { partyIds: [choose.one(world.world.parties)] } },
        { filter: {}, from: choose.one(world.world.blocks).time },
      ]
    : [];
  // Followers wait on the clock of the system, so they do not wait for a block.
  const lists =
    isRich(world.world.seed) && choose.chance(0.4)
      ? { votes: world.world.proposals.map((proposalId) => ({ proposalId })), signatures: [world.world.resource] }
      : undefined;
  const ownCheckpoint = async () => checkpointOf(await destination.checkpoints(), "balances", balances);
  let oldest: bigint | undefined;
  const completeRuns = reader.size === 3 ? 3 : reader.size === 8 ? 1 : 0;
  const once = async function* (run: number) {
    const controller = new AbortController();
    const { signal } = controller;
    try {
      const scan = { pageSize: reading.sizeOf(reader), concurrency, ...(lists && { catchUp: 1 }) };
      if (others.length > 0 && choose.chance(0.5)) {
        const other = { balances: choose.one(others), scan, signal: new AbortController().signal };
        await syncTo(destination, client, other).catch((error: unknown) => {
          if (!(error instanceof ExitError || VegaError.is(error))) throw error;
        });
      }
      const onStored = run + completeRuns < 3 ? () => controller.abort() : undefined;
      yield await syncTo(destination, client, {
        balances,
        ...lists,
        scan,
        batchSize: 3 * reader.size,
        signal,
        onStored,
      });
    } catch (error) {
      // The command ends with a message: nothing shows the start, or the node has no block yet.
      if (!(error instanceof ExitError || signal.aborted)) throw error;
    }
  };
  for (let done = 0; done < 3; ) {
    const isFirst = (await ownCheckpoint()) === undefined;
    const error = await reading.take(once(done), () => undefined);
    if (error === "hang") return;
    // What nodes have dropped before anything is stored is not missing.
    if (isFirst) oldest = world.oldestWanted((change) => wanted(change) && between({ start })(change));
    if (PaginationError.is(error) && error.reason === "pruned") break;
    if (error === undefined) done++;
    else if (!reading.continues()) return;
  }
  await compareOthers(destination, reading);
  const checkpoint = await ownCheckpoint();
  // What another query has stored before the start belongs to that.
  const first = others.length > 0 ? checkpoint?.start : undefined;
  const rows = storedIn(database)
    .filter(wanted)
    .filter(between({ start: first }));
  if (checkpoint === undefined) {
    if (rows.length > 0 && others.length === 0) reading.fail("surplus", "records are stored without a position");
    return;
  }
  const end = checkpoint.position;
  const lowest = oldestOf(rows);
  if (start === undefined && first === undefined) reading.checkStart("the database", lowest, oldest, end);
  const from = start ?? lowest ?? end;
  const whole = world.changes.filter(wanted).sort(inScanOrder);
  // Records before the start that is stored are there, too, if responses have shown them.
  const must = whole.filter(between({ start: maximum(from, checkpoint.start), end }));
  // Without a block, nothing shows that the last time is complete: it is stored, and is read again.
  reading.compare("the database", rows, must, whole.filter(between({ start: from })));
  if (!world.isCalm) world.calm(end);
  const range = { start: checkpoint.start, end };
  const stored = rows.filter(between(range)).length;
  const isWhole = stored === whole.filter(between(range)).length;
  const clients = { own: client, full: world.healthyClient(), empty: world.healthyClient([]) };
  for (const [name, other] of Object.entries(clients)) {
    let found: Comparison | undefined;
    const check = async function* () {
      try {
        yield* checkSync(destination, other, { balances });
      } catch (error) {
        // A node without the stored records is refused.
        if (name !== "empty" || !(error instanceof ExitError)) throw error;
      }
    };
    const error = await reading.take(check(), (comparison) => {
      found = comparison;
      return undefined;
    });
    if (error === "hang") return;
    if (found === undefined) continue;
    const { records, different, uncompared } = found as Comparison;
    const isEqual = different.length === 0 && uncompared === 0;
    if (isEqual && name === "full" && !isWhole) reading.fail("check", "says equal, but the full node has more");
    if (isEqual && name === "empty" && stored > 0) reading.fail("check", "says equal of an empty node");
    if (isEqual && records < stored && name !== "own")
      reading.fail("check", `says equal of ${records} of ${stored} records`);
    if (!isEqual && name === "full" && isWhole) reading.fail("check", "says different, but nothing differs");
  }
}

/** Votes and signatures are as of their checkpoints: none is missing, and no vote is an earlier version. */
async function compareOthers(destination: Destination, reading: Reading): Promise<void> {
  const { world } = reading;
  for (const { list, query, checkpoint } of await destination.checkpoints()) {
    const isBefore = ({ time }: { time: bigint }) => time < checkpoint.position;
    if (list === "votes") {
      const written = world.votes.filter(({ vote }) => vote.proposalId === (query as Partial<Vote>).proposalId);
      const later = new Set(written.filter((each) => !isBefore(each)).map(({ vote }) => vote.partyId));
      const expected = new Map(written.filter(isBefore).map(({ vote }) => [vote.partyId, voteText(vote)]));
      const stored = new Set<string>();
      for await (const vote of allOf(destination, list)) stored.add(voteText(vote));
      const lost = [...expected].filter(([partyId, text]) => !later.has(partyId) && !stored.has(text));
      if (lost.length > 0) reading.fail("lost", `${lost.length} of ${expected.size} votes are not stored as they are`);
    }
    if (list === "signatures") {
      const stored = new Set<string>();
      for await (const { sig } of allOf(destination, list)) stored.add(sig ?? "");
      const lost = world.signatures.filter((each) => isBefore(each) && !stored.has(each.sig ?? ""));
      if (lost.length > 0)
        reading.fail("lost", `${lost.length} of ${world.signatures.length} signatures are not stored`);
    }
  }
}

const select = `SELECT CAST(time AS TEXT) AS timestamp, party AS partyId, asset AS assetId, market AS marketId,
  account_type AS accountType, balance FROM balance_changes ORDER BY balance_changes.time, asset, party, market, account_type`;

const storedIn = (database: Sqlite) => database.prepare(select).all() as BalanceChange[];
