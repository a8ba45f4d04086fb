import { createHash } from "node:crypto";
import { Gateway } from "../../src/cli/serve/gateway.js";
import { followBalanceChangesWith } from "../../src/follow/balance-changes.js";
import { followNodeSignaturesWith } from "../../src/follow/node-signatures.js";
import { followVotesWith } from "../../src/follow/votes.js";
import {
  ApiError,
  type BalanceChange,
  type BalanceChangesFilter,
  ConnectionError,
  type Coverage,
  type NodeSignature,
  PaginationError,
  ResponseError,
  TimeoutError,
  type VegaClient,
  VegaError,
  type Vote,
} from "../../src/index.js";
import type { SqlDatabase } from "../../src/sync/database.js";
import { checkSync, type SyncComparison, syncTo } from "../../src/sync/index.js";
import { Choices, day, describeWorld, RunningWorld, second, simplerWorlds, type World, worldOf } from "./world.js";

/** What is wrong with a reading. */
export interface Violation {
  kind: string;
  text: string;
}

/** A range of time in Unix nanoseconds. */
interface Range {
  start?: bigint | undefined;
  end?: bigint | undefined;
}

interface BalancesReader extends Range {
  filter: BalanceChangesFilter;
}
interface ScanReader extends BalancesReader {
  kind: "scan";
  order: "oldest-first" | "newest-first";
  pageSize: number;
  concurrency: number;
  missingHistory: "error" | "ignore";
}
interface PagedReader {
  newestFirst: boolean;
  isBackward: boolean;
  size: number;
}
interface WalkReader extends BalancesReader, PagedReader {
  kind: "walk";
}
interface VotesReader extends PagedReader {
  kind: "votes";
  query: { proposalId: string } | { partyId: string };
}
interface SignaturesReader extends PagedReader {
  kind: "signatures";
}
interface FollowReader {
  kind: "follow" | "follow-votes" | "follow-signatures";
  from: "start" | bigint;
  filter: BalanceChangesFilter;
  pageSize: number;
}
/** The same walks, as a loop over the pages of `serve`. */
interface ServeReader {
  kind: "serve";
  walk: WalkReader | VotesReader;
}
interface SyncReader extends BalancesReader {
  kind: "sync";
  pageSize: number;
  concurrency: number;
}
/** How the records of a world are read: plain data that follows from its seed. */
export type Reader = ScanReader | WalkReader | VotesReader | SignaturesReader | FollowReader | ServeReader | SyncReader;

const kinds = [
  ...Array.from({ length: 6 }, () => "scan" as const),
  ...Array.from({ length: 6 }, () => "walk" as const),
  ...Array.from({ length: 4 }, () => "votes" as const),
  ...(["signatures", "follow", "follow", "follow", "follow-votes", "follow-votes", "follow-signatures"] as const),
  ...(["serve", "serve", "serve", "sync", "sync"] as const),
];

/** The reader of a world. */
export function readerOf(world: World): Reader {
  const choose = new Choices(world.seed ^ 0xbeef);
  const kind = world.isApart && choose.chance(0.5) ? "votes" : choose.one(kinds);
  const range = rangeOf(choose, world);
  const filter = filterOf(choose, world);
  const paged = {
    newestFirst: choose.chance(0.5),
    isBackward: choose.chance(0.25),
    size: choose.one([1, 2, 3, 5, 8, 12, 20, 40]),
  };
  const [proposalId = ""] = world.proposals;
  const query = choose.chance(0.8) ? { proposalId } : { partyId: choose.one(world.parties) };
  const votes = { kind: "votes", query, ...paged, size: choose.one([4, 8, 8, 12, 12, 20, 60]) } as const;
  const walk = { kind: "walk", ...range, filter, ...paged } as const;
  const concurrency = choose.integer(1, 4);
  switch (kind) {
    case "scan":
      return {
        kind,
        ...range,
        filter,
        order: choose.one(["oldest-first", "newest-first"]),
        pageSize: choose.one([2, 3, 5, 8, 12, 20, 40]),
        concurrency,
        missingHistory: choose.chance(0.15) ? "ignore" : "error",
      };
    case "walk":
      return walk;
    case "votes":
      return votes;
    case "serve":
      return { kind, walk: choose.chance(0.6) ? walk : votes };
    case "signatures":
      return { kind, ...paged };
    case "sync":
      return { kind, start: range.start, filter, pageSize: choose.one([3, 8, 20]), concurrency };
    default: {
      const from = choose.chance(0.5) ? "start" : choose.one(world.blocks).time;
      return { kind, from, filter, pageSize: choose.one([3, 8, 20, 60]) };
    }
  }
}

function rangeOf(choose: Choices, { blocks }: World): Range {
  const [first, last] = [blocks[0]?.time ?? 0n, blocks.at(-1)?.time ?? 0n];
  const random = () => first + BigInt(choose.integer(0, Number((last - first) / second) + 5)) * second;
  const wayOfStart = choose.one(["open", "open", "open", "block", "random", "before", "day"] as const);
  const start = {
    open: undefined,
    block: choose.one(blocks).time,
    random: random(),
    before: first - 3600n * second,
    day: (random() / day) * day,
  }[wayOfStart];
  const end = choose.chance(0.5) ? undefined : random();
  return end !== undefined && start !== undefined && end < start ? { start } : { start, end };
}

