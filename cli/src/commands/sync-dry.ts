/** `sync --dry`: describes what a run would read. */
import { connect } from "../connection.js";
import { describeReading } from "../dry.js";
import { exitCodes, NoCopyError } from "../errors.js";
import type { Flags } from "../flags.js";
import { type Io, write } from "../io.js";
import { idOf } from "../operations.js";
import { checkpointOf } from "../sync/destination.js";
import { type DestinationFlags, openDestination } from "../sync/open.js";
import type { SyncOptions } from "../sync/run.js";

export async function describeSync(
  io: Io,
  flags: Flags & DestinationFlags,
  plan: SyncOptions,
  entered: string,
  name: string,
): Promise<number> {
  const stored = await openDestination(entered, "read", io.signal, flags, plan.balances).then(
    (destination) => destination.checkpoints().finally(() => destination.close()),
    (error) => (error instanceof NoCopyError ? [] : Promise.reject(error)),
  );
  const connection = await connect(io, flags);
  const { balances, votes = [], signatures = [], profiles, scan } = plan;
  const readings = [
    ...(balances ? [["balances", balances] as const] : []),
    ...votes.map((query) => ["votes", query] as const),
    ...signatures.map((id) => ["signatures", { id }] as const),
    ...(profiles ? [["profiles", {}] as const] : []),
  ];
  for (const [list, query] of readings) {
    const { from, ...filters } = query as { from?: bigint };
    const hasTimes = list === "balances" || list === "votes";
    // Other lists are read again.
    const { position } = (hasTimes && checkpointOf(stored, list, query)) || {};
    const planned = { id: idOf(list), query: filters, start: position ?? from, ...(list === "balances" && scan) };
    const place = position === undefined ? undefined : `where ${name} ends`;
    await write(io.stdout, await describeReading(connection, planned, io.signal, place));
  }
  const isNew = stored.length === 0 ? ", which has no records yet" : "";
  await write(io.stdout, `Nothing is written to ${name}${isNew}.\n`);
  return exitCodes.done;
}
