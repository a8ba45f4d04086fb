import type { BalanceChangesFilter } from "../../../src/index.js";
import { Choices, day, second, type World } from "./world.js";

/** A range of time in Unix nanoseconds. */
export interface Range {
  start?: bigint | undefined;
  end?: bigint | undefined;
}

/** How the records of a world are read: plain data that follows from its seed. Each kind uses some of it. */
export interface Reader extends Range {
  kind: (typeof kinds)[number];
  filter: BalanceChangesFilter;
  /** Of a walk over votes. */
  query: { proposalId: string } | { partyId: string };
  newestFirst: boolean;
  isBackward: boolean;
  /** The size of a page. */
  size: number;
  /** How many requests are sent at once. */
  concurrency: number;
  order: "oldest-first" | "newest-first";
  missingHistory: "error" | "ignore";
  /** Where a follower begins. */
  from: "start" | bigint;
  /** Which walk is a loop over the pages of `serve`. */
  serves: "walk" | "votes";
}

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
  const filter = filterOf(choose, world, kind);
  const newestFirst = choose.chance(0.5);
  const isBackward = choose.chance(0.25);
  const size = choose.one([1, 2, 3, 5, 8, 12, 20, 40]);
  const [proposalId = ""] = world.proposals;
  const query = choose.chance(0.8) ? { proposalId } : { partyId: choose.one(world.parties) };
  const sizeOfVotes = choose.one([4, 8, 8, 12, 12, 20, 60]);
  const reader: Reader = {
    kind,
    ...range,
    filter,
    query,
    newestFirst,
    isBackward,
    size,
    concurrency: choose.integer(1, 4),
    order: "oldest-first",
    missingHistory: "error",
    from: "start",
    serves: "walk",
  };
  switch (kind) {
    case "scan":
      reader.order = choose.one(["oldest-first", "newest-first"]);
      reader.size = choose.one([2, 3, 5, 8, 12, 20, 40]);
      if (choose.chance(0.15)) reader.missingHistory = "ignore";
      return reader;
    case "votes":
      return { ...reader, size: sizeOfVotes };
    case "serve":
      return choose.chance(0.6) ? reader : { ...reader, serves: "votes", size: sizeOfVotes };
    case "sync":
      return { ...reader, end: undefined, size: choose.one([3, 8, 20]) };
    case "walk":
    case "signatures":
      return reader;
    default:
      if (!choose.chance(0.5)) reader.from = choose.one(world.blocks).time;
      return { ...reader, start: undefined, end: undefined, size: choose.one([3, 8, 20, 60]) };
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

function filterOf(choose: Choices, { parties, seed }: World, kind: Reader["kind"]): BalanceChangesFilter {
  const way = choose.one(["none", "none", "none", "party", "parties", "many", "type", "upper"] as const);
  switch (way) {
    case "party":
      return { partyIds: [choose.one(parties)] };
    case "upper":
      return { partyIds: [choose.one(parties).toUpperCase()] };
    case "parties":
      return { partyIds: choose.some(parties, 3) };
    // So many do not fit the URL of one request, which only a scan divides.
    case "many": {
      const length = kind === "scan" || kind === "sync" ? 150 : 50;
      const others = Array.from({ length }, (_, index) => (BigInt(seed) * 1000n + BigInt(index)).toString(16));
      return { partyIds: [...choose.some(parties, 3), ...others.map((each) => each.padStart(64, "9"))] };
    }
    case "type":
      return { accountTypes: choose.some(["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION"], 2) };
    default:
      return {};
  }
}
