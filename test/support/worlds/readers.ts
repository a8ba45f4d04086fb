import type { BalanceChangesFilter } from "../../../src/index.js";
import { hex } from "../records.js";
import type { ListQuery } from "./read-list.js";
import type { Range } from "./records.js";
import { Choices, day, isRich, second, type World } from "./world.js";

/** How the records of a world are read: plain data that follows from its seed. Each kind uses some of it. */
export interface Reader extends Range {
  kind: (typeof kinds)[number];
  filter: BalanceChangesFilter;
  /** The size of a page. */
  size: number;
  /** How many requests are sent at once. */
  concurrency: number;
  /** Where a follower begins. */
  from: "start" | bigint;
  /** Of a loop, a scan, single pages, or a loop over the pages of `serve`. */
  query: ListQuery;
}

const kinds = [
  ...Array.from({ length: 6 }, () => "scan" as const),
  ...Array.from({ length: 6 }, () => "walk" as const),
  ...Array.from({ length: 4 }, () => "votes" as const),
  ...(["signatures", "follow", "follow", "follow", "follow-votes", "follow-votes", "follow-signatures"] as const),
  ...(["serve", "serve", "serve", "sync", "sync", "pages", "pages", "pages", "reports", "reports"] as const),
];

/** The reader of a world. */
export function readerOf(world: World): Reader {
  const choose = new Choices(world.seed ^ 0xbeef);
  const kind = world.isApart && choose.chance(0.5) ? "votes" : choose.one(kinds);
  const isList = ["scan", "walk", "votes", "signatures", "serve", "pages"].includes(kind);
  const isOfVotes = kind === "votes" || ((kind === "serve" || kind === "pages") && choose.chance(0.4));
  const list = kind === "signatures" ? "signatures" : isOfVotes ? "votes" : "balances";
  const anyRange = rangeOf(choose, world);
  const range = list === "balances" ? anyRange : {};
  const filter = { ...filterOf(choose, world, kind), ...accountsOf(world) };
  const few = [1, 2, 3, 5, 8];
  const sizes = { votes: [4, 8, 8, 12, 12, 20, 60], balances: [...few, 12, 20, 40], signatures: [...few, 20] };
  const [proposalId = ""] = world.proposals;
  const query: ListQuery = {
    ...range,
    list,
    kind:
      kind === "scan" ? "scan" : kind === "pages" ? choose.one(["again", "later", "peek", "next", "cursor"]) : "loop",
    newestFirst: choose.chance(0.5),
    isBackward: kind !== "scan" && choose.chance(0.25),
    size: choose.one(sizes[list]),
    filter: {
      balances: { filter },
      votes: choose.chance(0.8) ? { proposalId } : { partyId: choose.one(world.parties) },
      signatures: { id: world.resource },
    }[list],
    concurrency: choose.integer(1, 4),
    missingHistory: kind === "scan" && choose.chance(0.15) ? "ignore" : "error",
  };
  const from = kind.startsWith("follow") && choose.chance(0.5) ? choose.one(world.blocks).time : "start";
  if (isRich(world.seed) && isList && kind !== "serve" && kind !== "pages") query.limit = limitOf(world.seed);
  const { concurrency } = query;
  const size = isList ? query.size : choose.one([3, 8, 20, 60]);
  const start = kind === "sync" ? range.start : undefined;
  return { kind, filter, size, concurrency, from, query, ...(isList ? range : { start }) };
}

function rangeOf(choose: Choices, { blocks, isSparse }: World): Range {
  const [first, last] = [blocks[0]?.time ?? 0n, blocks.at(-1)?.time ?? 0n];
  const random = () => first + BigInt(choose.integer(0, Number((last - first) / second) + 5)) * second;
  const wayOfStart = choose.one(["open", "open", "open", "block", "random", "before", "day"] as const);
  const start = {
    open: undefined,
    block: choose.one(blocks).time,
    random: random(),
    before: first - 3600n * second,
    day: (random() / day) * day,
  }[wayOfStart === "open" && isSparse ? "random" : wayOfStart];
  const end = choose.chance(0.5) ? undefined : choose.chance(0.3) ? choose.one(blocks).time : random();
  // Nodes compare microseconds.
  const part = () => BigInt(choose.chance(0.2) ? choose.one([1, 500, 999, 1000]) : 0);
  const [from, to] = [start && start + part(), end && end + part()];
  return to !== undefined && from !== undefined && to <= from ? { start: from } : { start: from, end: to };
}

function filterOf(choose: Choices, { parties, seed, isSparse }: World, kind: Reader["kind"]): BalanceChangesFilter {
  const way = choose.one(["none", "none", "none", "party", "parties", "many", "type", "upper"] as const);
  switch (way === "none" && isSparse ? "party" : way) {
    case "party":
      return { partyIds: [choose.one(parties)] };
    case "upper":
      return { partyIds: [choose.one(parties).toUpperCase()] };
    case "parties":
      return { partyIds: choose.some(parties, 3) };
    // So many do not fit the URL of one request, which only a scan divides.
    case "many": {
      const length = kind === "scan" || kind === "sync" ? 150 : 50;
      const idAt = (index: number) => (BigInt(seed) * 1000n + BigInt(index)).toString(16).padStart(64, "9");
      const partyIds = Array.from({ length }, (_, index) => idAt(index));
      for (const party of choose.some(parties, 3)) partyIds.splice(choose.integer(0, partyIds.length), 0, party);
      return { partyIds };
    }
    case "type":
      return { accountTypes: choose.some(["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION"], 2) };
    default:
      return {};
  }
}

function limitOf(seed: number): ListQuery["limit"] {
  const choose = new Choices(seed ^ 0x11b17);
  return choose.chance(0.4) ? { items: choose.one([1, 2, 3, 5, 8, 13, 30]), isBreak: choose.chance(0.5) } : undefined;
}

/** An asset or a market, in addition to other filters. */
function accountsOf({ seed }: World): BalanceChangesFilter {
  const choose = new Choices(seed ^ 0xf117);
  if (!isRich(seed)) return {};
  return {
    ...(choose.chance(0.5) && { assetId: hex(choose.one([0xc0, 0xc0, 0xc1])) }),
    ...(choose.chance(0.3) && { marketIds: [hex(0xd0)] }),
  };
}
