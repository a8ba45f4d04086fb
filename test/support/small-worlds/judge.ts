import { ApiError, PaginationError } from "../../../src/index.js";
import { nanosecondsPerDay } from "../../../src/values/times.js";
import { isPruned, judgeReading, type Truth, type Violation } from "../worlds/judge.js";
import type { ListQuery, ListReading } from "../worlds/read-list.js";
import type { RunningSmallWorld } from "./running-world.js";
import {
  modelOf,
  partyOf,
  type SmallReader,
  type SmallWorld,
  showRecord,
  showTime,
  timeAt,
  type Written,
} from "./world.js";

/** Judges the reading of a small world by what its chain has. */
export function judge(
  running: RunningSmallWorld,
  reader: SmallReader,
  query: ListQuery,
  readings: readonly ListReading[],
): Violation[] {
  const { world } = running;
  const found: Violation[] = [];
  const fail = (kind: string, text: string) => void found.push({ kind, text });
  const truth = truthOf(world, reader);
  const first = world.blocks.findIndex((letters) => letters !== "");
  const earliest = timeAt(world, Math.max(0, first));
  for (const reading of readings) {
    judgeReading(truth, query, reading, fail);
    const { error } = reading.parts.at(-1) ?? {};
    const reason = PaginationError.is(error) ? error.reason : error?.message.slice(0, 200);
    // v0.74 nodes reject every cursor of profiles.
    const isRejected = world.list === "profiles" && ApiError.is(error);
    const isHopeless = isRejected || (world.list === "balances" && running.keepsNothing);
    if (reading.isUnfinished && !isHopeless) fail(error?.resume ? "no-end" : "no-resume", `${error?.name} ${reason}`);
    // Nothing tells a chain that begins later from a node that has dropped what was before.
    const isEarly = reading.start !== undefined && reading.start < earliest;
    if (isPruned(error) && running.keepsAll && !isEarly) fail("false-pruned", "every node keeps everything");
    const isExpected = isRejected || (isEarly && isPruned(reading.parts[0]?.error));
    if (reading === readings[0] && running.isUsual && !isExpected) checkUsual(reading);
  }
  return found;

  /** Nothing unusual has happened, and a node that has everything has responded: nothing is left out, and the start is proved. */
  function checkUsual({ parts: [part], start, end }: ListReading): void {
    const head = timeAt(world, world.head - Math.max(...world.nodes.map(({ lag }) => lag)));
    if (part === undefined || (end ?? 0n) > head || (start ?? 0n) >= head) return;
    const { error, coverage } = part;
    if (error) fail("needless-error", `${error.name} ${error.message.slice(0, 200)}`);
    if (error || coverage === undefined) return;
    // Two pages of votes need a later block, which a network that stands still does not have. A block that comes is hours ahead.
    const hasMoved = running.steps.some(({ event }) => event !== undefined);
    const isUnknown = coverage.end === undefined && world.list === "votes" && (world.isStill || hasMoved);
    if (!isUnknown && (coverage.end ?? 0n) < (end ?? head)) fail("early-end", truth.show(coverage.end));
    // Pages and at most three requests more, or ten if no record before the start can prove it.
    const pages = Math.ceil(part.records.length / query.size) + 1;
    const most = pages + (start === undefined || (earliest < start && coverage.start <= start) ? 3 : 10);
    // Newer nodes are read year by year from 2020 on.
    const isByYear = world.spacing === "years" || (world.version === "v0.79" && start === undefined);
    const isCounted = world.list === "balances" && world.nodes.length === 1 && !isByYear;
    if (isCounted && running.steps.length > most) fail("requests", `${running.steps.length} instead of ${most}`);
    const isProvable = start !== undefined && world.spacing !== "years" && earliest <= start;
    const latest = isProvable ? start : firstProvable(start ?? 0n, coverage.end ?? 0n);
    if (latest < (coverage.end ?? 0n) && coverage.start > latest)
      fail("late-start", `${truth.show(coverage.start)} instead of ${truth.show(latest)}`);
  }

  /** The first record after which no gap is longer than a year: one response of newer nodes shows at most that. */
  function firstProvable(start: bigint, end: bigint): bigint {
    const longest = world.version === "v0.79" ? 364n * nanosecondsPerDay : end;
    const times = truth.dues.map(({ time }) => time).filter((time) => time >= start && time < end);
    return times.reduceRight((next, time) => (next - time <= longest ? time : next), end);
  }
}

function truthOf(world: SmallWorld, { party }: SmallReader): Truth {
  const written: readonly Written<object>[] = modelOf(world).truth[world.list];
  const isWanted = (record: object) =>
    party === undefined || (record as { partyId?: string }).partyId === partyOf(party);
  return {
    dues: written.filter(isWanted).map((record) => ({ record, time: timeAt(world, record.block) })),
    show: (time) => showTime(world, time),
    nameOf: (record) => showRecord(world, record),
    isLenient: false,
  };
}
