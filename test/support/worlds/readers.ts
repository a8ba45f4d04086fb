import type { BalanceChangesFilter } from "../../../src/index.js";
import { Choices, day, second, type World } from "./world.js";

/** A range of time in Unix nanoseconds. */
export interface Range {
  start?: bigint | undefined;
  end?: bigint | undefined;
}

export interface BalancesReader extends Range {
  filter: BalanceChangesFilter;
}
export interface ScanReader extends BalancesReader {
  kind: "scan";
  order: "oldest-first" | "newest-first";
  pageSize: number;
  concurrency: number;
  missingHistory: "error" | "ignore";
}
export interface PagedReader {
  newestFirst: boolean;
  isBackward: boolean;
  size: number;
}
export interface WalkReader extends BalancesReader, PagedReader {
  kind: "walk";
}
export interface VotesReader extends PagedReader {
  kind: "votes";
  query: { proposalId: string } | { partyId: string };
}
export interface SignaturesReader extends PagedReader {
  kind: "signatures";
}
export interface FollowReader {
  kind: "follow" | "follow-votes" | "follow-signatures";
  from: "start" | bigint;
  filter: BalanceChangesFilter;
  pageSize: number;
}
/** The same walks, as a loop over the pages of `serve`. */
export interface ServeReader {
  kind: "serve";
  walk: WalkReader | VotesReader;
}
export interface SyncReader extends BalancesReader {
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
  const filter = filterOf(choose, world, kind);
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