function filterOf(choose: Choices, { parties, seed }: World): BalanceChangesFilter {
  const way = choose.one(["none", "none", "none", "party", "parties", "many", "type", "upper"] as const);
  switch (way) {
    case "party":
      return { partyIds: [choose.one(parties)] };
    case "upper":
      return { partyIds: [choose.one(parties).toUpperCase()] };
    case "parties":
      return { partyIds: choose.some(parties, 3) };
    // So many do not fit the URL of one request.
    case "many": {
      const others = Array.from({ length: 150 }, (_, index) => (BigInt(seed) * 1000n + BigInt(index)).toString(16));
      return { partyIds: [...choose.some(parties, 3), ...others.map((each) => each.padStart(64, "9"))] };
    }
    case "type":
      return { accountTypes: choose.some(["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION"], 2) };
    default:
      return {};
  }
}

/** Errors after which nothing is wrong with the nodes any more, and after which a reading has to have ended. */
const [errorsUntilCalm, mostErrors] = [3, 9];

/** One reading of a world, with what is wrong with it. */
class Reading {
  readonly world: RunningWorld;
  readonly violations: Violation[] = [];
  /** The errors after which it was continued. */
  readonly errors: string[] = [];
  readonly #end: bigint | undefined;

  constructor(world: World, end?: bigint) {
    this.world = new RunningWorld(world);
    this.#end = end;
  }

  fail(kind: string, text: string): void {
    this.violations.push({ kind, text });
  }

  /** Takes everything that comes. Returns the error that ends it; `"hang"` if nothing does. */
  async take<T>(
    items: AsyncIterable<T>,
    onItem: (item: T) => boolean | undefined,
  ): Promise<VegaError | "hang" | undefined> {
    this.world.begin();
    const taken = (async () => {
      try {
        for await (const item of items) if (onItem(item) === true) return undefined;
        return undefined;
      } catch (error) {
        return error ?? new Error("nothing was thrown");
      }
    })();
    let error: unknown;
    try {
      error = await this.world.run(taken);
    } catch (reason) {
      this.fail("hang", String(reason));
      return "hang";
    }
    if (error === undefined) return undefined;
    if (!VegaError.is(error)) {
      this.fail("foreign-error", error instanceof Error ? (error.stack ?? error.message) : String(error));
      return "hang";
    }
    this.#checkError(error);
    this.errors.push(`${error.name} ${PaginationError.is(error) ? error.reason : error.message.slice(0, 160)}`);
    return error;
  }

  /** A pool with a healthy node does not fail because of another one. A status of 400 is final, whichever node it is from. */
  #checkError(error: VegaError): void {
    const { world, healthyNodes, kept } = this.world;
    if (world.access !== "pool" || healthyNodes.length === 0) return;
    const isFinal = ApiError.is(error) && error.status < 500;
    const isOfNode =
      ApiError.is(error) || ConnectionError.is(error) || ResponseError.is(error) || TimeoutError.is(error);
    const isGap = PaginationError.is(error) && error.reason === "gap";
    const isWhole = healthyNodes.some((index) => kept[index] === 0n && world.nodes[index]?.clamp === undefined);
    if (isOfNode && !isFinal) this.fail("needless-error", `${error.name}: ${error.message.slice(0, 160)}`);
    if (isGap && isWhole && !error.operation?.includes("Votes")) this.fail("needless-gap", error.message.slice(0, 160));
  }

  /** Whether more records share a time than a page has room for, with one before and one behind them. */
  checkDense(timestamp: string | undefined, pageSize: number, wanted: (change: BalanceChange) => boolean): void {
    const { world, changes } = this.world;
    const room = Math.min(pageSize, ...world.nodes.map(({ clamp = pageSize }) => clamp));
    const count = changes.filter((change) => wanted(change) && change.timestamp === timestamp).length;
    if (count + 2 <= room)
      this.fail("false-dense", `${count} records at ${timestamp}, and pages have room for ${room}`);
  }

  /** Returns whether a reading that has failed is continued. */
  continues(): boolean {
    if (this.errors.length >= mostErrors) {
      this.fail("no-end", `still fails when nothing is wrong: ${this.errors.join(", ")}`);
      return false;
    }
    if (this.errors.length === errorsUntilCalm) this.world.calm(this.#end);
    return true;
  }

  get isLate(): boolean {
    return this.errors.length >= errorsUntilCalm;
  }

  /** The records of a reading of balance changes have to be these: all of those that must be there, and others only from `allowed`. */
  compare(what: string, actual: readonly BalanceChange[], must: readonly BalanceChange[], allowed = must): void {
    const hasNumbers = actual.some(({ accountType }) => typeof accountType !== "string");
    if (hasNumbers) {
      this.fail("type-number", `${what}: an account type came as a number`);
    }
    const got = actual.map(textOf);
    const seen = new Set(got);
    const places = new Map(allowed.map((change, index) => [textOf(change), index]));
    const lost = must.filter((change) => !seen.has(textOf(change)));
    if (lost.length > 0) this.fail("lost", `${what}: ${lost.length} of ${must.length} are missing: ${some(lost)}`);
    const surplus = actual.filter((change) => !places.has(textOf(change)));
    if (surplus.length > 0) this.fail("surplus", `${what}: ${surplus.length} do not belong to it: ${some(surplus)}`);
    if (seen.size < got.length) this.fail("repeated", `${what}: ${got.length - seen.size} came again`);
    const order = got.flatMap((text) => places.get(text) ?? []);
    const isOrdered = order.every((place, index) => index === 0 || place > (order[index - 1] ?? 0));
    // A number is sorted elsewhere than a name.
    if (!isOrdered && seen.size === got.length && !hasNumbers) this.fail("order", `${what}: out of order`);
  }

  /** @param oldest - The time of the oldest record that had to be read. */
  checkStart(what: string, start: bigint | undefined, oldest: bigint | undefined): void {
    if (oldest !== undefined && (start === undefined || start > oldest)) {
      this.fail("late-start", `${what} begins at ${show(start)}, but the nodes keep a record at ${show(oldest)}`);
    }
  }

  /** Checks that nodes keep less than what begins at a time. */
  checkPruned(start: bigint, availableFrom: bigint | undefined): void {
    const { world, kept, changes, healthyNodes } = this.world;
    const nodes = world.access === "pool" && healthyNodes.length > 0 ? healthyNodes : [...world.nodes.keys()];
    const shows = (index: number) => this.world.showsHistory(index, start);
    const isKept = world.access === "pool" && healthyNodes.length > 0 ? nodes.some(shows) : nodes.every(shows);
    if (isKept) this.fail("false-pruned", `pruned at ${show(start)}, but the nodes keep more`);
    const everywhere = changes.map(timeOf).filter((time) => kept.every((each) => time >= each));
    const least = everywhere.reduce((a, b) => (b < a ? b : a), this.world.head);
    if (availableFrom === undefined || availableFrom > least) {
      this.fail("late-availability", `available from ${show(availableFrom)}, but every node keeps ${show(least)}`);
    }
  }
}

const show = (time: bigint | undefined) =>
  time === undefined ? "nothing" : `${time} (${new Date(Number(time / 1_000_000n)).toISOString()})`;
const some = (changes: readonly BalanceChange[]) =>
  `${changes
    .slice(0, 3)
    .map(({ timestamp, balance }) => `#${balance} at ${show(BigInt(timestamp))}`)
    .join(", ")}${changes.length > 3 ? ", …" : ""}`;

const timeOf = ({ timestamp }: BalanceChange): bigint => BigInt(timestamp);
const nameOfType = (type: unknown) => (type === 24 ? "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" : String(type));
const textOf = ({ timestamp, partyId, assetId, marketId, accountType, balance }: BalanceChange): string =>
  [timestamp, assetId, partyId, marketId, nameOfType(accountType), balance].join(" ");

/** The order of a scan: by time, then by asset, party, market and type. */
function inScanOrder(a: BalanceChange, b: BalanceChange): number {
  const [one, other] = [textOf(a), textOf(b)];
  return Number(timeOf(a) - timeOf(b)) || (one < other ? -1 : 1);
}

const accountIds = new Map<string, string>();

/** The id by which nodes sort the accounts of a block. */
function accountIdOf({ assetId, partyId, marketId, accountType }: BalanceChange): string {
  const names = [assetId, partyId, marketId, accountType].join("");
  const id = accountIds.get(names) ?? createHash("sha256").update(names).digest("hex");
  accountIds.set(names, id);
  return id;
}

/** The order of a list of nodes: by time, then by account id. */
const inListOrder = (a: BalanceChange, b: BalanceChange): number =>
  Number(timeOf(a) - timeOf(b)) || (accountIdOf(a) < accountIdOf(b) ? -1 : 1);

function isWanted({ filter }: BalancesReader | FollowReader): (change: BalanceChange) => boolean {
  const parties = filter.partyIds?.map((id) => id.toLowerCase());
  return ({ partyId = "", accountType }) =>
    (parties?.includes(partyId) ?? true) && (filter.accountTypes?.some((type) => type === accountType) ?? true);
}

const between =
  ({ start = 0n, end }: Range) =>
  (change: BalanceChange): boolean =>
    timeOf(change) >= start && (end === undefined || timeOf(change) < end);

const isLater = (time: bigint) => (change: BalanceChange) => timeOf(change) >= time;

/** The earlier of two times, of which each can be unknown. */
const earlier = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a;
const later = (a: bigint, b: bigint) => (a > b ? a : b);

/** Scans until nothing is left, and compares each part with what the chain has. */
async function readScan(spec: ScanReader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = world.client();
  const { filter, order, pageSize, concurrency, missingHistory } = spec;
  const isNewestFirst = order === "newest-first";
  const isStrict = missingHistory === "error";
  const wanted = isWanted(spec);
  const rows = (range: Range) => {
    const found = world.changes.filter(wanted).filter(between(range)).sort(inScanOrder);
    return isNewestFirst ? found.reverse() : found;
  };
  const oldestIn = (range: Range) => world.oldestWanted((change) => wanted(change) && between(range)(change));
  let range: Range = { start: spec.start, end: spec.end };
  for (;;) {
    const size = reading.isLate ? 5000 : pageSize;
    const scan = client.scanBalanceChanges(
      { filter, dateRange: { startTimestamp: range.start, endTimestamp: range.end } },
      { order, concurrency, missingHistory, pageSize: size },
    );
    const records: BalanceChange[] = [];
    let oldest: bigint | undefined;
    const error = await reading.take(scan, (record) => {
      if (records.push(record) === 1 && !isNewestFirst) oldest = oldestIn(range);
      return undefined;
    });
    if (error === "hang") return;
    if (isNewestFirst || records.length === 0) oldest = oldestIn(range);
    const isOpen = range.start === undefined || !isStrict;
    const ofRecords = records.map(timeOf);
    const lowest = ofRecords.reduce<bigint | undefined>(earlier, undefined);
    if (error === undefined) {
      const coverage = await scan.coverage;
      checkCoverage(reading, range, coverage, isStrict, wanted);
      const end = coverage.end ?? range.end;
      const start = isOpen ? (coverage.start ?? lowest ?? end ?? 0n) : range.start;
      if (isOpen) reading.checkStart("the scan", start, earlierThan(oldest, end ?? world.lowestHead));
      const must = rows({ start, end: end ?? world.lowestHead });
      // Where history is missing, and that is ignored, earlier records can have been there.
      const allowed = { start: isStrict ? start : range.start, end };
      reading.compare("the scan", records, must, rows(allowed));
      return;
    }
    const { resume } = error as { resume?: { startTimestamp?: unknown; endTimestamp?: unknown } };
    if (resume === undefined) return reading.fail("no-resume", error.message);
    const [start, end] = [resume.startTimestamp, resume.endTimestamp].map((time) =>
      // Nothing is before 0: such a start is open.
      time === undefined || BigInt(String(time)) === 0n ? undefined : BigInt(String(time)),
    );
    const isPruned = PaginationError.is(error) && error.reason === "pruned";
    if (PaginationError.is(error) && error.reason === "too-dense") {
      reading.checkDense(error.timestamp, size, wanted);
    }
    const from = range.start ?? 0n;
    if (isPruned) reading.checkPruned(from, start);
    if (isNewestFirst) {
      if (!isPruned && start !== range.start)
        reading.fail("resume", `begins at ${show(start)} instead of ${show(range.start)}`);
      const top = range.end ?? later(world.lowestHead, (ofRecords[0] ?? -1n) + 1n);
      // An end that was open, and still is, is that of a scan that has read nothing.
      const part = end === undefined ? [] : rows({ start: end, end: top });
      reading.compare("before the error", records, part, range.end === undefined ? rows({ start: end ?? top }) : part);
    } else {
      if (range.end !== undefined && end !== range.end)
        reading.fail("resume", `ends at ${show(end)} instead of ${show(range.end)}`);
      const first = isStrict ? (range.start ?? lowest) : lowest;
      if (range.start === undefined && lowest !== undefined) reading.checkStart("the scan", lowest, oldest);
      const all = rows({ start: first ?? start ?? 0n });
      const part = isPruned ? all.slice(0, records.length) : all.filter((change) => timeOf(change) < (start ?? 0n));
      reading.compare("before the error", records, first === undefined ? [] : part);
    }
    range = { start, end };
    if (!reading.continues()) return;
  }
}

const earlierThan = (time: bigint | undefined, end: bigint) => (time !== undefined && time < end ? time : undefined);

function checkCoverage(
  reading: Reading,
  range: Range,
  { start, end, block }: Coverage,
  isStrict: boolean,
  wanted: (change: BalanceChange) => boolean,
): void {
  if (start === undefined) reading.fail("coverage-start", "the coverage has no start");
  if (isStrict && range.start !== undefined && start !== range.start) {
    reading.fail("coverage", `begins at ${show(start)} instead of ${show(range.start)}`);
  }
  if (range.end !== undefined && block !== undefined && end !== range.end) {
    reading.fail("coverage", `ends at ${show(end)} instead of ${show(range.end)}`);
  }
  if (range.end === undefined && end !== undefined) {
    const unread = { start: end, end: reading.world.lowestHead };
    const left = reading.world.changes.filter(wanted).filter(between(unread));
    if (left.length > 0) reading.fail("coverage", `ends at ${show(end)}, but every node had more: ${some(left)}`);
  }
}

/** What a walk yields: a page of the client, or one of a loop over responses of `serve`. */
interface AnyPage<T> {
  readonly nodes: readonly T[];
  readonly block: { readonly timestamp: bigint } | undefined;
}

/** The pages of a walk. */
interface Pages<T> extends AsyncIterable<AnyPage<T>> {
  /** What it has read, if it says so, once it has ended. */
  coverage?(): Promise<Coverage> | undefined;
}

/** The records of a walk, as far as it came. */
class Walked<T> {
  coverage: Coverage | undefined;
  items: T[] = [];
  /** How many there were when the walk was continued after an error. */
  continuedAt: number[] = [];
  /** The block of the first page. */
  block: bigint | undefined;
  isEmpty = true;

  add(page: AnyPage<T>, isBackward: boolean, lowestHead: bigint): void {
    if (this.isEmpty) this.block = page.block?.timestamp ?? lowestHead;
    this.isEmpty = false;
    this.items.push(...(isBackward ? [...page.nodes].reverse() : page.nodes));
  }
}

/** The size and the direction of a page. After several errors the page is as large as possible. */
const paginationOf = ({ isBackward, size, newestFirst }: PagedReader) => ({
  [isBackward ? "last" : "first"]: size,
  newestFirst,
});

/** Walks until nothing is left, from where the error before says. */
async function walk<T>(
  spec: PagedReader,
  reading: Reading,
  open: (pagination: object) => Pages<T>,
  walked: Walked<T>,
  onError: (error: VegaError) => object | "nothing-left" | undefined = () => undefined,
  onFirst: () => void = () => {},
): Promise<boolean> {
  let pagination: object = paginationOf(spec);
  for (;;) {
    const pages = open(pagination);
    const error = await reading.take(pages, (page) => {
      if (walked.isEmpty) onFirst();
      walked.add(page, spec.isBackward, reading.world.lowestHead);
      return undefined;
    });
    if (error === "hang") return false;
    if (error === undefined) {
      if (walked.continuedAt.length === 0) walked.coverage = await pages.coverage?.();
      return true;
    }
    const next = onError(error) ?? (error as { resume?: object }).resume;
    if (next === "nothing-left") return true;
    if (next === undefined) {
      reading.fail("no-resume", error.message);
      return false;
    }
    if (!reading.continues()) return false;
    walked.continuedAt.push(walked.items.length);
    pagination = { ...next, ...(reading.isLate && { [spec.isBackward ? "last" : "first"]: 5000 }) };
  }
}

async function readWalk(
  spec: WalkReader,
  reading: Reading,
  list: (pagination: object, range: Range) => Pages<BalanceChange>,
): Promise<void> {
  const { world } = reading;
  const isDescending = spec.newestFirst !== spec.isBackward;
  const wanted = isWanted(spec);
  let start = spec.start;
  const walked = new Walked<BalanceChange>();
  let oldest: bigint | undefined;
  let isGone = false;
  const oldestIn = () => world.oldestWanted((change) => wanted(change) && between(spec)(change));
  const open = (pagination: object) => list(pagination, { start, end: spec.end });
  const onError = (error: VegaError) => {
    if (!PaginationError.is(error)) return undefined;
    if (error.reason !== "pruned") {
      const place = walked.items.at(-1);
      isGone = place !== undefined && !world.keeps(timeOf(place)) && reading.isLate;
      if (!isGone || !place) return undefined;
      reading.fail("wrong-reason", `${error.reason}, but every node has dropped the place ${show(timeOf(place))}`);
      return "nothing-left";
    }
    reading.checkPruned(start ?? 0n, error.availableFrom);
    // The advice of the error: a narrower range.
    start = error.availableFrom ?? start;
    Object.assign(walked, new Walked<BalanceChange>());
    if (start !== undefined && spec.end !== undefined && start >= spec.end) return "nothing-left";
    return paginationOf(spec);
  };
  const isDone = await walk(spec, reading, open, walked, onError, () => {
    oldest = oldestIn();
  });
  if (!isDone || isGone) return;
  if (isDescending || walked.items.length === 0) oldest = oldestIn();
  const rows = world.changes
    .filter(wanted)
    .filter(between({ start, end: spec.end }))
    .sort(inListOrder);
  if (isDescending) rows.reverse();
  const { coverage } = walked;
  if (coverage !== undefined) checkCoverage(reading, { start, end: spec.end }, coverage, true, wanted);
  const end = coverage?.end ?? walked.block ?? world.lowestHead;
  const lowest = walked.items.map(timeOf).reduce<bigint | undefined>(earlier, undefined);
  const begin = start ?? coverage?.start ?? lowest;
  if (start === undefined) reading.checkStart("the walk", begin, earlierThan(oldest, end));
  const must = rows.filter(isLater(begin ?? end)).filter((change) => timeOf(change) < end);
  reading.compare("the walk", walked.items, must, rows);
}

/** A vote without what differs between the versions of nodes. */
const voteText = ({ partyId, proposalId, timestamp, value, totalGovernanceTokenWeight }: Vote) =>
  [proposalId, partyId, timestamp, value, totalGovernanceTokenWeight].join(" ");
const voteKey = ({ partyId, proposalId }: Vote) => `${proposalId} ${partyId}`;

async function readVotes(
  spec: VotesReader,
  reading: Reading,
  list: (pagination: object) => AsyncIterable<AnyPage<Vote>>,
): Promise<void> {
  const { world } = reading;
  const walked = new Walked<Vote>();
  if (!(await walk(spec, reading, list, walked))) return;
  const isDescending = spec.newestFirst !== spec.isBackward;
  // A walk that continues can repeat votes of the one before.
  const parts = [0, ...walked.continuedAt].map((from, index) => walked.items.slice(from, walked.continuedAt[index]));
  judgeVotes(reading, spec.query, isDescending, parts, walked.block ?? world.lowestHead);
}

/** Each vote as of a block is there in its version of that block, or in a later one. With the newest first, a vote that is cast again meanwhile can be missing. */
function judgeVotes(
  reading: Reading,
  query: VotesReader["query"],
  isDescending: boolean,
  parts: readonly (readonly Vote[])[],
  block: bigint,
): void {
  const walked = parts.flat();
  const written = reading.world.votes.filter(({ vote }) =>
    "partyId" in query ? vote.partyId === query.partyId : vote.proposalId === query.proposalId,
  );
  const known = new Set(written.map(({ vote }) => voteText(vote)));
  const invented = walked.filter((vote) => !known.has(voteText(vote)));
  if (invented.length > 0) reading.fail("surplus", `votes that nobody cast: ${invented.map(voteText).slice(0, 3)}`);
  for (const part of parts) {
    const casts = new Set(part.map((vote) => `${voteKey(vote)} ${vote.timestamp}`));
    if (casts.size < part.length) reading.fail("repeated", `${part.length - casts.size} votes came again`);
  }
  const asOfBlock = new Map(
    written.filter(({ time }) => time < block).map((each) => [voteKey(each.vote), each] as const),
  );
  const movedLater = new Set(written.filter(({ time }) => time >= block).map(({ vote }) => voteKey(vote)));
  const lost = [...asOfBlock].filter(([key, { vote }]) => {
    if (isDescending && movedLater.has(key)) return false;
    return !walked.some((each) => voteKey(each) === key && BigInt(each.timestamp) >= BigInt(vote.timestamp));
  });
  const shown = lost
    .slice(0, 3)
    .map(([key, { time }]) => `${key.slice(62)} of ${show(time)}${movedLater.has(key) ? " (moved)" : ""}`);
  if (lost.length > 0) reading.fail("lost", `${lost.length} of ${asOfBlock.size} votes are missing: ${shown}`);
}

async function readSignatures(spec: SignaturesReader, reading: Reading): Promise<void> {
  const { world } = reading;
  const client = world.client();
  const walked = new Walked<NodeSignature>();
  const { resource } = world.world;
  const open = (pagination: object) => client.listNodeSignatures({ id: resource, pagination }).pages();
  if (!(await walk(spec, reading, open, walked))) return;
  judgeSignatures(reading, walked.items, walked.block ?? world.lowestHead);
}

function judgeSignatures(reading: Reading, walked: readonly NodeSignature[], block: bigint): void {
  const { signatures } = reading.world;
  const got = new Set(walked.map(({ sig }) => sig));
  if (got.size < walked.length) reading.fail("repeated", `${walked.length - got.size} signatures came again`);
  const lost = signatures.filter(({ sig, time }) => time < block && !got.has(sig));
  if (lost.length > 0) reading.fail("lost", `${lost.length} of ${signatures.length} signatures are missing`);
  if ([...got].some((sig) => !signatures.some((each) => each.sig === sig)))
    reading.fail("surplus", "unknown signatures");
}

interface AnyBatch<T> {
  records: readonly T[];
  upTo: bigint;
}

/** Follows until the head of the chain, from where the error before says. */
async function follow<T>(
  reading: Reading,
  from: "start" | bigint,
  open: (client: VegaClient, from: "start" | bigint) => AsyncIterable<AnyBatch<T>>,
  onBatch: (batch: AnyBatch<T>) => void,
  onError: (error: VegaError) => bigint | undefined = () => undefined,
): Promise<boolean> {
  const { world } = reading;
  const client = world.client();
  world.calmAfter = 60;
  let position = from;
  for (;;) {
    const error = await reading.take(open(client, position), (batch) => {
      onBatch(batch);
      return batch.upTo >= world.head;
    });
    if (error === "hang") return false;
    if (error === undefined) return true;
    const { resume } = error as { resume?: { from?: unknown } };
    const next = onError(error) ?? resume?.from ?? from;
    position = next === "start" ? next : BigInt(String(next));
    if (!reading.continues()) return false;
  }
}

async function readFollower(spec: FollowReader, reading: Reading): Promise<void> {
  const { world } = reading;
  const { clock } = world;
  const { filter, pageSize, from } = spec;
  if (spec.kind === "follow-signatures") {
    const found: NodeSignature[] = [];
    let upTo = 0n;
    const open = (client: VegaClient) =>
      followNodeSignaturesWith({ clock, pageSize }, client, { id: world.world.resource }, {}).batches();
    // A follower of signatures begins anew after an error.
    const isDone = await follow<NodeSignature>(
      reading,
      "start",
      open,
      (batch) => {
        found.push(...batch.records);
        upTo = batch.upTo;
      },
      () => {
        found.length = 0;
        return undefined;
      },
    );
    if (isDone) judgeSignatures(reading, found, upTo);
    return;
  }
  if (spec.kind === "follow-votes") {
    const [proposalId = ""] = world.world.proposals;
    const found: Vote[] = [];
    let upTo = 0n;
    const open = (client: VegaClient, from: "start" | bigint) =>
      followVotesWith({ clock, pageSize: 5000 }, client, { proposalId }, { from }).batches();
    const isDone = await follow<Vote>(reading, "start", open, (batch) => {
      found.push(...batch.records);
      upTo = batch.upTo;
    });
    if (isDone) judgeFollowedVotes(reading, proposalId, found, upTo);
    return;
  }
  const wanted = isWanted(spec);
  let part: BalanceChange[] = [];
  let start = from === "start" ? undefined : from;
  let upTo: bigint | undefined;
  let oldest: bigint | undefined;
  const judge = (end: bigint) => {
    const lowest = part.map(timeOf).reduce<bigint | undefined>(earlier, undefined);
    const range = { start: start ?? lowest ?? end, end };
    if (start === undefined) reading.checkStart("the follower", lowest, earlierThan(oldest, end));
    reading.compare("the follower", part, world.changes.filter(wanted).filter(between(range)).sort(inScanOrder));
  };
  const open = (client: VegaClient, from: "start" | bigint) =>
    followBalanceChangesWith(
      { clock, pageSize: reading.isLate ? 5000 : pageSize },
      client,
      { filter },
      { from },
    ).batches();
  const onBatch = (batch: AnyBatch<BalanceChange>) => {
    const from = upTo ?? start;
    if (from !== undefined && batch.upTo <= from)
      reading.fail("order", `a batch up to ${show(batch.upTo)} after ${show(from)}`);
    if (part.length === 0) oldest = world.oldestWanted(wanted);
    part.push(...batch.records);
    upTo = batch.upTo;
  };
  const onError = (error: VegaError) => {
    if (!PaginationError.is(error) || error.reason !== "pruned") return undefined;
    const from = upTo ?? start ?? 0n;
    reading.checkPruned(from, error.availableFrom);
    if (upTo !== undefined) judge(upTo);
    part = [];
    start = error.availableFrom;
    upTo = undefined;
    return start;
  };
  if (await follow(reading, from, open, onBatch, onError)) judge(upTo ?? 0n);
}

function judgeFollowedVotes(reading: Reading, proposalId: string, found: readonly Vote[], upTo: bigint): void {
  const all = reading.world.votes.filter(({ vote }) => vote.proposalId === proposalId);
  // A vote that is cast again in the half-written block comes with the next batch.
  const later = new Set(all.filter(({ time }) => time >= upTo).map(({ vote }) => vote.partyId));
  const written = all.filter(({ vote, time }) => time < upTo && !later.has(vote.partyId));
  const known = new Set(all.map(({ vote }) => voteText(vote)));
  if (found.some((vote) => !known.has(voteText(vote)))) reading.fail("surplus", "followed votes that nobody cast");
  const lastOf = (votes: readonly Vote[]) => new Map(votes.map((vote) => [vote.partyId, voteText(vote)]));
  const [last, expected] = [lastOf(found), lastOf(written.map(({ vote }) => vote))];
  const wrong = [...expected].filter(([party, text]) => last.get(party) !== text);
  if (wrong.length > 0)
    reading.fail("lost", `${wrong.length} of ${expected.size} votes were not followed to their last version`);
}

/** The pages of a loop over the responses of `serve`, which continues with the cursor of each page. */
async function* servedPages<T>(
  gateway: Gateway,
  envelope: string,
  path: string,
  parameters: readonly [name: string, value: string][],
  pagination: object,
): AsyncGenerator<AnyPage<T>> {
  for (let place = pagination; ; ) {
    const pages = Object.entries(place).map(([name, value]): [string, string] => [`pagination.${name}`, String(value)]);
    const { reply } = await gateway.respond({
      method: "GET",
      path,
      query: new URLSearchParams([...parameters, ...pages]),
      headers: {},
      caller: "",
      signal: new AbortController().signal,
      readBody: async () => "",
    });
    const body: unknown = JSON.parse(reply.body.toString());
    if (reply.status !== 200) throw servedError(reply.status, body as ServedError, place);
    const { edges, pageInfo } = (body as Record<string, ServedList<T>>)[envelope] as ServedList<T>;
    const time = reply.headers["X-Block-Timestamp"];
    yield { nodes: edges.map(({ node }) => node), block: time === undefined ? undefined : { timestamp: BigInt(time) } };
    const isBackward = "last" in pagination;
    if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return;
    place = { ...pagination, ...(isBackward ? { before: pageInfo.startCursor } : { after: pageInfo.endCursor }) };
  }
}

interface ServedList<T> {
  edges: { node: T }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

interface ServedError {
  message: string;
  details?: { reason?: PaginationError["reason"]; availableFrom?: string }[];
}

/** The error of a loop: it continues with the request that has failed. */
function servedError(status: number, { message, details: [detail] = [] }: ServedError, resume: object): VegaError {
  const { reason, availableFrom } = detail ?? {};
  const error =
    reason === undefined
      ? new VegaError(`${status} ${message}`)
      : new PaginationError(message, {
          reason,
          availableFrom: availableFrom === undefined ? undefined : BigInt(availableFrom),
        });
  return Object.assign(error, { resume });
}

async function readServed(spec: WalkReader | VotesReader, reading: Reading): Promise<void> {
  const { world } = reading;
  world.hasOtherClock = true;
  const client = world.client();
  const now = () => world.clock.now();
  const gateway = new Gateway({ client, now, hide: (text) => text, callerRate: 0, cacheBytes: 1_000_000 });
  if (spec.kind === "votes") {
    const parameters = Object.entries(spec.query);
    return readVotes(spec, reading, (pages) => servedPages(gateway, "votes", "/api/v2/votes", parameters, pages));
  }
  const { partyIds = [], accountTypes = [] } = spec.filter;
  const filters = [
    ...partyIds.map((id): [string, string] => ["filter.partyIds", id]),
    ...accountTypes.map((type): [string, string] => ["filter.accountTypes", String(type)]),
  ];
  return readWalk(spec, reading, (pages, { start, end }) => {
    const times: [string, string][] = [];
    if (start !== undefined) times.push(["dateRange.startTimestamp", String(start)]);
    if (end !== undefined) times.push(["dateRange.endTimestamp", String(end)]);
    return servedPages(gateway, "balances", "/api/v2/balance/changes", [...filters, ...times], pages);
  });
}

/** `node:sqlite`, which Node.js has from 22.13 on. */
const sqlite = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule?.("node:sqlite") as
  | { DatabaseSync: new (file: string) => SqlDatabase }
  | undefined;

interface StoredChange {
  time: bigint;
  party: string;
  asset: string;
  market: string;
  account_type: string;
  balance: string;
}

/** Stores what a client reads three times, with blocks between, and compares the database with the chain and with what a check says of it. */
async function readSync(spec: SyncReader, reading: Reading): Promise<void> {
  if (sqlite === undefined) return;
  const { world } = reading;
  const client = world.client();
  const database = new sqlite.DatabaseSync(":memory:");
  const { filter, start, pageSize, concurrency } = spec;
  const balances = { filter, ...(start !== undefined && { from: start }) };
  const wanted = isWanted(spec);
  let oldest: bigint | undefined;
  let isPruned = false;
  const once = async function* () {
    yield await syncTo(database, client, { balances, pageSize, concurrency });
  };
  for (let done = 0; done < 3; ) {
    const error = await reading.take(once(), () => undefined);
    if (error === "hang") return;
    oldest ??= world.oldestWanted((change) => wanted(change) && between(spec)(change));
    isPruned = PaginationError.is(error) && error.reason === "pruned";
    if (isPruned) break;
    if (error === undefined) done++;
    else if (!reading.continues()) return;
  }
  const rows = storedIn(database);
  const end = positionOf(database);
  if (end === undefined) {
    if (rows.length > 0) reading.fail("surplus", "records are stored without a position");
    return;
  }
  const lowest = rows.map(timeOf).reduce<bigint | undefined>(earlier, undefined);
  if (start === undefined) reading.checkStart("the database", lowest, earlierThan(oldest, end));
  const from = start ?? lowest ?? end;
  const whole = world.changes.filter(wanted).sort(inScanOrder);
  // Without a block, nothing shows that the last time is complete: it is stored, and is read again.
  reading.compare(
    "the database",
    rows,
    whole.filter(between({ start: from, end })),
    whole.filter(between({ start: from })),
  );
  if (!world.isCalm) world.calm(end);
  const stored = rows.filter(between({ end })).length;
  const isWhole = stored === whole.filter(between({ start: start ?? 0n, end })).length;
  const clients = { own: client, full: world.healthyClient(), empty: world.healthyClient([]) };
  for (const [name, other] of Object.entries(clients)) {
    const found: SyncComparison[] = [];
    const check = async function* () {
      yield await checkSync(database, other, { balances });
    };
    const error = await reading.take(check(), (comparison) => {
      found.push(comparison);
      return undefined;
    });
    if (error === "hang") return;
    const isEqual = found[0] !== undefined && found[0].different.length === 0;
    if (isEqual && name === "full" && !isWhole) reading.fail("check", "says equal, but the full node has more");
    if (isEqual && name === "empty" && stored > 0) reading.fail("check", "says equal of an empty node");
    if (isEqual && (found[0]?.records ?? 0) < stored && name !== "own")
      reading.fail("check", `says equal of ${found[0]?.records} of ${stored} records`);
    if (found[0] && !isEqual && name === "full" && isWhole)
      reading.fail("check", "says different, but nothing differs");
  }
}

function storedIn(database: SqlDatabase): BalanceChange[] {
  const sql = "SELECT CAST(time AS TEXT) AS time, party, asset, market, account_type, balance FROM balance_changes";
  const rows = database.prepare(`${sql} ORDER BY balance_changes.time, asset, party, market, account_type`);
  return (rows.all() as StoredChange[]).map(({ time, party, asset, market, account_type: type, balance }) => ({
    timestamp: `${time}`,
    partyId: party,
    assetId: asset,
    marketId: market,
    accountType: type === "24" ? (24 as unknown as string) : type,
    balance,
  }));
}

function positionOf(database: SqlDatabase): bigint | undefined {
  const row = database.prepare("SELECT position FROM sync_state").get() as { position: string } | undefined;
  return row && BigInt(row.position);
}

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

/** What is worst comes first. */
const severity = [
  "hang",
  "crash",
  "foreign-error",
  "lost",
  "surplus",
  "repeated",
  "late-start",
  "false-pruned",
  "no-end",
];
const rankOf = ({ kind }: Violation) => (severity.includes(kind) ? severity.indexOf(kind) : severity.length);
const worstOf = (violations: readonly Violation[]) => [...violations].sort((a, b) => rankOf(a) - rankOf(b))[0];

/** What a failing world needs to fail in the same way: the features that cannot be left out. */
async function simplest({ world, reader, violations }: Outcome): Promise<Outcome> {
  const worst = worstOf(violations);
  let found: Outcome = { world, reader, violations, errors: [], requests: 0 };
  for (let isSimpler = true; isSimpler; ) {
    isSimpler = false;
    for (const [, simpler] of simplerWorlds(found.world)) {
      const outcome = await readWorld(simpler, reader);
      if (!outcome.violations.some(({ kind }) => kind === worst?.kind)) continue;
      found = outcome;
      isSimpler = true;
      break;
    }
  }
  return found;
}

const inJson = (value: unknown) =>
  JSON.stringify(value, (name, each: unknown) =>
    typeof each === "bigint"
      ? `${each}`
      : name === "partyIds" && Array.isArray(each) && each.length > 9
        ? `${each.length} ids`
        : each,
  );

/** A failing world, the simplest one that fails alike, and how to run it again. */
export async function describeOutcome(outcome: Outcome, simplifies = true): Promise<string> {
  const { world, reader, violations, errors } = outcome;
  const own = [
    `WORLD_SEED=${world.seed}: ${reader.kind}: ${violations.map(({ kind, text }) => `[${kind}] ${text}`).join("; ")}`,
    `  reader: ${inJson(reader)}`,
    `  errors: ${errors.join(", ") || "none"}`,
    `  ${describeWorld(world)}`,
  ];
  if (!simplifies) return own.join("\n");
  const simple = await simplest(outcome);
  const text = simple.violations.map(({ kind, text }) => `[${kind}] ${text}`).join("; ");
  return [...own, `  fails alike without all but: ${describeWorld(simple.world)}`, `  ${text}`].join("\n");
}

/** The environment's choice of worlds: seeds, or how many and of which reader. */
const { WORLD_SEED: seeds, WORLD_COUNT: count, WORLD_READER: kind } = process.env;

/** Whether the environment chooses worlds. */
export const isChosen = (seeds ?? count ?? kind) !== undefined;

/**
 * Reads worlds, each of a seed that follows the one before.
 *
 * @param most - How many, unless the environment variable `WORLD_COUNT` says otherwise. `WORLD_SEED` gives the seeds themselves,
 * divided by commas.
 * @param only - The kind of reader, unless `WORLD_READER` names one. Worlds of others are left out. Default: all.
 * @throws An error that describes the first worlds that fail.
 */
export async function checkWorlds(firstSeed: number, most: number, only?: Reader["kind"]): Promise<void> {
  const chosen =
    seeds?.split(",").map(Number) ?? Array.from({ length: Number(count ?? most) }, (_, index) => firstSeed + index);
  const wanted = seeds === undefined ? (kind ?? only) : undefined;
  const failures: Outcome[] = [];
  let read = 0;
  for (const seed of chosen) {
    const world = worldOf(seed);
    const reader = readerOf(world);
    if (wanted !== undefined && reader.kind !== wanted) continue;
    read++;
    const outcome = await readWorld(world, reader);
    if (outcome.violations.length > 0) failures.push(outcome);
  }
  if (failures.length === 0) return;
  const kinds = new Map<string, number[]>();
  for (const { world, reader, violations } of failures) {
    const name = `${reader.kind} ${worstOf(violations)?.kind}`;
    kinds.set(name, [...(kinds.get(name) ?? []), world.seed]);
  }
  const table = [...kinds].sort().map(([name, found]) => `${name}: ${found.length}: ${found.slice(0, 8).join(",")}`);
  const texts: string[] = [];
  for (const failure of failures.slice(0, 5)) texts.push(await describeOutcome(failure));
  throw new Error([`${failures.length} of ${read} worlds fail.`, table.join("\n"), ...texts].join("\n\n"));
}
